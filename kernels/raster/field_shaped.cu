#include "kernels/raster/field_shaped.cuh"

#include <algorithm>

#include "kernels/raster/field_bilinear.cuh"
#include "kernels/raster/field_color.h"
#include "kernels/raster/field_solid.cuh"

namespace simreel {
namespace {

template <class Real>
struct FindPlainPixels {
  FieldView<Real> field;
  AxisSamples columns, rows;
  std::uint8_t* codes;

  HD bool solid(int row, int column) const {
    return field.cell[static_cast<std::size_t>(row) * field.pitch + static_cast<std::size_t>(column)] < 0;
  }
  HD void operator()(int x, int y) const {
    std::uint8_t& code = codes[static_cast<std::ptrdiff_t>(y) * columns.pixels + x];
    if (code != 1) return;
    const int up = rows.pixels - 1 - y, lower = rows.first[up], upper = rows.last[up];
    const int left = columns.first[x], right = columns.last[x];
    if (!solid(lower, left) && !solid(lower, right) && !solid(upper, left) && !solid(upper, right)) code = 0;
  }
};

template <Curve curve, class Real, class Pixel>
struct DrawShapedSolids {
  DrawSamples<curve, Interpolated<Real>, Pixel> plain;
  FluidCells<Real> cells;
  ColorScale scale;
  const std::uint8_t* codes;
  PixelWord<Pixel> obstacle;

  HD const std::uint8_t* code(int x, int y) const {
    return codes + static_cast<std::ptrdiff_t>(y) * cells.columns.pixels + x;
  }
  HD void operator()(int x, int y) const {
    const int covered = *code(x, y);
    if (covered == 0) return plain(x, y);
    PixelWord<Pixel> color = obstacle;
    if (covered < 255) {
      auto sum = cells(x, y);
      if (!(sum.weights > 0)) sum = beyond(x, y);
      if (sum.weights > 0)
        color = mixed_seen<Pixel>(obstacle, fluid_color<curve, Pixel>(scale, sum),
                                  static_cast<float>(255 - covered) * (1 / 254.0f));
    }
    store_pixel(plain.corner + static_cast<std::ptrdiff_t>(y) * plain.pitch + x, color);
  }

  // The fluid cells one cell further: a shape may leave a gap between cells that are all solid.
  HD typename FluidCells<Real>::Sum beyond(int x, int y) const {
    const FieldView<Real>& field = cells.field;
    const int up = cells.rows.pixels - 1 - y;
    const int bottom = cells.rows.first[up] - 1, top = cells.rows.last[up] + 1;
    const int left = cells.columns.first[x] - 1, right = cells.columns.last[x] + 1;
    typename FluidCells<Real>::Sum sum;
    for (int row = bottom > 0 ? bottom : 0; row <= top && row < field.ny; ++row)
      for (int column = left > 0 ? left : 0; column <= right && column < field.nx; ++column) {
        const std::size_t place = static_cast<std::size_t>(row) * field.pitch + static_cast<std::size_t>(column);
        if (field.cell[place] < 0) continue;
        sum.values += static_cast<double>(field.value[place]) - cells.offset;
        sum.weights += 1;
      }
    return sum;
  }

  // Blocks without solids as if there were none in the field, so that they vectorise.
  void span(int x0, int x1, int y) const {
    constexpr int block = 64;
    const auto local = plain;  // for the same reason as in launch.h
    for (int left = x0; left < x1; left += block) {
      const int right = std::min(left + block, x1);
      if (std::all_of(code(left, y), code(right, y), [](std::uint8_t c) { return c == 0; })) {
        SIMREEL_INDEPENDENT
        for (int x = left; x < right; ++x) local(x, y);
      } else {
        draw_edges(left, right, y);
      }
    }
  }
  // Not inlined: GCC would stop inlining before the loop above vectorises.
  [[gnu::noinline]] void draw_edges(int x0, int x1, int y) const {
    for (int x = x0; x < x1; ++x) (*this)(x, y);
  }
};

}  // namespace

bool is_enlarged(const AxisSamples& columns, const AxisSamples& rows) {
  return columns.pixels >= columns.length && rows.pixels >= rows.length &&
         (columns.pixels > columns.length || rows.pixels > rows.length);
}

template <class Real>
void find_plain_pixels(const Executor& executor, const FieldView<Real>& field, const AxisSamples& columns,
                       const AxisSamples& rows, std::uint8_t* codes) {
  parallel_for(executor, "find pixels without solids", {columns.pixels, rows.pixels},
               FindPlainPixels<Real>{field, columns, rows, codes});
}

template <class Real, class Pixel>
void draw_shaped_solids(const Executor& executor, const FieldView<Real>& field, const AxisSamples& columns,
                        const AxisSamples& rows, const ColorScale& scale, ShapedSolids solids, Extent extent,
                        Pixel* corner, int pitch) {
  const Interpolated<Real> sample{field, columns, rows, scale.offset, 1 / (columns.total * rows.total)};
  const auto draw = [&]<Curve curve>() {
    parallel_for(executor, "draw around shapes", extent,
                 DrawShapedSolids<curve, Real, Pixel>{body_of_samples<curve>(sample, scale, corner, pitch),
                                                      {field, columns, rows, scale.offset},
                                                      scale,
                                                      solids.codes,
                                                      word_of<Pixel>(scale.obstacle)});
  };
  with_curve(scale.curve, draw);
}

template void find_plain_pixels(const Executor&, const FieldView<float>&, const AxisSamples&, const AxisSamples&,
                                std::uint8_t*);
template void find_plain_pixels(const Executor&, const FieldView<double>&, const AxisSamples&, const AxisSamples&,
                                std::uint8_t*);
template void draw_shaped_solids(const Executor&, const FieldView<float>&, const AxisSamples&, const AxisSamples&,
                                 const ColorScale&, ShapedSolids, Extent, Color*, int);
template void draw_shaped_solids(const Executor&, const FieldView<double>&, const AxisSamples&, const AxisSamples&,
                                 const ColorScale&, ShapedSolids, Extent, Color*, int);
template void draw_shaped_solids(const Executor&, const FieldView<float>&, const AxisSamples&, const AxisSamples&,
                                 const ColorScale&, ShapedSolids, Extent, DeepColor*, int);
template void draw_shaped_solids(const Executor&, const FieldView<double>&, const AxisSamples&, const AxisSamples&,
                                 const ColorScale&, ShapedSolids, Extent, DeepColor*, int);

}  // namespace simreel
