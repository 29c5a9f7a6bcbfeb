#include "kernels/raster/convert.h"

#include <cstdint>
#include <stdexcept>

#include "kernels/base/launch.h"
#include "kernels/raster/pixel_word.h"

namespace simreel {
namespace {

// Three channels as integers wide enough for sums of pixels.
struct Rgb {
  std::int32_t r, g, b;
};

// The canvas as opaque pixels; the last column and row repeat beyond its right and lower edge.
template <class Pixel, bool translucent>
struct Source {
  const Pixel* canvas;
  int width, height;
  Rgb background;  // in levels of a Pixel

  HD static std::int32_t over(std::int32_t color, std::int32_t alpha, std::int32_t background) {
    constexpr std::uint32_t max = max_level<PixelWord<Pixel>>;  // its square fits into 32 bits
    const std::uint32_t opacity = static_cast<std::uint32_t>(alpha);
    const std::uint32_t front = static_cast<std::uint32_t>(color) * opacity;
    const std::uint32_t back = static_cast<std::uint32_t>(background) * (max - opacity);
    return static_cast<std::int32_t>((front + back + max / 2) / max);
  }
  HD Rgb inside(int x, int y) const {
    const auto word = load_pixel(canvas + static_cast<std::ptrdiff_t>(y) * width + x);
    Rgb color{channel_of(word, 0), channel_of(word, 1), channel_of(word, 2)};
    if constexpr (translucent) {
      const std::int32_t alpha = channel_of(word, 3);
      color = {over(color.r, alpha, background.r), over(color.g, alpha, background.g),
               over(color.b, alpha, background.b)};
    }
    return color;
  }
  HD Rgb operator()(int x, int y) const {
    x = x < width ? x : width - 1;
    y = y < height ? y : height - 1;
    return inside(x, y);
  }
};

// The formulas of convert.h without common factors: 219 (2126 R + 7152 G + 722 B) / 2550000, and so on. A sample of two
// bytes has 10 bits.
template <class Sample>
constexpr int more_bits = sizeof(Sample) == 1 ? 0 : 2;

template <class Sample>
HD inline Sample luma(const Rgb& c) {
  const std::uint32_t sum = static_cast<std::uint32_t>(73 * (1063 * c.r + 3576 * c.g + 361 * c.b)) << more_bits<Sample>;
  return static_cast<Sample>((16 << more_bits<Sample>)+(sum + 212500) / 425000);
}
// `c` is eight times a colour. The dividend is kept positive, because integer division rounds towards zero.
template <class Sample>
HD inline Sample chroma_blue(const Rgb& c) {
  constexpr std::int32_t divisor = 4639 * 255, scale = 1 << more_bits<Sample>;
  const std::int32_t sum = 14 * scale * (4639 * c.b - 1063 * c.r - 3576 * c.g) + 128 * scale * divisor + divisor / 2;
  return static_cast<Sample>(static_cast<std::uint32_t>(sum) / static_cast<std::uint32_t>(divisor));
}
template <class Sample>
HD inline Sample chroma_red(const Rgb& c) {
  constexpr std::int32_t divisor = 3937 * 255, scale = 1 << more_bits<Sample>;
  const std::int32_t sum = 14 * scale * (3937 * c.r - 3576 * c.g - 361 * c.b) + 128 * scale * divisor + divisor / 2;
  return static_cast<Sample>(static_cast<std::uint32_t>(sum) / static_cast<std::uint32_t>(divisor));
}

// One channel of a DeepColor, or a word of four, in the byte order of files: the high byte first.
template <class Word>
HD inline Word high_bytes_first(Word word) {
  constexpr Word low_bytes = static_cast<Word>(0x00ff00ff00ff00ff);
  return static_cast<Word>((word & low_bytes) << 8 | (word >> 8 & low_bytes));
}

template <class Pixel, class Word>
HD inline Word as_in_file(Word word) {
  if constexpr (std::is_same_v<Pixel, DeepColor>)
    return high_bytes_first(word);
  else
    return word;
}

template <class Pixel, bool translucent>
struct CopyRgba {
  Source<Pixel, translucent> source;
  std::byte* to;

  HD void operator()(int x, int y) const {
    const std::ptrdiff_t i = static_cast<std::ptrdiff_t>(y) * source.width + x;
    store_pixel(to + i * static_cast<int>(sizeof(Pixel)), as_in_file<Pixel>(load_pixel(source.canvas + i)));
  }
};

template <class Pixel, bool translucent>
struct CopyRgb {
  using Level = decltype(Pixel::r);
  Source<Pixel, translucent> source;
  Level* to;

  HD void operator()(int x, int y) const {
    const Rgb c = source.inside(x, y);
    Level* const pixel = to + 3 * (static_cast<std::ptrdiff_t>(y) * source.width + x);
    pixel[0] = as_in_file<Pixel>(static_cast<Level>(c.r));
    pixel[1] = as_in_file<Pixel>(static_cast<Level>(c.g));
    pixel[2] = as_in_file<Pixel>(static_cast<Level>(c.b));
  }
};

template <class Source>
struct CopyBgr0 {
  Source source;
  std::byte* to;

  HD void operator()(int x, int y) const {
    const Rgb c = source.inside(x, y);
    const std::uint32_t word = static_cast<std::uint32_t>(c.b | c.g << 8 | c.r << 16);
    store_pixel(to + 4 * (static_cast<std::ptrdiff_t>(y) * source.width + x), word);
  }
};

template <class Source, class Sample>
struct ConvertLuma {
  Source source;
  Sample* to;
  int width;  // of the plane

  HD void operator()(int x, int y) const { put(x, y, source(x, y)); }
  HD void interior(int x, int y) const { put(x, y, source.inside(x, y)); }
  HD void put(int x, int y, const Rgb& c) const { to[static_cast<std::ptrdiff_t>(y) * width + x] = luma<Sample>(c); }
};

template <class Source, class Sample>
struct ConvertChroma444 {
  Source source;
  Sample *blue, *red;

  HD void operator()(int x, int y) const {
    const Rgb c = source.inside(x, y), eight{8 * c.r, 8 * c.g, 8 * c.b};
    const std::ptrdiff_t i = static_cast<std::ptrdiff_t>(y) * source.width + x;
    blue[i] = chroma_blue<Sample>(eight);
    red[i] = chroma_red<Sample>(eight);
  }
};

// Chroma at the even columns of `rows` rows, 1 or 2.
template <class Source, class Sample, int rows>
struct ConvertHalvedChroma {
  Source source;
  Sample *blue, *red;
  int width;  // of the planes

  HD void operator()(int x, int y) const { put(x, y, sum(x, rows * y), sum(x, rows * (y + 1) - 1)); }
  HD void interior(int x, int y) const { put(x, y, inside(x, rows * y), inside(x, rows * (y + 1) - 1)); }

  HD Rgb sum(int x, int row) const {
    return add(source(x > 0 ? 2 * x - 1 : 0, row), source(2 * x, row), source(2 * x + 1, row));
  }
  HD Rgb inside(int x, int row) const {
    return add(source.inside(2 * x - 1, row), source.inside(2 * x, row), source.inside(2 * x + 1, row));
  }
  HD static Rgb add(const Rgb& a, const Rgb& b, const Rgb& c) {
    return {a.r + 2 * b.r + c.r, a.g + 2 * b.g + c.g, a.b + 2 * b.b + c.b};
  }
  HD void put(int x, int y, const Rgb& upper, const Rgb& lower) const {
    const Rgb c{upper.r + lower.r, upper.g + lower.g, upper.b + lower.b};
    const std::ptrdiff_t i = static_cast<std::ptrdiff_t>(y) * width + x;
    blue[i] = chroma_blue<Sample>(c);
    red[i] = chroma_red<Sample>(c);
  }
};

template <class Sample, class Source>
void convert_luma(const Executor& executor, const Source& source, Size whole, Sample* to) {
  parallel_for(executor, "convert to luma", {whole.width, whole.height},
               ConvertLuma<Source, Sample>{source, to, whole.width});
}

template <class Sample, class Source>
void convert_444(const Executor& executor, const Source& source, Size whole, Sample* to) {
  const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(whole.width) * whole.height;
  convert_luma(executor, source, whole, to);
  parallel_for(executor, "convert to 4:4:4 chroma", {whole.width, whole.height},
               ConvertChroma444<Source, Sample>{source, to + plane, to + 2 * plane});
}

template <class Sample, int rows, class Source>
void convert_halved(const Executor& executor, const Source& source, Size whole, Sample* to) {
  const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(whole.width) * whole.height;
  Sample *const blue = to + plane, *const red = blue + plane / 2 / rows;
  convert_luma(executor, source, whole, to);
  parallel_for(executor, rows == 2 ? "convert to 4:2:0 chroma" : "convert to 4:2:2 chroma",
               {whole.width / 2, whole.height / rows},
               ConvertHalvedChroma<Source, Sample, rows>{source, blue, red, whole.width / 2});
}

template <bool translucent>
void convert(const Executor& executor, const Source<Color, translucent>& source, PixelLayout layout, std::byte* to) {
  const Size whole = padded({source.width, source.height}, layout);
  const Extent extent{source.width, source.height};
  std::uint8_t* const bytes = reinterpret_cast<std::uint8_t*>(to);
  std::uint16_t* const words = reinterpret_cast<std::uint16_t*>(to);
  switch (layout) {
    case PixelLayout::rgba: return parallel_for(executor, "copy to rgba", extent, CopyRgba{source, to});
    case PixelLayout::rgb: return parallel_for(executor, "convert to rgb", extent, CopyRgb{source, bytes});
    case PixelLayout::bgr0: return parallel_for(executor, "convert to bgr0", extent, CopyBgr0{source, to});
    case PixelLayout::yuv444p: return convert_444(executor, source, whole, bytes);
    case PixelLayout::yuv444p10: return convert_444(executor, source, whole, words);
    case PixelLayout::yuv420p: return convert_halved<std::uint8_t, 2>(executor, source, whole, bytes);
    case PixelLayout::yuv420p10: return convert_halved<std::uint16_t, 2>(executor, source, whole, words);
    case PixelLayout::yuv422p10: return convert_halved<std::uint16_t, 1>(executor, source, whole, words);
    case PixelLayout::rgba16:
    case PixelLayout::rgb16: break;
  }
  throw std::logic_error("a layout of 16 bits a channel needs a canvas of them");
}

template <bool translucent>
void convert(const Executor& executor, const Source<DeepColor, translucent>& source, PixelLayout layout,
             std::byte* to) {
  if (!is_deep(layout)) throw std::logic_error("a layout of 8 or 10 bits needs a canvas of 8 bits a channel");
  const Extent extent{source.width, source.height};
  if (layout == PixelLayout::rgba16) return parallel_for(executor, "copy to rgba16", extent, CopyRgba{source, to});
  parallel_for(executor, "convert to rgb16", extent, CopyRgb{source, reinterpret_cast<std::uint16_t*>(to)});
}

template <class Pixel>
void convert_canvas(const Executor& executor, const Pixel* canvas, Size size, Color background, PixelLayout layout,
                    std::byte* to) {
  const auto word = word_of<Pixel>(background);
  const Rgb under{channel_of(word, 0), channel_of(word, 1), channel_of(word, 2)};
  if (background.a == 255)
    return convert(executor, Source<Pixel, false>{canvas, size.width, size.height, under}, layout, to);
  convert(executor, Source<Pixel, true>{canvas, size.width, size.height, under}, layout, to);
}

// Channels are not multiplied by their opacity, so each colour counts by that; the products have up to 48 bits.
template <class Pixel>
struct Fade {
  const Pixel* from;
  Pixel* to;
  std::size_t pitch;
  PixelWord<Pixel> under;
  std::uint64_t share, rest;

  HD void operator()(int x, int y) const {
    const std::size_t i = static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x);
    const auto word = load_pixel(from + i);
    const std::uint64_t front = static_cast<std::uint64_t>(channel_of(word, 3)) * share;
    const std::uint64_t back = static_cast<std::uint64_t>(channel_of(under, 3)) * rest, sum = front + back;
    const auto mixed = [&](int channel) {
      const auto above = static_cast<std::uint64_t>(channel_of(word, channel));
      const auto below = static_cast<std::uint64_t>(channel_of(under, channel));
      return sum == 0 ? below : (above * front + below * back + sum / 2) / sum;
    };
    using Level = decltype(Pixel::r);
    to[i] = {static_cast<Level>(mixed(0)), static_cast<Level>(mixed(1)), static_cast<Level>(mixed(2)),
             static_cast<Level>((sum + (share + rest) / 2) / (share + rest))};
  }
};

template <class Pixel>
void fade(const Executor& executor, const Pixel* canvas, Size size, Color background, int share, int whole, Pixel* to) {
  parallel_for(executor, "fade", {size.width, size.height},
               Fade<Pixel>{canvas, to, static_cast<std::size_t>(size.width), word_of<Pixel>(background),
                           static_cast<std::uint64_t>(share), static_cast<std::uint64_t>(whole - share)});
}

struct Deepen {
  const Color* from;
  DeepColor* to;
  std::size_t pitch;

  HD void operator()(int x, int y) const {
    const std::size_t i = static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x);
    const Color c = from[i];
    const auto level = [](int v) { return static_cast<std::uint16_t>(257 * v); };
    to[i] = {level(c.r), level(c.g), level(c.b), level(c.a)};
  }
};

}  // namespace

void fade_pixels(const Executor& executor, const Color* canvas, Size size, Color background, int share, int whole,
                 Color* to) {
  fade(executor, canvas, size, background, share, whole, to);
}

void fade_pixels(const Executor& executor, const DeepColor* canvas, Size size, Color background, int share, int whole,
                 DeepColor* to) {
  fade(executor, canvas, size, background, share, whole, to);
}

void deepen(const Executor& executor, const Color* canvas, Size size, DeepColor* to) {
  parallel_for(executor, "show a picture", {size.width, size.height},
               Deepen{canvas, to, static_cast<std::size_t>(size.width)});
}

void convert_pixels(const Executor& executor, const Color* canvas, Size size, Color background, PixelLayout layout,
                    std::byte* to) {
  convert_canvas(executor, canvas, size, background, layout, to);
}

void convert_pixels(const Executor& executor, const DeepColor* canvas, Size size, Color background, PixelLayout layout,
                    std::byte* to) {
  convert_canvas(executor, canvas, size, background, layout, to);
}

}  // namespace simreel
