#pragma once
// The first pass of a run with range = "global" or "symmetric": it measures the values of all frames and draws none.

#include "run/loop.h"

namespace simreel {

// Runs a source of its own over all frames and sets the range of the rasterizer to the interval of their values, or to
// [-m, m] where their larger values are.
// Resumes the pass if job.resumed was saved during one, and takes checkpoints. Returns the signal that ended the pass
// early, or 0.
int find_range_of_all(const RenderJob&);

}  // namespace simreel
