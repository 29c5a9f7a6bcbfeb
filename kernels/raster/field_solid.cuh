#pragma once
// Fields with solid cells: a pixel's value is that of its fluid cells, and its solid part has the colour of obstacles.

#include "kernels/base/means.cuh"
#include "kernels/raster/field_color.h"

namespace simreel {

// The colour of a mean over fluid cells.
template <Curve curve, class Pixel, class Sum>
HD inline PixelWord<Pixel> fluid_color(const ColorScale& scale, const Sum& sum) {
  const double s = curve_at<curve>(scale.linear_width, sum.values / sum.weights);
  return Palette{scale.colors, scale.count}.at<Pixel>((s - scale.start) * scale.factor);
}

// `cells`: a functor with the weighted fluid cells of a pixel.
template <Curve curve, class Cells, class Pixel>
struct DrawAroundSolids {
  Cells cells;
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

template <class Cells, class Pixel>
void draw_around_solids(const Executor& executor, const Cells& cells, double total, const ColorScale& scale,
                        Extent extent, Pixel* corner, int pitch) {
  const auto draw = [&]<Curve curve>() {
    parallel_for(
        executor, "draw around solids", extent,
        DrawAroundSolids<curve, Cells, Pixel>{cells, scale, 1 / total, corner, pitch, word_of<Pixel>(scale.obstacle)});
  };
  with_curve(scale.curve, draw);
}

// The fluid cells of each pixel that were summed already.
struct GivenFluidSums {
  const double *value, *weight;
  int width;

  struct Sum {
    double values, weights;
  };
  HD Sum operator()(int x, int y) const {
    const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(y) * width + x;
    return {value[place], weight[place]};
  }
};

}  // namespace simreel
