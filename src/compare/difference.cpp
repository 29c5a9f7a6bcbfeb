#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/dot_font.h"
#include "compare/metrics.h"
#include "raster/color/colormap.h"

namespace simreel {
namespace {

constexpr Color paper{24, 24, 24, 255}, ink{232, 232, 232, 255};
// Parts beyond the sides of the picture are clipped.
void draw_text(Picture& picture, std::string_view text, int left, int top, int zoom) {
  draw_dots(text, zoom, [&](int x, int y) {
    if (left + x >= 0 && left + x < picture.size.width) picture.at(left + x, top + y) = ink;
  });
}

// A colour for each level from 0, which is black, to `largest`. Skips the dark end of the map, so that the smallest
// difference is visible.
std::vector<Color> false_colors(int largest) {
  const std::vector<Color> map = load_colormap("inferno");
  std::vector<Color> colors = {{0, 0, 0, 255}};
  const std::size_t last = map.size() - 1, darkest = last / 3;
  for (int level = 1; level <= largest; ++level) {
    colors.push_back(
        map[darkest + (last - darkest) * static_cast<std::size_t>(level) / static_cast<std::size_t>(largest)]);
  }
  return colors;
}

template <class Pixel>
int largest_difference(const Pixel& a, const Pixel& b) {
  return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b), std::abs(a.a - b.a)});
}

// The largest channel difference of each pixel, counted as in Metrics.
std::vector<int> levels_of(const Picture& expected, const Picture& actual) {
  std::vector<int> levels(expected.pixels.size());
  if (expected.deep.empty() || actual.deep.empty()) {
    std::ranges::transform(expected.pixels, actual.pixels, levels.begin(), largest_difference<Color>);
  } else {
    std::ranges::transform(expected.deep, actual.deep, levels.begin(), [](const DeepColor& a, const DeepColor& b) {
      return (largest_difference(a, b) + 256) / 257;
    });
  }
  return levels;
}

}  // namespace

Picture difference_picture(const Picture& expected, const Picture& actual) {
  refuse_different_sizes(expected.size, actual.size);
  const std::vector<int> levels = levels_of(expected, actual);
  const int largest = *std::ranges::max_element(levels);
  const std::vector<Color> colors = false_colors(largest);

  const int width = expected.size.width, height = expected.size.height;
  const int zoom = std::clamp(width / 320, 1, 4), gap = 2 * zoom, bar = 6 * zoom;
  Picture picture;
  picture.size = {width, height + gap + bar + gap + glyph_height * zoom + gap};
  picture.pixels.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(picture.size.height), paper);
  std::ranges::transform(levels, picture.pixels.begin(),
                         [&](int level) { return colors[static_cast<std::size_t>(level)]; });
  for (int y = height + gap; y < height + gap + bar; ++y) {
    for (int x = 0; x < width; ++x)
      picture.at(x, y) = colors[static_cast<std::size_t>(x) * colors.size() / static_cast<std::size_t>(width)];
  }
  const int text_top = height + gap + bar + gap;
  draw_text(picture, "0", gap, text_top, zoom);
  const std::string label = std::to_string(largest);
  if (largest > 0) draw_text(picture, label, width - gap - dots_width(label, zoom), text_top, zoom);
  return picture;
}

}  // namespace simreel
