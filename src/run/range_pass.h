#pragma once
// The first pass of a run whose range ("global", "robust", "symmetric") or camera (fit) comes from all frames: it
// measures all frames and draws none.

#include <memory>

#include "run/loop.h"

namespace simreel {

struct FirstPass {
  int signal = 0;                 // that ended the pass early, or 0
  std::unique_ptr<Source> again;  // shows all frames again from memory; null: they were not kept
};

// Runs a source of its own over all frames and sets the range of the rasterizer to the interval of their values, or to
// [-m, m] where their larger values are, and what its camera is fitted to.
// Resumes the pass if job.resumed was saved during one, and takes checkpoints.
FirstPass find_range_of_all(const RenderJob&);

}  // namespace simreel
