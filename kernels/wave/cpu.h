#pragma once
// The wave pass on a CPU, of a tile that holds plain cells only.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/wave/cell.h"
#include "kernels/wave/medium.h"

namespace simreel {

// Steps per pass over memory. More steps save traffic and waste work in the halos of tiles; measured to be the best on
// both machines.
inline constexpr int wave_pass_steps = 12;

template <class Real>
HD inline std::size_t wave_offset(const WaveParams<Real>& p, int x, int y) {
  return static_cast<std::size_t>(y) * p.pitch + static_cast<std::size_t>(x);
}

// The pass on a CPU: a thread copies a tile and its halo into scratch memory that stays in its cache, advances it, and
// stores the part that is still valid. The copy of u moves down one row per step: row y of the new state overwrites row
// y - 1 of the old one, which is no longer needed, so one array is enough.
inline constexpr int wave_cpu_tile_width = 480, wave_cpu_tile_height = 192;  // at most
inline constexpr int wave_cpu_copy_lead =
    15;  // values before a row, so that its second one, where work begins, starts a cache line
inline constexpr int wave_cpu_copy_width = wave_cpu_tile_width + 2 * wave_pass_steps + 8;
inline constexpr int wave_cpu_copy_height = wave_cpu_tile_height + 2 * wave_pass_steps;
inline constexpr std::size_t wave_cpu_copy_values =
    static_cast<std::size_t>(wave_cpu_copy_width) * (2 * wave_cpu_copy_height + wave_pass_steps + 1);

struct WaveCpuTiles {
  int nx, ny, tiles_x, tile_height, tiles_y;

  // Tall tiles waste least at their edges, but every thread should get a few.
  WaveCpuTiles(int cells_x, int cells_y, int threads)
      : nx(cells_x), ny(cells_y), tiles_x((cells_x + wave_cpu_tile_width - 1) / wave_cpu_tile_width) {
    const int shared = static_cast<int>(std::int64_t{ny} * tiles_x / (4 * threads));
    tile_height = std::clamp(shared, 48, wave_cpu_tile_height);
    tiles_y = (ny + tile_height - 1) / tile_height;
  }
  std::int64_t count() const { return std::int64_t{tiles_x} * tiles_y; }
  WaveTileBox at(std::int64_t tile) const {
    const int x = static_cast<int>(tile % tiles_x) * wave_cpu_tile_width,
              y = static_cast<int>(tile / tiles_x) * tile_height;
    return {x, y, std::min(wave_cpu_tile_width, nx - x), std::min(tile_height, ny - y)};
  }
};

template <class Real>
struct WaveCpuPass {
  WaveParams<Real> p;
  int steps;
  WaveState<const Real> from;
  WaveState<Real> to;
  Real* scratch;

  static void copy_row(const Real* source, WaveFold row, const WaveParams<Real>& p, int x0, int width, Real* out) {
    source += static_cast<std::size_t>(row.index) * p.pitch;
    const int inside_from = std::clamp(-x0, 0, width), inside_to = std::clamp(p.nx - x0, inside_from, width);
    const auto fold = [&](int i) {
      const WaveFold column = wave_fold(x0 + i, p.nx, p.boundary);
      out[i] = wave_signed(source[column.index], row.sign * column.sign);
    };
    for (int i = 0; i < inside_from; ++i) fold(i);
    for (int i = inside_to; i < width; ++i) fold(i);
    if (row.sign > 0) {
      std::copy(source + (x0 + inside_from), source + (x0 + inside_to), out + inside_from);
    } else {
      for (int i = inside_from; i < inside_to; ++i) out[i] = wave_signed(source[x0 + i], row.sign);
    }
  }

  // Cells first <= i < last of a row, which all have the same number of absorbing sides. `out` is the row below `u`:
  // its old value at i is read before it is overwritten.
  void advance_cells(const Real* u, Real* d, Real* out, int first, int last, int sides) const {
    const Real friction = p.friction[sides], coupling = p.coupling[sides];
    SIMREEL_INDEPENDENT
    for (int i = first; i < last; ++i) {
      const Real increment = wave_increment(u[i - 1], u[i + 1], u[i - wave_cpu_copy_width], u[i + wave_cpu_copy_width],
                                            u[i], d[i], friction, coupling);
      d[i] = increment;
      out[i] = u[i] + increment;
    }
  }

  void advance_row(const Real* u, Real* d, Real* out, int x0, int y, int width) const {
    if (!wave_absorbs(p.boundary)) return advance_cells(u, d, out, 1, width - 1, 0);
    const int row_sides = wave_absorbing_sides(wave_fold(y, p.ny, p.boundary).index, p.ny, p.boundary);
    const int period = std::max(1, p.nx - 1);  // outermost columns, and their mirror images, are its multiples
    for (int first = 1; first < width - 1;) {
      const int past = ((x0 + first) % period + period) % period;  // cells since the last of them
      const int outermost = std::min(first + (past == 0 ? 0 : period - past), width - 1);
      advance_cells(u, d, out, first, outermost, row_sides);
      if (outermost < width - 1) {
        const int column_sides =
            wave_absorbing_sides(wave_fold(x0 + outermost, p.nx, p.boundary).index, p.nx, p.boundary);
        advance_cells(u, d, out, outermost, outermost + 1, row_sides + column_sides);
      }
      first = outermost + 1;
    }
  }

  void run(const WaveTileBox& tile, int thread) const {
    const auto [inner_x, inner_y, inner_width, inner_height] = tile;
    const int x0 = inner_x - steps, y0 = inner_y - steps;
    const int width = inner_width + 2 * steps, height = inner_height + 2 * steps;
    Real* const u = scratch + static_cast<std::size_t>(thread) * wave_cpu_copy_values + wave_cpu_copy_lead;
    Real* const d = u + static_cast<std::size_t>(wave_cpu_copy_width) * (wave_cpu_copy_height + wave_pass_steps);
    const auto row_of = [](Real* base, int row) {
      return base + static_cast<std::ptrdiff_t>(row) * wave_cpu_copy_width;
    };

    for (int r = 0; r < height; ++r) {
      const WaveFold row = wave_fold(y0 + r, p.ny, p.boundary);
      copy_row(from.u, row, p, x0, width, row_of(u, r + steps));
      copy_row(from.d, row, p, x0, width, row_of(d, r));
    }
    // All steps sweep up the tile together, each one row behind the step before, so the active rows fit into the L1
    // cache.
    for (int front = 1; front < height - 1; ++front) {
      for (int step = 0; step < steps; ++step) {
        const int r = front - step, shift = steps - step;  // row r of the tile lies in row r + shift of the copy
        if (r <= step) break;                              // invalid, like all rows below it
        advance_row(row_of(u, r + shift), row_of(d, r), row_of(u, r + shift - 1), x0, y0 + r, width);
      }
    }
    for (int r = 0; r < inner_height; ++r) {
      const std::size_t k = wave_offset(p, inner_x, inner_y + r);
      const Real* const heights = row_of(u, r + steps) + steps;
      const Real* const increments = row_of(d, r + steps) + steps;
      std::copy(heights, heights + inner_width, to.u + k);
      std::copy(increments, increments + inner_width, to.d + k);
    }
  }
};

}  // namespace simreel
