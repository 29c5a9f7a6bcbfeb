#pragma once
// The pass over a medium on a GPU. Tiles without marks are advanced by the plain kernel, from a list. The others hold
// height and increment in registers likewise, and what else their cells have in shared memory: the couplings, the
// links, and the strips of cells that lie in layers. The terms of the layers are computed by all threads of the block
// together, because a strip belongs to few of the patches. They are two kernels, because much shared memory leaves a
// multiprocessor little cache, and the loads of a plain tile in flight need that.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/wave/medium_strips.cuh"
#include "kernels/wave/tuned.cuh"

namespace simreel {

// What the sources do to the columns of a row of a tile, by a warp. `before`: heights before the step.
template <class Real>
__device__ __forceinline__ void wave_drive_row(const WaveMedium<Real>& m, int y, int step, int tile_x, int width,
                                               const Real* before, Real* u, Real* d) {
  const WaveDriven* const cells = m.drive.cells;
  std::uint32_t first = m.drive.row[y];
  const std::uint32_t end = m.drive.row[y + 1];
  if (!m.wraps_x) {
    for (std::uint32_t count = end - first; count > 0;) {  // the first cell not left of the tile
      const std::uint32_t half = count / 2;
      if (cells[first + half].x < tile_x) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
  }
  for (std::uint32_t i = first + threadIdx.x % 32; i < end; i += 32) {
    const WaveDriven cell = cells[i];
    // Where the tile is wider than a grid that wraps, it has a cell more than once.
    int x = cell.x - tile_x;
    if (m.wraps_x) x = wave_wrapped(x, m.grid.nx, true);
    if (!m.wraps_x && x >= width) break;
    for (; x < width; x += m.grid.nx) {
      wave_drive(m.drive, cell, step, before[x], u[x], d[x]);
      if (!m.wraps_x) break;
    }
  }
}

template <bool layered, class Real, int columns, int rows, int warps>
__device__ __forceinline__ void wave_advance_medium_patch(const WaveMedium<Real>& m,
                                                          const WaveMediumMemory<Real, columns, rows, warps>& shared,
                                                          const WaveMediumTile& tile, int steps, unsigned linked,
                                                          unsigned driven, Real (&u)[rows][columns],
                                                          Real (&d)[rows][columns],
                                                          typename WaveTile<Real, columns, rows, warps>::Seams& seams) {
  using Tile = WaveTile<Real, columns, rows, warps>;
  using Pack = typename Tile::Pack;
  using Links = typename WaveMediumMemory<Real, columns, rows, warps>::Links;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int below = warp > 0 ? warp - 1 : warp, above = warp < warps - 1 ? warp + 1 : warp;
  const int x0 = tile.x + lane * columns, row0 = warp * rows, y0 = tile.y + row0, whole_y0 = tile.whole_y + row0;
  // Where the patch lies in the strips: its first place, below 0 if in none; and which columns and rows are in layers.
  int side_place = -1, up_place = -1, thread_place = 0, thread_row = Tile::height;
  unsigned side_columns = 0, up_rows = 0, up_strip = 0;
  if constexpr (layered) {
    side_place = tile.across.place(x0);
    for (int c = 0; c < columns; ++c) side_columns |= tile.across.in_layer(x0 + c) ? 1u << c : 0u;
    for (int r = rows - 1; r >= 0; --r) {
      const int place = tile.up.place(whole_y0 + r);
      if (place < 0) continue;
      up_place = place - r;  // of row 0, if it were in the strip
      up_strip |= 1u << r;
      if (tile.up.in_layer(whole_y0 + r)) up_rows |= 1u << r;
    }
    if (const int count = tile.across.count; count > 0) {
      thread_place = static_cast<int>(threadIdx.x) % count;
      const int row = static_cast<int>(threadIdx.x) / count;
      thread_row = row < Tile::threads / count ? row : static_cast<int>(Tile::height);
    }
  }

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
    if constexpr (layered) {
      if (side_place >= 0 || up_strip != 0) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          Pack heights;
#pragma unroll
          for (int c = 0; c < columns; ++c) heights.value[c] = u[r][c];
          if (side_place >= 0)
            *reinterpret_cast<Pack*>(shared.across.u + (row0 + r) * shared.strip_x + side_place) = heights;
          if ((up_strip >> r & 1) != 0)
            *reinterpret_cast<Pack*>(shared.up.u + (up_place + r) * Tile::width + lane * columns) = heights;
        }
      }
    }
    __syncthreads();
    if constexpr (layered) {
      wave_strip_terms(shared, tile, thread_place, thread_row, turn);
      __syncthreads();
    }
    const Pack north_pack = seams.first[turn][above][lane];
    const Pack south_pack = seams.last[turn][below][lane];

    Real south[columns];
#pragma unroll
    for (int c = 0; c < columns; ++c) south[c] = south_pack.value[c];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const Real west = __shfl_up_sync(0xffffffffu, u[r][columns - 1], 1);
      const Real east = __shfl_down_sync(0xffffffffu, u[r][0], 1);
      const Pack coupling = shared.coupling[(row0 + r) * 32 + lane];
      Real old[columns], laplacian[columns];
#pragma unroll
      for (int c = 0; c < columns; ++c) old[c] = u[r][c];
      const bool has_links = (linked >> r & 1) != 0;
      Links links{};
      if (has_links) links = shared.links[(row0 + r) * 32 + lane];
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        Real w = c > 0 ? old[c > 0 ? c - 1 : 0] : west, e = c < columns - 1 ? old[c < columns - 1 ? c + 1 : 0] : east;
        Real s = south[c], n = r < rows - 1 ? u[r < rows - 1 ? r + 1 : 0][c] : north_pack.value[c];
        if (has_links) {
          // Cells that count as 0 are 0: those beyond the sides of the grid.
          if ((links.value[c] & wave_west) != 0) w = old[c];
          if ((links.value[c] & wave_east) != 0) e = old[c];
          if ((links.value[c] & wave_south) != 0) s = old[c];
          if ((links.value[c] & wave_north) != 0) n = old[c];
        }
        laplacian[c] = std::fma(Real(-4), old[c], (w + e) + (s + n));
      }
      if constexpr (layered) {
        if (side_columns != 0) {
          const Pack terms =
              *reinterpret_cast<const Pack*>(shared.across.term + (row0 + r) * shared.strip_x + side_place);
#pragma unroll
          for (int c = 0; c < columns; ++c)
            if ((side_columns >> c & 1) != 0) laplacian[c] += terms.value[c];
        }
        if ((up_rows >> r & 1) != 0) {
          const Pack terms =
              *reinterpret_cast<const Pack*>(shared.up.term + (up_place + r) * Tile::width + lane * columns);
#pragma unroll
          for (int c = 0; c < columns; ++c) laplacian[c] += terms.value[c];
        }
      }
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        const Real before = d[r][c];
        d[r][c] = std::fma(coupling.value[c], laplacian[c], std::fma(-m.grid.friction[0], before, before));
        if (has_links) d[r][c] = wave_absorbed(links.value[c], coupling.value[c], before, d[r][c]);
        u[r][c] = old[c] + d[r][c];
        south[c] = old[c];
      }
      if ((driven >> r & 1) != 0) {
        // The seams of the other turn are not read any more, and written next by this warp.
        Pack *const heights = seams.first[1 - turn][warp], *const increments = seams.last[1 - turn][warp];
        Pack* const before = shared.driven + warp * 32;
        Pack mine, change, held;
#pragma unroll
        for (int c = 0; c < columns; ++c) {
          mine.value[c] = u[r][c];
          change.value[c] = d[r][c];
          held.value[c] = old[c];
        }
        heights[lane] = mine;
        increments[lane] = change;
        before[lane] = held;
        __syncwarp();
        wave_drive_row(m, wave_wrapped(y0 + r, m.grid.ny, m.wraps_y), step, tile.x, Tile::width, before->value,
                       heights->value, increments->value);
        __syncwarp();
        mine = heights[lane];
        change = increments[lane];
#pragma unroll
        for (int c = 0; c < columns; ++c) {
          u[r][c] = mine.value[c];
          d[r][c] = change.value[c];
        }
        __syncwarp();
      }
    }
  }
}

template <class Real, int columns, int rows, int warps>
__device__ __forceinline__ void wave_run_medium_tile(const WaveMedium<Real>& m, const WaveMediumState<Real>& from,
                                                     const WaveMediumState<Real>& to, int steps, int halo_x, int tile_x,
                                                     int tile_y, int strip_x, int strip_y, unsigned char* memory,
                                                     typename WaveTile<Real, columns, rows, warps>::Seams& seams) {
  using Tile = WaveTile<Real, columns, rows, warps>;
  using Pack = typename Tile::Pack;
  using Links = typename WaveMediumMemory<Real, columns, rows, warps>::Links;
  const WaveMediumMemory<Real, columns, rows, warps> shared(m, memory, strip_x, strip_y);
  WaveMediumTile tile{tile_x, tile_y, m.grid.y0 + tile_y, halo_x, steps, {}, {}};
  tile.across = wave_strip(tile_x, Tile::width, m.grid.nx, m.layers.left, m.layers.right, columns, 1);
  tile.up = wave_strip(tile.whole_y, Tile::height, m.grid.whole_ny, m.layers.bottom, m.layers.top, 1, rows);
  const bool layered = tile.across.count > 0 || tile.up.count > 0;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int x0 = tile_x + lane * columns, row0 = warp * rows, y0 = tile_y + row0;

  Real u[rows][columns], d[rows][columns];
  const bool inside =
      tile_x >= 0 && tile_x + Tile::width <= m.grid.nx && tile_y >= 0 && tile_y + Tile::height <= m.grid.ny;
  unsigned linked = 0, driven = 0;  // rows of the warp that have links of their own, or driven cells, by bits
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int y = wave_wrapped(y0 + r, m.grid.ny, m.wraps_y);
    const bool in_rows = y >= 0 && y < m.grid.ny;
    const std::ptrdiff_t start = static_cast<std::ptrdiff_t>(y) * static_cast<std::ptrdiff_t>(m.grid.pitch);
    Pack height, increment, coupling;
    Links links;
    if (inside) {
      height = *reinterpret_cast<const Pack*>(from.state.u + start + x0);
      increment = *reinterpret_cast<const Pack*>(from.state.d + start + x0);
      coupling = *reinterpret_cast<const Pack*>(m.coupling + start + x0);
      links = *reinterpret_cast<const Links*>(m.links + start + x0);
    } else {
      // Beyond sides that do not wrap, all is 0 and stays so.
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        const int x = wave_wrapped(x0 + c, m.grid.nx, m.wraps_x);
        const bool in = in_rows && x >= 0 && x < m.grid.nx;
        height.value[c] = in ? from.state.u[start + x] : Real(0);
        increment.value[c] = in ? from.state.d[start + x] : Real(0);
        coupling.value[c] = in ? m.coupling[start + x] : Real(0);
        links.value[c] = in ? m.links[start + x] : std::uint8_t{0};
      }
    }
    bool any = false;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      u[r][c] = height.value[c];
      d[r][c] = increment.value[c];
      const int free = links.value[c] & (wave_zero - 1);
      links.value[c] &= static_cast<std::uint8_t>(free * (1 + wave_zero));  // without those that count as 0
      any = any || (links.value[c] != 0 && coupling.value[c] != 0);
    }
    shared.coupling[(row0 + r) * 32 + lane] = coupling;
    shared.links[(row0 + r) * 32 + lane] = links;
    if (__any_sync(0xffffffffu, any)) linked |= 1u << r;
    if (m.drive.count > 0 && in_rows) {
      const std::uint32_t begin = m.drive.row[y], end = m.drive.row[y + 1];
      if (begin < end &&
          (m.wraps_x || (m.drive.cells[begin].x < tile_x + Tile::width && m.drive.cells[end - 1].x >= tile_x)))
        driven |= 1u << r;
    }
  }
  if (layered) {
    for (int i = threadIdx.x; i < m.layers.width; i += Tile::threads) shared.depth[i] = m.layers.depth[i];
    __syncthreads();
    wave_move_memories<false>(m, shared, tile, from.memory, 0);
    wave_advance_medium_patch<true>(m, shared, tile, steps, linked, driven, u, d, seams);
    wave_move_memories<true>(m, shared, tile, to.memory, steps & 1);
  } else {
    wave_advance_medium_patch<false>(m, shared, tile, steps, linked, driven, u, d, seams);
  }
  wave_store_patch<Real, columns, rows, warps>(m.grid, to.state, steps, halo_x, tile_x, tile_y, u, d);
}

template <class Real, int columns, int rows, int warps, int blocks>
__global__ void __launch_bounds__(32 * warps, blocks)
    wave_medium_tile(const __grid_constant__ WaveMedium<Real> m, const __grid_constant__ WaveMediumState<Real> from,
                     const __grid_constant__ WaveMediumState<Real> to, int steps, int halo_x, int tiles_x,
                     const std::uint32_t* list, int strip_x, int strip_y) {
  using Tile = WaveTile<Real, columns, rows, warps>;
  __shared__ typename Tile::Seams seams;
  extern __shared__ __align__(16) unsigned char wave_medium_memory[];
  const unsigned number = list[blockIdx.x];
  const int tile_x = static_cast<int>(number % tiles_x) * (Tile::width - 2 * halo_x) - halo_x;
  const int tile_y = Tile::first_row(m.grid, steps, static_cast<int>(number / tiles_x));
  wave_run_medium_tile<Real, columns, rows, warps>(m, from, to, steps, halo_x, tile_x, tile_y, strip_x, strip_y,
                                                   wave_medium_memory, seams);
}

// Plain tiles by their numbers; no absorbing sides.
template <class Real, int columns, int rows, int warps, int blocks>
__global__ void __launch_bounds__(32 * warps, blocks)
    wave_listed_tile(const __grid_constant__ WaveParams<Real> p, WaveState<const Real> from, WaveState<Real> to,
                     int steps, int halo_x, int tiles_x, const std::uint32_t* list) {
  using Tile = WaveTile<Real, columns, rows, warps>;
  __shared__ typename Tile::Seams seams;
  const unsigned number = list[blockIdx.x];
  const int tile_x = static_cast<int>(number % tiles_x) * (Tile::width - 2 * halo_x) - halo_x;
  const int tile_y = Tile::first_row(p, steps, static_cast<int>(number / tiles_x));
  wave_run_tile<Real, columns, rows, warps, false>(p, from, to, steps, halo_x, tile_x, tile_y, seams);
}

}  // namespace simreel
