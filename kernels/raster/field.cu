#include "kernels/raster/field.h"

#include <algorithm>
#include <limits>

#include "kernels/raster/field_draw.cuh"

namespace simreel {

Rectangle fit_field(double across, double up, Size canvas, double cell_aspect) {
  const std::int64_t w = canvas.width, h = canvas.height;
  const std::int64_t nx = static_cast<std::int64_t>(across), ny = static_cast<std::int64_t>(up);
  Rectangle place;
  if (cell_aspect != 1 || static_cast<double>(nx) != across || static_cast<double>(ny) != up) {
    const double aspect = up * cell_aspect / across;  // height by width
    const auto pixels = [](double exact, int max) { return std::clamp(static_cast<int>(exact + 0.5), 1, max); };
    const bool narrow = canvas.width * aspect > canvas.height;
    place.width = narrow ? pixels(canvas.height / aspect, canvas.width) : canvas.width;
    place.height = narrow ? canvas.height : pixels(canvas.width * aspect, canvas.height);
  } else if (w * ny <= h * nx) {
    place.width = canvas.width;
    place.height = static_cast<int>(std::max<std::int64_t>(1, (2 * w * ny + nx) / (2 * nx)));
  } else {
    place.width = static_cast<int>(std::max<std::int64_t>(1, (2 * h * nx + ny) / (2 * ny)));
    place.height = canvas.height;
  }
  place.x = (canvas.width - place.width) / 2;
  place.y = (canvas.height - place.height) / 2;
  return place;
}

double curve_value(Curve curve, double w, double v) { return curve_at(curve, w, v); }

ColorScale color_scale(Curve curve, double linear_width, double low, double high, const Color* colors, int count) {
  ColorScale scale;
  scale.curve = curve;
  scale.linear_width = linear_width;
  scale.offset = curve == Curve::linear ? low : 0;
  scale.start = curve_value(curve, linear_width, low - scale.offset);
  // If the curve maps both ends to the same value, 0 times infinity must not give NaN.
  const double extent = curve_value(curve, linear_width, high - scale.offset) - scale.start;
  scale.factor = std::min(1 / extent, std::numeric_limits<double>::max());
  scale.colors = colors;
  scale.count = count;
  return scale;
}

template void draw_field(const Executor&, const FieldView<float>&, const AxisSamples&, const AxisSamples&,
                         const ColorScale&, Rectangle, Color, const Canvas<Color>&, void*, ShapedSolids);
template void draw_field(const Executor&, const FieldView<double>&, const AxisSamples&, const AxisSamples&,
                         const ColorScale&, Rectangle, Color, const Canvas<Color>&, void*, ShapedSolids);
template void draw_rows(const Executor&, const FieldView<float>&, const AxisSamples&, const AxisSamples&,
                        const ColorScale&, Color*, void*);
template void draw_rows(const Executor&, const FieldView<double>&, const AxisSamples&, const AxisSamples&,
                        const ColorScale&, Color*, void*);
template void put_rows(const Executor&, const Color*, Rectangle, Color, const Canvas<Color>&);

}  // namespace simreel
