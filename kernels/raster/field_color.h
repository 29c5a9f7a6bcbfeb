#pragma once
// From the value of a pixel to its colour, for every way of sampling a field.

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/base/math.h"
#include "kernels/raster/field.h"
#include "kernels/raster/pixel_word.h"

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

// The same for a curve known at run time only.
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

// Calls action.operator()<curve>(), on the host: kernels are compiled for each curve.
template <class Action>
void with_curve(Curve curve, const Action& action) {
  switch (curve) {
    case Curve::linear: return action.template operator()<Curve::linear>();
    case Curve::log: return action.template operator()<Curve::log>();
    case Curve::symlog: return action.template operator()<Curve::symlog>();
    case Curve::sqrt: return action.template operator()<Curve::sqrt>();
    case Curve::asinh: return action.template operator()<Curve::asinh>();
  }
}

// Channel k of the colour interpolated between `a` (f = 0) and `b` (f = 1), rounded to the nearest level and shifted to
// its position in a Pixel. `a` and `b` may have fewer bits than the result.
template <class Pixel, class Word>
HD inline PixelWord<Pixel> mixed_channel(Word a, Word b, int k, float f) {
  using Mixed = PixelWord<Pixel>;
  constexpr float scale = static_cast<float>(max_level<Mixed> / max_level<Word>);
  const float from = static_cast<float>(channel_of(a, k)), to = static_cast<float>(channel_of(b, k));
  const float level = std::fma(f, to - from, from);
  return static_cast<Mixed>(static_cast<std::int32_t>(std::fma(level, scale, 0.5f))) << channel_bits<Mixed> * k;
}

template <class Pixel, class Word>
HD inline PixelWord<Pixel> mixed(Word a, Word b, float f) {
  return mixed_channel<Pixel>(a, b, 0, f) | mixed_channel<Pixel>(a, b, 1, f) | mixed_channel<Pixel>(a, b, 2, f) |
         mixed_channel<Pixel>(a, b, 3, f);
}

// The same for colours of a different alpha: each counts by how much of it is seen, so that a transparent one lends no
// colour to the edge of the other.
template <class Pixel, class Word>
HD inline PixelWord<Pixel> mixed_seen(Word a, Word b, float f) {
  const float from = static_cast<float>(channel_of(a, 3)), to = static_cast<float>(channel_of(b, 3));
  if (from == to) return mixed<Pixel>(a, b, f);
  const float back = (1 - f) * from, front = f * to, sum = back + front;
  const float g = sum > 0 ? front / sum : f;
  return mixed_channel<Pixel>(a, b, 0, g) | mixed_channel<Pixel>(a, b, 1, g) | mixed_channel<Pixel>(a, b, 2, g) |
         mixed_channel<Pixel>(a, b, 3, f);
}

struct Palette {
  const Color* colors;
  int count;
  bool stepped = false;

  // Colours for under, NaN and over are selected by the index instead of branches, so that the loop over pixels
  // vectorises.
  template <class Pixel>
  HD PixelWord<Pixel> at(double t) const {
    constexpr double rounding = 0x1p-20;
    double inside = t > 0 ? t : 0;
    inside = inside < 1 ? inside : 1;
    const double p = inside * (count - 1);
    const int below = static_cast<int>(p);
    int i = below < count - 2 ? below : count - 2;
    const float f = static_cast<float>(stepped ? below - i : p - i);  // 0 under the range and for NaN, 1 over it
    i = t < -rounding ? count : i;
    i = t > 1 + rounding || t != t ? count + 1 : i;
    return mixed<Pixel>(load_pixel(colors + i), load_pixel(colors + i + 1), f);
  }
};

template <Curve curve, class Sample, class Pixel>
struct DrawSamples {
  Sample sample;
  double linear_width, start, factor;
  Palette palette;
  Pixel* corner;  // the top left pixel to draw
  int pitch;      // pixels from one row to the next

  HD void operator()(int x, int y) const {
    const double s = curve_at<curve>(linear_width, sample(x, y));
    store_pixel(corner + static_cast<std::ptrdiff_t>(y) * pitch + x, palette.at<Pixel>((s - start) * factor));
  }
};

template <Curve curve, class Sample, class Pixel>
DrawSamples<curve, Sample, Pixel> body_of_samples(const Sample& sample, const ColorScale& scale, Pixel* corner,
                                                  int pitch) {
  return {
      sample, scale.linear_width, scale.start, scale.factor, Palette{scale.colors, scale.count, scale.stepped}, corner,
      pitch};
}

template <class Sample, class Pixel>
void draw_samples(const Executor& executor, const Sample& sample, const ColorScale& scale, Extent extent, Pixel* corner,
                  int pitch) {
  with_curve(scale.curve, [&]<Curve curve>() {
    parallel_for(executor, "draw the field", extent, body_of_samples<curve>(sample, scale, corner, pitch));
  });
}

}  // namespace simreel
