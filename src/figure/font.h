#pragma once
// DejaVu Sans in four styles, compiled in (fonts/): text looks the same on every machine.

#include <cstdint>
#include <span>
#include <string_view>

#include "figure/path.h"

namespace simreel {

inline constexpr int units_per_em = 2048;
// Of all glyphs that figures use, in font units, from the base line.
inline constexpr int ascent_units = 1901, descent_units = 483, capital_units = 1493;

enum class FontStyle { regular, bold, oblique, bold_oblique };  // oblique: the upright outlines, slanted
inline bool is_bold(FontStyle style) { return style == FontStyle::bold || style == FontStyle::bold_oblique; }
inline bool is_oblique(FontStyle style) { return style >= FontStyle::oblique; }

struct Glyph {
  char32_t code;
  int number;                // in the TrueType files of all styles
  int advance;               // font units
  std::string_view outline;  // its entry of the table "glyf"; of oblique glyphs that of the upright one
};

// Null if the font lacks the character. Lives as long as the program.
const Glyph* find_glyph(char32_t code, FontStyle);

struct EmbeddedFont {
  std::string_view name;  // "DejaVuSans-Bold"
  std::string_view file;  // TrueType, as scripts/make_font.py writes it
};
std::span<const EmbeddedFont> embedded_fonts();

// A table of the TrueType file of a style: "glyf". The glyph of a number has its outline there.
std::string_view font_table(FontStyle, std::string_view tag);
std::string_view outline_in_file(int number, FontStyle);
// A big-endian number of TrueType.
std::uint32_t font_number(std::string_view table, std::size_t at, std::size_t bytes);

// Where a text runs: a vector of length 2^16, y downwards.
struct Direction {
  static constexpr std::int32_t unit = 1 << 16;
  std::int32_t x = unit, y = 0;
  bool operator==(const Direction&) const = default;
  // Of a place so far along it, and so far below it.
  std::int32_t x_at(std::int64_t along, std::int64_t below) const { return rounded(along * x - below * y); }
  std::int32_t y_at(std::int64_t along, std::int64_t below) const { return rounded(along * y + below * x); }

 private:
  static std::int32_t rounded(std::int64_t v) { return static_cast<std::int32_t>((v + unit / 2) >> 16); }
};
inline constexpr Direction rightwards{}, upwards{0, -Direction::unit};

// Adds the contours of a glyph. x and y are the place of its origin on the base line and `size` that of an em, in 1/64
// pixel.
void add_glyph(Path&, const Glyph&, FontStyle, std::int32_t x, std::int32_t y, int size, const Direction& = rightwards);

}  // namespace simreel
