#include "figure/lines.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <utility>

namespace simreel {
namespace {

constexpr double pixel = 256;  // units of a path

std::int32_t unit(double pixels) { return static_cast<std::int32_t>(std::floor(pixels * pixel + 0.5)); }

// Where a line of one level crosses the grid: the edge of a cell, which two cells share, and the place on it.
struct Crossing {
  std::size_t edge;
  Path::Point at;
};
struct Segment {
  std::array<Crossing, 2> ends;
};

// Joins segments that end on the same edge. Open lines come first, each in the order of its first segment.
std::vector<std::vector<Path::Point>> joined(const std::vector<Segment>& segments) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::unordered_map<std::size_t, std::array<std::size_t, 2>> at_edge;  // its segments
  for (std::size_t i = 0; i < segments.size(); ++i)
    for (const Crossing& end : segments[i].ends) {
      auto& both = at_edge.try_emplace(end.edge, std::array{none, none}).first->second;
      both[both[0] == none ? 0 : 1] = i;
    }
  std::vector<bool> taken(segments.size());
  std::vector<std::vector<Path::Point>> lines;
  // From segment i, whose first end is `from`.
  const auto follow = [&](std::size_t i, std::size_t from) {
    std::vector<Path::Point> line = {segments[i].ends[from].at};
    while (i != none && !taken[i]) {
      taken[i] = true;
      const Crossing& end = segments[i].ends[1 - from];
      if (!(end.at == line.back())) line.push_back(end.at);
      const auto& both = at_edge.at(end.edge);
      i = both[0] == i ? both[1] : both[0];
      if (i != none) from = segments[i].ends[0].edge == end.edge ? 0 : 1;
    }
    if (line.size() > 1) lines.push_back(std::move(line));
  };
  for (std::size_t i = 0; i < segments.size(); ++i)
    for (const std::size_t end : {std::size_t{0}, std::size_t{1}})
      if (!taken[i] && at_edge.at(segments[i].ends[end].edge)[1] == none) follow(i, end);
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (!taken[i]) follow(i, 0);
  return lines;
}

// Leaves out points that lie within a tenth of a pixel of the line without them (Douglas and Peucker 1973).
std::vector<Path::Point> simplified(const std::vector<Path::Point>& line) {
  constexpr double most = pixel / 10;
  std::vector<bool> kept(line.size());
  std::vector<std::pair<std::size_t, std::size_t>> open = {{0, line.size() - 1}};
  kept.front() = kept.back() = true;
  while (!open.empty()) {
    const auto [first, last] = open.back();
    open.pop_back();
    const double dx = line[last].x - line[first].x, dy = line[last].y - line[first].y, square = dx * dx + dy * dy;
    double farthest = most * most;
    std::size_t middle = 0;
    for (std::size_t i = first + 1; i < last; ++i) {
      const double x = line[i].x - line[first].x, y = line[i].y - line[first].y;
      const double t = square > 0 ? std::clamp((x * dx + y * dy) / square, 0.0, 1.0) : 0;
      const double off_x = x - t * dx, off_y = y - t * dy, distance = off_x * off_x + off_y * off_y;
      if (distance > farthest) farthest = distance, middle = i;
    }
    if (middle == 0) continue;
    kept[middle] = true;
    open.emplace_back(first, middle);
    open.emplace_back(middle, last);
  }
  std::vector<Path::Point> few;
  for (std::size_t i = 0; i < line.size(); ++i)
    if (kept[i]) few.push_back(line[i]);
  return few;
}

}  // namespace

HostField along(const Executor& executor, const View& view, const std::array<double, 4>& line, int count,
                Interpolation interpolation) {
  const HostField field = download(executor, view, {line[0], line[1]}, {});
  HostField row{count, 1, {}};
  for (int i = 0; i < count; ++i) {
    const double part = (i + 0.5) / count;
    const double x = field.left + part * (line[2] - line[0]), y = field.below + part * (line[3] - line[1]);
    const int column = std::clamp(static_cast<int>(x), 0, field.nx - 1),
              up = std::clamp(static_cast<int>(y), 0, field.ny - 1);
    row.values.push_back(interpolation == Interpolation::nearest ? field.at(column, up) : sampled(field, x, y));
  }
  return row;
}

double sampled(const HostField& field, double x, double y) {
  x = std::clamp(x - 0.5, 0.0, field.nx - 1.0);
  y = std::clamp(y - 0.5, 0.0, field.ny - 1.0);
  const int i = std::min(static_cast<int>(x), std::max(field.nx - 2, 0)),
            j = std::min(static_cast<int>(y), std::max(field.ny - 2, 0));
  const int right = std::min(i + 1, field.nx - 1), up = std::min(j + 1, field.ny - 1);
  const double f = x - i, g = y - j;
  const double low = field.at(i, j) * (1 - f) + field.at(right, j) * f;
  const double high = field.at(i, up) * (1 - f) + field.at(right, up) * f;
  return low * (1 - g) + high * g;
}

Path::Point path_point(double x, double y) { return {unit(x), unit(y)}; }

HostField download(const Executor& executor, const View& view, const std::array<double, 2>& first,
                   const std::array<double, 2>& count) {
  HostField host;
  std::visit(
      [&]<class Shown>(const Shown& shown) {
        if constexpr (requires { shown.pitch; }) {
          using Real = std::remove_cvref_t<decltype(*shown.value)>;
          const std::size_t size =
              shown.pitch * static_cast<std::size_t>(shown.ny - 1) + static_cast<std::size_t>(shown.nx);
          std::vector<Real> values(size);
          std::vector<std::int8_t> cells(shown.cell ? size : 0);
          executor.copy(values.data(), shown.value, size * sizeof(Real));
          if (shown.cell) executor.copy(cells.data(), shown.cell, size);
          host.nx = shown.nx, host.ny = shown.ny;
          host.left = first[0] - shown.first_x, host.below = first[1] - shown.first_y;
          host.width = count[0], host.height = count[1];
          for (int y = 0; y < shown.ny; ++y)
            for (int x = 0; x < shown.nx; ++x) {
              const std::size_t i = static_cast<std::size_t>(y) * shown.pitch + static_cast<std::size_t>(x);
              const bool solid = !cells.empty() && cells[i] < 0;
              host.values.push_back(solid ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(values[i]));
            }
        }
      },
      view);
  return host;
}

Path path_of(const Strokes& strokes, std::int32_t width) {
  Path path;
  for (const Stroke& stroke : strokes) {
    if (!stroke.filled) {
      std::span<const Path::Point> points = stroke.points;
      const bool closed = points.size() > 3 && points.front() == points.back();
      if (closed) points = points.first(points.size() - 1);
      path.stroke(points, width, closed);
      continue;
    }
    path.begin(stroke.points.front());
    for (std::size_t i = 1; i < stroke.points.size(); ++i) path.line_to(stroke.points[i]);
    path.close();
  }
  return path;
}

std::vector<std::vector<Path::Point>> contour_lines(const HostField& field, double level, const Rectangle& place) {
  if (field.values.empty()) return {};
  const double sx = place.width / field.width, sy = place.height / field.height;
  const int step = std::max(1, static_cast<int>(2 / std::min(sx, sy)));
  const auto spot = [&](double x, double y) {
    return Path::Point{unit(place.x + (x + 0.5 - field.left) * sx),
                       unit(place.y + place.height - (y + 0.5 - field.below) * sy)};
  };
  const auto value = [&](std::size_t i) { return field.values[i]; };
  const std::size_t nx = static_cast<std::size_t>(field.nx), across = static_cast<std::size_t>(step);
  // The crossing of the edge from a cell to its neighbour at the right (0) or above (1).
  const auto crossing = [&](int x, int y, int upwards) {
    const std::size_t i = static_cast<std::size_t>(y) * nx + static_cast<std::size_t>(x);
    const double a = value(i), b = value(i + (upwards ? nx : 1) * across), t = (level - a) / (b - a) * step;
    return Crossing{2 * i + static_cast<std::size_t>(upwards), upwards ? spot(x, y + t) : spot(x + t, y)};
  };
  std::vector<Segment> segments;
  for (int y = 0; y + step < field.ny; y += step)
    for (int x = 0; x + step < field.nx; x += step) {
      // Corners and edges anticlockwise from the lower left corner.
      const std::array<double, 4> v = {field.at(x, y), field.at(x + step, y), field.at(x + step, y + step),
                                       field.at(x, y + step)};
      if (!std::isfinite(v[0] + v[1] + v[2] + v[3])) continue;
      unsigned above = 0;
      for (std::size_t k = 0; k < 4; ++k) above |= static_cast<unsigned>(v[k] >= level) << k;
      if (above == 0 || above == 15) continue;
      const auto edge = [&](std::size_t k) {
        switch (k) {
          case 0: return crossing(x, y, 0);
          case 1: return crossing(x + step, y, 1);
          case 2: return crossing(x, y + step, 0);
          default: return crossing(x, y, 1);
        }
      };
      const auto line = [&](std::size_t from, std::size_t to) { segments.push_back({{edge(from), edge(to)}}); };
      const bool saddle = above == 5 || above == 10;
      if (!saddle) {
        std::array<std::size_t, 2> edges{};
        std::size_t count = 0;
        for (std::size_t k = 0; k < 4; ++k)
          if ((above >> k & 1U) != (above >> (k + 1) % 4 & 1U)) edges[count++] = k;
        line(edges[0], edges[1]);
        continue;
      }
      const bool middle = (v[0] + v[1] + v[2] + v[3]) / 4 >= level;
      if ((above == 5) == middle) {
        line(0, 1);
        line(2, 3);
      } else {
        line(3, 0);
        line(1, 2);
      }
    }
  // Beyond the outermost centres a map keeps their values, so a line that ends there goes straight on to the edge.
  const auto last = [&](int count) { return (count - 1) / step * step; };
  const Path::Point first = spot(0, 0), end = spot(last(field.nx), last(field.ny));
  const auto at_edge = [&](Path::Point p) {
    if (p.x == first.x) return Path::Point{std::min(p.x, unit(place.x)), p.y};
    if (p.x == end.x) return Path::Point{std::max(p.x, unit(place.x + place.width)), p.y};
    if (p.y == first.y) return Path::Point{p.x, std::max(p.y, unit(place.y + place.height))};
    if (p.y == end.y) return Path::Point{p.x, std::min(p.y, unit(place.y))};
    return p;
  };
  std::vector<std::vector<Path::Point>> lines = joined(segments);
  for (std::vector<Path::Point>& line : lines) {
    std::vector<Path::Point> whole = {at_edge(line.front())};
    whole.insert(whole.end(), line.begin(), line.end());
    whole.resize(line.size() + 2, at_edge(line.back()));
    line = simplified(line.front() == line.back() ? line : whole);
  }
  return lines;
}

Strokes dashed(const std::vector<Path::Point>& line, double on, double off) {
  Strokes dashes;
  std::vector<Path::Point> dash = {line.front()};
  bool inked = true;
  double left = on;  // of the dash or the gap
  for (std::size_t i = 1; i < line.size(); ++i) {
    const double dx = line[i].x - line[i - 1].x, dy = line[i].y - line[i - 1].y, length = std::sqrt(dx * dx + dy * dy);
    double at = 0;
    while (length - at > left) {
      at += left;
      const Path::Point end{line[i - 1].x + static_cast<std::int32_t>(std::floor(dx * at / length + 0.5)),
                            line[i - 1].y + static_cast<std::int32_t>(std::floor(dy * at / length + 0.5))};
      if (inked) {
        dash.push_back(end);
        dashes.push_back({std::move(dash)});
      }
      dash = {end};
      inked = !inked;
      left = inked ? on : off;
    }
    left -= length - at;
    if (inked) dash.push_back(line[i]);
  }
  if (inked && dash.size() > 1) dashes.push_back({std::move(dash)});
  return dashes;
}

ArrowScale arrow_scale(const HostField& x, const HostField& y, int count, const Rectangle& place) {
  if (x.values.empty() || x.values.size() != y.values.size()) return {};
  double max = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double square = x.values[i] * x.values[i] + y.values[i] * y.values[i];
    if (square > max && std::isfinite(square)) max = square;
  }
  return {static_cast<double>(std::max(place.width, place.height)) / count, std::sqrt(max)};
}

Strokes arrow(double from_x, double from_y, double to_x, double to_y, const ArrowScale& scale) {
  const double dx = to_x - from_x, dy = to_y - from_y, length = std::sqrt(dx * dx + dy * dy);
  const double ux = dx / length, uy = dy / length;
  const double head = std::min(0.45 * length, 0.28 * scale.distance), side = 0.42 * head;
  const double neck_x = to_x - ux * head, neck_y = to_y - uy * head;
  return {{{path_point(from_x, from_y), path_point(neck_x, neck_y)}},
          // In the sense of a stroke.
          {{path_point(neck_x - uy * side, neck_y + ux * side), path_point(to_x, to_y),
            path_point(neck_x + uy * side, neck_y - ux * side)},
           true}};
}

Strokes clipped(Strokes strokes, const Rectangle& box) {
  for (int side = 0; side < 4; ++side) {  // left, right, top, bottom
    const double edge = pixel * (side == 0   ? box.x
                                 : side == 1 ? box.x + box.width
                                 : side == 2 ? box.y
                                             : box.y + box.height);
    const auto depth = [&](Path::Point p) { return (side % 2 == 0 ? 1 : -1) * ((side < 2 ? p.x : p.y) - edge); };
    Strokes kept;
    for (const Stroke& stroke : strokes) {
      Stroke piece{{}, stroke.filled, stroke.group};
      const auto end = [&] {
        if (piece.points.size() > (stroke.filled ? 2 : 1)) kept.push_back(piece);
        piece.points.clear();
      };
      for (std::size_t i = 0; i < stroke.points.size(); ++i) {
        const Path::Point to = stroke.points[i], from = i > 0 ? stroke.points[i - 1] : stroke.points.back();
        const double a = depth(from), b = depth(to), t = a / (a - b);
        if ((a < 0) != (b < 0) && (i > 0 || stroke.filled))
          piece.points.push_back(
              path_point((from.x + (to.x - from.x) * t) / pixel, (from.y + (to.y - from.y) * t) / pixel));
        if (b >= 0)
          piece.points.push_back(to);
        else if (!stroke.filled)
          end();
      }
      end();
    }
    strokes = std::move(kept);
  }
  return strokes;
}

Strokes arrows_of(const HostField& x, const HostField& y, const ArrowScale& scale, const Rectangle& place) {
  Strokes strokes;
  if (!(scale.fastest > 0)) return strokes;
  const double distance = scale.distance;
  const int columns = std::max(1, static_cast<int>(place.width / distance)),
            rows = std::max(1, static_cast<int>(place.height / distance));
  const double dx = static_cast<double>(place.width) / columns, dy = static_cast<double>(place.height) / rows;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const double px = (column + 0.5) * dx, py = (row + 0.5) * dy;
      const double cx = x.left + px * x.width / place.width,
                   cy = x.below + (place.height - py) * x.height / place.height;
      const double u = sampled(x, cx, cy), v = sampled(y, cx, cy), speed = std::sqrt(u * u + v * v);
      if (!std::isfinite(speed)) continue;
      const double length = scale.length(speed);
      if (length < 1.5) continue;
      const double half_x = u / speed * length / 2, half_y = -v / speed * length / 2;  // rows go down
      std::ranges::move(
          arrow(place.x + px - half_x, place.y + py - half_y, place.x + px + half_x, place.y + py + half_y, scale),
          std::back_inserter(strokes));
    }
  return strokes;
}

}  // namespace simreel
