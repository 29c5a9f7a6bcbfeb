#include "kernels/yuv.h"

#include <cstdint>

#include "kernels/launch.h"
#include "kernels/pixel_word.h"

namespace simreel {
namespace {

// Three channels as whole numbers, so that sums of pixels fit.
struct Rgb {
  std::int32_t r, g, b;
};

// The canvas as opaque pixels; beyond its right and lower edge the last column and row repeat.
template <bool translucent>
struct Source {
  const Color* canvas;
  int width, height;
  Rgb background;

  HD static std::int32_t over(std::int32_t color, std::int32_t alpha, std::int32_t background) {
    return (color * alpha + background * (255 - alpha) + 127) / 255;
  }
  HD Rgb inside(int x, int y) const {
    const std::uint32_t word = load_pixel(canvas + static_cast<std::ptrdiff_t>(y) * width + x);
    Rgb color{static_cast<std::int32_t>(word & 255), static_cast<std::int32_t>(word >> 8 & 255),
              static_cast<std::int32_t>(word >> 16 & 255)};
    if constexpr (translucent) {
      const std::int32_t alpha = static_cast<std::int32_t>(word >> 24);
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

// The formulas of yuv.h with common factors taken out: 219 (2126 R + 7152 G + 722 B) / 2550000, and so on.
HD inline std::uint8_t luma(const Rgb& c) {
  const std::uint32_t sum = static_cast<std::uint32_t>(73 * (1063 * c.r + 3576 * c.g + 361 * c.b));
  return static_cast<std::uint8_t>(16 + (sum + 212500) / 425000);
}
// `c` is eight times a colour. The dividend is kept positive: a division of whole numbers rounds towards zero.
HD inline std::uint8_t chroma_blue(const Rgb& c) {
  constexpr std::int32_t divisor = 4639 * 255;
  const std::int32_t sum = 14 * (4639 * c.b - 1063 * c.r - 3576 * c.g) + 128 * divisor + divisor / 2;
  return static_cast<std::uint8_t>(static_cast<std::uint32_t>(sum) / static_cast<std::uint32_t>(divisor));
}
HD inline std::uint8_t chroma_red(const Rgb& c) {
  constexpr std::int32_t divisor = 3937 * 255;
  const std::int32_t sum = 14 * (3937 * c.r - 3576 * c.g - 361 * c.b) + 128 * divisor + divisor / 2;
  return static_cast<std::uint8_t>(static_cast<std::uint32_t>(sum) / static_cast<std::uint32_t>(divisor));
}

template <class Source>
struct CopyRgba {
  Source source;
  std::byte* to;

  HD void operator()(int x, int y) const {
    const std::ptrdiff_t i = static_cast<std::ptrdiff_t>(y) * source.width + x;
    store_pixel(to + 4 * i, load_pixel(source.canvas + i));
  }
};

template <class Source>
struct CopyRgb {
  Source source;
  std::uint8_t* to;

  HD void operator()(int x, int y) const {
    const Rgb c = source.inside(x, y);
    std::uint8_t* const pixel = to + 3 * (static_cast<std::ptrdiff_t>(y) * source.width + x);
    pixel[0] = static_cast<std::uint8_t>(c.r);
    pixel[1] = static_cast<std::uint8_t>(c.g);
    pixel[2] = static_cast<std::uint8_t>(c.b);
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

template <class Source>
struct ConvertLuma {
  Source source;
  std::uint8_t* to;
  int width;  // of the plane

  HD void operator()(int x, int y) const { to[static_cast<std::ptrdiff_t>(y) * width + x] = luma(source(x, y)); }
};

template <class Source>
struct ConvertChroma444 {
  Source source;
  std::uint8_t *blue, *red;

  HD void operator()(int x, int y) const {
    const Rgb c = source.inside(x, y), eight{8 * c.r, 8 * c.g, 8 * c.b};
    const std::ptrdiff_t i = static_cast<std::ptrdiff_t>(y) * source.width + x;
    blue[i] = chroma_blue(eight);
    red[i] = chroma_red(eight);
  }
};

template <class Source>
struct ConvertChroma420 {
  Source source;
  std::uint8_t *blue, *red;
  int width;  // of the planes

  HD void operator()(int x, int y) const { put(x, y, sum(x, source, 2 * y), sum(x, source, 2 * y + 1)); }

  HD static Rgb sum(int x, const Source& from, int row) {
    return add(from(x > 0 ? 2 * x - 1 : 0, row), from(2 * x, row), from(2 * x + 1, row));
  }
  HD static Rgb add(const Rgb& a, const Rgb& b, const Rgb& c) {
    return {a.r + 2 * b.r + c.r, a.g + 2 * b.g + c.g, a.b + 2 * b.b + c.b};
  }
  HD void put(int x, int y, const Rgb& upper, const Rgb& lower) const {
    const Rgb c{upper.r + lower.r, upper.g + lower.g, upper.b + lower.b};
    const std::ptrdiff_t i = static_cast<std::ptrdiff_t>(y) * width + x;
    blue[i] = chroma_blue(c);
    red[i] = chroma_red(c);
  }
};

template <class Source>
void convert(const Executor& executor, const Source& source, PixelLayout layout, std::byte* to) {
  const Size size{source.width, source.height}, whole = padded(size, layout);
  const Extent extent{size.width, size.height};
  const std::size_t plane = static_cast<std::size_t>(whole.width) * static_cast<std::size_t>(whole.height);
  std::uint8_t* const bytes = reinterpret_cast<std::uint8_t*>(to);
  switch (layout) {
    case PixelLayout::rgba: return parallel_for(executor, "copy to rgba", extent, CopyRgba<Source>{source, to});
    case PixelLayout::rgb: return parallel_for(executor, "convert to rgb", extent, CopyRgb<Source>{source, bytes});
    case PixelLayout::bgr0: return parallel_for(executor, "convert to bgr0", extent, CopyBgr0<Source>{source, to});
    case PixelLayout::yuv444p:
      parallel_for(executor, "convert to luma", extent, ConvertLuma<Source>{source, bytes, size.width});
      return parallel_for(executor, "convert to 4:4:4 chroma", extent,
                          ConvertChroma444<Source>{source, bytes + plane, bytes + 2 * plane});
    case PixelLayout::yuv420p:
      parallel_for(executor, "convert to luma", {whole.width, whole.height},
                   ConvertLuma<Source>{source, bytes, whole.width});
      return parallel_for(executor, "convert to 4:2:0 chroma", {whole.width / 2, whole.height / 2},
                          ConvertChroma420<Source>{source, bytes + plane, bytes + plane + plane / 4, whole.width / 2});
  }
}

}  // namespace

void convert_pixels(const Executor& executor, const Color* canvas, Size size, Color background, PixelLayout layout,
                    std::byte* to) {
  const Rgb under{background.r, background.g, background.b};
  if (background.a == 255) return convert(executor, Source<false>{canvas, size.width, size.height, under}, layout, to);
  convert(executor, Source<true>{canvas, size.width, size.height, under}, layout, to);
}

}  // namespace simreel
