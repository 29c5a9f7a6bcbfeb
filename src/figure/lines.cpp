#include "figure/lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "figure/sampled.h"

namespace simreel {
namespace {

constexpr double pixel = 256;  // units of a path

std::int32_t unit(double pixels) { return static_cast<std::int32_t>(std::floor(pixels * pixel + 0.5)); }

}  // namespace

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

HostField download(const Executor& executor, const View& view) {
  HostField host;
  std::visit(
      [&]<class Shown>(const Shown& shown) {
        if constexpr (requires { shown.pitch; }) {
          using Real = std::remove_cvref_t<decltype(*shown.value)>;
          const std::size_t count =
              shown.pitch * static_cast<std::size_t>(shown.ny - 1) + static_cast<std::size_t>(shown.nx);
          std::vector<Real> values(count);
          std::vector<std::int8_t> cells(shown.cell ? count : 0);
          executor.copy(values.data(), shown.value, count * sizeof(Real));
          if (shown.cell) executor.copy(cells.data(), shown.cell, count);
          host.nx = shown.nx, host.ny = shown.ny;
          for (int y = 0; y < shown.ny; ++y) {
            for (int x = 0; x < shown.nx; ++x) {
              const std::size_t i = static_cast<std::size_t>(y) * shown.pitch + static_cast<std::size_t>(x);
              const bool solid = !cells.empty() && cells[i] < 0;
              host.values.push_back(solid ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(values[i]));
            }
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
      path.stroke(stroke.points, width);
      continue;
    }
    path.begin(stroke.points.front());
    for (std::size_t i = 1; i < stroke.points.size(); ++i) path.line_to(stroke.points[i]);
    path.close();
  }
  return path;
}

Strokes contour_lines(const HostField& field, std::span<const double> levels, const Rectangle& place) {
  Strokes strokes;
  if (field.values.empty()) return strokes;
  const double sx = static_cast<double>(place.width) / field.nx, sy = static_cast<double>(place.height) / field.ny;
  const int step = std::max(1, static_cast<int>(2 / std::min(sx, sy)));
  const auto spot = [&](double x, double y) {
    return Path::Point{unit(place.x + (x + 0.5) * sx), unit(place.y + place.height - (y + 0.5) * sy)};
  };
  for (int y = 0; y + step < field.ny; y += step) {
    for (int x = 0; x + step < field.nx; x += step) {
      // Corners and edges anticlockwise from the lower left corner.
      const std::array<double, 4> v = {field.at(x, y), field.at(x + step, y), field.at(x + step, y + step),
                                       field.at(x, y + step)};
      if (!std::isfinite(v[0] + v[1] + v[2] + v[3])) continue;
      for (const double level : levels) {
        unsigned above = 0;
        for (std::size_t k = 0; k < 4; ++k) above |= static_cast<unsigned>(v[k] >= level) << k;
        if (above == 0 || above == 15) continue;
        const auto crossing = [&](std::size_t edge) {
          const double a = v[edge], b = v[(edge + 1) % 4], t = (level - a) / (b - a) * step;
          switch (edge) {
            case 0: return spot(x + t, y);
            case 1: return spot(x + step, y + t);
            case 2: return spot(x + step - t, y + step);
            default: return spot(x, y + step - t);
          }
        };
        const auto line = [&](std::size_t from, std::size_t to) {
          strokes.push_back({{crossing(from), crossing(to)}});
        };
        const bool saddle = above == 5 || above == 10;
        if (!saddle) {
          std::array<std::size_t, 2> edges{};
          std::size_t count = 0;
          for (std::size_t edge = 0; edge < 4; ++edge)
            if ((above >> edge & 1U) != (above >> (edge + 1) % 4 & 1U)) edges[count++] = edge;
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
    }
  }
  return strokes;
}

Strokes arrows_of(const HostField& x, const HostField& y, int count, const Rectangle& place) {
  Strokes strokes;
  if (x.values.empty() || x.values.size() != y.values.size()) return strokes;
  double max = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double square = x.values[i] * x.values[i] + y.values[i] * y.values[i];
    if (square > max && std::isfinite(square)) max = square;
  }
  if (!(max > 0)) return strokes;
  const double fastest = std::sqrt(max), distance = static_cast<double>(std::max(place.width, place.height)) / count;
  const int columns = std::max(1, static_cast<int>(place.width / distance)),
            rows = std::max(1, static_cast<int>(place.height / distance));
  const double dx = static_cast<double>(place.width) / columns, dy = static_cast<double>(place.height) / rows;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const double px = (column + 0.5) * dx, py = (row + 0.5) * dy;
      const double cx = px * x.nx / place.width, cy = (place.height - py) * x.ny / place.height;
      const double u = sampled(x, cx, cy), v = sampled(y, cx, cy), speed = std::sqrt(u * u + v * v);
      if (!std::isfinite(speed)) continue;
      const double length = 0.95 * distance * speed / fastest;
      if (length < 1.5) continue;
      const double ux = u / speed, uy = -v / speed;  // rows go down
      const double middle_x = place.x + px, middle_y = place.y + py;
      const double head = std::min(0.45 * length, 0.28 * distance), side = 0.42 * head;
      const double tip_x = middle_x + ux * length / 2, tip_y = middle_y + uy * length / 2;
      const double neck_x = tip_x - ux * head, neck_y = tip_y - uy * head;
      strokes.push_back(
          {{{unit(middle_x - ux * length / 2), unit(middle_y - uy * length / 2)}, {unit(neck_x), unit(neck_y)}}});
      // In the sense of a stroke.
      strokes.push_back({{{unit(neck_x - uy * side), unit(neck_y + ux * side)},
                          {unit(tip_x), unit(tip_y)},
                          {unit(neck_x + uy * side), unit(neck_y - ux * side)}},
                         true});
    }
  }
  return strokes;
}

}  // namespace simreel
