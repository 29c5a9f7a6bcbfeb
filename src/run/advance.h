#pragma once
// Advances a source from frame to frame, reacts to signals on the way, and shows the rasterizer its state.

#include <cstdint>
#include <functional>
#include <memory>

#include "picture/rasterizer.h"
#include "run/render_loop.h"
#include "source/source.h"

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

// The current state of a source, as the rasterizer is shown it: its view or, where that lies on several ranks, what
// they find out about it and draw of it together.
class FrameView {
 public:
  // All must outlive it.
  FrameView(Source& source, const SourcePlan& plan, Rasterizer& rasterizer)
      : source_(source), plan_(plan), rasterizer_(rasterizer) {}

  // The field of the picture, for `draw` and what comes after it. Empty where ranks draw it.
  View view() { return source_.divided() && rasterizer_.divided_size() ? View() : source_.view(plan_.field); }
  void draw(const View&, std::int64_t frame);

  // As the functions of Rasterizer, for the state of frame `frame`.
  Interval measure(std::int64_t frame);
  Spread measure_spread();

 private:
  Source& source_;
  const SourcePlan& plan_;
  Rasterizer& rasterizer_;
};

}  // namespace simreel
