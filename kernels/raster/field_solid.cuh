#pragma once
// Fields with solid cells: a pixel's value is that of its fluid cells, and its solid part has the colour of obstacles.

#include "kernels/raster/field_color.h"
#include "kernels/raster/means.cuh"

namespace simreel {

// The colour of a mean over fluid cells.
template <Curve curve, class Pixel, class Sum>
HD inline PixelWord<Pixel> fluid_color(const ColorScale& scale, const Sum& sum) {
  const double s = curve_at<curve>(scale.linear_width, sum.values / sum.weights);
  return Palette{scale.colors, scale.count, scale.stepped}.at<Pixel>((s - scale.start) * scale.factor);
}

template <Curve curve, class Real, class Pixel>
struct DrawAroundSolids {
  FluidCells<Real> cells;
  ColorScale scale;
  double inverse_total;
  Pixel* corner;  // the top left pixel to draw
  int pitch;      // pixels from one row to the next
  PixelWord<Pixel> obstacle;

  HD void operator()(int x, int y) const {
    const auto sum = cells(x, y);
    PixelWord<Pixel> color = obstacle;
    if (sum.weights > 0)
      color = mixed_seen<Pixel>(obstacle, fluid_color<curve, Pixel>(scale, sum),
                                static_cast<float>(sum.weights * inverse_total));
    store_pixel(corner + static_cast<std::ptrdiff_t>(y) * pitch + x, color);
  }
};

template <class Real, class Pixel>
void draw_around_solids(const Executor& executor, const FieldView<Real>& field, const AxisSamples& columns,
                        const AxisSamples& rows, const ColorScale& scale, Pixel* corner, int pitch) {
  with_curve(scale.curve, [&]<Curve curve>() {
    parallel_for(executor, "draw around solids", {columns.pixels, rows.pixels},
                 DrawAroundSolids<curve, Real, Pixel>{{field, columns, rows, scale.offset},
                                                      scale,
                                                      1 / (columns.total * rows.total),
                                                      corner,
                                                      pitch,
                                                      word_of<Pixel>(scale.obstacle)});
  });
}

}  // namespace simreel
