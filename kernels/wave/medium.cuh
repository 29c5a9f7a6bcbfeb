#pragma once
// The pass over a medium on a GPU. Tiles without marks are advanced by the plain kernel, from a list. The others hold
// height and increment in registers likewise, and what else their cells have in shared memory: the couplings, the
// links, and the strips of cells that lie in layers. The terms of the layers are computed by all threads of the block
// together, because a strip belongs to few of the patches. Both kinds run at the same time, the marked tiles first, so
// that the cheap ones fill the gaps at the end. They are two kernels, because much shared memory leaves a
// multiprocessor little cache, and the loads of a plain tile in flight need that.

#include <algorithm>
#include <vector>

#include "exec/cuda_check.h"
#include "kernels/wave/medium_cell.h"
#include "kernels/wave/tuned.cuh"

namespace simreel {

// The cells of a line of a tile that lie in layers, with the inner neighbour of each layer: one run or two, and the
// place of each of these cells in a strip. Runs begin and end at multiples of `unit` cells of the tile, and two that
// are closer than `gap` are one, so that a unit, or so many cells, lie in one run.
struct WaveStrip {
  int n = 0, low = 0, high = 0;  // cells of the line, and of its layers
  int first[2] = {}, end[2] = {};
  int count = 0;

  HD bool in_layer(int i) const { return (i >= 0 && i < low) || (i < n && i >= n - high); }
  // -1: not in the strip.
  HD int place(int i) const {
    if (i >= first[0] && i < end[0]) return i - first[0];
    return i >= first[1] && i < end[1] ? end[0] - first[0] + i - first[1] : -1;
  }
  HD int cell(int place) const {
    const int before = end[0] - first[0];
    return place < before ? first[0] + place : first[1] + place - before;
  }
};
HD inline WaveStrip wave_strip(int tile, int size, int n, int low, int high, int unit, int gap) {
  WaveStrip strip;
  strip.n = n;
  strip.low = low;
  strip.high = high;
  const auto within = [tile, size](int i) { return i < tile ? 0 : i > tile + size ? size : i - tile; };
  const auto floor = [=](int i) { return tile + within(i) / unit * unit; };
  const auto ceil = [=](int i) { return tile + (within(i) + unit - 1) / unit * unit; };
  if (low > 0) {
    strip.first[0] = floor(0);
    strip.end[0] = ceil(low + 1 < n ? low + 1 : n);
  }
  if (high > 0) {
    strip.first[1] = floor(n - high - 1 > 0 ? n - high - 1 : 0);
    strip.end[1] = ceil(n);
  }
  const bool first = strip.end[0] > strip.first[0], second = strip.end[1] > strip.first[1];
  if (first && second && strip.end[0] + gap > strip.first[1]) {
    strip.end[0] = strip.end[1];
    strip.first[1] = strip.end[1];
  }
  strip.count = strip.end[0] - strip.first[0] + strip.end[1] - strip.first[1];
  return strip;
}
// No count of a tile is above this.
inline int wave_strip_most(int size, int n, int low, int high, int unit, int gap) {
  if (low + high == 0) return 0;
  const bool both = low > 0 && high > 0 && n - low - high - 2 < size;
  const int cells = both ? low + high + 2 + gap + unit : std::max(low, high) + 1;
  return std::min(size, (cells + 2 * (unit - 1)) / unit * unit);
}

// Shared memory of a block, beside the seams of the plain tiles.
template <class Real, int columns, int rows, int warps>
struct WaveMediumMemory {
  using Tile = WaveTile<Real, columns, rows, warps>;
  using Pack = typename Tile::Pack;
  struct alignas(columns) Links {
    std::uint8_t value[columns];
  };
  // A strip: heights, terms, and the memories; those of the faces before and after a step, `cells` apart.
  struct Strip {
    Real *u, *term, *cell, *faces;
    int cells;
    __device__ Real* face(int turn) const { return faces + turn * cells; }
  };

  Pack* coupling;           // [height][32]
  Links* links;             // likewise
  Pack* driven;             // [warps][32]: heights of a row before a step, where sources drive it
  WaveDepth<Real>* depth;   // [layer width]
  Strip across, up;         // [height][strip_x] and [strip_y][width]
  int strip_x, strip_y;     // cells that strips are made for
  WaveLayers<Real> layers;  // with these depths

  static int most_x(const WaveMedium<Real>& medium) {
    return wave_strip_most(Tile::width, medium.grid.nx, medium.layers.left, medium.layers.right, columns, 1);
  }
  static int most_y(const WaveMedium<Real>& medium) {
    return wave_strip_most(Tile::height, medium.grid.whole_ny, medium.layers.bottom, medium.layers.top, 1, rows);
  }
  static std::size_t bytes(const WaveMedium<Real>& medium) {
    const WaveLayers<Real>& l = medium.layers;
    const std::size_t strips = static_cast<std::size_t>(most_x(medium)) * Tile::height +
                               static_cast<std::size_t>(most_y(medium)) * Tile::width;
    return Tile::width * Tile::height * (sizeof(Real) + 1) + warps * 32 * sizeof(Pack) +
           static_cast<std::size_t>(l.width) * sizeof(WaveDepth<Real>) + 5 * strips * sizeof(Real);
  }

  __device__ WaveMediumMemory(const WaveMedium<Real>& medium, unsigned char* memory, int most_x, int most_y)
      : strip_x(most_x), strip_y(most_y), layers(medium.layers) {
    const auto take = [&memory]<class T>(T*& array, int count) {
      array = reinterpret_cast<T*>(memory);
      memory += count * sizeof(T);
    };
    take(coupling, Tile::height * 32);
    take(driven, warps * 32);
    take(links, Tile::height * 32);
    take(depth, layers.width);
    const auto take_strip = [&](Strip& strip, int count) {
      take(strip.u, count);
      take(strip.term, count);
      take(strip.cell, count);
      take(strip.faces, 2 * count);
      strip.cells = count;
    };
    take_strip(up, strip_y * Tile::width);
    take_strip(across, strip_x * Tile::height);
    layers.depth = depth;
  }
};

// A tile of a medium: cell [0, 0] is [x, y] of the grid, and lies in row whole_y of the whole grid, by which the rows
// of the strip `up` are counted.
struct WaveMediumTile {
  int x, y, whole_y, halo_x, halo_y;
  WaveStrip across, up;
};

// Fetches the layers' memories of a tile (`out` false), or stores those of its inner part; `turn` says which faces.
template <bool out, class Real, int columns, int rows, int warps>
__device__ __forceinline__ void wave_move_memories(const WaveMedium<Real>& m,
                                                   const WaveMediumMemory<Real, columns, rows, warps>& shared,
                                                   const WaveMediumTile& tile, const WaveMemory<Real>& memory,
                                                   int turn) {
  using Tile = WaveTile<Real, columns, rows, warps>;
  const int nx = m.grid.nx, ny = m.grid.ny, slots = 2 * m.layers.width;
  const auto kept = [](int i, int size, int halo) { return !out || (i >= halo && i < size - halo); };
  const auto move = [&](int own, std::size_t k, bool in_grid, const auto& strip, Real* face, Real* cell) {
    if constexpr (out) {
      if (!in_grid) return;
      face[k] = strip.face(turn)[own];
      cell[k] = strip.cell[own];
    } else {
      strip.face(turn)[own] = in_grid ? face[k] : Real(0);
      strip.cell[own] = in_grid ? cell[k] : Real(0);
    }
  };
  for (int i = threadIdx.x; i < tile.across.count * Tile::height; i += Tile::threads) {
    const int row = i / tile.across.count, place = i % tile.across.count, x = tile.across.cell(place);
    if (!kept(row, Tile::height, tile.halo_y) || !kept(x - tile.x, Tile::width, tile.halo_x)) continue;
    const int y = out ? tile.y + row : wave_wrapped(tile.y + row, ny, m.wraps_y);
    const WavePlace<Real> at = wave_place(x, nx, m.layers.left, m.layers.right, shared.layers);
    move(row * shared.strip_x + place, static_cast<std::size_t>(y) * slots + static_cast<std::size_t>(at.slot),
         y >= 0 && y < ny && at.depth >= 0, shared.across, memory.x_face, memory.x_cell);
  }
  for (int i = threadIdx.x; i < tile.up.count * Tile::width; i += Tile::threads) {
    const int place = i / Tile::width, column = i % Tile::width, y = tile.up.cell(place);
    if (!kept(column, Tile::width, tile.halo_x) || !kept(y - tile.whole_y, Tile::height, tile.halo_y)) continue;
    const int x = out ? tile.x + column : wave_wrapped(tile.x + column, nx, m.wraps_x), row = y - m.grid.y0;
    const WavePlace<Real> at = wave_place(y, m.grid.whole_ny, m.layers.bottom, m.layers.top, shared.layers);
    move(i, static_cast<std::size_t>(at.slot) * m.grid.pitch + static_cast<std::size_t>(x),
         x >= 0 && x < nx && row >= 0 && row < ny && at.depth >= 0, shared.up, memory.y_face, memory.y_cell);
  }
}

// What the cells of a place of a strip share: a column, or a row.
template <class Real>
struct WaveStripLine {
  WavePlace<Real> where;
  int inwards;  // 1 or -1
  bool low, has_inner, has_outer;

  __device__ WaveStripLine(const WaveStrip& strip, int place, const WaveLayers<Real>& layers) {
    const int i = strip.cell(place);
    where = wave_place(i, strip.n, strip.low, strip.high, layers);
    low = where.slot < layers.width;
    inwards = low ? 1 : -1;
    has_inner = strip.place(i + inwards) >= 0;
    has_outer = strip.place(i - inwards) >= 0;
    if (!has_inner) where.inner = 0;  // beyond the tile: the cell is of the halo, and not valid any more
  }

  // The term of the cell at `at` of the strip's arrays, where places are `stride` apart.
  template <class Strip>
  __device__ void term(const Strip& strip, int at, int stride, std::uint8_t links, int to_low, int to_high,
                       int turn) const {
    const int next = inwards * stride;
    const Real own = strip.u[at];
    const Real outer = wave_neighbour(links, low ? to_low : to_high, own, has_outer ? strip.u[at - next] : Real(0));
    const Real inner = wave_neighbour(links, low ? to_high : to_low, own, has_inner ? strip.u[at + next] : Real(0));
    strip.term[at] = wave_layer_term(where, at, next, own, outer, inner, strip.face(turn), strip.cell,
                                     strip.face(1 - turn), strip.cell);
  }
};

// `thread_place` and `thread_row` are where this thread begins in the strip across; none: a row beyond the tile.
template <class Real, int columns, int rows, int warps>
__device__ __forceinline__ void wave_strip_terms(const WaveMediumMemory<Real, columns, rows, warps>& shared,
                                                 const WaveMediumTile& tile, int thread_place, int thread_row,
                                                 int turn) {
  using Tile = WaveTile<Real, columns, rows, warps>;
  const std::uint8_t* const links = shared.links->value;
  if (tile.across.count > 0) {
    const WaveStripLine<Real> line(tile.across, thread_place, shared.layers);
    if (line.where.depth >= 0) {
      const int x = tile.across.cell(thread_place) - tile.x, stride = Tile::threads / tile.across.count;
      for (int row = thread_row; row < Tile::height; row += stride)
        line.term(shared.across, row * shared.strip_x + thread_place, 1, links[row * Tile::width + x], wave_west,
                  wave_east, turn);
    }
  }
  // A warp takes a row.
  for (int place = static_cast<int>(threadIdx.x) / 32; place < tile.up.count; place += warps) {
    const WaveStripLine<Real> line(tile.up, place, shared.layers);
    if (line.where.depth < 0) continue;
    const std::uint8_t* const row = links + (tile.up.cell(place) - tile.whole_y) * Tile::width;
    for (int column = static_cast<int>(threadIdx.x) % 32; column < Tile::width; column += 32)
      line.term(shared.up, place * Tile::width + column, Tile::width, row[column], wave_south, wave_north, turn);
  }
}

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
        d[r][c] = std::fma(coupling.value[c], laplacian[c], std::fma(-m.grid.friction[0], d[r][c], d[r][c]));
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
      links.value[c] &= wave_zero - 1;
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
  const int tile_y = static_cast<int>(number / tiles_x) * (Tile::height - 2 * steps) - steps;
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
  const int tile_y = static_cast<int>(number / tiles_x) * (Tile::height - 2 * steps) - steps;
  wave_run_tile<Real, columns, rows, warps, false>(p, from, to, steps, halo_x, tile_x, tile_y, seams);
}

// Where the marked tiles run, beside the executor's stream.
struct WaveSideStream {
  cudaStream_t stream = nullptr;
  cudaEvent_t begun = nullptr, done = nullptr;

  WaveSideStream() {
    int least = 0, greatest = 0;
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
    CUDA_CHECK(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  }
  WaveSideStream(const WaveSideStream&) = delete;
  WaveSideStream& operator=(const WaveSideStream&) = delete;
  ~WaveSideStream() {
    cudaEventDestroy(begun);
    cudaEventDestroy(done);
    cudaStreamDestroy(stream);
  }
};

// The numbers of all tiles of a pass, those near marks first.
struct WaveTileNumbers {
  std::vector<std::uint32_t> tiles;
  std::size_t marked = 0;
};

template <class Pass>
struct WaveMediumLaunch;
template <class Real, int columns, int rows, int warps, int blocks>
struct WaveMediumLaunch<WavePass<Real, columns, rows, warps, blocks>> {
  using Pass = WavePass<Real, columns, rows, warps, blocks>;
  using Tile = WaveTile<Real, columns, rows, warps>;
  using Memory = WaveMediumMemory<Real, columns, rows, warps>;

  static bool fits(const WaveMedium<Real>& medium) {
    int device = 0, most = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return sizeof(typename Tile::Seams) + Memory::bytes(medium) <= static_cast<std::size_t>(most);
  }

  static WaveTileNumbers sort(const WaveParams<Real>& grid, const WaveMarks& marks, int steps) {
    WaveTileNumbers numbers;
    std::vector<std::uint32_t> plain;
    const int tiles_x = Pass::tiles_x(grid, steps);
    const int width = Pass::inner_width(steps), height = Pass::inner_height(steps);
    const std::int64_t tiles = Pass::tiles(grid, steps);
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      const int x = static_cast<int>(tile % tiles_x) * width, y = static_cast<int>(tile / tiles_x) * height;
      const int x1 = std::min(x + width, grid.nx), y1 = std::min(y + height, grid.ny);
      const bool marked = marks.any(x - steps, y - steps, x1 + steps, y1 + steps, grid.nx, grid.ny);
      (marked ? numbers.tiles : plain).push_back(static_cast<std::uint32_t>(tile));
    }
    numbers.marked = numbers.tiles.size();
    numbers.tiles.insert(numbers.tiles.end(), plain.begin(), plain.end());
    return numbers;
  }

  static void launch(const Executor& executor, const WaveSideStream& side, const WaveMedium<Real>& medium, int steps,
                     const WaveMediumState<Real>& from, const WaveMediumState<Real>& to,
                     const Buffer<std::uint32_t>& tiles, std::size_t marked) {
    const int halo_x = Pass::halo_x(steps), tiles_x = Pass::tiles_x(medium.grid, steps);
    if (marked > 0) {
      const auto kernel = wave_medium_tile<Real, columns, rows, warps, blocks>;
      const std::size_t bytes = Memory::bytes(medium);
      CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
      CUDA_CHECK(cudaEventRecord(side.begun, executor.stream()));
      CUDA_CHECK(cudaStreamWaitEvent(side.stream, side.begun, 0));
      kernel<<<static_cast<unsigned>(marked), Tile::threads, bytes, side.stream>>>(
          medium, from, to, steps, halo_x, tiles_x, tiles.data(), Memory::most_x(medium), Memory::most_y(medium));
      check_launch("wave_medium_tile");
      CUDA_CHECK(cudaEventRecord(side.done, side.stream));
    }
    if (tiles.size() > marked) {
      const auto kernel = wave_listed_tile<Real, columns, rows, warps, blocks>;
      kernel<<<static_cast<unsigned>(tiles.size() - marked), Tile::threads, 0, executor.stream()>>>(
          medium.grid, {from.state.u, from.state.d}, to.state, steps, halo_x, tiles_x, tiles.data() + marked);
      check_launch("wave_listed_tile");
    }
    if (marked > 0) CUDA_CHECK(cudaStreamWaitEvent(executor.stream(), side.done, 0));
  }
};

template <class Real>
struct WaveMediumLaunches {
  using Passes = WavePasses<Real>;
  using Large = WaveMediumLaunch<typename Passes::Large>;
  using Small = WaveMediumLaunch<typename Passes::Small>;
  static bool large(const Executor& executor, const WaveMedium<Real>& medium, int steps) {
    return Passes::large(executor, medium.grid, steps) && Large::fits(medium);
  }
};

}  // namespace simreel
