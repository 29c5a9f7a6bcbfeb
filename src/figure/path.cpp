#include "figure/path.h"

#include <algorithm>
#include <utility>

namespace simreel {
namespace {

constexpr std::int32_t pixel = 256;            // units
constexpr int lines = 16;                      // per pixel
constexpr std::int32_t step = pixel / lines;   // from one line to the next
constexpr std::int32_t whole = lines * pixel;  // the sum of a pixel that is covered

std::int32_t floor_div(std::int32_t a, std::int32_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// a * b / c to the nearest integer; c > 0.
std::int32_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
  const std::int64_t twice = 2 * a * b + c;
  const std::int64_t quotient = twice / (2 * c), rest = twice % (2 * c);
  return static_cast<std::int32_t>(rest < 0 ? quotient - 1 : quotient);
}

// The largest integer whose square is at most v.
std::int64_t root(std::int64_t v) {
  std::int64_t low = 0, high = std::int64_t{1} << 31;
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (middle * middle <= v)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// A sixteenth of a circle of radius 2^14, from (1, 0).
constexpr std::int32_t cosines[] = {16384, 15137, 11585, 6270, 0};

}  // namespace

void Path::add(Point from, Point to) {
  if (from.y == to.y) return;
  if (from.y < to.y)
    edges_.push_back({from, to, 1});
  else
    edges_.push_back({to, from, -1});
}

void Path::begin(Point point) { first_ = last_ = point; }

void Path::line_to(Point point) {
  add(last_, point);
  last_ = point;
}

void Path::curve_to(Point control, Point end, int pieces) {
  const Point start = last_;
  const std::int64_t n = pieces;
  for (std::int64_t i = 1; i < n; ++i) {
    const std::int64_t a = (n - i) * (n - i), b = 2 * i * (n - i), c = i * i;
    const auto mix = [&](std::int32_t p, std::int32_t q, std::int32_t r) {
      return scaled(a * p + b * q + c * r, 1, n * n);
    };
    line_to({mix(start.x, control.x, end.x), mix(start.y, control.y, end.y)});
  }
  line_to(end);
}

void Path::close() { line_to(first_); }

void Path::add_circle(Point centre, std::int32_t radius) {
  const auto at = [&](int sixteenth) {
    const int quarter = sixteenth / 4, rest = sixteenth % 4;
    const std::int32_t c = scaled(cosines[rest], radius, 16384), s = scaled(cosines[4 - rest], radius, 16384);
    const Point turned[] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
    return Point{centre.x + turned[quarter].x, centre.y + turned[quarter].y};
  };
  begin(at(0));  // in the sense of the rectangles of `stroke`
  for (int i = 15; i > 0; --i) line_to(at(i));
  close();
}

// A rectangle for each piece, all of one sense, and a circle at each bend.
void Path::stroke(std::span<const Point> points, std::int32_t width, bool closed) {
  const std::size_t count = points.size(), pieces = closed ? count : count - 1;
  if (count < 2) return;
  for (std::size_t i = 0; i < pieces; ++i) {
    const Point a = points[i], b = points[(i + 1) % count];
    const std::int64_t dx = b.x - a.x, dy = b.y - a.y, length = root(dx * dx + dy * dy);
    if (length == 0) continue;
    const std::int32_t ox = scaled(dx, width, 2 * length), oy = scaled(dy, width, 2 * length);
    begin({a.x - oy, a.y + ox});
    line_to({b.x - oy, b.y + ox});
    line_to({b.x + oy, b.y - ox});
    line_to({a.x + oy, a.y - ox});
    close();
    const bool bends = closed || i > 0;
    if (!bends || width <= pixel / 2) continue;
    const Point before = points[(i + count - 1) % count];
    if ((std::int64_t{a.x} - before.x) * dy != (std::int64_t{a.y} - before.y) * dx) add_circle(a, width / 2);
  }
}

void Path::cover(int x0, int y0, int x1, int y1, const Row& row) const {
  if (edges_.empty() || x0 >= x1) return;
  std::vector<Edge> edges = edges_;
  std::ranges::sort(edges, {}, [](const Edge& edge) { return edge.top.y; });
  std::int32_t bottom = edges.front().bottom.y;
  for (const Edge& edge : edges) bottom = std::max(bottom, edge.bottom.y);
  y0 = std::max(y0, static_cast<int>(floor_div(edges.front().top.y, pixel)));
  y1 = std::min(y1, static_cast<int>(floor_div(bottom + pixel - 1, pixel)));

  const std::size_t width = static_cast<std::size_t>(x1 - x0);
  std::vector<std::int32_t> partial(width + 1), slope(width + 2);
  std::vector<std::uint8_t> levels(width);
  std::vector<const Edge*> active;
  std::vector<std::pair<std::int32_t, int>> crossings;
  std::size_t next = 0;
  const std::int32_t left = x0 * pixel, right = x1 * pixel;
  for (int y = y0; y < y1; ++y) {
    while (next < edges.size() && edges[next].top.y < (y + 1) * pixel) active.push_back(&edges[next++]);
    std::erase_if(active, [&](const Edge* edge) { return edge->bottom.y <= y * pixel; });
    if (active.empty()) continue;
    std::size_t first = width, last = 0;
    for (int line = 0; line < lines; ++line) {
      const std::int32_t at = y * pixel + line * step + step / 2;
      crossings.clear();
      for (const Edge* edge : active)
        if (edge->top.y <= at && at < edge->bottom.y)
          crossings.emplace_back(edge->top.x + scaled(at - edge->top.y, std::int64_t{edge->bottom.x} - edge->top.x,
                                                      edge->bottom.y - edge->top.y),
                                 edge->winding);
      std::ranges::sort(crossings);
      int winding = 0;
      std::int32_t from = 0;
      for (const auto& [x, sense] : crossings) {
        if (winding == 0) from = x;
        winding += sense;
        if (winding != 0) continue;
        const std::int32_t a = std::clamp(from, left, right) - left, b = std::clamp(x, left, right) - left;
        if (a == b) continue;
        const std::size_t i = static_cast<std::size_t>(a / pixel), j = static_cast<std::size_t>(b / pixel);
        first = std::min(first, i);
        last = std::max(last, b % pixel == 0 ? j : j + 1);
        if (i == j) {
          partial[i] += b - a;
          continue;
        }
        partial[i] += pixel - a % pixel;
        partial[j] += b % pixel;
        slope[i + 1] += pixel;
        slope[j] -= pixel;
      }
    }
    if (first >= last) continue;
    std::int32_t sum = 0;
    for (std::size_t i = first; i < last; ++i) {
      sum += slope[i];
      levels[i] = static_cast<std::uint8_t>(((sum + partial[i]) * 255 + whole / 2) / whole);
    }
    std::fill(partial.begin() + static_cast<std::ptrdiff_t>(first),
              partial.begin() + static_cast<std::ptrdiff_t>(last) + 1, 0);
    std::fill(slope.begin() + static_cast<std::ptrdiff_t>(first), slope.begin() + static_cast<std::ptrdiff_t>(last) + 2,
              0);
    while (first < last && levels[first] == 0) ++first;
    while (first < last && levels[last - 1] == 0) --last;
    if (first < last) row(y, x0 + static_cast<int>(first), std::span(levels).subspan(first, last - first));
  }
}

}  // namespace simreel
