#include "figure/colormap_strip.h"

#include "raster/color/colormap.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

TEST(ColormapStrip, HasABandForEveryMapInOrder) {
  const ColormapStrip image = draw_colormap_strip();
  ASSERT_EQ(image.pixels.size(),
            static_cast<std::size_t>(image.size.width) * static_cast<std::size_t>(image.size.height));
  const auto maps = list_colormaps();
  const std::size_t width = static_cast<std::size_t>(image.size.width);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto colors = load_colormap(std::string(maps[i].name));
    const Color* const row = image.pixels.data() + (8 + i * 40 + 16) * width;
    EXPECT_EQ(row[width - 9], colors.back()) << maps[i].name;
    EXPECT_EQ(row[width - 8], Color(255, 255, 255)) << maps[i].name;
    EXPECT_EQ(row[width - 8 - 768], colors.front()) << maps[i].name;
    EXPECT_EQ(row[width - 8 - 769], Color(255, 255, 255)) << maps[i].name;
  }
}

// Letters begin at the left edge, and end before the bar: each name has ink in its band, longer ones more.
TEST(ColormapStrip, IsLabelled) {
  const ColormapStrip image = draw_colormap_strip();
  const auto maps = list_colormaps();
  const int names = image.size.width - 8 - 768 - 8;
  const auto inked = [&](std::size_t map) {  // columns
    int columns = 0;
    for (int x = 0; x < names; ++x) {
      bool ink = false;
      for (int y = 0; y < 32; ++y) {
        const std::size_t row = 8 + map * 40 + static_cast<std::size_t>(y);
        ink |= image.pixels[row * static_cast<std::size_t>(image.size.width) + x].r < 128;
      }
      columns += ink;
    }
    return columns;
  };
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto letters = static_cast<int>(maps[i].name.size());
    EXPECT_GE(inked(i), 3 * letters) << maps[i].name;
    EXPECT_LE(inked(i), 17 * letters) << maps[i].name;
  }
}

}  // namespace
}  // namespace simreel
