#include "kernels/raster/convert.h"

#include "exec/buffer.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

using Bytes = std::vector<std::uint8_t>;

template <class Pixel>
Bytes convert(const Executor& executor, const std::vector<Pixel>& canvas, Size size, PixelLayout layout,
              Color background = {}) {
  Buffer<Pixel> pixels(executor, canvas);
  Buffer<std::byte> to(executor, frame_bytes(size, layout));
  convert_pixels(executor, pixels.data(), size, background, layout, to.data());
  Bytes bytes;
  for (const std::byte b : to.download()) bytes.push_back(static_cast<std::uint8_t>(b));
  return bytes;
}

Bytes convert(const std::vector<Color>& canvas, Size size, PixelLayout layout, Color background = {}) {
  return convert(Executor::cpu(1), canvas, size, layout, background);
}

Bytes convert_deep(const std::vector<DeepColor>& canvas, Size size, PixelLayout layout, Color background = {}) {
  return convert(Executor::cpu(1), canvas, size, layout, background);
}

template <class Pixel = Color>
std::vector<Pixel> noise(Size size, bool translucent = false) {
  using Level = decltype(Pixel::r);
  std::mt19937 random(7);
  const auto level = [&] { return static_cast<Level>(random()); };
  std::vector<Pixel> canvas(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  for (Pixel& pixel : canvas) {
    pixel = {level(), level(), level()};
    if (translucent) pixel.a = level();
  }
  return canvas;
}

// A canvas of the depth that the layout needs, converted.
Bytes convert_noise(const Executor& executor, Size size, PixelLayout layout, bool translucent) {
  const Color background{9, 8, 7, static_cast<std::uint8_t>(translucent ? 100 : 255)};
  if (is_deep(layout)) return convert(executor, noise<DeepColor>(size, translucent), size, layout, background);
  return convert(executor, noise(size, translucent), size, layout, background);
}

// BT.709 in long double, from the definition.
std::tuple<long double, long double, long double> bt709(long double r, long double g, long double b) {
  const long double y = 0.2126L * r + 0.7152L * g + 0.0722L * b;
  return {16 + 219 * y / 255, 128 + 224 * (b - y) / 1.8556L / 255, 128 + 224 * (r - y) / 1.5748L / 255};
}

TEST(ConvertPixels, PublishedValues) {
  const auto yuv = [](Color color) { return convert({color}, {1, 1}, PixelLayout::yuv444p); };
  EXPECT_EQ(yuv({255, 0, 0}), (Bytes{63, 102, 240}));
  EXPECT_EQ(yuv({0, 255, 0}), (Bytes{173, 42, 26}));
  EXPECT_EQ(yuv({0, 0, 255}), (Bytes{32, 240, 118}));
  EXPECT_EQ(yuv({255, 255, 255}), (Bytes{235, 128, 128}));
  EXPECT_EQ(yuv({0, 0, 0}), (Bytes{16, 128, 128}));
}

TEST(ConvertPixels, GreysAreNeutral) {
  for (int i = 0; i < 256; ++i) {
    const auto v = static_cast<std::uint8_t>(i);
    const auto y = static_cast<std::uint8_t>(std::floor(16 + 219 * i / 255.0 + 0.5));
    EXPECT_EQ(convert({{v, v, v}}, {1, 1}, PixelLayout::yuv444p), (Bytes{y, 128, 128})) << i;
    EXPECT_EQ(convert({{v, v, v}}, {1, 1}, PixelLayout::yuv420p), (Bytes{y, y, y, y, 128, 128})) << i;
  }
}

// Chroma planes of `across` by `down` times fewer samples, sited left, against the definition. Beyond the picture its
// last column and row go on.
void expect_definition(PixelLayout layout, int across, int down, bool ten_bits) {
  for (const Size size :
       {Size{512, 480}, Size{65, 47}, Size{64, 47}, Size{17, 32}, Size{1, 1}, Size{2, 1}, Size{1, 2}}) {
    const auto canvas = noise(size);
    const Bytes bytes = convert(canvas, size, layout);
    const Size whole = padded(size, layout);
    const auto at = [&](int x, int y) {
      return canvas[std::clamp(y, 0, size.height - 1) * size.width + std::clamp(x, 0, size.width - 1)];
    };
    std::size_t next = 0;
    const auto next_is = [&](long double exact) {  // rounded to nearest; at a tie either neighbour will do
      const int got = ten_bits ? bytes[next] | bytes[next + 1] << 8 : bytes[next];
      next += ten_bits ? 2 : 1;
      return std::fabs(got - (ten_bits ? 4 : 1) * exact) <= 0.5L + 1e-12L;
    };
    for (int y = 0; y < whole.height; ++y)
      for (int x = 0; x < whole.width; ++x) {
        const Color c = at(x, y);
        ASSERT_TRUE(next_is(std::get<0>(bt709(c.r, c.g, c.b)))) << x << " " << y;
      }
    for (int channel = 1; channel < 3; ++channel)
      for (int y = 0; y < whole.height / down; ++y)
        for (int x = 0; x < whole.width / across; ++x) {
          long double r = 0, g = 0, b = 0;
          for (int dy = 0; dy < down; ++dy)
            for (int dx = 1 - across; dx < across; ++dx) {
              const Color c = at(across * x + dx, down * y + dy);
              const long double weight = (across == 1 ? 1.0L : dx == 0 ? 0.5L : 0.25L) / down;
              r += weight * c.r, g += weight * c.g, b += weight * c.b;
            }
          const auto [luma, u, v] = bt709(r, g, b);
          ASSERT_TRUE(next_is(channel == 1 ? u : v)) << x << " " << y;
        }
    ASSERT_EQ(next, bytes.size());
  }
}

TEST(ConvertPixels, AreRoundedFromTheDefinition) {
  expect_definition(PixelLayout::yuv420p, 2, 2, false);
  expect_definition(PixelLayout::yuv444p, 1, 1, false);
  expect_definition(PixelLayout::yuv420p10, 2, 2, true);
  expect_definition(PixelLayout::yuv422p10, 2, 1, true);
  expect_definition(PixelLayout::yuv444p10, 1, 1, true);
}

TEST(ConvertPixels, PackedLayouts) {
  const std::vector<Color> canvas = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  EXPECT_EQ(convert(canvas, {3, 1}, PixelLayout::rgba), (Bytes{1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255}));
  EXPECT_EQ(convert(canvas, {3, 1}, PixelLayout::rgb), (Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(convert(canvas, {3, 1}, PixelLayout::bgr0), (Bytes{3, 2, 1, 0, 6, 5, 4, 0, 9, 8, 7, 0}));
}

TEST(ConvertPixels, TranslucentPixelsLieOverTheBackgroundMadeOpaque) {
  const std::vector<Color> canvas = {{10, 20, 30, 0}, {200, 100, 0, 51}, {200, 2, 3, 1}};
  const Color background{10, 20, 30, 0};
  EXPECT_EQ(convert(canvas, {3, 1}, PixelLayout::rgba, background),
            (Bytes{10, 20, 30, 0, 200, 100, 0, 51, 200, 2, 3, 1}));
  EXPECT_EQ(convert(canvas, {3, 1}, PixelLayout::rgb, background), (Bytes{10, 20, 30, 48, 36, 24, 11, 20, 30}));
  EXPECT_EQ(convert(canvas, {3, 1}, PixelLayout::yuv444p, background),
            convert({{10, 20, 30}, {48, 36, 24}, {11, 20, 30}}, {3, 1}, PixelLayout::yuv444p));
}

TEST(ConvertPixels, SixteenBitsHaveTheHighByteFirst) {
  const std::vector<DeepColor> canvas = {{0x0102, 0x0304, 0xf506, 0x0708}, {0xff00, 0x00ff, 0, 0xffff}};
  EXPECT_EQ(convert_deep(canvas, {2, 1}, PixelLayout::rgba16),
            (Bytes{1, 2, 3, 4, 0xf5, 6, 7, 8, 0xff, 0, 0, 0xff, 0, 0, 0xff, 0xff}));
  EXPECT_EQ(convert_deep(canvas, {2, 1}, PixelLayout::rgb16), (Bytes{1, 2, 3, 4, 0xf5, 6, 0xff, 0, 0, 0xff, 0, 0}));
}

TEST(ConvertPixels, SixteenBitsOverTheBackgroundAreRoundedCorrectly) {
  const Size size{64, 64};
  auto canvas = noise<DeepColor>(size, true);
  canvas[0] = {65535, 65535, 65535, 65535}, canvas[1] = {65535, 0, 1, 0}, canvas[2] = {65535, 0, 32768, 32768};
  const Color background{255, 254, 0, 0};
  const Bytes bytes = convert_deep(canvas, size, PixelLayout::rgb16, background);
  const auto expect = [&](std::size_t i, int color, int alpha, int behind) {
    const long double exact = (static_cast<long double>(color) * alpha + 257.0L * behind * (65535 - alpha)) / 65535;
    ASSERT_LE(std::fabs((bytes[2 * i] << 8 | bytes[2 * i + 1]) - exact), 0.5L + 1e-12L) << i;
  };
  for (std::size_t i = 0; i < canvas.size(); ++i) {
    expect(3 * i, canvas[i].r, canvas[i].a, background.r);
    expect(3 * i + 1, canvas[i].g, canvas[i].a, background.g);
    expect(3 * i + 2, canvas[i].b, canvas[i].a, background.b);
  }
}

TEST(ConvertPixels, ALayoutOfAnotherDepthIsAMistakeOfOurs) {
  EXPECT_THROW(convert(std::vector<Color>(1), {1, 1}, PixelLayout::rgb16), std::logic_error);
  EXPECT_THROW(convert_deep(std::vector<DeepColor>(1), {1, 1}, PixelLayout::rgb), std::logic_error);
}

TEST(ConvertPixels, HasTheSameBytesOnEveryExecutor) {
  for (const Size size : {Size{1920, 1080}, Size{333, 217}, Size{17, 16}, Size{16, 17}})
    for (const bool translucent : {false, true})
      for (const PixelLayout layout : all_pixel_layouts) {
        const Bytes expected = convert_noise(Executor::cpu(1), size, layout, translucent);
        for (const Executor& executor : test::executors())
          EXPECT_EQ(convert_noise(executor, size, layout, translucent), expected) << executor.name();
      }
}

template <class Pixel>
void expect_exact_fades(Size size, double max) {
  constexpr Color background{40, 90, 200, 100};
  constexpr int whole = 1 << 16;
  const std::vector<Pixel> canvas = noise<Pixel>(size, true);
  const double step = max / 255;
  for (const int share : {0, 1, 20000, whole - 1, whole}) {
    std::vector<Pixel> first;
    for (const Executor& executor : test::executors()) {
      Buffer<Pixel> from(executor, canvas.size()), to(executor, canvas.size());
      from.upload(canvas.data());
      fade_pixels(executor, from.data(), size, background, share, whole, to.data());
      const std::vector<Pixel> faded = to.download();
      if (first.empty()) first = faded;
      EXPECT_EQ(faded, first);
    }
    for (std::size_t i = 0; i < canvas.size(); ++i) {
      const double front = double(canvas[i].a) * share, back = background.a * step * (whole - share);
      EXPECT_NEAR(first[i].a, (front + back) / whole, 0.5 + 1e-6);
      const double red = front + back > 0 ? (canvas[i].r * front + background.r * step * back) / (front + back) : 0;
      EXPECT_NEAR(first[i].r, red, 0.5 + 1e-6) << share;
    }
  }
}

TEST(FadePixels, AreTheExactMixtureOnEveryExecutor) {
  expect_exact_fades<Color>({61, 7}, 255);
  expect_exact_fades<DeepColor>({61, 7}, 65535);
}

}  // namespace
}  // namespace simreel
