#pragma once
// What is written around a picture and over it: [figure]. The layout is made before the first step; the part that is
// the same in every frame becomes spans of pixels once the range of the colours is known; numbers are drawn from an
// atlas.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "exec/buffer.h"
#include "exec/executor.h"
#include "figure/layout.h"
#include "figure/lines.h"
#include "figure/page.h"
#include "figure/time_text.h"
#include "kernels/raster/overlay.h"
#include "raster/bodies/particle_painter.h"
#include "raster/canvases.h"
#include "raster/interval.h"

namespace simreel {

// The spans of a sheet, and their colours.
struct Spans {
  std::vector<OverlaySpan> spans;
  std::vector<Color> colors;
};
Spans spans_of(const Sheet&);

class Figure {
 public:
  // `colors` are those of the map, then under, NaN and over as they are drawn. Throws UsageError, with its place, for a
  // text that cannot be set and for what does not fit. The executor must outlive the figure.
  Figure(const Executor&, const ViewOptions&, const DrawContext&, std::vector<Color> colors);
  Figure(Figure&&) = delete;

  // The size of a picture with [figure] width: that many pixels at dpi, and for a field the height that its content
  // needs; bodies keep the aspect ratio of [view] size. The view's own size without that key. Throws UsageError as the
  // constructor.
  static Size picture_size(const ViewOptions&, const DrawContext&, const std::vector<Color>& colors);

  // Executor memory, about: it depends on how much is written.
  static std::size_t memory_bytes(const ViewOptions&, const DrawContext&);

  // What an inset takes at most of a picture.
  static constexpr Size largest_inset(Size size) { return {size.width * 40 / 100, size.height * 45 / 100}; }
  // Where the painter draws.
  Viewport viewport() const { return {view_.size, layout_.field}; }
  // The same before there is a figure.
  static Viewport viewport(const ViewOptions&, const DrawContext&, const std::vector<Color>& colors);
  // The magnified part, its place in the canvas; nullopt without one.
  const std::optional<Rectangle>& inset() const { return layout_.inset; }
  const Rectangle& inset_cells() const { return layout_.inset_cells; }
  // What is written over the picture.
  std::vector<Rectangle> labels_inside() const;
  // Whether the picture itself is shown, and not the labels alone.
  bool shows_picture() const { return stage_.figure.options.only == FigureOptions::Only::all; }
  // Whether its values are shown as colours.
  bool shows_colors() const { return shows_picture() && !stage_.figure.options.curve; }
  bool wants_diagnostics() const { return time_.names_diagnostics(); }
  // Whether a curve has an area of hues under it; then the two parts of their vectors are handed over before it is
  // drawn.
  bool wants_hue() const { return stage_.figure.options.curve && !view_.hue.empty(); }
  void take_hue(int part, const View& view) { hues_[part] = host_field(view, 0); }
  bool wants_vectors() const { return stage_.figure.options.shows_vectors(); }
  // Part 0 (x) or 1 (y) of the vectors of the frame that comes next. Waits for the executor.
  void take_vectors(int part, const View& view, std::int64_t frame) { vectors_[part] = host_field(view, frame); }

  // A warning if contours were asked for at values that no drawn frame has.
  std::optional<std::string> unseen_contours() const;

  // Writes over a drawn frame of the view. The canvases are whole pictures. Uploads when the range is another than
  // before, and in every frame for contours, arrows and streamlines, which wait for the executor. What is written is
  // added to `page`, unless that is null.
  void draw(const View&, Interval range, const FrameFacts&, const Canvas<Color>&, const Canvas<DeepColor>&,
            Page* page = nullptr);

 private:
  ColorAxis color_axis(std::optional<Interval>) const;
  HostField host_field(const View&, std::int64_t frame) const;
  void upload(const Marks&);
  std::vector<int> spare_room(const FrameFacts&) const;
  int shift_at(int x) const;
  // Contours, arrows and streamlines of one frame, the numbers of contours, and the key of arrows and the lines of an
  // inset, which lie over all of these.
  struct Lines {
    Strokes strokes;
    Marks labels, above;
  };
  Lines lines_of(const View&, Interval range, std::int64_t frame);
  void add_arrow_key(const Rectangle&, const ArrowScale&, Marks&) const;
  Shape shape_of(const Stroke&, Color) const;
  struct Contour {
    double level;
    std::optional<GlyphRun> label;
  };
  void add_inset_lines(HostField&, const std::vector<Contour>&, const ArrowScale&, Marks&);
  // Whether there are such lines. Labels avoid what is taken.
  bool add_contour(const HostField&, const Contour&, const Rectangle& box, std::vector<Rectangle>& taken, int group,
                   Strokes&, Marks& labels) const;
  std::vector<Contour> add_contours(const HostField&, Interval range, Lines&);
  void add_curve(const HostField&, const AxisRange&, Lines&) const;
  Image hued_area(const HostField&, const ColorAxis&) const;
  Spans spans_of_lines(const Lines&) const;
  std::int32_t line_width() const;
  Color line_color() const;
  void write_page(Page&, Lines, const FrameFacts&) const;
  void fill_atlas();

  const Executor& executor_;
  ViewOptions view_;
  DrawContext stage_;
  std::vector<Color> colors_;
  TimeText time_;
  FigureLayout layout_;
  Marks marks_;                    // of the range that is shown
  std::vector<int> spare_;         // of the numbers, pixels, as it is shown
  std::optional<Interval> shown_;  // the range of the spans
  Buffer<OverlaySpan> spans_;
  Buffer<Color> span_colors_;
  HostField vectors_[2], hues_[2];
  std::vector<bool> seen_contours_;  // of [figure] contours: whether a frame had the value
  Interval contoured_{};             // the values of the field in the last frame
  Buffer<OverlaySpan> line_spans_;   // of contours, arrows and streamlines, with room for more
  Buffer<Color> line_colors_;
  // For each number of the layout, its characters.
  struct Letter {
    char32_t code;
    int advance;  // pixels
    int left;     // of the picture of the glyph, from its origin
    int width;
    std::int32_t first;  // in the atlas
  };
  std::vector<std::vector<Letter>> letters_;
  Buffer<std::uint8_t> atlas_;
};

// The map as it is for any range, and after it the colours for under the range, NaN and over the range. With `hue` it
// is that of the brightness, and the hues come from the colour map; otherwise there are none. Both throw UsageError as
// load_colormap.
std::vector<Color> colors_of(const ViewOptions&);
std::vector<Color> hues_of(const ViewOptions&);

// What the colours of a view mean, for its bar.
// `colors` as for Figure; without a range that of the scene, if it gives one.
ColorAxis axis_of(const ViewOptions&, const DrawContext&, const std::vector<Color>& colors, std::optional<Interval>);

}  // namespace simreel
