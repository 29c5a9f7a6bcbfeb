#pragma once
// From a value under a pixel to its colour, for every way of sampling a field.

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/field.h"
#include "kernels/math.h"
#include "kernels/pixel_word.h"

namespace simreel {

template <Curve curve>
HD inline double curve_at(double w, double v) {
  if constexpr (curve == Curve::log) {
    return v <= 0 ? -std::numeric_limits<double>::infinity() : exact::log(v);
  } else if constexpr (curve == Curve::symlog) {
    const double a = std::fabs(v) / w;
    if (!(a > 1)) return v / w;
    const double s = 1 + exact::log(a);
    return v < 0 ? -s : s;
  } else if constexpr (curve == Curve::sqrt) {
    const double s = std::sqrt(std::fabs(v));
    return v < 0 ? -s : s;
  } else if constexpr (curve == Curve::asinh) {
    return exact::asinh(v / w);
  } else {
    return v;
  }
}

// The same where the curve is not known beforehand.
HD inline double curve_at(Curve curve, double w, double v) {
  switch (curve) {
    case Curve::linear: return curve_at<Curve::linear>(w, v);
    case Curve::log: return curve_at<Curve::log>(w, v);
    case Curve::symlog: return curve_at<Curve::symlog>(w, v);
    case Curve::sqrt: return curve_at<Curve::sqrt>(w, v);
    case Curve::asinh: return curve_at<Curve::asinh>(w, v);
  }
  return v;
}

HD inline std::uint32_t channel(std::uint32_t a, std::uint32_t b, int shift, float f) {
  const float from = static_cast<float>(static_cast<std::int32_t>(a >> shift & 255));
  const float to = static_cast<float>(static_cast<std::int32_t>(b >> shift & 255));
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::fma(f, to - from, from) + 0.5f)) << shift;
}

struct Palette {
  const Color* colors;
  int count;

  // Colours beside the map are chosen through the index, not by branches, so that the loop over pixels vectorises.
  HD std::uint32_t operator()(double t) const {
    constexpr double rounding = 0x1p-20;
    double inside = t > 0 ? t : 0;
    inside = inside < 1 ? inside : 1;
    const double p = inside * (count - 1);
    const int below = static_cast<int>(p);
    int i = below < count - 2 ? below : count - 2;
    const float f = static_cast<float>(p - i);  // 0 under the range and for NaN, 1 over it
    i = t < -rounding ? count : i;
    i = t > 1 + rounding || t != t ? count + 1 : i;
    const std::uint32_t a = load_pixel(colors + i), b = load_pixel(colors + i + 1);
    return channel(a, b, 0, f) | channel(a, b, 8, f) | channel(a, b, 16, f) | channel(a, b, 24, f);
  }
};

template <Curve curve, class Sample>
struct DrawSamples {
  Sample sample;
  double linear_width, start, factor;
  Palette palette;
  Color* canvas;  // the top left pixel to draw
  int width;      // of the canvas

  HD void operator()(int x, int y) const {
    const double s = curve_at<curve>(linear_width, sample(x, y));
    store_pixel(canvas + static_cast<std::ptrdiff_t>(y) * width + x, palette((s - start) * factor));
  }
};

template <class Sample>
void draw_samples(const Executor& executor, const Sample& sample, const ColorScale& scale, Extent extent, Color* canvas,
                  int width) {
  const auto draw = [&]<Curve curve>() {
    parallel_for(executor, "draw the field", extent,
                 DrawSamples<curve, Sample>{sample, scale.linear_width, scale.start, scale.factor,
                                            Palette{scale.colors, scale.count}, canvas, width});
  };
  switch (scale.curve) {
    case Curve::linear: return draw.template operator()<Curve::linear>();
    case Curve::log: return draw.template operator()<Curve::log>();
    case Curve::symlog: return draw.template operator()<Curve::symlog>();
    case Curve::sqrt: return draw.template operator()<Curve::sqrt>();
    case Curve::asinh: return draw.template operator()<Curve::asinh>();
  }
}

}  // namespace simreel
