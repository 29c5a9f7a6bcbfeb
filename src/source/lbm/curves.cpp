#include "source/lbm/curves.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace simreel {
namespace {

constexpr int ex[9] = {0, 1, -1, 0, 0, 1, -1, 1, -1}, ey[9] = {0, 0, 0, 1, -1, 1, -1, -1, 1};

// The border of one obstacle. It tells at which part of the way from a fluid cell (x, y) to a solid one (x + dx, y +
// dy) the border lies.
class Border {
 public:
  Border(const ObstacleOptions& o, const LbmGeometry::Level& level, int rows, bool curved) : o_(o), level_(level) {
    if (!curved) return;
    if (o.shape == ObstacleShape::circle) way_ = &Border::to_circle;
    if (o.shape == ObstacleShape::polygon) {
      way_ = &Border::to_polygon;
      sort_sides(rows);
    }
    if (o.shape == ObstacleShape::image || o.shape == ObstacleShape::formula)
      way_ = o.solid.is_formula() ? &Border::to_formula : &Border::to_level;
  }

  // 1/2 where the shape does not say.
  double part(int x, int y, int dx, int dy) const { return way_ ? (this->*way_)(x, y, dx, dy) : 0.5; }

 private:
  double to_circle(int x, int y, int dx, int dy) const {
    const double px = x - o_.center[0], py = y - o_.center[1];
    const double a = dx * dx + dy * dy, b = px * dx + py * dy, c = px * px + py * py - o_.radius * o_.radius;
    return (-b - std::sqrt(std::max(0.0, b * b - a * c))) / a;
  }

  // The sides that a link may meet whose cell is in row y, of a grid of so many rows.
  void sort_sides(int rows) {
    const std::size_t corners = o_.points.size();
    sides_.resize(static_cast<std::size_t>(rows) + 2);  // a periodic grid has neighbours beyond
    const auto row_of = [&](double y) { return std::clamp(std::floor(y), -2.0, rows + 2.0); };
    for (std::size_t i = 0, j = corners - 1; i < corners; j = i++) {
      const double bottom = std::min(o_.points[i][1], o_.points[j][1]),
                   top = std::max(o_.points[i][1], o_.points[j][1]);
      const int first = std::max(static_cast<int>(row_of(bottom)) - 1, -1), last = static_cast<int>(row_of(top)) + 2;
      for (int row = first; row <= std::min(last, rows); ++row)
        sides_[static_cast<std::size_t>(row + 1)].push_back({j, i});
    }
  }
  double to_polygon(int x, int y, int dx, int dy) const {
    const int row = y + 1;
    if (row < 0 || row >= static_cast<int>(sides_.size())) return 0.5;
    double nearest = 2;
    for (const auto& [from, to] : sides_[static_cast<std::size_t>(row)]) {
      const double ax = o_.points[from][0] - x, ay = o_.points[from][1] - y;
      const double bx = o_.points[to][0] - x - ax, by = o_.points[to][1] - y - ay;
      const double cross = dx * by - dy * bx;
      if (cross == 0) continue;
      const double along_link = (ax * by - ay * bx) / cross, along_side = (ax * dy - ay * dx) / cross;
      if (along_link >= 0 && along_link <= 1 && along_side >= 0 && along_side <= 1)
        nearest = std::min(nearest, along_link);
    }
    return nearest <= 1 ? nearest : 0.5;
  }

  // Linear between the levels of both cells, of which the solid one's is below 0.
  double to_level(int x, int y, int dx, int dy) const {
    const double here = level_(x, y), there = level_(x + dx, y + dy);
    return here > 0 && there < 0 ? here / (here - there) : 0.5;
  }

  // By halvings between both cells; a border that crosses the link several times is met at one of these places.
  double to_formula(int x, int y, int dx, int dy) const {
    const auto is_solid = [&](double part) { return o_.solid.at(x + part * dx, y + part * dy) > 0; };
    if (is_solid(0) || !is_solid(1)) return 0.5;  // beyond a side that wraps
    double low = 0, high = 1;
    for (int i = 0; i < 8; ++i) {
      const double middle = 0.5 * (low + high);
      (is_solid(middle) ? high : low) = middle;
    }
    return 0.5 * (low + high);
  }

  const ObstacleOptions& o_;
  const LbmGeometry::Level& level_;
  double (Border::*way_)(int x, int y, int dx, int dy) const = nullptr;
  std::vector<std::vector<std::array<std::size_t, 2>>> sides_;  // by row, from -1 on
};

}  // namespace

template <class Real>
CurveLists find_curves(LbmGeometry& geometry, const LbmParams<Real>& p, const std::vector<ObstacleOptions>& obstacles,
                       bool curved) {
  CurveLists lists;
  std::vector<Border> borders;
  bool any = false;
  for (std::size_t n = 0; n < obstacles.size(); ++n) {
    borders.emplace_back(obstacles[n], geometry.levels[n], p.ny, curved);
    any = any || curved || obstacles[n].rotation != 0;
  }
  if (!any) return lists;
  lists.words = (p.nx + 63) / 64;
  lists.mask.resize(static_cast<std::size_t>(lists.words) * static_cast<std::size_t>(p.ny));
  lists.before.resize(lists.mask.size());

  const auto kind_at = [&](int x, int y) -> std::int8_t& {
    return geometry.cell[static_cast<std::size_t>(y) * p.pitch + static_cast<std::size_t>(x)];
  };
  // The index that stands for k along a side, or -1 if there is no population from beyond.
  const auto reach = [](int k, int n, LbmSide low, LbmSide high) {
    if (k >= 0 && k < n) return k;
    const LbmSide side = k < 0 ? low : high;
    return side == LbmSide::periodic ? (k + n) % n : side == LbmSide::slip ? (k < 0 ? 0 : n - 1) : -1;
  };
  const auto is_open = [&](int x, int y, int dx, int dy) {  // from (x, y) a population arrives from (x + dx, y + dy)
    const int sx = reach(x + dx, p.nx, p.left, p.right), sy = reach(y + dy, p.ny, p.bottom, p.top);
    if (sx < 0 || sy < 0 || kind_at(sx, sy) < 0) return false;
    return dx == 0 || dy == 0 || kind_at(sx, y) >= 0 || kind_at(x, sy) >= 0;
  };
  for (const std::uint32_t place : geometry.edge) {
    const int x = static_cast<int>(place % p.pitch), y = static_cast<int>(place / p.pitch);
    if ((kind_at(x, y) & lbm_edge) == 0) continue;
    std::array<std::uint8_t, 8> shares{};
    for (int i = 1; i < 9; ++i) {
      // Beyond a side there is no obstacle but at the opposite end of a periodic grid.
      const int tx = p.left == LbmSide::periodic ? (x + ex[i] + p.nx) % p.nx : x + ex[i];
      const int ty = p.bottom == LbmSide::periodic ? (y + ey[i] + p.ny) % p.ny : y + ey[i];
      if (tx < 0 || ty < 0 || tx >= p.nx || ty >= p.ny || kind_at(tx, ty) >= 0) continue;
      const auto n = static_cast<std::size_t>(-1 - kind_at(tx, ty));
      double part = 0.5;
      if (is_open(x, y, -ex[i], -ey[i])) part = borders[n].part(tx - ex[i], ty - ey[i], ex[i], ey[i]);
      if (part == 0.5 && obstacles[n].rotation == 0) continue;
      shares[static_cast<std::size_t>(i - 1)] =
          static_cast<std::uint8_t>(std::clamp(std::floor(part * 256 + 0.5), 1.0, 255.0));
    }
    if (std::ranges::none_of(shares, [](std::uint8_t share) { return share != 0; })) continue;
    kind_at(x, y) = static_cast<std::int8_t>(kind_at(x, y) | lbm_curved);
    lists
        .mask[static_cast<std::size_t>(y) * static_cast<std::size_t>(lists.words) + static_cast<std::size_t>(x / 64)] |=
        std::uint64_t{1} << (x % 64);
    lists.share.insert(lists.share.end(), shares.begin(), shares.end());
  }
  std::uint32_t count = 0;
  for (std::size_t word = 0; word < lists.mask.size(); ++word) {
    lists.before[word] = count;
    count += static_cast<std::uint32_t>(std::popcount(lists.mask[word]));
  }
  return lists;
}

LbmCurves CurveBuffers::upload(const Executor& executor, const CurveLists& lists) {
  if (lists.share.empty()) return {};
  mask_ = Buffer(executor, lists.mask);
  before_ = Buffer(executor, lists.before);
  share_ = Buffer(executor, lists.share);
  return {mask_.data(), before_.data(), share_.data(), lists.words};
}

const LbmSpin* SpinBuffer::upload(const Executor& executor, const std::vector<ObstacleOptions>& obstacles) {
  if (std::ranges::none_of(obstacles, [](const ObstacleOptions& o) { return o.rotation != 0; })) return nullptr;
  std::vector<LbmSpin> spins;
  for (const ObstacleOptions& o : obstacles) {
    spins.push_back({o.center[0], o.center[1], o.rotation, o.period, {o.rotation, o.rotation}});
    swings_ = swings_ || o.period > 0;
  }
  spin_ = Buffer(executor, spins);
  turn(executor, 0);
  return spin_.data();
}

void SpinBuffer::turn(const Executor& executor, std::int64_t step) {
  if (swings_) lbm_turn(executor, spin_.data(), static_cast<int>(spin_.size()), step);
}

template CurveLists find_curves(LbmGeometry&, const LbmParams<float>&, const std::vector<ObstacleOptions>&, bool);
template CurveLists find_curves(LbmGeometry&, const LbmParams<double>&, const std::vector<ObstacleOptions>&, bool);

CellMap take_rows(LbmGeometry& whole, CurveLists curves, const Domain& domain, int nx, std::size_t pitch) {
  if (domain.count == domain.whole) return {std::move(whole.cell), std::move(whole.edge), std::move(curves)};
  CellMap map;
  map.curves = {{}, {}, std::move(curves.share), curves.words};  // `before` counts in the whole grid
  const auto copy_row = [](const auto& from, std::size_t row, std::size_t length, auto& to) {
    const auto start = from.begin() + static_cast<std::ptrdiff_t>(row * length);
    to.insert(to.end(), start, start + static_cast<std::ptrdiff_t>(length));
  };
  for (int y = 0; y < domain.rows(); ++y) {
    const auto row = static_cast<std::size_t>(domain.row_of_grid(y));
    copy_row(whole.cell, row, pitch, map.cell);
    if (!map.curves.share.empty()) {
      copy_row(curves.mask, row, static_cast<std::size_t>(curves.words), map.curves.mask);
      copy_row(curves.before, row, static_cast<std::size_t>(curves.words), map.curves.before);
    }
    const bool ends = (y == 0 && domain.below > 0) || (y == domain.rows() - 1 && domain.above > 0);
    const std::size_t first = map.cell.size() - pitch;
    for (std::size_t k = first; k < first + static_cast<std::size_t>(nx); ++k) {
      std::int8_t& kind = map.cell[k];
      if (ends && kind >= 0) kind = static_cast<std::int8_t>((kind | lbm_edge) & ~lbm_curved);
      if (kind > 0) map.edge.push_back(static_cast<std::uint32_t>(k));
    }
  }
  return map;
}

void group_edges(CellMap& map, int nx, int ny, std::size_t pitch) {
  const auto way = [&](std::uint32_t place) {
    const int x = static_cast<int>(place % pitch), y = static_cast<int>(place / pitch);
    const bool at_side = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
    return std::pair(at_side, map.cell[place]);
  };
  std::stable_sort(map.edge.begin(), map.edge.end(), [&](std::uint32_t a, std::uint32_t b) { return way(a) < way(b); });
}

}  // namespace simreel
