// From light on pixels to colours.

#include <cmath>

#include "kernels/raster/field_color.h"
#include "kernels/raster/pixel_word.h"
#include "kernels/raster/splat.h"

namespace simreel {

ToneScale tone_scale(Curve curve, double linear_width, double low, double high) {
  ToneScale tone;
  tone.curve = curve;
  tone.linear_width = linear_width;
  tone.shift = curve == Curve::log && low == 0 ? linear_width : 0;
  tone.start = curve_value(curve, linear_width, low + tone.shift);
  const double extent = curve_value(curve, linear_width, high + tone.shift) - tone.start;
  tone.factor = std::min(1 / extent, std::numeric_limits<double>::max());
  return tone;
}

namespace {

// A colour with straight alpha: channels in levels of the pixel's word, alpha from 0 to 1.
template <class Word>
struct Paint {
  float r, g, b, a;

  static constexpr float max = static_cast<float>(max_level<Word>);

  HD static Paint of(Word word, float alpha) {
    return {static_cast<float>(channel_of(word, 0)), static_cast<float>(channel_of(word, 1)),
            static_cast<float>(channel_of(word, 2)), alpha};
  }
  HD Paint towards(float level, float f) const {
    return {std::fma(f, level - r, r), std::fma(f, level - g, g), std::fma(f, level - b, b), a};
  }
  HD static Word rounded(float v, int k) {
    return static_cast<Word>(static_cast<std::int32_t>(v + 0.5f)) << channel_bits<Word> * k;
  }
  HD Word over(const Paint& background) const {
    const float behind = background.a * (1.0f - a), alpha = a + behind;
    if (!(alpha > 0)) return 0;
    const float front = a / alpha, back = behind / alpha;
    return rounded(std::fma(r, front, background.r * back), 0) | rounded(std::fma(g, front, background.g * back), 1) |
           rounded(std::fma(b, front, background.b * back), 2) | rounded(alpha * max, 3);
  }
};

HD inline void count_up(std::uint64_t* counter, std::uint64_t by) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(counter), static_cast<unsigned long long>(by));
#else
  __atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
#endif
}

template <Curve curve, bool colored, class Pixel>
struct ShadeLight {
  using Word = PixelWord<Pixel>;

  PixelSums sums;
  SumsAfter after;
  double unit;  // weight per unit of light
  ToneScale tone;
  Palette palette;
  Word empty;  // the background as a pixel
  Paint<Word> background;
  float burnt_level;  // the level of saturated colours: white or 0
  Canvas<Pixel> canvas;
  std::uint64_t* burnt;

  // Returns whether the pixel is saturated and counts as burnt.
  HD bool shade(int x, int y) const {
    const std::size_t pixel =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(canvas.size.width) + static_cast<std::size_t>(x);
    Pixel* const to = canvas.pixels + static_cast<std::ptrdiff_t>(y) * canvas.pitch + x;
    const std::size_t index = colored ? 2 * pixel : pixel;
    const std::uint64_t light = sums.total(index);
    if (light == 0) {
      store_pixel(to, empty);
      return false;
    }
    const double v = static_cast<double>(light) * unit;
    const double s = (curve_at<curve>(tone.linear_width, v + tone.shift) - tone.start) * tone.factor;
    const double brightness = s > 0 ? s : 0;
    const float shown = static_cast<float>(brightness < 1 ? brightness : 1);
    Paint<Word> paint{};
    if constexpr (colored) {
      constexpr double inverse = 1.0 / max_place;
      const double place = static_cast<double>(sums.total(index + 1)) / static_cast<double>(light) * inverse;
      const double over = brightness - 1;
      const float burn = static_cast<float>(over > 0 ? over < 1 ? over : 1 : 0);
      paint = Paint<Word>::of(palette.at<Pixel>(place), shown).towards(burnt_level, burn);
    } else {
      const float cover = 16.0f * shown;
      paint = Paint<Word>::of(palette.at<Pixel>(static_cast<double>(shown)), cover < 1 ? cover : 1);
    }
    store_pixel(to, paint.over(background));
    if (after == SumsAfter::kept) return false;
    for (int layer = 0; layer < sums.layers; ++layer) {
      std::uint64_t* const own = sums.sums + static_cast<std::size_t>(layer) * sums.pixels * (colored ? 2 : 1) + index;
      own[0] = 0;
      if constexpr (colored) own[1] = 0;
    }
    return brightness > 1 + 0x1p-20;  // so the brightest pixel of an automatic exposure is not burnt
  }

  HD void operator()(int x, int y) const {
    if (shade(x, y)) count_up(burnt, 1);
  }
  void span(int x0, int x1, int y) const {
    std::uint64_t count = 0;
    for (int x = x0; x < x1; ++x) count += shade(x, y) ? 1 : 0;
    if (count > 0) count_up(burnt, count);
  }
};

}  // namespace

template <class Pixel>
void shade_light(const Executor& executor, const PixelSums& sums, SumsAfter after, double quanta, const ToneScale& tone,
                 const Color* colors, int count, Color background, const Canvas<Pixel>& canvas, std::uint64_t* burnt) {
  using Background = Paint<PixelWord<Pixel>>;
  const PixelWord<Pixel> word = word_of<Pixel>(background);
  const bool dark = 2126 * background.r + 7152 * background.g + 722 * background.b < 10000 * 128;
  const double unit = 1 / quanta;
  const auto shade = [&]<bool colored, Curve curve>() {
    parallel_for(executor, "shade the light", {canvas.size.width, canvas.size.height},
                 ShadeLight<curve, colored, Pixel>{sums, after, unit, tone, Palette{colors, count}, word,
                                                   Background::of(word, static_cast<float>(background.a) / 255.0f),
                                                   dark ? Background::max : 0.0f, canvas, burnt});
  };
  const auto gray = [&]<Curve curve>() { shade.template operator()<false, curve>(); };
  const auto colored = [&]<Curve curve>() { shade.template operator()<true, curve>(); };
  sums.words == 1 ? with_curve(tone.curve, gray) : with_curve(tone.curve, colored);
}

template void shade_light(const Executor&, const PixelSums&, SumsAfter, double, const ToneScale&, const Color*, int,
                          Color, const Canvas<Color>&, std::uint64_t*);
template void shade_light(const Executor&, const PixelSums&, SumsAfter, double, const ToneScale&, const Color*, int,
                          Color, const Canvas<DeepColor>&, std::uint64_t*);

}  // namespace simreel
