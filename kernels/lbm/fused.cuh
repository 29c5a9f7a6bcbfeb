#pragma once
// The definitions of fused.h. A file for each type of a state compiles them, so that none of them is slow to compile.

#include <algorithm>
#include <cassert>

#include "kernels/lbm/boundary.h"
#include "kernels/lbm/fused.h"
#include "kernels/lbm/fused_cpu.h"

#ifdef __CUDACC__
#include "kernels/base/close_launch.cuh"
#include "kernels/base/side_stream.cuh"
#endif

namespace simreel {
namespace {

// Tiles of plain cells. The fastest of eighteen shapes on an H200 at 8192^2 (two steps per pass against one, in G
// updates/s: 103 to 54 in float, 128 to 86 in half, 53 to 27 in double; plain tiles only). The width of a tile is a
// multiple of the 32 bytes in which memory is written, and three blocks of 512 threads (two in double) fill a
// multiprocessor.
template <class Stored>
struct PlainTile {
  static constexpr int width = 64, height = sizeof(Stored) == 8 ? 16 : sizeof(Stored) == 4 ? 24 : 32;
  static constexpr int pitch = width + 2, plane = pitch * (height + 2);
  static constexpr int threads = 512, blocks = sizeof(Stored) == 8 ? 2 : 3;
  static constexpr int bytes = 9 * plane * static_cast<int>(sizeof(Stored));
};

// Tiles of all other cells. They are small, so that few plain cells lie in them, and so many blocks fill a
// multiprocessor.
struct MixedTile {
  static constexpr int width = 32, height = 8;
  [[maybe_unused]] static constexpr int pitch = width + 2, plane = pitch * (height + 2);
  [[maybe_unused]] static constexpr int threads = 128;
  static constexpr int blocks(std::size_t bytes_of_value) { return bytes_of_value == 8 ? 4 : 8; }
};

// Both kinds begin at a multiple of the width of a mixed tile: tile n at this column and row of the grid.
struct TilePlace {
  int x0, y0;
  HD TilePlace(std::uint32_t tile, int nx) {
    const std::uint32_t across = columns(nx);
    x0 = static_cast<int>(tile % across) * MixedTile::width;
    y0 = static_cast<int>(tile / across);
  }
  HD static std::uint32_t columns(int nx) {
    return static_cast<std::uint32_t>(nx + MixedTile::width - 1) / MixedTile::width;
  }
};

#ifdef __CUDACC__
// A mixed tile between its two steps, as a source of populations for cells of the grid. A cell beyond the halo is at
// the opposite side of a periodic grid and has a copy in the halo.
template <class Real, class Stored>
struct TilePlanes {
  const Stored* f;
  int x0, y0, nx, ny;  // of the tile's lower left cell, and the grid

  __device__ const Stored* where(int i, int x, int y) const {
    int column = x - x0 + 1, row = y - y0 + 1;
    if (column < 0) column += nx;
    if (column >= MixedTile::pitch) column -= nx;
    if (row < 0) row += ny;
    if (row >= MixedTile::height + 2) row -= ny;
    return f + i * MixedTile::plane + row * MixedTile::pitch + column;
  }
};

// Pulls populations into a plain cell from those of a tile.
template <class Tile, class Real, class Stored>
__device__ void pull_in_tile(const Stored* f, Real (&q)[9]) {
  constexpr int pitch = Tile::pitch, plane = Tile::plane;
  q[0] = lbm_load(f);
  q[1] = lbm_load(f + plane - 1);
  q[2] = lbm_load(f + 2 * plane + 1);
  q[3] = lbm_load(f + 3 * plane - pitch);
  q[4] = lbm_load(f + 4 * plane + pitch);
  q[5] = lbm_load(f + 5 * plane - pitch - 1);
  q[6] = lbm_load(f + 6 * plane + pitch + 1);
  q[7] = lbm_load(f + 7 * plane + pitch - 1);
  q[8] = lbm_load(f + 8 * plane - pitch + 1);
}

// `beside_mixed`: the kernel before is that of the mixed tiles of the same pass. It lets this one begin when the pass
// before has ended.
template <class Real, class Stored, LbmModel model, bool forced>
__global__ void __launch_bounds__(PlainTile<Stored>::threads, PlainTile<Stored>::blocks)
    step_plain_tiles(const __grid_constant__ LbmParams<Real> p, const std::uint32_t* tiles, bool beside_mixed,
                     const Stored* from, Stored* to) {
  using T = PlainTile<Stored>;
  extern __shared__ __align__(16) std::byte memory[];
  Stored* const between = reinterpret_cast<Stored*>(memory);
  const auto [x0, y0] = TilePlace(tiles[blockIdx.x], p.nx);
  let_next_begin();
  if (!beside_mixed) await_previous();

  for (int k = static_cast<int>(threadIdx.x); k < T::plane; k += T::threads) {
    Real q[9];
    const std::size_t place = lbm_place(p, x0 + k % T::pitch - 1, y0 + k / T::pitch - 1);
    lbm_pull_plain(p, from, place, q);
    lbm_collide<model, forced>(p, p.rates, lbm_push_at(p, place, 1), q);
#pragma unroll
    for (int i = 0; i < 9; ++i) lbm_store(between + i * T::plane + k, q[i]);
  }
  __syncthreads();
#pragma unroll 1
  for (int k = static_cast<int>(threadIdx.x); k < T::width * T::height; k += T::threads) {
    const int column = k % T::width, row = k / T::width;
    const std::size_t place = lbm_place(p, x0 + column, y0 + row);
    Real q[9];
    pull_in_tile<T>(between + (row + 1) * T::pitch + column + 1, q);
    lbm_collide<model, forced>(p, p.rates, lbm_push_at(p, place, 2), q);
    lbm_store_cell(p, to, place, q);
  }
  // So that this kernel does not end before the one of the mixed tiles.
  if (beside_mixed && blockIdx.x == gridDim.x - 1) await_previous();
}

// The edge cells of a tile, first in one step and then in the other.
struct EdgeList {
  std::uint16_t cell[MixedTile::plane];
  unsigned count[2];
};

// Calls `plain` or `edge` for the fluid cells among 0 <= k < count, whose kinds are kind(k). An edge cell waits for
// memory much longer than a plain one, and few threads of a warp would have one; so the edge cells are listed first,
// in any order, and then taken by full warps. All threads of the block take part; list.count[step] is 0 before.
template <class Kind, class Plain, class Edge>
__device__ void for_fluid(EdgeList& list, int step, int count, Kind kind, Plain plain, Edge edge) {
#pragma unroll 1
  for (int k = static_cast<int>(threadIdx.x); k < count; k += MixedTile::threads) {
    const std::int8_t found = kind(k);
    if (found < 0) continue;
    if (lbm_is_edge(found))
      list.cell[atomicAdd(&list.count[step], 1u)] = static_cast<std::uint16_t>(k);
    else
      plain(k);
  }
  __syncthreads();
#pragma unroll 1
  for (unsigned n = threadIdx.x; n < list.count[step]; n += MixedTile::threads) edge(static_cast<int>(list.cell[n]));
}

template <class Real, class Stored, LbmModel model, bool forced>
__global__ void __launch_bounds__(MixedTile::threads, MixedTile::blocks(sizeof(Stored)))
    step_mixed_tiles(const __grid_constant__ LbmParams<Real> p, const __grid_constant__ LbmCells cells,
                     const std::uint32_t* tiles, const Stored* from, Stored* to) {
  using T = MixedTile;
  __shared__ Stored between[9 * T::plane];
  __shared__ EdgeList edges;
  const TilePlace at(tiles[blockIdx.x], p.nx);
  const int x0 = at.x0, y0 = at.y0;
  if (threadIdx.x < 2) edges.count[threadIdx.x] = 0;
  await_previous_for_next();
  __syncthreads();

  // Numbers of cells count the tile with its halo in the first step, and the tile in the second.
  const auto ring_x = [&](int k) { return lbm_fold_ring(x0 + k % T::pitch - 1, p.nx, p.left == LbmSide::periodic); };
  const auto ring_y = [&](int k) { return lbm_fold_ring(y0 + k / T::pitch - 1, p.ny, p.bottom == LbmSide::periodic); };
  const auto keep = [&](int k, int x, int y, std::size_t place, Real(&q)[9]) {
    lbm_collide<model, forced>(p, lbm_rates_at(p, cells.cell[place], x, y), lbm_push_at(p, place, 1), q);
#pragma unroll
    for (int i = 0; i < 9; ++i) lbm_store(between + i * T::plane + k, q[i]);
  };
  for_fluid(
      edges, 0, T::plane,
      [&](int k) {
        const int x = ring_x(k), y = ring_y(k);
        return x < 0 || y < 0 ? std::int8_t{-1} : cells.cell[lbm_place(p, x, y)];
      },
      [&](int k) {
        const int x = ring_x(k), y = ring_y(k);
        const std::size_t place = lbm_place(p, x, y);
        Real q[9];
        lbm_pull_plain(p, from, place, q);
        keep(k, x, y, place, q);
      },
      [&](int k) {
        const int x = ring_x(k), y = ring_y(k);
        Real q[9];
        LbmPull<Real, LbmPlanes<Real, Stored>>{p, cells, {p, from}, x, y}.all(q);
        keep(k, x, y, lbm_place(p, x, y), q);
      });
  __syncthreads();

  for_fluid(
      edges, 1, T::width * T::height,
      [&](int k) {
        const int x = x0 + k % T::width, y = y0 + k / T::width;
        return x >= p.nx || y >= p.ny ? std::int8_t{-1} : cells.cell[lbm_place(p, x, y)];
      },
      [&](int k) {
        const int column = k % T::width, row = k / T::width, x = x0 + column, y = y0 + row;
        const std::size_t place = lbm_place(p, x, y);
        Real q[9];
        pull_in_tile<T>(between + (row + 1) * T::pitch + column + 1, q);
        lbm_collide<model, forced>(p, lbm_rates_at(p, cells.cell[place], x, y), lbm_push_at(p, place, 2), q);
        lbm_store_cell(p, to, place, q);
      },
      [&](int k) {
        const int x = x0 + k % T::width, y = y0 + k / T::width;
        const std::size_t place = lbm_place(p, x, y);
        Real q[9];
        LbmPull<Real, TilePlanes<Real, Stored>>{p, cells, {between, x0, y0, p.nx, p.ny}, x, y, 1}.all(q);
        lbm_collide<model, forced>(p, lbm_rates_at(p, cells.cell[place], x, y), lbm_push_at(p, place, 2), q);
        lbm_store_cell(p, to, place, q);
      });
}

// Tiles first <= n < end of a list.
struct TileRange {
  std::size_t first = 0, end = 0;
  std::size_t count() const { return end - first; }
};
TileRange range_of(Share share, std::size_t inner, std::size_t all) {
  return {share == Share::outer ? inner : 0, share == Share::inner ? inner : all};
}

template <class Real, class Stored, LbmModel model, bool forced>
void step_tiles(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const LbmTileLists& tiles,
                Share share, const Stored* from, Stored* to) {
  using T = PlainTile<Stored>;
  const auto plain = step_plain_tiles<Real, Stored, model, forced>;
  const auto mixed = step_mixed_tiles<Real, Stored, model, forced>;
  static thread_local int allowed = -1;  // the GPU on which the kernel may take the memory of a tile
  int device = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  if (device != allowed) {
    CUDA_CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, T::bytes));
    allowed = device;
  }
  const TileRange of_plain = range_of(share, tiles.inner_plain, tiles.plain.size());
  const TileRange of_mixed = range_of(share, tiles.inner_mixed, tiles.mixed.size());
  const bool any_mixed = of_mixed.count() > 0, by_side = any_mixed && tiles.side;
  const cudaStream_t stream = executor.stream();
  if (any_mixed) {
    launch_closely(mixed, of_mixed.count(), MixedTile::threads, 0, by_side ? tiles.side->after(stream) : stream, p,
                   cells, tiles.mixed.data() + of_mixed.first, from, to);
    check_launch("lbm_mixed_tiles");
  }
  if (of_plain.count() > 0) {
    launch_closely(plain, of_plain.count(), T::threads, T::bytes, stream, p, tiles.plain.data() + of_plain.first,
                   any_mixed && !by_side, from, to);
    check_launch("lbm_plain_tiles");
  }
  if (by_side) tiles.side->join(stream);
}
#endif

}  // namespace

template <class Real, class Stored>
LbmTiles lbm_tiles_of(const LbmParams<Real>& p, const OwnRows& own, const std::int8_t* cell) {
  using Plain = PlainTile<Stored>;
  using Mixed = MixedTile;
  const int columns = static_cast<int>(TilePlace::columns(p.nx));
  // Rows from which tiles of both kinds may be taken. Below and above, at sides that are not open, is one row of mixed
  // tiles.
  const int first = p.open_below ? 2 : std::min(p.ny, Mixed::height);
  const int end = std::max(first, p.ny - (p.open_above ? 2 : Mixed::height));
  // The lowest row of a tile that should begin at row y, and may begin lower so as not to reach beyond `end`.
  const auto lowered = [&](int y, int height) { return std::max(first, std::min(y, end - height)); };

  LbmTiles tiles;
  const auto add = [&](std::vector<std::uint32_t>& list, int column, int y0) {
    list.push_back(static_cast<std::uint32_t>(y0) * static_cast<std::uint32_t>(columns) +
                   static_cast<std::uint32_t>(column));
  };
  const auto add_mixed_row = [&](int y0) {
    for (int column = 0; column < columns; ++column) add(tiles.mixed, column, y0);
  };
  const auto is_plain = [&](int column, int y0) {
    const int x0 = column * Mixed::width;
    if (x0 < 1 || y0 < 1 || x0 + Mixed::width >= p.nx || y0 + Plain::height >= p.ny) return false;
    for (int y = y0 - 1; y <= y0 + Plain::height; ++y)
      for (int x = x0 - 1; x <= x0 + Mixed::width; ++x)
        if (cell[lbm_place(p, x, y)] != lbm_plain) return false;
    return true;
  };

  constexpr int across = Plain::width / Mixed::width;
  if (!p.open_below) add_mixed_row(0);
  for (int y = first; y < end; y += Plain::height) {
    const int y0 = lowered(y, Plain::height);
    for (int column = 0; column < columns;) {
      int after = column;
      while (after < columns && is_plain(after, y0)) ++after;
      if (after - column >= across) {
        for (; column < after; column += across) add(tiles.plain, std::min(column, after - across), y0);
        column = after;
        continue;
      }
      for (after = std::max(after, column + 1); column < after; ++column)
        for (int row = y; row < std::min(y + Plain::height, end); row += Mixed::height)
          add(tiles.mixed, column, lowered(row, Mixed::height));
    }
  }
  if (!p.open_above && end < p.ny) add_mixed_row(end);

  const auto inner_first = [&](std::vector<std::uint32_t>& list, int height) {
    const auto is_inner = [&](std::uint32_t tile) {
      const int y0 = TilePlace(tile, p.nx).y0;
      return own.hold(std::max(y0 - 2, 0), std::min(y0 + height + 2, p.ny));  // each step reads a row further
    };
    return static_cast<std::size_t>(std::ranges::stable_partition(list, is_inner).begin() - list.begin());
  };
  tiles.inner_plain = inner_first(tiles.plain, Plain::height);
  tiles.inner_mixed = inner_first(tiles.mixed, Mixed::height);
  return tiles;
}

template <class Real, class Stored>
LbmTileLists lbm_tile_lists([[maybe_unused]] const Executor& executor, [[maybe_unused]] const LbmParams<Real>& p,
                            [[maybe_unused]] const OwnRows& own, [[maybe_unused]] const std::int8_t* cell) {
  LbmTileLists lists;
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    const LbmTiles tiles = lbm_tiles_of<Real, Stored>(p, own, cell);
    lists.plain = {executor, tiles.plain.size()};
    lists.mixed = {executor, tiles.mixed.size()};
    lists.inner_plain = tiles.inner_plain;
    lists.inner_mixed = tiles.inner_mixed;
    if (!launches_closely(step_plain_tiles<Real, Stored, LbmModel::two_rates, false>))
      lists.side = std::make_shared<SideStream>();
    lists.plain.upload(tiles.plain.data());
    lists.mixed.upload(tiles.mixed.data());
  }
#endif
  return lists;
}

template <class Real, class Stored>
bool lbm_can_fuse([[maybe_unused]] const Executor& executor) {
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    int device = 0, bytes = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return bytes >= PlainTile<Stored>::bytes;
  }
#endif
  return true;
}

template <class Real, class Stored>
bool lbm_should_fuse(const Executor& executor, const LbmParams<Real>& p) {
  if (!lbm_can_fuse<Real, Stored>(executor)) return false;
  if (executor.backend() == Backend::cuda) return true;
  return 2 * lbm_values(p) * sizeof(Stored) > std::size_t{8} << 20;  // measured: alike at 256^2, faster from 512^2 on
}

template <class Real, class Stored>
void lbm_fused_step(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells,
                    [[maybe_unused]] const LbmTileLists& tiles, [[maybe_unused]] Share share, const Stored* from,
                    Stored* to) {
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda)
    return lbm_with_model(p, [&]<LbmModel model, bool forced>() {
      step_tiles<Real, Stored, model, forced>(executor, p, cells, tiles, share, from, to);
    });
#endif
  assert(share == Share::all);
  lbm_fused_cpu<Real, Stored>(executor, p, cells, from, to);
}

}  // namespace simreel

#define SIMREEL_INSTANTIATE_FUSED(Real, Stored)                                                                      \
  template LbmTiles lbm_tiles_of<Real, Stored>(const LbmParams<Real>&, const OwnRows&, const std::int8_t*);          \
  template LbmTileLists lbm_tile_lists<Real, Stored>(const Executor&, const LbmParams<Real>&, const OwnRows&,        \
                                                     const std::int8_t*);                                            \
  template bool lbm_can_fuse<Real, Stored>(const Executor&);                                                         \
  template bool lbm_should_fuse<Real, Stored>(const Executor&, const LbmParams<Real>&);                              \
  template void lbm_fused_step(const Executor&, const LbmParams<Real>&, const LbmCells&, const LbmTileLists&, Share, \
                               const Stored*, Stored*);
