#pragma once
// A solver's view -> the pixels of one frame, on the executor. One canvas serves the whole run, or two where both
// layouts of 8 and of 16 bits a channel are wanted. What is drawn decides who paints: FieldPainter or ParticlePainter.

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/pixels.h"
#include "checkpoint/checkpoint.h"
#include "exec/buffer.h"
#include "exec/executor.h"
#include "kernels/base/view.h"
#include "raster/bodies/particle_painter.h"
#include "raster/color/colormap.h"
#include "raster/field/field_painter.h"
#include "raster/interval.h"
#include "scene/scene.h"

namespace simreel {

class Rasterizer {
 public:
  // Loads the colormap and sets a fixed range. Throws UsageError where either is wrong, and for bodies where the camera
  // is. The executor must outlive the rasterizer.
  Rasterizer(const Executor&, const ViewOptions&, const ParticleStage& = {});

  // Executor memory that a rasterizer takes with these layouts: canvases, tables, light, trails, colours and scratch.
  // Staging for layouts is not part of it, and grids of more than a million columns need 8 bytes of scratch more for
  // each further column.
  static std::size_t memory_bytes(const Executor&, const ViewOptions&, const ParticleStage& = {},
                                  const std::vector<PixelLayout>& = {});

  // Which layouts `convert` will be asked for, before the first frame is drawn; they decide which canvases there are.
  // Without it, and without any layout, that is the one of 8 bits a channel.
  void set_layouts(const std::vector<PixelLayout>&);

  // How the range is to be found, [view] `range` or what is drawn decides.
  RangeMode range_mode() const;

  // The interval of a view's finite values, for `set_range`; what it is for bodies says ParticlePainter::measure. Waits
  // for the executor; the result does not depend on the backend.
  Interval measure(const View&, std::int64_t frame);

  // The values that the colormap's ends stand for. Without finite values (low > high or NaN) it is [0, 1]. An interval
  // with no extent is widened around its value, which lands in the middle of a linear or logarithmic scale. Throws
  // UsageError for a log scale whose `low` is not above 0, naming the range and the way out.
  void set_range(Interval);
  Interval range() const { return range_; }

  // What the pictures to come depend on beside the views: the range, and for bodies what ParticlePainter keeps.
  void save(Checkpoint&) const;
  // Returns whether the checkpoint knows the range. Throws RuntimeError for a damaged one.
  bool load(const Checkpoint&);

  // Draws the view of frame `frame`, counted from 0, over the background. Fields keep their aspect ratio, centred;
  // bilinear where they grow, area average where they shrink. Bodies are seen by the frame's camera, and their frames
  // must come one after the other. Asynchronous on a GPU, and so is `convert`.
  void draw(const View&, std::int64_t frame);

  // What was drawn in one of the layouts, frame_bytes(size, layout) bytes at `to` in executor memory. Layouts without
  // alpha show it over the background colour made opaque.
  void convert(PixelLayout, std::byte* to) const;

  // What the run found that no single frame shows, one line each.
  std::vector<std::string> findings() const;

 private:
  bool log_range() const;

  const Executor& executor_;
  ViewOptions view_;
  Interval range_{0, 1};
  int map_colors_ = 0;    // without the three that follow the map
  Buffer<Color> colors_;  // the map, then the colours under the range, of NaN and over the range
  Buffer<Color> canvas_;
  Buffer<DeepColor> deep_canvas_;
  std::variant<FieldPainter, ParticlePainter> painter_;
};

}  // namespace simreel
