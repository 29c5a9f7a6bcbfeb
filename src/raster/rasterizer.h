#pragma once
// A solver's view -> the pixels of one frame, on the executor. One canvas serves the whole run.

#include <cstddef>
#include <cstdint>

#include "exec/buffer.h"
#include "exec/executor.h"
#include "kernels/view.h"
#include "pixels.h"
#include "raster/colormap.h"
#include "scene/scene.h"

namespace simreel {

// The least and the greatest finite value seen; low > high where there was none.
struct Interval {
  double low, high;
};

class Rasterizer {
 public:
  // Loads the colormap and sets a fixed range. Throws UsageError where either is wrong. The executor must outlive the
  // rasterizer.
  Rasterizer(const Executor&, const ViewOptions&);

  // Executor memory that a rasterizer takes: canvas, tables, colours and scratch. Staging for layouts is not part of
  // it, and grids of more than a million columns need 8 bytes of scratch more for each further column.
  static std::size_t memory_bytes(const ViewOptions&);

  // The interval of a view's finite values. Waits for the executor; the result does not depend on the backend.
  Interval measure(const View&);

  // The values that the colormap's ends stand for. Without finite values (low > high or NaN) it is [0, 1]. An interval
  // with no extent is widened around its value, which lands in the middle of a linear or logarithmic scale. Throws
  // UsageError for a log scale whose `low` is not above 0, naming the range and the way out.
  void set_range(Interval);
  Interval range() const { return range_; }

  // Draws the view over the background: aspect ratio kept, centred; bilinear where it grows, area average where it
  // shrinks. Asynchronous on a GPU, and so is `convert`.
  void draw(const View&);

  // The canvas in another layout, frame_bytes(size, layout) bytes at `to` in executor memory. Layouts without alpha
  // show it over the background colour made opaque.
  void convert(PixelLayout, std::byte* to) const;

 private:
  void place(int nx, int ny);

  const Executor& executor_;
  ViewOptions view_;
  Interval range_{0, 1};
  int nx_ = 0, ny_ = 0;   // the grid that samples_ belongs to
  int map_colors_ = 0;    // without the three that follow the map
  Buffer<Color> colors_;  // the map, then the colours under the range, of NaN and over the range
  Buffer<Color> canvas_;
  Buffer<std::int32_t> samples_;  // which cells each column and row of pixels shows
  Buffer<std::byte> scratch_;
};

}  // namespace simreel
