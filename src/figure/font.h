#pragma once
// The outlines of DejaVu Sans, regular and bold, compiled in: text looks the same on every machine.

#include <cstdint>
#include <string_view>
#include <vector>

#include "figure/path.h"

namespace simreel {

inline constexpr int units_per_em = 2048;
// Of all glyphs that figures use, in font units, from the base line.
inline constexpr int ascent_units = 1901, descent_units = 483, capital_units = 1493;

enum class FontStyle { regular, bold, oblique };  // oblique: the regular outlines, slanted

struct Glyph {
  char32_t code;
  int advance;               // font units
  std::string_view outline;  // contours, as scripts/make_font.py writes them
};

// Null if the font lacks the character. Lives as long as the program.
const Glyph* find_glyph(char32_t code, FontStyle);

// The closed contours of a glyph in font units, y upwards, as TrueType has them: between two points off the curve lies
// one on it.
struct OutlinePoint {
  std::int32_t x, y;
  bool on_curve;
};
std::vector<std::vector<OutlinePoint>> outline_of(const Glyph&, FontStyle);

// Adds the contours of a glyph. x and y are the place of its origin on the base line and `size` that of an em, in 1/64
// pixel. `turned`: the text runs upwards.
void add_glyph(Path&, const Glyph&, FontStyle, std::int32_t x, std::int32_t y, int size, bool turned = false);

}  // namespace simreel
