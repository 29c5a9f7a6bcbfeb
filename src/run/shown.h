#pragma once
// The current state of a source, as the rasterizer is shown it: its view or, where that lies on several ranks, what
// they find out about it and draw of it together.

#include <cstdint>

#include "raster/rasterizer.h"
#include "source/source.h"

namespace simreel {

class Shown {
 public:
  // All must outlive it.
  Shown(Source& source, const SourcePlan& plan, Rasterizer& rasterizer)
      : source_(source), plan_(plan), rasterizer_(rasterizer) {}

  // As the functions of Rasterizer, for the state of frame `frame`.
  Interval measure(std::int64_t frame);
  Spread measure_spread();
  void draw(std::int64_t frame);

  // For what a rasterizer does after it drew the state. Empty where ranks drew it.
  View view() { return source_.divided() && rasterizer_.divided_size() ? View() : source_.view(plan_.field); }

 private:
  Source& source_;
  const SourcePlan& plan_;
  Rasterizer& rasterizer_;
};

}  // namespace simreel
