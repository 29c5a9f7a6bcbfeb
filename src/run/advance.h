#pragma once
// Advances a source from frame to frame and reacts to signals on the way.

#include <cstdint>
#include <functional>
#include <memory>

#include "run/loop.h"

namespace simreel {

// In its lifetime the source works, or something is measured or drawn (RenderJob::in_step).
class InStep {
 public:
  explicit InStep(const RenderJob& job) : job_(job), before_(job.in_step(true)) {}
  ~InStep() { job_.in_step(before_); }
  InStep& operator=(InStep&&) = delete;

 private:
  const RenderJob& job_;
  bool before_;
};

// Advances the source to frame `frame` in portions, waiting for each, so that the run reacts to a signal quickly
// however much work is between two frames. Calls `pause` after each portion. Returns the signal that ended it, or 0.
int advance_to(const RenderJob&, Source&, std::int64_t frame, const std::function<void()>& pause);

// Opens the source of the run at its start; it gives up a long portion when the run is interrupted.
std::unique_ptr<Source> open_source(const RenderJob&);

}  // namespace simreel
