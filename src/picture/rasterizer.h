#pragma once
// A solver's view -> the pixels of one frame, on the executor. One canvas serves the whole run, or two if layouts of
// both 8 and 16 bits per channel are needed. Fields are drawn by FieldPainter, bodies by ParticlePainter.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/pixels.h"
#include "checkpoint/checkpoint.h"
#include "exec/buffer.h"
#include "exec/executor.h"
#include "figure/figure.h"
#include "figure/overlay.h"
#include "kernels/base/view.h"
#include "raster/bodies/particle_painter.h"
#include "raster/canvases.h"
#include "raster/field/field_painter.h"
#include "raster/field/field_part.h"
#include "raster/interval.h"
#include "scene/scene.h"

namespace simreel {

class Rasterizer {
 public:
  // Loads the colormap and sets a fixed range. Throws UsageError if either is invalid, or for bodies if the camera is.
  // The executor must outlive the rasterizer. With a viewport, the picture has the size of its area instead of the
  // view's and equals a picture of that size alone; the rest of the canvas is background. A figure has its own
  // viewport; its mistakes are UsageErrors too.
  Rasterizer(const Executor&, const ViewOptions&, const DrawContext& = {}, const std::optional<Viewport>& = {});

  // Executor memory of a rasterizer with these layouts: canvases, tables, light, trails, colours and scratch. It
  // excludes the buffers of layouts, and 8 bytes of scratch per column beyond a million for larger grids.
  static std::size_t memory_bytes(const Executor&, const ViewOptions&, const DrawContext& = {},
                                  const std::vector<PixelLayout>& = {});

  // The layouts that `convert` will be called with; to be set before the first frame is drawn. They determine which
  // canvases exist; by default, and for no layouts, that is the 8-bit canvas.
  void set_layouts(const std::vector<PixelLayout>&);

  // How the range is determined, from [view] `range` or the default of the viewed data.
  RangeMode range_mode() const;

  // The interval of a view's finite values, for `set_range`; for bodies see ParticlePainter::measure. Waits for the
  // executor; the result does not depend on the backend.
  Interval measure(const View&, std::int64_t frame);
  // The spread of a field's values, from which a symmetric range follows. Waits likewise.
  Spread measure_spread(const View&);

  // The same for a camera that is fitted to all frames.
  bool fits_all_frames() const;
  Reach measure_reach(const View&);
  void set_reach(const Reach&);

  // Sets the values at the ends of the colormap. Without finite values (low > high or NaN) they become [0, 1]. An empty
  // interval is widened around its value, which is then in the middle of a linear or logarithmic scale. Throws
  // UsageError with the range and a way out for a log scale whose `low` is not above 0.
  void set_range(Interval);
  Interval range() const { return range_; }
  // range = "follow": the extremes of the next frame. The range closes most of the gap to them within a quarter of a
  // second of video; where nothing was known, all of it.
  void follow(Interval);

  // Saves the state that later pictures depend on: the range and, for bodies, the state of ParticlePainter.
  void save(Checkpoint&) const;
  // Returns whether the checkpoint contains the range. Throws RuntimeError for a damaged one.
  bool load(const Checkpoint&);

  // Whether `draw` needs the two parts of [view] hue; to be handed over one after the other before it. Asynchronous on
  // a GPU.
  bool wants_hue() const { return !view_.hue.empty() && (!figure_ || figure_->shows_colors() || figure_->wants_hue()); }
  void take_hue(int part, const View&);

  // Draws the view of frame `frame`, counted from 0, over the background. Fields keep their aspect ratio and are
  // centred; enlarged bilinearly, reduced by area averages. Bodies are seen by the camera of the frame, and their
  // frames must be drawn in order. Asynchronous on a GPU, and so is `convert`.
  void draw(const View&, std::int64_t frame);

  // Instead of `draw`, for a frame that nobody sees: keeps what later pictures need, trails or a row of [figure]
  // space_time.
  void remember(const View&, std::int64_t frame);
  static std::size_t space_time_bytes(const DrawContext&);

  // Before the last frame is drawn once more.
  void forget_last();

  // Of a field that lies on several ranks: the picture that they draw, with `colors`, for `put` instead of `draw`;
  // nullopt where `draw` needs the whole field: it does not shrink along both axes, or [figure] shows more than its
  // colours.
  std::optional<FieldPicture> divided_picture() const;
  const std::vector<Color>& colors() const { return map_; }
  void put(const FieldRows&);
  // The size of that picture, also before there is a rasterizer.
  std::optional<Size> divided_size() const;
  static std::optional<Size> divided_size(const ViewOptions&, const DrawContext&);
  // The number of `colors`. Throws UsageError as the constructor does.
  static std::size_t color_count(const ViewOptions&);

  // As simreel::aim (figure/aim.h).
  static void aim(DrawContext&, const ViewOptions&);

  // Takes a picture that is drawn already: executor memory, rows from the top, of the size of a view without a figure.
  // Asynchronous on a GPU.
  void show(const Color* picture);

  // Writes [figure] and [[overlay]] over a drawn frame of the view, which is not used where ranks drew it; nothing
  // without these tables.
  // Asynchronous on a GPU, but for the first call with a range and for contours and arrows.
  void write_figure(const View&, const FrameFacts&, Page* page = nullptr);
  // Draws what [[overlay]] says over a frame that is written otherwise; `write_figure` does it too. Asynchronous on a
  // GPU where nothing of it changes.
  void lay_over(const FrameFacts&, Page* page = nullptr);
  // A later picture of the last frame, which is held: brings what [[overlay]] shows then. Returns whether it changed.
  bool lay_over_held(const FrameFacts&, Page* page = nullptr);
  // The same as write_figure, and the frame as a page for vector files. Needs the canvas of 8 bits. Waits for the
  // executor.
  Page write_page(const View&, const FrameFacts&);

  // The letters that `theme = "auto"` gives on this background.
  static FigureOptions::Theme theme_on(Color background);
  // The size of the picture: that of the view or, with [figure] width, what follows from it. Throws UsageError.
  static Size picture_size(const ViewOptions&, const DrawContext&);
  // Whether measures are those of the values along a line, and not of the whole field.
  bool measures_line() const { return line_.has_value(); }
  // Whether the facts need values of the diagnostics.
  bool figure_wants_diagnostics() const {
    return (figure_ && figure_->wants_diagnostics()) || (overlays_ && overlays_->wants_diagnostics());
  }
  // Whether the next `write_figure` needs the two parts of a vector; to be handed over one by one before it.
  bool figure_wants_vectors() const { return figure_ && figure_->wants_vectors(); }
  void take_vectors(int part, const View& view, std::int64_t frame) {
    aim(frame);
    figure_->take_vectors(part, seen(view), frame);
  }

  // Why no light of the bodies falls into the picture of frame `frame`, and a way out; nullopt if some does, and for a
  // field. Waits for the executor.
  std::optional<std::string> unseen(const View&, std::int64_t frame);
  // Of overlays.
  std::vector<std::string> overlay_warnings() const {
    return overlays_ ? overlays_->warnings() : std::vector<std::string>();
  }
  // The same of contours, after the last frame.
  std::optional<std::string> unseen_contours() const;

  // Until the next call `convert` shows the canvas with so many of AnimationOptions::fade_whole parts, and the
  // background with the others; the canvas stays. Asynchronous on a GPU.
  void fade(int share);

  // Writes the canvas in one of the layouts: frame_bytes(its size, layout) bytes to `to` in executor memory. Layouts
  // without alpha show it over the background colour, made opaque.
  void convert(PixelLayout, std::byte* to) const;

  // Results of the whole run, one line each.
  std::vector<std::string> findings() const;

 private:
  bool log_range() const;
  Canvases canvases() { return {viewport_.of(canvas_.data()), viewport_.of(deep_canvas_.data())}; }
  void download_picture(Page&) const;
  void clear_around(const Rectangle& painted);
  void clear_margins();
  void shape_map();
  void fit();
  void aim(std::int64_t frame);
  void keep_row(const View&, std::int64_t frame);
  View seen(const View&);
  HostField values_along(const View&);
  // What the range comes from: of a field all of it, but where a line is shown the values along that.
  View measured(const View&);
  // What is shown: the source's view, or of [figure] space_time the rows so far.
  View shown(const View&) const;
  template <class Real>
  void draw_inset(const FieldView<Real>&);

  const Executor& executor_;
  std::vector<Color> map_;  // the colours of colors_, unless the view shapes them
  std::unique_ptr<Figure> figure_;
  Viewport viewport_;
  bool margins_clear_ = false;  // around the viewport is the background
  std::unique_ptr<Overlays> overlays_;
  ViewOptions view_;  // its size is the viewport's
  FieldPart seen_;    // of a field, in the last frame that was drawn
  // Of [figure] profile and space_time: where the values lie that are shown, and those of a frame.
  struct Line {
    std::array<double, 4> ends;
    int columns;
    Buffer<double> row;
  };
  std::optional<Line> line_;
  // Of space_time the rows so far.
  struct SpaceTime {
    int columns, rows;
    Buffer<double> values;
    FieldPart all;
  };
  std::optional<SpaceTime> space_time_;
  std::optional<DrawContext> moving_;  // of a picture with keys
  bool needs_field_;                   // the figure does
  Interval range_{0, 1};
  Interval followed_{1, -1};  // range = "follow"; empty: no frame had two values
  double followed_part_;      // of the gap, in a frame
  Interval fitted_{0, 1};     // the range to which bars and obstacles are fitted
  std::optional<Interval> shaped_for_;
  int map_colors_ = 0;    // without the three colours after the map
  Buffer<Color> colors_;  // the map, then the colours for under the range, NaN and over the range
  Buffer<Color> canvas_;
  Buffer<DeepColor> deep_canvas_;
  Buffer<Color> faded_;  // for `convert`, instead of the canvases, while fades_; empty before the first fade
  Buffer<DeepColor> deep_faded_;
  bool fades_ = false;
  std::int64_t last_ = -1;  // the frame that is held; -1: none, or nothing lies over it
  Buffer<Color> bare_;      // its picture without [[overlay]]
  Buffer<DeepColor> deep_bare_;
  std::variant<FieldPainter, ParticlePainter> painter_;
  std::unique_ptr<FieldPainter> inset_painter_;
  FieldPart inset_;
};

}  // namespace simreel
