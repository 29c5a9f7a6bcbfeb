#pragma once
// The fonts of a page: of each style the glyphs that its text has, and a TrueType file of them.

#include <string>
#include <string_view>
#include <vector>

#include "figure/marks.h"

namespace simreel {

// A font cut to the glyphs of a page, in the order of their codes. Glyph 0 of the file is the empty one that every font
// has, so the number of a glyph is its index + 1.
struct PageFont {
  FontStyle style;
  std::vector<const Glyph*> glyphs;

  int number_of(const Glyph&) const;
  std::string file() const;             // TrueType, with cmap and the notice of the licence; less than 64 KiB
  std::string postscript_name() const;  // "ABCDEF+DejaVuSans-Bold"; the letters depend on the glyphs
};
// Of the labels of a page, each style once, in the order of FontStyle.
std::vector<PageFont> fonts_of(const Marks&);

// What viewers without embedded fonts look for.
inline constexpr std::string_view font_family = "DejaVu Sans";

// Letters that stand side by side in one font and size. The origin of the first is at (x, y) from that of the label.
struct TextPiece {
  FontStyle style;
  int size;  // of an em, 1/64 pixel
  std::int32_t x, y;
  std::vector<const Glyph*> glyphs;
};
// A run in pieces. Spaces that a program would add itself between two pieces are not added.
std::vector<TextPiece> pieces_of(const GlyphRun&);

// Of letters `size` high, whose y is upwards, on a page whose y is downwards: "1 0 0 -1" for a text to the right.
std::string matrix_of(const Direction&, double size);

std::string utf8_of(const Glyph&);
// A number with at most three decimals, as short as possible: "0.5", "-12", "3.125".
std::string short_number(double);

}  // namespace simreel
