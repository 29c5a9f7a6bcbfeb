#include "raster/color/colormap_strip.h"

#include <algorithm>

#include "base/dot_font.h"
#include "raster/color/colormap.h"

namespace simreel {

ColormapStrip draw_colormap_strip() {
  constexpr int zoom = 2, band = 32, gap = 8, bar = 768;
  constexpr Color paper = {255, 255, 255, 255}, ink = {32, 32, 32, 255};
  const auto maps = embedded_colormaps();
  std::size_t longest = 0;
  for (const EmbeddedColormap& map : maps) longest = std::max(longest, map.name.size());
  const int left = gap + static_cast<int>(longest) * glyph_pitch * zoom + gap;

  ColormapStrip image;
  image.size = {left + bar + gap, gap + static_cast<int>(maps.size()) * (band + gap)};
  image.pixels.assign(static_cast<std::size_t>(image.size.width) * static_cast<std::size_t>(image.size.height), paper);
  const auto pixel = [&](int x, int y) -> Color& {
    return image
        .pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.size.width) + static_cast<std::size_t>(x)];
  };

  int top = gap;
  for (const EmbeddedColormap& map : maps) {
    const int text_top = top + (band - (glyph_height - 1) * zoom) / 2;
    draw_dots(map.name, zoom, [&](int x, int y) { pixel(gap + x, text_top + y) = ink; });

    const std::vector<Color> colors = parse_colormap(map.csv, map.name);
    const int steps = static_cast<int>(colors.size()) - 1;
    for (int x = 0; x < bar; ++x) {
      // In integers: position x steps / (bar - 1) between the entries, rounded to nearest.
      const int at = std::min(x * steps / (bar - 1), steps - 1), part = x * steps - at * (bar - 1);
      const Color a = colors[static_cast<std::size_t>(at)], b = colors[static_cast<std::size_t>(at) + 1];
      const auto mix = [&](int from, int to) {
        return static_cast<std::uint8_t>((2 * (from * (bar - 1 - part) + to * part) + bar - 1) / (2 * (bar - 1)));
      };
      for (int y = 0; y < band; ++y) pixel(left + x, top + y) = {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), 255};
    }
    top += band + gap;
  }
  return image;
}

}  // namespace simreel
