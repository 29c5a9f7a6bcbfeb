#include "figure/font.h"

#include <algorithm>
#include <vector>

namespace simreel {
namespace {

int word(std::string_view table, std::size_t at) { return static_cast<int>(font_number(table, at, 2)); }

std::string_view file_of(FontStyle style) {
  const std::string_view ends[] = {"Sans", "-Bold", "-Oblique", "-BoldOblique"};
  const std::string_view end = ends[static_cast<int>(style)];
  return std::ranges::find_if(embedded_fonts(), [&](const EmbeddedFont& font) { return font.name.ends_with(end); })
      ->file;
}

// In the order of their codes, which a table of the file lists in groups of neighbours.
std::vector<Glyph> read_glyphs(FontStyle style) {
  const std::string_view groups = font_table(style, "cmap").substr(12), widths = font_table(style, "hmtx");
  std::vector<Glyph> glyphs;
  for (std::size_t at = 16; at < groups.size(); at += 12)
    for (char32_t code = font_number(groups, at, 4); code <= font_number(groups, at + 4, 4); ++code) {
      const int number = static_cast<int>(glyphs.size()) + 1;
      // The last width is that of all further glyphs.
      const int wide = std::min(number, word(font_table(style, "hhea"), 34) - 1);
      glyphs.push_back(
          {code, number, word(widths, 4 * static_cast<std::size_t>(wide)), outline_in_file(number, style)});
    }
  return glyphs;
}

// A point of a contour, in half font units, y upwards: between two points off the curve lies one on it.
struct OutlinePoint {
  std::int32_t x, y;
  bool on_curve;
};

// Reads the contours of an entry of "glyf" one by one and calls `contour(points)`.
template <class Contour>
void read_outline(std::string_view entry, const Contour& contour) {
  if (entry.empty()) return;
  const auto contours = static_cast<std::size_t>(word(entry, 0));
  std::size_t at = 10 + 2 * contours + 2;  // no instructions
  const auto byte = [&] { return static_cast<int>(static_cast<unsigned char>(entry[at++])); };
  std::vector<int> flags;
  const auto count = static_cast<std::size_t>(word(entry, 8 + 2 * contours)) + 1;
  while (flags.size() < count) {
    const int flag = byte();
    flags.insert(flags.end(), (flag & 8) != 0 ? static_cast<std::size_t>(byte()) + 1 : 1, flag);
  }
  std::vector<OutlinePoint> points(count);
  const auto read = [&](std::int32_t OutlinePoint::*axis, int is_byte, int is_same) {
    std::int32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if ((flags[i] & is_byte) != 0)
        value += (flags[i] & is_same) != 0 ? byte() : -byte();
      else if ((flags[i] & is_same) == 0)
        value += static_cast<std::int16_t>(word(entry, at)), at += 2;
      points[i].*axis = 2 * value;
      points[i].on_curve = (flags[i] & 1) != 0;
    }
  };
  read(&OutlinePoint::x, 2, 16);
  read(&OutlinePoint::y, 4, 32);
  std::size_t next = 0;
  for (std::size_t i = 0; i < contours; ++i) {
    std::vector<OutlinePoint> part;
    for (const auto end = static_cast<std::size_t>(word(entry, 10 + 2 * i)); next <= end; ++next)
      part.push_back(points[next]);
    contour(part);
  }
}

OutlinePoint middle(const OutlinePoint& a, const OutlinePoint& b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2, true}; }

}  // namespace

std::uint32_t font_number(std::string_view table, std::size_t at, std::size_t bytes) {
  std::uint32_t value = 0;
  for (const char c : table.substr(at, bytes)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

std::string_view font_table(FontStyle style, std::string_view tag) {
  const std::string_view file = file_of(style);
  std::size_t row = 12;
  while (file.substr(row, 4) != tag) row += 16;
  return file.substr(font_number(file, row + 8, 4), font_number(file, row + 12, 4));
}

std::string_view outline_in_file(int number, FontStyle style) {
  const std::string_view places = font_table(style, "loca");
  const auto place = [&](int n) { return 2 * font_number(places, 2 * static_cast<std::size_t>(n), 2); };
  return font_table(style, "glyf").substr(place(number), place(number + 1) - place(number));
}

const Glyph* find_glyph(char32_t code, FontStyle style) {
  static const std::vector<Glyph> regular = read_glyphs(FontStyle::regular), bold = read_glyphs(FontStyle::bold);
  const std::vector<Glyph>& glyphs = is_bold(style) ? bold : regular;
  const auto found = std::ranges::lower_bound(glyphs, code, {}, &Glyph::code);
  return found != glyphs.end() && found->code == code ? &*found : nullptr;
}

void add_glyph(Path& path, const Glyph& glyph, FontStyle style, std::int32_t x, std::int32_t y, int size,
               const Direction& direction) {
  constexpr std::int32_t finer = 4;  // units of a path in 1/64 pixel
  const auto scale = [&](std::int32_t half_units) {
    const std::int64_t product = std::int64_t{half_units} * size * finer;
    return static_cast<std::int32_t>((product + units_per_em) >> 12);  // 2 * units_per_em; floors
  };
  const auto place = [&](const OutlinePoint& point) {
    const std::int32_t right = scale(point.x + (is_oblique(style) ? (point.y * 13) >> 6 : 0)), up = scale(point.y);
    return Path::Point{x * finer + direction.x_at(right, -up), y * finer + direction.y_at(right, -up)};
  };
  const int pieces = std::clamp(size / 64 / 8, 3, 24);
  read_outline(glyph.outline, [&](const std::vector<OutlinePoint>& points) {
    const std::size_t count = points.size();
    const auto start_at = std::ranges::find(points, true, &OutlinePoint::on_curve);
    const std::size_t first = start_at == points.end() ? 0 : static_cast<std::size_t>(start_at - points.begin());
    const OutlinePoint start = start_at == points.end() ? middle(points[0], points[count - 1]) : points[first];
    path.begin(place(start));
    for (std::size_t i = start_at == points.end() ? 0 : 1; i < count; ++i) {
      const OutlinePoint& point = points[(first + i) % count];
      if (point.on_curve) {
        path.line_to(place(point));
        continue;
      }
      const OutlinePoint& after = i + 1 == count ? start : points[(first + i + 1) % count];
      path.curve_to(place(point), place(after.on_curve ? after : middle(point, after)), pieces);
      if (after.on_curve) ++i;
    }
    path.close();
  });
}

}  // namespace simreel
