#include "figure/font.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <vector>

namespace simreel {
namespace {

constexpr Glyph regular[] = {
#include "figure/font_regular.inc"
};
constexpr Glyph bold[] = {
#include "figure/font_bold.inc"
};

// Reads the contours one by one and calls `contour(points)`, with points in half font units.
template <class Contour>
void read_outline(std::string_view text, const Contour& contour) {
  std::vector<OutlinePoint> points;
  const char *at = text.data(), *const end = at + text.size();
  std::int32_t x = 0, y = 0;
  while (at != end) {
    const char kind = *at++;
    if (kind == 'z') {
      contour(points);
      points.clear();
      continue;
    }
    const auto number = [&] {
      std::int32_t value = 0;
      if (*at == '+') ++at;
      at = std::from_chars(at, end, value).ptr;
      return value;
    };
    x += 2 * number();
    y += 2 * number();
    points.push_back({x, y, kind == 'o'});
  }
}

std::int32_t slant_of(FontStyle style, std::int32_t y) { return style == FontStyle::oblique ? (y * 13) >> 6 : 0; }

OutlinePoint middle(const OutlinePoint& a, const OutlinePoint& b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2, true}; }

}  // namespace

const Glyph* find_glyph(char32_t code, FontStyle style) {
  const auto find = [&](const auto& table) -> const Glyph* {
    const auto found = std::ranges::lower_bound(table, code, {}, &Glyph::code);
    return found != std::end(table) && found->code == code ? found : nullptr;
  };
  return style == FontStyle::bold ? find(bold) : find(regular);
}

std::vector<std::vector<OutlinePoint>> outline_of(const Glyph& glyph, FontStyle style) {
  std::vector<std::vector<OutlinePoint>> contours;
  read_outline(glyph.outline, [&](std::vector<OutlinePoint> points) {
    for (OutlinePoint& point : points) {
      point.x = (point.x + slant_of(style, point.y)) >> 1;
      point.y /= 2;
    }
    contours.push_back(std::move(points));
  });
  return contours;
}

void add_glyph(Path& path, const Glyph& glyph, FontStyle style, std::int32_t x, std::int32_t y, int size, bool turned) {
  constexpr std::int32_t finer = 4;  // units of a path in 1/64 pixel
  const auto scale = [&](std::int32_t half_units) {
    const std::int64_t product = std::int64_t{half_units} * size * finer;
    return static_cast<std::int32_t>((product + units_per_em) >> 12);  // 2 * units_per_em; floors
  };
  const auto place = [&](const OutlinePoint& point) {
    const std::int32_t right = scale(point.x + slant_of(style, point.y)), up = scale(point.y);
    return turned ? Path::Point{x * finer - up, y * finer - right} : Path::Point{x * finer + right, y * finer - up};
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
