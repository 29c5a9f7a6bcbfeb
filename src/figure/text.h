#pragma once
// A line of text, with `$..$` around mathematics, -> placed glyphs. No TeX: ^ and _ with one character or {..}, letters
// slanted, and the names of math_names.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "figure/font.h"

namespace simreel {

// Glyphs of a line. All lengths are in 1/64 pixel; the origin is the left end of the base line, y downwards.
struct GlyphRun {
  struct Item {
    const Glyph* glyph;
    FontStyle style;
    std::int32_t x, y;
    int size;  // of an em
  };
  std::vector<Item> items;
  std::int32_t width = 0;
  // The space of a line with these sizes of glyphs, whatever the letters: above and below the base line.
  std::int32_t ascent = 0, descent = 0;

  // Appends another run.
  void append(const GlyphRun&);
  void add_to(Path&, std::int32_t x, std::int32_t y, const Direction&) const;
};

// Throws UsageError, without a place, for text that is not UTF-8, a character that the font lacks, an unknown \name,
// and for $ or { without its partner.
GlyphRun set_text(std::string_view text, int size, FontStyle = FontStyle::regular);

// A text in so many lines of about one length, broken at blanks outside of mathematics; fewer if it has too few blanks.
std::vector<std::string> wrapped(const std::string& text, int lines);
// In pixels.
int widest_of(const std::vector<GlyphRun>&);

// Of the names after a backslash: "\omega, \nabla, ...".
std::string math_names();
// The name of a character without its backslash, as TeX has it, too; empty if it has none.
std::string_view math_name_of(char32_t code);

std::int32_t advance_of(const Glyph&, int size);

}  // namespace simreel
