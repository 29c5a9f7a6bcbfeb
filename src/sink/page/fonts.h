#pragma once
// The fonts of a page: of each style the glyphs that its text has, and a TrueType file of them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pixels.h"
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
// Of the labels of a page, each style once: regular, bold, oblique.
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

std::string utf8_of(const Glyph&);
// A number with at most three decimals, as short as possible: "0.5", "-12", "3.125".
std::string short_number(double);

// Pictures in pages, as PDF and PostScript have them. The bytes depend on libdeflate.

std::string compressed(std::string_view bytes);  // zlib

// 8 bits per channel, each row after a 2 as the difference to the one above: predictor 15, which compresses well.
// `value(color, channel)` is in [0, 255].
template <class Value>
std::string rows_as_differences(std::span<const Color> colors, int columns, int rows, int channels, Value value) {
  const auto width = static_cast<std::size_t>(columns), count = static_cast<std::size_t>(channels);
  std::string bytes;
  for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y) {
    bytes += '\2';
    for (std::size_t i = 0; i < count * width; ++i) {
      const std::size_t here = y * width + i / count;
      const int above = y == 0 ? 0 : value(colors[here - width], i % count);
      bytes += static_cast<char>(value(colors[here], i % count) - above);
    }
  }
  return bytes;
}
inline int rgb_channel(const Color& c, std::size_t channel) {
  return channel == 0 ? int{c.r} : channel == 1 ? int{c.g} : int{c.b};
}

}  // namespace simreel
