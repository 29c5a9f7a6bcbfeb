#pragma once
// What the engines share about single cells: their coordinates, their random numbers, and what lies beyond the sides.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/base/elementary.h"
#include "kernels/base/launch.h"
#include "kernels/base/random.h"
#include "kernels/pde/engine.h"

namespace simreel {

// The number below `count` that stands for a place beyond, where places repeat.
HD inline int pde_wrapped(int place, int count) {
  if (place >= 0 && place < count) return place;  // divisions are slow
  const int rest = place % count;
  return rest < 0 ? rest + count : rest;
}
HD inline int pde_column(const PdeGrid& grid, int x) { return grid.periodic_x ? pde_wrapped(x, grid.nx) : x; }
HD inline int pde_row(const PdeGrid& grid, int y) {
  return grid.periodic_y ? pde_wrapped(grid.y0 + y, grid.whole_ny) : grid.y0 + y;
}

// The method of Box and Muller (1958), of two hashes; x and y in the whole grid.
HD inline double pde_normal(std::uint64_t seed, std::uint64_t number, int stream, int x, int y) {
  constexpr std::uint64_t of_equations = 20;
  const std::uint64_t key = random_bits(seed, of_equations, number);
  const auto first = 2 * static_cast<std::uint64_t>(stream);
  const std::uint64_t cell = std::uint64_t{static_cast<std::uint32_t>(y)} << 32 | static_cast<std::uint32_t>(x);
  const double size = 1.0 - random_unit(key, first, cell), turn = random_unit(key, first + 1, cell);
  return std::sqrt(-2.0 * exact::log(size)) * exact::sinpi(2.0 * turn);
}

// The cell inside that the cell `place` beyond a side is computed from.
HD inline int pde_inside(int place, int count, bool periodic) {
  if (periodic) return pde_wrapped(place, count);
  const int depth = place < 0 ? -1 - place : place - count, within = depth < count ? depth : count - 1;
  return place < 0 ? within : count - 1 - within;
}

// Writes cells beyond the sides of one array.
template <class Real>
struct PdeFill {
  PdeGrid grid;
  PdeSides<Real> sides;
  Real* array;

  HD Real* row(int y) const { return array + static_cast<std::ptrdiff_t>(grid.pitch) * y; }

  HD static Real beyond(const PdeSide<Real>& side, int depth, int place, Real inside) {
    if (!side.factor) return inside;
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(side.stride) * depth + place;
    return std::fma(side.factor[at], inside, side.offset[at]);
  }

  // Cell x, outside of row y.
  HD void column(int x, int y) const {
    Real* const values = row(y);
    const Real inside = values[pde_inside(x, grid.nx, grid.periodic_x)];
    values[x] = grid.periodic_x ? inside
                : x < 0         ? beyond(sides.left, -1 - x, pde_row(grid, y), inside)
                                : beyond(sides.right, x - grid.nx, pde_row(grid, y), inside);
  }
  // Row y, outside, at any x.
  HD void outer(int x, int y) const {
    const Real inside = row(pde_inside(y, grid.ny, grid.periodic_y))[x];
    row(y)[x] = grid.periodic_y ? inside
                : y < 0         ? beyond(sides.bottom, -1 - y, x, inside)
                                : beyond(sides.top, y - grid.ny, x, inside);
  }
  // Whether row y lies outside, is filled, and from one of the rows from <= y < to.
  HD bool is_filled(int y, int from, int to) const {
    if (y >= 0 ? y < grid.ny || grid.open_above : grid.open_below) return false;
    const int inside = pde_inside(y, grid.ny, grid.periodic_y);
    return inside >= from && inside < to;
  }
};

// Fills what is computed from row y, on the host.
template <class Real>
void pde_fill_row(const PdeFill<Real>& fill, int y) {
  const PdeGrid& grid = fill.grid;
  for (int depth = 0; depth < grid.halo; ++depth) {
    fill.column(-1 - depth, y);
    fill.column(grid.nx + depth, y);
  }
  if (y >= grid.halo && y < grid.ny - grid.halo) return;
  for (int depth = 0; depth < grid.halo; ++depth)
    for (const int row : {-1 - depth, grid.ny + depth}) {
      if (!fill.is_filled(row, y, y + 1)) continue;
      SIMREEL_INDEPENDENT
      for (int x = -grid.halo; x < grid.nx + grid.halo; ++x) fill.outer(x, row);
    }
}

}  // namespace simreel
