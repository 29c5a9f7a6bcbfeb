#include "sink/page/fonts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace simreel {
namespace {

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

std::uint32_t sum_of(std::string_view bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    sum += static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << 8 * (3 - i % 4);
  return sum;
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

}  // namespace

int PageFont::number_of(const Glyph& glyph) const {
  return static_cast<int>(std::ranges::lower_bound(glyphs, glyph.code, {}, &Glyph::code) - glyphs.begin()) + 1;
}

std::string PageFont::postscript_name() const {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const Glyph* glyph : glyphs) hash = (hash ^ glyph->code) * 0x100000001b3u;
  std::string name;
  for (int i = 0; i < 6; ++i, hash /= 26) name += static_cast<char>('A' + hash % 26);
  const std::string_view styles[] = {"", "-Bold", "-Oblique", "-BoldOblique"};
  return fmt::format("{}+DejaVuSans{}", name, styles[static_cast<int>(style)]);
}

std::string PageFont::file() const {
  Words glyf, loca, hmtx;
  const auto add = [&](std::string_view outline, int advance) {
    loca.u16(static_cast<int>(glyf.size() / 2));
    glyf.text(outline);  // of an even number of bytes
    hmtx.u16(advance).text(outline.empty() ? std::string_view("\0\0", 2) : outline.substr(2, 2));  // its left end
  };
  add(outline_in_file(0, style), static_cast<int>(font_number(font_table(style, "hmtx"), 0, 2)));
  for (const Glyph* glyph : glyphs) add(outline_in_file(glyph->number, style), glyph->advance);
  loca.u16(static_cast<int>(glyf.size() / 2));

  const auto copy = [&](std::string_view tag) { return std::string(font_table(style, tag)); };
  Words count;
  count.u16(static_cast<int>(glyphs.size()) + 1);
  const std::string glyph_count = count.finish();
  std::array<std::pair<std::string_view, std::string>, 10> tables = {
      {{"OS/2", copy("OS/2")},
       {"cmap", cmap_table(*this)},
       {"glyf", glyf.finish()},
       {"head", copy("head").replace(8, 4, 4, '\0')},
       {"hhea", copy("hhea").replace(34, 2, glyph_count)},
       {"hmtx", hmtx.finish()},
       {"loca", loca.finish()},
       {"maxp", copy("maxp").replace(4, 2, glyph_count)},
       {"name", copy("name")},
       {"post", copy("post")}}};
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
  for (const FontStyle style : {FontStyle::regular, FontStyle::bold, FontStyle::oblique, FontStyle::bold_oblique}) {
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

std::string matrix_of(const Direction& along, double size) {
  const std::string x = short_number(size * along.x / Direction::unit),
                    y = short_number(size * along.y / Direction::unit),
                    down = short_number(-size * along.x / Direction::unit);
  return fmt::format("{} {} {} {}", x, y, y, down);
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
