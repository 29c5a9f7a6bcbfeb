// The colours of a GIF: how well 255 of them stand for many, and that they depend on the pictures alone.

#include "sink/animated/palette.h"

#include "tests/support/test.h"

namespace simreel {
namespace {

class PaletteTest : public testing::Test {
 protected:
  static constexpr Size size_ = {64, 64};

  template <class Shade>  // Color(int x, int y)
  static std::vector<std::uint8_t> picture(const Shade& shade) {
    std::vector<std::uint8_t> bytes;
    for (int y = 0; y < size_.height; ++y)
      for (int x = 0; x < size_.width; ++x) {
        const Color color = shade(x, y);
        bytes.insert(bytes.end(), {color.r, color.g, color.b});
      }
    return bytes;
  }
  static RgbView view(const std::vector<std::uint8_t>& picture) {
    return {picture.data(), 3 * std::ptrdiff_t(size_.width), size_};
  }
  static std::vector<Color> shown(const GifPalette& palette, const std::vector<std::uint8_t>& picture) {
    std::vector<std::uint8_t> indices(std::size_t(size_.width) * size_.height);
    palette.map(view(picture), indices.data(), size_.width);
    std::vector<Color> colors;
    for (const std::uint8_t index : indices) colors.push_back(palette.colors().at(index));
    return colors;
  }
  static std::vector<Color> shown(const std::vector<std::uint8_t>& picture) {
    GifPalette palette;
    palette.count(view(picture));
    palette.choose();
    return shown(palette, picture);
  }
  static int difference(const Color& a, const Color& b) {
    return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
  }
  static Color color_at(const std::vector<std::uint8_t>& picture, std::size_t pixel) {
    return {picture[3 * pixel], picture[3 * pixel + 1], picture[3 * pixel + 2]};
  }
};

TEST_F(PaletteTest, FewColorsStayExact) {
  const auto few = picture([](int x, int y) {
    const int i = (x + 64 * y) % 255;
    return Color{std::uint8_t(i), std::uint8_t(255 - i), std::uint8_t(i * 7)};
  });
  const std::vector<Color> colors = shown(few);
  for (std::size_t i = 0; i < colors.size(); ++i) EXPECT_EQ(colors[i], color_at(few, i)) << i;
}

TEST_F(PaletteTest, PictureOfOneColorStaysExact) {
  const auto one = picture([](int, int) { return Color{3, 2, 1}; });
  for (const Color& color : shown(one)) EXPECT_EQ(color, (Color{3, 2, 1}));
}

// A colormap's curve with more colours than there is room for, on a background that fills most of the picture.
TEST_F(PaletteTest, SmoothCurveStaysSmooth) {
  const auto curve = picture([](int x, int y) {
    if (y >= 16) return Color{};
    const int i = x + 64 * y;  // to 1023
    return Color{std::uint8_t(i / 4), std::uint8_t(i * i / 4104), std::uint8_t(255 - i / 5)};
  });
  const std::vector<Color> colors = shown(curve);
  for (std::size_t i = 0; i < colors.size(); ++i) EXPECT_LE(difference(colors[i], color_at(curve, i)), 3) << i;
}

// Each block of 8 x 8 pixels has one colour; the eye sees the mean of what it becomes.
TEST_F(PaletteTest, PatternsHaveTheMeanOfTheColor) {
  std::mt19937 random(7);
  std::vector<std::vector<std::uint8_t>> pictures;
  GifPalette palette;
  for (int i = 0; i < 24; ++i) {
    std::vector<Color> blocks;
    for (int k = 0; k < 64; ++k)
      blocks.push_back({std::uint8_t(random() % 64), std::uint8_t(random() % 64), std::uint8_t(random() % 64)});
    pictures.push_back(picture([&](int x, int y) { return blocks[x / 8 + y / 8 * 8]; }));
    palette.count(view(pictures.back()));
  }
  palette.choose();
  double patterns = 0, nearest = 0;
  for (const auto& one : pictures) {
    const std::vector<Color> colors = shown(palette, one);
    for (std::size_t block = 0; block < 64; ++block) {
      const std::size_t first = block % 8 * 8 + block / 8 * 8 * 64;
      const Color color = color_at(one, first);
      double sum = 0;
      for (std::size_t i = 0; i < 64; ++i) sum += colors[first + i % 8 + i / 8 * 64].g;
      patterns += std::abs(sum / 64 - color.g);
      nearest += std::abs(
          std::ranges::min(palette.colors(), {}, [&](const Color& c) { return difference(c, color); }).g - color.g);
    }
  }
  EXPECT_LT(patterns, nearest / 2);
}

TEST_F(PaletteTest, PixelThatStaysKeepsItsIndex) {
  std::mt19937 random(3);
  std::vector<Color> noise;
  for (int i = 0; i < 64 * 64; ++i)
    noise.push_back({std::uint8_t(random()), std::uint8_t(random()), std::uint8_t(random())});
  const auto before = picture([&](int x, int y) { return noise[x + 64 * y]; });
  const auto after = picture([&](int x, int y) { return x < 32 ? noise[x + 64 * y] : noise[y + 64 * x]; });
  GifPalette palette;
  palette.count(view(before));
  palette.count(view(after));
  palette.choose();
  const std::vector<Color> a = shown(palette, before), b = shown(palette, after);
  for (std::size_t y = 0; y < 64; ++y)
    for (std::size_t x = 0; x < 32; ++x) EXPECT_EQ(a[x + 64 * y], b[x + 64 * y]);
}

// More different colours than are told apart when the palette is chosen.
TEST_F(PaletteTest, NoiseIsShownAsWellAsCanBe) {
  std::mt19937 random(5);
  GifPalette palette;
  std::vector<std::vector<std::uint8_t>> pictures;
  for (int i = 0; i < 12; ++i) {
    pictures.push_back(picture([&](int, int) {
      const std::uint32_t bits = random();
      return Color{std::uint8_t(bits), std::uint8_t(bits >> 8), std::uint8_t(bits >> 16)};
    }));
    palette.count(view(pictures.back()));
  }
  palette.choose();
  double squares = 0, count = 0;
  for (const auto& one : pictures) {
    const std::vector<Color> colors = shown(palette, one);
    for (std::size_t i = 0; i < colors.size(); ++i) {
      const Color color = color_at(one, i);
      squares +=
          std::pow(colors[i].r - color.r, 2) + std::pow(colors[i].g - color.g, 2) + std::pow(colors[i].b - color.b, 2);
      count += 3;
    }
  }
  EXPECT_LT(std::sqrt(squares / count), 17);  // cubes of 256 / 6.34 levels would leave 11.7 in every channel
  std::set<std::uint32_t> different;
  for (const Color& color : palette.colors())
    different.insert(std::uint32_t(color.r) << 16 | std::uint32_t(color.g) << 8 | color.b);
  EXPECT_GT(different.size(), 250u);
}

}  // namespace
}  // namespace simreel
