#include "figure/colormap_strip.h"

#include <algorithm>

#include "figure/marks.h"
#include "raster/color/colormap.h"

namespace simreel {

ColormapStrip draw_colormap_strip() {
  constexpr int band = 32, gap = 8, bar = 768, letters = 20, capital = letters * capital_units / units_per_em;
  constexpr Color paper = {255, 255, 255, 255}, ink = {32, 32, 32, 255};
  const auto maps = embedded_colormaps();
  std::vector<GlyphRun> names;
  for (const EmbeddedColormap& map : maps) names.push_back(set_text(map.name, letters * fine));
  const int left = 2 * gap + std::ranges::max_element(names, {}, &GlyphRun::width)->width / fine + 1;
  const Size size = {left + bar + gap, gap + static_cast<int>(maps.size()) * (band + gap)};

  Marks marks = {{"", box_shape({0, 0, size.width, size.height}, paper)}};
  int top = gap;
  for (std::size_t i = 0; i < maps.size(); ++i, top += band + gap) {
    marks.push_back({"", Label{names[i], {gap * fine, (top + (band + capital) / 2) * fine}, {}, ink}});
    const std::vector<Color> colors = parse_colormap(maps[i].csv, maps[i].name);
    const int steps = static_cast<int>(colors.size()) - 1;
    Image image = {{left, top, bar, band}, bar, 1, {}};
    for (int x = 0; x < bar; ++x) {
      // In integers: position x steps / (bar - 1) between the entries, rounded to nearest.
      const int at = std::min(x * steps / (bar - 1), steps - 1), part = x * steps - at * (bar - 1);
      const Color a = colors[static_cast<std::size_t>(at)], b = colors[static_cast<std::size_t>(at) + 1];
      const auto mix = [&](int from, int to) {
        return static_cast<std::uint8_t>((2 * (from * (bar - 1 - part) + to * part) + bar - 1) / (2 * (bar - 1)));
      };
      image.pixels.push_back({mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), 255});
    }
    marks.push_back({"", std::move(image)});
  }
  ColormapStrip strip = {size, {}};
  for (const std::vector<Color>& row : paint_marks(marks, size))
    strip.pixels.insert(strip.pixels.end(), row.begin(), row.end());
  return strip;
}

}  // namespace simreel
