#pragma once
// The wave pass on a GPU. A block holds a tile of the grid in registers, a patch of columns x rows per thread, and
// advances it several steps before storing it. A warp spans the width of the tile, so west and east neighbours are
// exchanged by shuffles; only the rows between two warps go through shared memory, double-buffered, so one barrier per
// step is enough. The halo of `steps` cells around a tile becomes invalid as the tile advances and is not stored, so
// neighbouring tiles overlap by that much.

#include <algorithm>
#include <cassert>

#include "exec/cuda_check.h"
#include "kernels/base/close_launch.cuh"
#include "kernels/wave/cell.h"

namespace simreel {

template <class Real, int columns, int rows, int warps>
struct WaveTile {
  static constexpr int width = 32 * columns;
  static constexpr int height = warps * rows;
  static constexpr int threads = 32 * warps;

  struct alignas(sizeof(Real) * columns) Pack {
    Real value[columns];
  };
  // The row of the grid at the lower row of a tile in this row of tiles. They store no row near an open end, so they
  // need not reach beyond it; the last ones overlap those before instead.
  HD static int first_row(const WaveParams<Real>& p, int steps, int row_of_tiles) {
    const int lowest = p.open_below ? 0 : -steps, first = lowest + row_of_tiles * (height - 2 * steps);
    if (!p.open_above || first <= p.ny - height) return first;
    return p.ny - height > lowest ? p.ny - height : lowest;
  }

  // The outermost rows of every warp, written and read in the same step; two copies, for even and odd steps.
  struct Seams {
    Pack first[2][warps][32], last[2][warps][32];
  };
};

template <class Real, int columns, int rows, int warps, bool absorbing>
__device__ void wave_advance_patch(const WaveParams<Real>& p, int steps, Real (&u)[rows][columns],
                                   Real (&d)[rows][columns], const int (&sides_x)[columns], const int (&sides_y)[rows],
                                   typename WaveTile<Real, columns, rows, warps>::Seams& seams) {
  using Pack = typename WaveTile<Real, columns, rows, warps>::Pack;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int below = warp > 0 ? warp - 1 : warp, above = warp < warps - 1 ? warp + 1 : warp;

  for (int step = 0; step < steps; ++step) {
    const int turn = step & 1;
    Pack first, last;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      first.value[c] = u[0][c];
      last.value[c] = u[rows - 1][c];
    }
    seams.first[turn][warp][lane] = first;
    seams.last[turn][warp][lane] = last;
    __syncthreads();
    const Pack north_pack = seams.first[turn][above][lane];
    const Pack south_pack = seams.last[turn][below][lane];

    Real south[columns];
#pragma unroll
    for (int c = 0; c < columns; ++c) south[c] = south_pack.value[c];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const Real west = __shfl_up_sync(0xffffffffu, u[r][columns - 1], 1);
      const Real east = __shfl_down_sync(0xffffffffu, u[r][0], 1);
      Real old[columns];
#pragma unroll
      for (int c = 0; c < columns; ++c) old[c] = u[r][c];
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        const int sides = absorbing ? sides_x[c] + sides_y[r] : 0;
        d[r][c] = wave_increment(c > 0 ? old[c > 0 ? c - 1 : 0] : west,
                                 c < columns - 1 ? old[c < columns - 1 ? c + 1 : 0] : east, south[c],
                                 r < rows - 1 ? u[r < rows - 1 ? r + 1 : 0][c] : north_pack.value[c], old[c], d[r][c],
                                 p.friction[sides], p.coupling[sides]);
        u[r][c] = old[c] + d[r][c];
      }
#pragma unroll
      for (int c = 0; c < columns; ++c) south[c] = old[c];
    }
  }
}

// Stores what of the patches belongs to the inner part of a tile.
template <class Real, int columns, int rows, int warps>
__device__ __forceinline__ void wave_store_patch(const WaveParams<Real>& p, const WaveState<Real>& to, int steps,
                                                 int halo_x, int tile_x, int tile_y, const Real (&u)[rows][columns],
                                                 const Real (&d)[rows][columns]) {
  using Tile = WaveTile<Real, columns, rows, warps>;
  using Pack = typename Tile::Pack;
  const int x0 = tile_x + static_cast<int>(threadIdx.x % 32) * columns;
  const int y0 = tile_y + static_cast<int>(threadIdx.x / 32) * rows;
  // A pack is inside or outside the stored part as a whole; one that starts in the last columns of the grid extends
  // into the padding of the row.
  if (x0 < tile_x + halo_x || x0 >= tile_x + Tile::width - halo_x || x0 >= p.nx) return;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int y = y0 + r;
    if (y < tile_y + steps || y >= tile_y + Tile::height - steps || y >= p.ny) continue;
    const std::size_t start = static_cast<std::size_t>(y) * p.pitch + static_cast<std::size_t>(x0);
    Pack height, increment;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      height.value[c] = u[r][c];
      increment.value[c] = d[r][c];
    }
    *reinterpret_cast<Pack*>(to.u + start) = height;
    *reinterpret_cast<Pack*>(to.d + start) = increment;
  }
}

// Advances the tile whose cell [0, 0] is [tile_x, tile_y] of the grid.
template <class Real, int columns, int rows, int warps, bool absorbing>
__device__ __forceinline__ void wave_run_tile(const WaveParams<Real>& p, const WaveState<const Real>& from,
                                              const WaveState<Real>& to, int steps, int halo_x, int tile_x, int tile_y,
                                              typename WaveTile<Real, columns, rows, warps>::Seams& seams) {
  using Tile = WaveTile<Real, columns, rows, warps>;
  using Pack = typename Tile::Pack;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int x0 = tile_x + lane * columns, y0 = tile_y + warp * rows;

  Real u[rows][columns], d[rows][columns];
  int sides_x[columns] = {}, sides_y[rows] = {};
  const bool inside = tile_x > 0 && tile_x + Tile::width < p.nx && tile_y >= (p.open_below ? 0 : 1) &&
                      tile_y + Tile::height <= p.ny - (p.open_above ? 0 : 1);
  if (inside) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const std::size_t start = static_cast<std::size_t>(y0 + r) * p.pitch + static_cast<std::size_t>(x0);
      const Pack height = *reinterpret_cast<const Pack*>(from.u + start),
                 increment = *reinterpret_cast<const Pack*>(from.d + start);
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        u[r][c] = height.value[c];
        d[r][c] = increment.value[c];
      }
    }
  } else {
    const bool packed = x0 >= 0 && x0 + columns <= p.nx;
    WaveFold column[columns];
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      column[c] = wave_fold(x0 + c, p.nx, p.boundary);
      sides_x[c] = wave_absorbing_sides(column[c].index, p.nx, p.boundary);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const WaveFold row = wave_fold(y0 + r, p.ny, p.boundary);
      sides_y[r] = wave_absorbing_sides(row.index, p.ny, p.boundary);
      const std::size_t start = static_cast<std::size_t>(row.index) * p.pitch;
      Pack height, increment;
      if (packed) {
        height = *reinterpret_cast<const Pack*>(from.u + start + x0);
        increment = *reinterpret_cast<const Pack*>(from.d + start + x0);
      } else {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
          height.value[c] = from.u[start + static_cast<std::size_t>(column[c].index)];
          increment.value[c] = from.d[start + static_cast<std::size_t>(column[c].index)];
        }
      }
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        u[r][c] = wave_signed(height.value[c], row.sign * column[c].sign);
        d[r][c] = wave_signed(increment.value[c], row.sign * column[c].sign);
      }
    }
  }
  if (absorbing && !inside)
    wave_advance_patch<Real, columns, rows, warps, true>(p, steps, u, d, sides_x, sides_y, seams);
  else
    wave_advance_patch<Real, columns, rows, warps, false>(p, steps, u, d, sides_x, sides_y, seams);

  wave_store_patch<Real, columns, rows, warps>(p, to, steps, halo_x, tile_x, tile_y, u, d);
}

// Rows of tiles that a kernel takes: `count` from `first` on, where those from `gap_at` to `gap_at + gap` are left out.
struct WaveTileRows {
  int first, count, gap_at, gap;
  __device__ int at(int n) const {
    const int row = first + n;
    return row < gap_at ? row : row + gap;
  }
};

template <class Real, int columns, int rows, int warps, int blocks, bool absorbing>
__global__ void __launch_bounds__(32 * warps, blocks)
    wave_tile(const __grid_constant__ WaveParams<Real> p, WaveState<const Real> from, WaveState<Real> to, int steps,
              int halo_x, int tiles_x, WaveTileRows tile_rows) {
  using Tile = WaveTile<Real, columns, rows, warps>;
  __shared__ typename Tile::Seams seams;
  const int tile_x = static_cast<int>(blockIdx.x % tiles_x) * (Tile::width - 2 * halo_x) - halo_x;
  const int tile_y = Tile::first_row(p, steps, tile_rows.at(static_cast<int>(blockIdx.x / tiles_x)));
  let_next_begin();
  await_previous();
  wave_run_tile<Real, columns, rows, warps, absorbing>(p, from, to, steps, halo_x, tile_x, tile_y, seams);
}

// `blocks` is the number of tiles that a multiprocessor should hold at once; the compiler limits registers to fit.
template <class Real, int columns, int rows, int warps, int blocks>
struct WavePass {
  using Tile = WaveTile<Real, columns, rows, warps>;
  static_assert(wave_pack % columns == 0);

  static int halo_x(int steps) { return (steps + columns - 1) / columns * columns; }
  static int inner_width(int steps) { return Tile::width - 2 * halo_x(steps); }
  static int inner_height(int steps) { return Tile::height - 2 * steps; }
  static int tiles_x(const WaveParams<Real>& p, int steps) {
    const int inner = inner_width(steps);
    return (p.nx + inner - 1) / inner;
  }
  static int tiles_y(const WaveParams<Real>& p, int steps) {
    const int inner = inner_height(steps), rows_stored = p.ny - (p.open_below ? steps : 0) - (p.open_above ? steps : 0);
    assert(rows_stored > 0);
    return (rows_stored + inner - 1) / inner;
  }
  static std::int64_t tiles(const WaveParams<Real>& p, int steps) {
    return std::int64_t{tiles_x(p, steps)} * tiles_y(p, steps);
  }
  static WaveTileRows tile_rows(const WaveParams<Real>& p, const OwnRows& own, Share share, int steps) {
    const int all = tiles_y(p, steps);
    if (share == Share::all) return {0, all, all, 0};
    const auto reads_halo = [&](int row) {
      const int y = Tile::first_row(p, steps, row);
      return !own.hold(std::max(y, 0), std::min(y + Tile::height, p.ny));
    };
    int begin = 0, end = all;
    while (begin < end && reads_halo(begin)) ++begin;
    while (begin < end && reads_halo(end - 1)) --end;
    if (share == Share::inner) return {begin, end - begin, all, 0};
    return {0, all - (end - begin), begin, end - begin};
  }
  static void launch(const Executor& executor, const WaveParams<Real>& p, const OwnRows& own, Share share, int steps,
                     WaveState<const Real> from, WaveState<Real> to) {
    const WaveTileRows tile_rows = WavePass::tile_rows(p, own, share, steps);
    if (tile_rows.count == 0) return;
    const auto kernel = wave_absorbs(p.boundary) ? wave_tile<Real, columns, rows, warps, blocks, true>
                                                 : wave_tile<Real, columns, rows, warps, blocks, false>;
    const int across = tiles_x(p, steps);
    launch_closely(kernel, static_cast<std::size_t>(across) * static_cast<std::size_t>(tile_rows.count), Tile::threads,
                   0, executor.stream(), p, from, to, steps, halo_x(steps), across, tile_rows);
    check_launch("wave_tile");
  }
};

// Measured on an H200 (cell updates/s, float): at 16384^2 and 12 steps per pass 128 x 128 tiles reach 1.5 T/s, 64 x 64
// tiles 1.1 T/s; at 512^2 the small tiles are 1.5 times faster, because large ones leave most multiprocessors idle.
template <class Real>
struct WavePasses {
  static constexpr bool single = sizeof(Real) == 4;
  using Large = WavePass<Real, single ? 4 : 2, 8, single ? 16 : 8, single ? 1 : 2>;
  using Small = WavePass<Real, 2, 4, 16, single ? 2 : 1>;
  static bool large(const Executor& executor, const WaveParams<Real>& p, int steps) {
    return Large::tiles(p, steps) >= 2 * executor.multiprocessors();
  }
};

template <class Real>
void launch_wave_pass(const Executor& executor, const WaveParams<Real>& p, const OwnRows& own, Share share, int steps,
                      WaveState<const Real> from, WaveState<Real> to) {
  using Passes = WavePasses<Real>;
  if (Passes::large(executor, p, steps))
    Passes::Large::launch(executor, p, own, share, steps, from, to);
  else
    Passes::Small::launch(executor, p, own, share, steps, from, to);
}

}  // namespace simreel
