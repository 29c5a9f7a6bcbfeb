#pragma once
// A font of 5 x 8 dots for pictures that need a few words: ASCII letters, digits, "_", "-" and ".".

#include <string_view>

namespace simreel {

// In dots. The last row of a glyph is for descenders; a column between two glyphs stays empty.
inline constexpr int glyph_width = 5, glyph_height = 8, glyph_pitch = glyph_width + 1;

// Whether the glyph has a dot in column x in [0, glyph_width) and row y in [0, glyph_height), the first row on top. A
// character that the font lacks is a box.
bool glyph_dot(char letter, int x, int y);

// Calls `ink(x, y)` for each pixel of the text, with zoom x zoom pixels a dot and (0, 0) in its top left corner.
template <class Ink>
void draw_dots(std::string_view text, int zoom, const Ink& ink) {
  for (int y = 0; y < glyph_height * zoom; ++y) {
    for (int x = 0; x < static_cast<int>(text.size()) * glyph_pitch * zoom; ++x) {
      const int column = x / zoom, inside = column % glyph_pitch;
      const char letter = text[static_cast<std::size_t>(column / glyph_pitch)];
      if (inside < glyph_width && glyph_dot(letter, inside, y / zoom)) ink(x, y);
    }
  }
}

// Pixels from the left edge of the first glyph to the right edge of the last.
inline int dots_width(std::string_view text, int zoom) {
  return text.empty() ? 0 : (static_cast<int>(text.size()) * glyph_pitch - 1) * zoom;
}

}  // namespace simreel
