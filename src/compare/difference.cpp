
#include <algorithm>
#include <string>

#include "compare/metrics.h"
#include "figure/marks.h"
#include "raster/color/colormap.h"

namespace simreel {
namespace {

constexpr Color paper{24, 24, 24, 255}, ink{232, 232, 232, 255};

// A colour for each level from 0, which is black, to `largest`. Skips the dark end of the map, so that the smallest
// difference is visible.
std::vector<Color> false_colors(int largest) {
  const std::vector<Color> map = load_colormap("inferno");
  std::vector<Color> colors = {{0, 0, 0, 255}};
  const std::size_t last = map.size() - 1, darkest = last / 3;
  for (int level = 1; level <= largest; ++level)
    colors.push_back(
        map[darkest + (last - darkest) * static_cast<std::size_t>(level) / static_cast<std::size_t>(largest)]);
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
  Picture picture;
  for (const int level : levels) picture.pixels.push_back(colors[static_cast<std::size_t>(level)]);

  // Below it the scale of the colours, and numbers at its ends.
  const int zoom = std::clamp(width / 320, 1, 4), gap = 2 * zoom, bar = 6 * zoom, letters = 11 * zoom * fine;
  const Size scale = {width, gap + bar + gap + 8 * zoom + gap};
  const std::int32_t base = (scale.height - gap) * fine;
  Marks marks = {{"", box_shape({0, 0, width, scale.height}, paper)},
                 {"", Image{{0, gap, width, bar}, static_cast<int>(colors.size()), 1, colors}},
                 {"", Label{set_text("0", letters), {gap * fine, base}, {}, ink}}};
  const GlyphRun max = set_text(std::to_string(largest), letters);
  if (largest > 0) marks.push_back({"", Label{max, {(width - gap) * fine - max.width, base}, {}, ink}});
  for (const std::vector<Color>& row : paint_marks(marks, scale))
    picture.pixels.insert(picture.pixels.end(), row.begin(), row.end());
  picture.size = {width, height + scale.height};
  return picture;
}

}  // namespace simreel
