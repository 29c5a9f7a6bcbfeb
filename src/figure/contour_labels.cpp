#include "figure/contour_labels.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace simreel {
namespace {

struct Box {
  double left, top, right, bottom;  // units of a path
};

// The part of the piece from a to b inside the box, from 0 to 1.
std::optional<std::pair<double, double>> inside(const Box& box, Path::Point a, Path::Point b) {
  double first = 0, last = 1;
  const double dx = b.x - a.x, dy = b.y - a.y;
  const auto clip = [&](double direction, double start, double low, double high) {
    if (direction == 0) return start >= low && start <= high;
    const double one = (low - start) / direction, other = (high - start) / direction;
    first = std::max(first, std::min(one, other)), last = std::min(last, std::max(one, other));
    return true;
  };
  if (!clip(dx, a.x, box.left, box.right) || !clip(dy, a.y, box.top, box.bottom) || first >= last) return {};
  return std::pair{first, last};
}

Path::Point between(Path::Point a, Path::Point b, double t) {
  return {a.x + static_cast<std::int32_t>(std::floor((b.x - a.x) * t + 0.5)),
          a.y + static_cast<std::int32_t>(std::floor((b.y - a.y) * t + 0.5))};
}

// Adds the parts of a line outside of `place`.
void add_outside(const std::vector<Path::Point>& line, const Rectangle& place,
                 std::vector<std::vector<Path::Point>>& lines) {
  const double unit = Path::per_pixel;
  const Box box{place.x * unit, place.y * unit, (place.x + place.width) * unit, (place.y + place.height) * unit};
  std::vector<Path::Point> part = {line.front()};
  const auto end_part = [&](Path::Point next) {
    if (part.size() > 1) lines.push_back(part);
    part = {next};
  };
  for (std::size_t i = 1; i < line.size(); ++i) {
    const Path::Point a = line[i - 1], b = line[i];
    if (const auto hidden = inside(box, a, b)) {
      if (hidden->first > 0) part.push_back(between(a, b, hidden->first));
      end_part(hidden->second < 1 ? between(a, b, hidden->second) : b);
      if (hidden->second == 1) continue;
    }
    part.push_back(b);
  }
  end_part({});
}

bool meet(const Rectangle& a, const Rectangle& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

}  // namespace

std::vector<std::vector<Path::Point>> labelled(const std::vector<std::vector<Path::Point>>& lines, const GlyphRun& run,
                                               const FigureStyle& style, const Rectangle& field,
                                               std::vector<Rectangle>& taken, Color color, Marks& labels) {
  std::vector<std::vector<Path::Point>> result;
  const int width = pixels_of(run.width) + style.px(50), height = style.capital + style.px(50);
  for (const std::vector<Path::Point>& line : lines) {
    double length = 0;
    std::vector<double> at = {0};
    for (std::size_t i = 1; i < line.size(); ++i) {
      const double dx = line[i].x - line[i - 1].x, dy = line[i].y - line[i - 1].y;
      at.push_back(length += std::sqrt(dx * dx + dy * dy));
    }
    std::optional<Rectangle> place;
    for (const double part : {0.5, 0.35, 0.65, 0.2, 0.8, 0.1, 0.9}) {
      if (length < 3.5 * width * Path::per_pixel || place) break;
      const auto next = std::ranges::lower_bound(at, part * length);
      const std::size_t i = std::max<std::size_t>(1, static_cast<std::size_t>(next - at.begin()));
      const Path::Point middle = between(line[i - 1], line[i], (part * length - at[i - 1]) / (at[i] - at[i - 1]));
      const Rectangle box{static_cast<int>(middle.x / Path::per_pixel) - width / 2,
                          static_cast<int>(middle.y / Path::per_pixel) - height / 2, width, height};
      const bool fits = box.x >= field.x && box.y >= field.y && box.x + width <= field.x + field.width &&
                        box.y + height <= field.y + field.height;
      if (fits && std::ranges::none_of(taken, [&](const Rectangle& other) { return meet(box, other); })) place = box;
    }
    if (!place) {
      result.push_back(line);
      continue;
    }
    taken.push_back(*place);
    add_outside(line, *place, result);
    labels.push_back(
        {"contours", Label{run,
                           {(place->x + style.px(25)) * fine, (place->y + (height + style.capital) / 2) * fine},
                           false,
                           color,
                           0.5}});
  }
  return result;
}

}  // namespace simreel
