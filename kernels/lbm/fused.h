#pragma once
// Two steps per pass over memory. The first step is computed for a tile and a halo of one cell, the result stays in
// fast memory, and the second step is computed for the tile. Two steps move 72 bytes per cell (float), plus the halo. A
// block of a GPU keeps a whole tile in shared memory; a thread of a CPU sweeps up a tile and keeps three rows of it in
// a cache. The bits are those of two calls of lbm_step, but for the two rows before an open end, which hold anything
// afterwards on a GPU.

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/buffer.h"
#include "kernels/base/share.h"
#include "kernels/lbm/lbm.h"

namespace simreel {

class SideStream;

// Tiles of a GPU. The lowest row of tile n is n / columns and its first column 32 (n % columns), where `columns` are
// those of 32 cells. Tiles may overlap, and mixed ones extend beyond the upper and right sides of the grid. The two
// rows before an open end are in no tile if there is room.
struct LbmTiles {
  std::vector<std::uint32_t> plain;  // of 64 x 24 cells (16 in double, 32 in half), all of them plain, halo included
  std::vector<std::uint32_t> mixed;  // of 32 x 8 cells, slower: at sides and obstacles
  std::size_t inner_plain = 0, inner_mixed = 0;  // how many of each, the first ones, read nothing of the halo
};

// Sorts the tiles of a grid by their cells; `cell` is LbmCells::cell in host memory. All rows but the own ones are
// halo.
template <class Real, class Stored>
LbmTiles lbm_tiles_of(const LbmParams<Real>&, const OwnRows& own, const std::int8_t* cell);

// Whether the executor can hold tiles: false for a GPU with too little shared memory per block.
template <class Real, class Stored>
bool lbm_can_fuse(const Executor&);

// Whether it can and two steps per pass are faster: on a GPU always, on a CPU where its caches do not hold the grid.
template <class Real, class Stored>
bool lbm_should_fuse(const Executor&, const LbmParams<Real>&);

// The tiles in executor memory, and the stream of the mixed ones, which run beside the plain ones, on GPUs that do not
// launch kernels closely. Empty on a CPU, which does not need them.
struct LbmTileLists {
  Buffer<std::uint32_t> plain, mixed;
  std::size_t inner_plain = 0, inner_mixed = 0;
  std::shared_ptr<SideStream> side;
};

template <class Real, class Stored>
LbmTileLists lbm_tile_lists(const Executor&, const LbmParams<Real>&, const OwnRows& own, const std::int8_t* cell);

// Requires lbm_can_fuse. On a CPU the share is `all`.
template <class Real, class Stored>
void lbm_fused_step(const Executor&, const LbmParams<Real>&, const LbmCells&, const LbmTileLists&, Share,
                    const Stored* from, Stored* to);

}  // namespace simreel
