#pragma once
// The first pass of a run whose range ("global", "symmetric") or camera (fit) comes from all frames: it measures all
// frames and draws none.

#include "run/loop.h"

namespace simreel {

bool has_first_pass(const Rasterizer&);

// Runs a source of its own over all frames and sets the range of the rasterizer to the interval of their values, or to
// [-m, m] where their larger values are, and what its camera is fitted to.
// Resumes the pass if job.resumed was saved during one, and takes checkpoints. Returns the signal that ended the pass
// early, or 0.
int find_range_of_all(const RenderJob&);

}  // namespace simreel
