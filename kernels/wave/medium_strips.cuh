#pragma once
// The cells of a tile of a medium that lie in absorbing layers: the strips of its columns and rows, and the shared
// memory that holds them, their links and couplings.

#include <algorithm>
#include <cstddef>
#include <cstdint>

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
inline int wave_strip_max(int size, int n, int low, int high, int unit, int gap) {
  if (low + high == 0) return 0;
  const bool both = low > 0 && high > 0 && n - low - high - 2 < size;
  const int cells = both ? low + high + 2 + gap + unit : std::max(low, high) + 1;
  return std::min(size, (cells + 2 * (unit - 1)) / unit * unit);
}

// Shared memory of a block, in addition to the seams of the plain tiles.
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

  static int max_x(const WaveMedium<Real>& medium) {
    return wave_strip_max(Tile::width, medium.grid.nx, medium.layers.left, medium.layers.right, columns, 1);
  }
  static int max_y(const WaveMedium<Real>& medium) {
    return wave_strip_max(Tile::height, medium.grid.whole_ny, medium.layers.bottom, medium.layers.top, 1, rows);
  }
  static std::size_t bytes(const WaveMedium<Real>& medium) {
    const WaveLayers<Real>& l = medium.layers;
    const std::size_t strips =
        static_cast<std::size_t>(max_x(medium)) * Tile::height + static_cast<std::size_t>(max_y(medium)) * Tile::width;
    return Tile::width * Tile::height * (sizeof(Real) + 1) + warps * 32 * sizeof(Pack) +
           static_cast<std::size_t>(l.width) * sizeof(WaveDepth<Real>) + 5 * strips * sizeof(Real);
  }

  __device__ WaveMediumMemory(const WaveMedium<Real>& medium, unsigned char* memory, int max_x, int max_y)
      : strip_x(max_x), strip_y(max_y), layers(medium.layers) {
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

}  // namespace simreel
