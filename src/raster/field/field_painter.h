#pragma once
// A field -> pixels: holds the tables for the sizes of grid and picture. Uses kernels/raster/field.h.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/outline.h"
#include "base/pixels.h"
#include "exec/buffer.h"
#include "exec/executor.h"
#include "kernels/base/axis_samples.h"
#include "kernels/base/field_range.h"
#include "kernels/base/view.h"
#include "kernels/raster/field.h"
#include "kernels/raster/paths.h"
#include "raster/canvases.h"
#include "raster/field/field_part.h"
#include "raster/interval.h"
#include "scene/scene.h"

namespace simreel {

class FieldPainter {
 public:
  // `place`: of the picture, that is filled; unset: where fields keep their proportions. `hues`: of view.hue.
  FieldPainter(const Executor&, const ViewOptions&, const std::optional<Rectangle>& place,
               const std::vector<Color>& hues);

  // Fits what the view leaves open to the map's colour of 0, or of what is nearest to 0 in the range: obstacles stand
  // out from it, and where the range has both signs the bars beside the field have it if it is a grey, black or white.
  void fit(Color quiet, bool both_signs);

  // `grid`: cells that are seen.
  static std::size_t memory_bytes(const ViewOptions&, const std::array<double, 2>& grid);
  // Executor memory that fields with an outline need in addition.
  static std::size_t outline_bytes(const ViewOptions&);

  template <class Real>
  Interval measure(const FieldView<Real>&);
  template <class Real>
  Spread measure_spread(const FieldView<Real>&);

  // Fills the canvases with the part. `colors`: `count` entries of the map and the three colours after it
  // (kernels/raster/field.h, ColorScale).
  template <class Real>
  void draw(const FieldView<Real>&, FieldPart&, Interval range, const Color* colors, int count, Canvases);

  // Part 0 or 1 of the vectors of view.hue of the field that is drawn next.
  template <class Real>
  void take_hue(int part, const FieldView<Real>&);

  // The pixels of a part of a field, if it shrinks along both axes.
  std::optional<Size> shrunk(const FieldPart& part) const { return place_ ? shrunk(part, *place_) : std::nullopt; }
  static std::optional<Size> shrunk(const FieldPart&, const Rectangle& place);
  // How ranks draw such a picture, with `count` entries of the map; and their pixels, put on the canvases.
  FieldPicture picture(Size size, const FieldPart& part, Interval range, int count) const {
    return {size, part.cells(), part.columns(), part.rows(), scale(range, nullptr, count)};
  }
  void put(const FieldRows&, const Canvases&) const;

 private:
  void* scratch(std::size_t bytes);
  bool nearest() const { return view_.interpolation == Interpolation::nearest; }
  void place(const FieldPart&);
  ColorScale scale(Interval range, const Color* colors, int count) const;
  template <class Real>
  ShapedSolids shaped_solids(const FieldView<Real>&, const AxisSamples& columns, const AxisSamples& rows);
  template <class Real>
  void draw_hue(const FieldView<Real>&, FieldPart&, const Canvases&);
  void draw_paths(const PathsView&, const PathPlace&, const Rectangle&, const Canvases&);

  const Executor& executor_;
  ViewOptions view_;
  std::optional<Rectangle> place_;
  Color bars_, obstacle_;
  // The cells and their parts that samples_ and codes_ belong to, and the part of the picture that they fill.
  Rectangle cells_{};
  AxisPart shown_x_, shown_y_;
  Rectangle rectangle_{};
  Buffer<std::int32_t> samples_;  // the cells of each column and row of pixels
  Buffer<std::byte> scratch_;
  const Outline* outline_ = nullptr;  // of codes_
  Buffer<std::uint8_t> codes_;
  Buffer<std::uint32_t> marks_;  // of paths
  // Of view.hue: unit vectors, laid out like the field; pictures of both parts; the hues, and the colours of the parts.
  Buffer<double> hue_[2];
  Buffer<DeepColor> hue_pictures_[2];
  Buffer<Color> hues_, part_colors_;
};

// How much of each pixel solid shapes cover.
// The codes of kernels/raster/field.h, ShapedSolids, before find_plain_pixels, for these parts of a grid drawn with
// `size` pixels: rows from the top, 1 + 254 times the part of the pixel that the union of the shapes covers. Exact
// along x; along y the mean of 64 lines per pixel. The same bits on every machine.
std::vector<std::uint8_t> coverage_codes(const Outline&, const AxisPart& columns, const AxisPart& rows, Size size);

}  // namespace simreel
