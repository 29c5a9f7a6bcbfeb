#pragma once
// Two steps in one pass over memory: a tile of cells and a ring of one around it are taken through the first step, what
// comes of that stays near, and the tile is taken through the second. 72 bytes a cell serve two steps (float), less the
// ring. A block of a GPU keeps a whole tile in shared memory; a thread of a CPU sweeps up a tile and keeps three rows
// of it in a cache. The same bits as lbm_step twice.

#include <cstdint>
#include <vector>

#include "kernels/lbm/lbm.h"

namespace simreel {

// A GPU's tiles are counted row by row from the lower left; those at the upper and right sides may reach beyond the
// grid.
struct LbmTiles {
  std::vector<std::uint32_t> plain;  // with their ring they have plain cells only
  std::vector<std::uint32_t> mixed;  // all others: at sides and obstacles, slower
};

// Sorts the tiles of a grid by the cells in them; `cell` is LbmCells::cell in host memory.
template <class Real, class Stored>
LbmTiles lbm_tiles_of(const LbmParams<Real>&, const std::int8_t* cell);

// Whether the executor's memory is enough for tiles: not on a GPU whose blocks have too little of the shared one.
template <class Real, class Stored>
bool lbm_can_pair(const Executor&);

// Whether it can and is faster so. Small grids are faster one step at a time: a CPU's caches hold them whole, and their
// tiles leave multiprocessors without work.
template <class Real, class Stored>
bool lbm_should_pair(const Executor&, const LbmParams<Real>&);

// The tiles again, in executor memory; empty on a CPU, which does without.
struct LbmTileLists {
  const std::uint32_t *plain = nullptr, *mixed = nullptr;
  std::uint32_t plains = 0, mixeds = 0;
};

// Only where lbm_can_pair.
template <class Real, class Stored>
void lbm_step_twice(const Executor&, const LbmParams<Real>&, const LbmCells&, const LbmTileLists&, const Stored* from,
                    Stored* to);

}  // namespace simreel
