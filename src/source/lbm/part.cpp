#include "source/lbm/part.h"

#include <algorithm>
#include <utility>

namespace simreel {

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
