#pragma once
// Fields with solid cells: a pixel's value is that of its fluid cells, and its solid part has the colour of obstacles.

#include "kernels/raster/field_color.h"

namespace simreel {

// The weighted fluid cells of a pixel.
template <class Real>
struct FluidCells {
  FieldView<Real> field;
  AxisSamples columns, rows;
  double offset;

  struct Sum {
    double values = 0, weights = 0;
  };

  HD static double weight(const AxisSamples& axis, int pixel, int cell) {
    const int first = axis.first[pixel], last = axis.last[pixel];
    if (cell != first && cell != last) return axis.unit;
    return (cell == first ? axis.first_weight[pixel] : 0.0) + (cell == last ? axis.last_weight[pixel] : 0.0);
  }

  HD Sum operator()(int x, int y) const {
    const int up = rows.pixels - 1 - y;
    Sum sum;
    for (int row = rows.first[up]; row <= rows.last[up]; ++row) {
      const double row_weight = weight(rows, up, row);
      for (int column = columns.first[x]; column <= columns.last[x]; ++column) {
        const std::size_t place = static_cast<std::size_t>(row) * field.pitch + static_cast<std::size_t>(column);
        if (field.cell[place] < 0) continue;
        const double share = row_weight * weight(columns, x, column);
        sum.values += share * (static_cast<double>(field.value[place]) - offset);
        sum.weights += share;
      }
    }
    return sum;
  }
};

// The colour of a mean over fluid cells.
template <Curve curve, class Pixel, class Sum>
HD inline PixelWord<Pixel> fluid_color(const ColorScale& scale, const Sum& sum) {
  const double s = curve_at<curve>(scale.linear_width, sum.values / sum.weights);
  return Palette{scale.colors, scale.count}.at<Pixel>((s - scale.start) * scale.factor);
}

template <Curve curve, class Real, class Pixel>
struct DrawAroundSolids {
  FluidCells<Real> cells;
  ColorScale scale;
  double inverse_total;
  Pixel* corner;  // the top left pixel to draw
  int pitch;      // of the canvas
  PixelWord<Pixel> obstacle;

  HD void operator()(int x, int y) const {
    const auto sum = cells(x, y);
    PixelWord<Pixel> color = obstacle;
    if (sum.weights > 0)
      color = mixed<Pixel>(obstacle, fluid_color<curve, Pixel>(scale, sum),
                           static_cast<float>(sum.weights * inverse_total));
    store_pixel(corner + static_cast<std::ptrdiff_t>(y) * pitch + x, color);
  }
};

template <class Real, class Pixel>
void draw_around_solids(const Executor& executor, const FieldView<Real>& field, const AxisSamples& columns,
                        const AxisSamples& rows, const ColorScale& scale, Extent extent, Pixel* corner, int pitch) {
  const auto draw = [&]<Curve curve>() {
    parallel_for(executor, "draw around solids", extent,
                 DrawAroundSolids<curve, Real, Pixel>{{field, columns, rows, scale.offset},
                                                      scale,
                                                      1 / (columns.total * rows.total),
                                                      corner,
                                                      pitch,
                                                      word_of<Pixel>(scale.obstacle)});
  };
  with_curve(scale.curve, draw);
}

}  // namespace simreel
