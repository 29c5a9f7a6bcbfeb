#pragma once
// The current state of a source, as the rasterizer is shown it: its view or, where that lies on several ranks, what
// they find out about it and draw of it together.

#include <cstdint>

#include "picture/rasterizer.h"
#include "source/source.h"

namespace simreel {

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
