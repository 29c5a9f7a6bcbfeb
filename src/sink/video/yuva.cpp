#include "sink/video/yuva.h"

#include <algorithm>
#include <cstdint>

namespace simreel {
namespace {

// A sum of colours, each times its weight.
struct Sum {
  std::int64_t r = 0, g = 0, b = 0, weight = 0;

  void add(const std::uint8_t* pixel, int weight_of) {
    r += pixel[0] * weight_of, g += pixel[1] * weight_of, b += pixel[2] * weight_of, weight += weight_of;
  }
};

// The formulas of kernels/raster/convert.cu, with `bits` per sample.
std::int64_t luma(const std::uint8_t* pixel, int bits) {
  const std::int64_t sum = 73 * (1063 * pixel[0] + 3576 * pixel[1] + 361 * pixel[2]);
  return (std::int64_t{16} << (bits - 8)) + ((sum << (bits - 8)) + 212500) / 425000;
}
std::int64_t chroma(std::int64_t difference, std::int64_t divisor, std::int64_t weight, int bits) {
  const std::int64_t whole = divisor * 255 * weight, scale = std::int64_t{1} << (bits - 8);
  return (112 * scale * difference + 128 * scale * whole + whole / 2) / whole;
}
std::int64_t blue(const Sum& c, int bits) { return chroma(4639 * c.b - 1063 * c.r - 3576 * c.g, 4639, c.weight, bits); }
std::int64_t red(const Sum& c, int bits) { return chroma(3937 * c.r - 3576 * c.g - 361 * c.b, 3937, c.weight, bits); }

const std::uint8_t* pixel_of(const AVFrame& rgba, int x, int y) {
  return rgba.data[0] + static_cast<std::ptrdiff_t>(std::min(y, rgba.height - 1)) * rgba.linesize[0] +
         4 * static_cast<std::ptrdiff_t>(std::clamp(x, 0, rgba.width - 1));
}

// Of columns 2 x - 1 to 2 x + 1 of two rows.
Sum around(const AVFrame& rgba, int x, int y) {
  Sum seen, all;
  for (const int row : {2 * y, 2 * y + 1})
    for (const int column : {-1, 0, 1}) {
      const std::uint8_t* const pixel = pixel_of(rgba, 2 * x + column, row);
      const int share = column == 0 ? 2 : 1;
      seen.add(pixel, share * pixel[3]);
      all.add(pixel, share);
    }
  return seen.weight > 0 ? seen : all;
}

template <class Sample>
void fill(const AVFrame& rgba, AVFrame& to, int bits, bool halved) {
  const auto put = [&](int plane, int x, int y, std::int64_t value) {
    reinterpret_cast<Sample*>(to.data[plane] + static_cast<std::ptrdiff_t>(y) * to.linesize[plane])[x] =
        static_cast<Sample>(value);
  };
  const int most = (1 << bits) - 1;
  for (int y = 0; y < rgba.height; ++y)
    for (int x = 0; x < rgba.width; ++x) {
      const std::uint8_t* const pixel = pixel_of(rgba, x, y);
      put(0, x, y, luma(pixel, bits));
      put(3, x, y, (pixel[3] * most + 127) / 255);
    }
  const int step = halved ? 2 : 1;
  for (int y = 0; y < (rgba.height + step - 1) / step; ++y)
    for (int x = 0; x < (rgba.width + step - 1) / step; ++x) {
      Sum color;
      if (halved)
        color = around(rgba, x, y);
      else
        color.add(pixel_of(rgba, x, y), 1);
      put(1, x, y, blue(color, bits));
      put(2, x, y, red(color, bits));
    }
}

}  // namespace

void fill_yuva(const AVFrame& rgba, AVFrame& to) {
  if (to.format == AV_PIX_FMT_YUVA420P)
    fill<std::uint8_t>(rgba, to, 8, true);
  else
    fill<std::uint16_t>(rgba, to, 10, false);
}

}  // namespace simreel
