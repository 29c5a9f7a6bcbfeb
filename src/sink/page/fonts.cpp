#include "sink/page/fonts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "base/version.h"

namespace simreel {
namespace {

// The licence of the outlines (figure/LICENSE.DejaVu) asks for this notice in every copy.
constexpr std::string_view copyright =
    "Copyright (c) 2003 by Bitstream, Inc. All Rights Reserved. Bitstream Vera is a trademark of Bitstream, Inc. "
    "DejaVu changes are in public domain.";
constexpr std::string_view licence =
    "Permission is hereby granted, free of charge, to any person obtaining a copy of the fonts accompanying this "
    "license (\"Fonts\") and associated documentation files (the \"Font Software\"), to reproduce and distribute "
    "the Font Software, including without limitation the rights to use, copy, merge, publish, distribute, and/or "
    "sell copies of the Font Software, and to permit persons to whom the Font Software is furnished to do so, "
    "subject to the following conditions: The above copyright and trademark notices and this permission notice "
    "shall be included in all copies of one or more of the Font Software typefaces. The Font Software may be "
    "modified, altered, or added to, and in particular the designs of glyphs or characters in the Fonts may be "
    "modified and additional glyphs or characters may be added to the Fonts, only if the fonts are renamed to names"
    " not containing either the words \"Bitstream\" or the word \"Vera\". This License becomes null and void to the"
    " extent applicable to Fonts or Font Software that has been modified and is distributed under the \"Bitstream "
    "Vera\" names. The Font Software may be sold as part of a larger software package but no copy of one or more of"
    " the Font Software typefaces may be sold by itself. THE FONT SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY "
    "OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO ANY WARRANTIES OF MERCHANTABILITY, FITNESS FOR A"
    " PARTICULAR PURPOSE AND NONINFRINGEMENT OF COPYRIGHT, PATENT, TRADEMARK, OR OTHER RIGHT. IN NO EVENT SHALL "
    "BITSTREAM OR THE GNOME FOUNDATION BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, INCLUDING ANY GENERAL, "
    "SPECIAL, INDIRECT, INCIDENTAL, OR CONSEQUENTIAL DAMAGES, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, "
    "ARISING FROM, OUT OF THE USE OR INABILITY TO USE THE FONT SOFTWARE OR FROM OTHER DEALINGS IN THE FONT "
    "SOFTWARE. Except as contained in this notice, the names of Gnome, the Gnome Foundation, and Bitstream Inc., "
    "shall not be used in advertising or otherwise to promote the sale, use or other dealings in this Font Software"
    " without prior written authorization from the Gnome Foundation or Bitstream Inc., respectively. For further "
    "information, contact: fonts at gnome dot org.";

// A part of a TrueType file: big-endian words.
class Words {
 public:
  Words& u8(int v) {
    bytes_ += static_cast<char>(v & 0xff);
    return *this;
  }
  Words& u16(int v) { return u8(v >> 8).u8(v); }
  Words& u32(std::uint32_t v) { return u16(static_cast<int>(v >> 16)).u16(static_cast<int>(v & 0xffff)); }
  Words& text(std::string_view t) {
    bytes_ += t;
    return *this;
  }
  Words& pad(std::size_t to) {
    while (bytes_.size() % to != 0) bytes_ += '\0';
    return *this;
  }
  std::size_t size() const { return bytes_.size(); }
  std::string finish() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

struct Box {
  int left = 1 << 15, bottom = 1 << 15, right = -(1 << 15), top = -(1 << 15);
  void add(int x, int y) {
    left = std::min(left, x), right = std::max(right, x);
    bottom = std::min(bottom, y), top = std::max(top, y);
  }
  void add(const Box& other) {
    add(other.left, other.bottom);
    add(other.right, other.top);
  }
};

// One entry of "glyf": its contours with points of 16 bits.
struct Outline {
  std::string bytes;
  Box box;
  int points = 0, contours = 0;

  Outline(const Glyph& glyph, FontStyle style) {
    const auto all = outline_of(glyph, style);
    if (all.empty()) return;
    for (const auto& contour : all)
      for (const OutlinePoint& point : contour) box.add(point.x, point.y);
    contours = static_cast<int>(all.size());
    Words words, flags, x, y;
    words.u16(contours).u16(box.left).u16(box.bottom).u16(box.right).u16(box.top);
    int last_x = 0, last_y = 0;
    for (const auto& contour : all) {
      for (const OutlinePoint& point : contour) {
        flags.u8(point.on_curve ? 1 : 0);
        x.u16(point.x - std::exchange(last_x, point.x));
        y.u16(point.y - std::exchange(last_y, point.y));
      }
      points += static_cast<int>(contour.size());
      words.u16(points - 1);
    }
    words.u16(0);  // no instructions
    bytes = words.text(flags.finish()).text(x.finish()).text(y.finish()).pad(4).finish();
  }
};

std::uint32_t sum_of(std::string_view bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    sum += static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << 8 * (3 - i % 4);
  return sum;
}

std::string style_name(FontStyle style) {
  return style == FontStyle::bold ? "Bold" : style == FontStyle::oblique ? "Oblique" : "Book";
}

std::string names_table(const PageFont& font) {
  const std::string full = fmt::format("{} {}", font_family, style_name(font.style));
  const std::string unique = font.postscript_name();
  const std::string maker = fmt::format("Version 2.37; cut to {} glyphs by simreel {}", font.glyphs.size(), version);
  const std::pair<int, std::string_view> entries[] = {{0, copyright}, {1, font_family}, {2, "Regular"}, {3, unique},
                                                      {4, full},      {5, maker},       {6, unique},    {13, licence}};
  Words table, texts;
  table.u16(0).u16(static_cast<int>(std::size(entries))).u16(6 + 12 * static_cast<int>(std::size(entries)));
  for (const auto& [id, text] : entries) {
    table.u16(3).u16(1).u16(0x409).u16(id).u16(2 * static_cast<int>(text.size())).u16(static_cast<int>(texts.size()));
    for (const char c : text) texts.u16(c);
  }
  return table.text(texts.finish()).finish();
}

// Format 4: a segment for each character, and the one that ends the table.
std::string cmap_table(const PageFont& font) {
  const int segments = static_cast<int>(font.glyphs.size()) + 1;
  int range = 1, selector = 0;
  while (2 * range <= segments) range *= 2, ++selector;
  Words table;
  table.u16(0).u16(1).u16(3).u16(1).u32(12);
  table.u16(4).u16(16 + 8 * segments).u16(0).u16(2 * segments);
  table.u16(2 * range).u16(selector).u16(2 * (segments - range));
  const auto codes = [&] {
    for (const Glyph* glyph : font.glyphs) table.u16(static_cast<int>(glyph->code));
    table.u16(0xffff);
  };
  codes();
  table.u16(0);
  codes();
  for (const Glyph* glyph : font.glyphs) table.u16(font.number_of(*glyph) - static_cast<int>(glyph->code));
  table.u16(1);
  for (int i = 0; i < segments; ++i) table.u16(0);
  return table.finish();
}

std::string os2_table(const PageFont& font, int average) {
  const bool bold = font.style == FontStyle::bold;
  Words t;
  t.u16(3).u16(average).u16(bold ? 700 : 400).u16(5).u16(0);
  for (const int v : {1331, 1433, 0, 287, 1331, 1433, 0, 983, 102, 530}) t.u16(v);  // scripts, strikeout
  t.u16(0).text(std::string(10, '\0')).u32(0).u32(0).u32(0).u32(0).text("sim ");
  t.u16(bold ? 0x20 : font.style == FontStyle::oblique ? 0x200 : 0x40);
  t.u16(static_cast<int>(font.glyphs.front()->code)).u16(static_cast<int>(font.glyphs.back()->code));
  t.u16(ascent_units).u16(-descent_units).u16(0).u16(ascent_units).u16(descent_units).u32(1).u32(0);
  t.u16(1120).u16(capital_units).u16(0).u16(32).u16(0);
  return t.finish();
}

}  // namespace

int PageFont::number_of(const Glyph& glyph) const {
  return static_cast<int>(std::ranges::lower_bound(glyphs, glyph.code, {}, &Glyph::code) - glyphs.begin()) + 1;
}

std::string PageFont::postscript_name() const {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const Glyph* glyph : glyphs) hash = (hash ^ glyph->code) * 0x100000001b3u;
  std::string name;
  for (int i = 0; i < 6; ++i, hash /= 26) name += static_cast<char>('A' + hash % 26);
  name += "+DejaVuSans";
  return style == FontStyle::regular ? name : name + "-" + style_name(style);
}

std::string PageFont::file() const {
  Words glyf, loca, hmtx;
  Box box;
  int points = 0, contours = 0, widest = 0, sum = 0;
  constexpr int empty_width = 1229;  // of glyph 0
  loca.u32(0).u32(0);
  hmtx.u16(empty_width).u16(0);
  for (const Glyph* glyph : glyphs) {
    Outline outline(*glyph, style);
    if (outline.points > 0) box.add(outline.box);
    glyf.text(outline.bytes);
    loca.u32(static_cast<std::uint32_t>(glyf.size()));
    hmtx.u16(glyph->advance).u16(outline.points > 0 ? outline.box.left : 0);
    points = std::max(points, outline.points), contours = std::max(contours, outline.contours);
    widest = std::max(widest, glyph->advance), sum += glyph->advance;
  }
  if (points == 0) box = {0, 0, 0, 0};
  const int count = static_cast<int>(glyphs.size()) + 1;
  const bool bold = style == FontStyle::bold, oblique = style == FontStyle::oblique;
  Words head, hhea, maxp, post;
  head.u32(0x10000).u32(0x25eb8).u32(0).u32(0x5f0f3cf5).u16(0x1f).u16(units_per_em).u32(0).u32(0).u32(0).u32(0);
  head.u16(box.left).u16(box.bottom).u16(box.right).u16(box.top).u16((bold ? 1 : 0) | (oblique ? 2 : 0)).u16(8).u16(2);
  head.u16(1).u16(0);
  hhea.u32(0x10000)
      .u16(ascent_units)
      .u16(-descent_units)
      .u16(0)
      .u16(std::max(widest, empty_width))
      .u16(box.left)
      .u16(0);
  hhea.u16(box.right).u16(1).u16(0).u16(0).u32(0).u32(0).u16(0).u16(count);
  maxp.u32(0x10000).u16(count).u16(points).u16(contours).u16(0).u16(0).u16(1);
  for (int i = 0; i < 8; ++i) maxp.u16(0);
  constexpr std::uint32_t slant = 0xfff50000;  // -11 degrees
  post.u32(0x30000).u32(oblique ? slant : 0).u16(-130).u16(90).u32(0).u32(0).u32(0).u32(0).u32(0);

  std::array<std::pair<std::string_view, std::string>, 10> tables = {{{"OS/2", os2_table(*this, sum / (count - 1))},
                                                                      {"cmap", cmap_table(*this)},
                                                                      {"glyf", glyf.finish()},
                                                                      {"head", head.finish()},
                                                                      {"hhea", hhea.finish()},
                                                                      {"hmtx", hmtx.finish()},
                                                                      {"loca", loca.finish()},
                                                                      {"maxp", maxp.finish()},
                                                                      {"name", names_table(*this)},
                                                                      {"post", post.finish()}}};
  constexpr int max = 8;  // the largest power of two in the number of tables
  Words directory, contents;
  directory.u32(0x10000).u16(tables.size()).u16(16 * max).u16(3).u16(16 * (static_cast<int>(tables.size()) - max));
  std::size_t head_at = 0;
  for (const auto& [tag, table] : tables) {
    const std::size_t at = 12 + 16 * tables.size() + contents.size();
    if (tag == "head") head_at = at;
    directory.text(tag).u32(sum_of(table)).u32(static_cast<std::uint32_t>(at));
    directory.u32(static_cast<std::uint32_t>(table.size()));
    contents.text(table).pad(4);
  }
  std::string file = directory.text(contents.finish()).finish();
  Words adjustment;
  adjustment.u32(0xb1b0afba - sum_of(file));
  return file.replace(head_at + 8, 4, adjustment.finish());
}

std::vector<PageFont> fonts_of(const Marks& marks) {
  std::vector<PageFont> fonts;
  for (const FontStyle style : {FontStyle::regular, FontStyle::bold, FontStyle::oblique}) {
    PageFont font{style, {}};
    for (const Mark& mark : marks)
      if (const auto* label = std::get_if<Label>(&mark.what))
        for (const GlyphRun::Item& item : label->run.items)
          if (item.style == style) font.glyphs.push_back(item.glyph);
    std::ranges::sort(font.glyphs, {}, &Glyph::code);
    const auto rest = std::ranges::unique(font.glyphs);
    font.glyphs.erase(rest.begin(), rest.end());
    if (!font.glyphs.empty()) fonts.push_back(std::move(font));
  }
  return fonts;
}

std::vector<TextPiece> pieces_of(const GlyphRun& run) {
  std::vector<TextPiece> pieces;
  std::int32_t end = 0;  // of the last piece
  for (const GlyphRun::Item& item : run.items) {
    const bool follows = !pieces.empty() && pieces.back().style == item.style && pieces.back().size == item.size &&
                         pieces.back().y == item.y && std::abs(item.x - end) <= item.size / 20;
    if (!follows) pieces.push_back({item.style, item.size, item.x, item.y, {}});
    if (!follows) end = item.x;
    pieces.back().glyphs.push_back(item.glyph);
    end += advance_of(*item.glyph, item.size);
  }
  return pieces;
}

std::string utf8_of(const Glyph& glyph) {
  const auto code = static_cast<std::uint32_t>(glyph.code);
  const auto byte = [](std::uint32_t v) { return static_cast<char>(v); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f))};
  return {byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f))};
}

std::string short_number(double v) {
  std::string text = fmt::format("{:.3f}", v);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace simreel
