#pragma once
// Two steps in one pass over memory, on a GPU. A block takes a tile of cells and a ring of one around it through the
// first step, keeps what comes of that in shared memory, and takes the tile through the second: 72 bytes a cell serve
// two steps (float), less the ring. The same bits as lbm_step twice.

#include <cstdint>
#include <vector>

#include "kernels/lbm.h"

namespace simreel {

// Tiles are counted row by row from the lower left; those at the upper and right sides may reach beyond the grid.
struct LbmTiles {
  std::vector<std::uint32_t> plain;  // with their ring they have plain cells only
  std::vector<std::uint32_t> mixed;  // all others: at sides and obstacles, slower
};

// Sorts the tiles of a grid by the cells in them; `cell` is LbmCells::cell in host memory.
template <class Real, class Stored>
LbmTiles lbm_tiles_of(const LbmParams<Real>&, const std::int8_t* cell);

// Whether the executor is a GPU whose blocks have the shared memory that a tile needs.
template <class Real, class Stored>
bool lbm_can_pair(const Executor&);

// The tiles again, in executor memory.
struct LbmTileLists {
  const std::uint32_t *plain = nullptr, *mixed = nullptr;
  std::uint32_t plains = 0, mixeds = 0;
};

// Only where lbm_can_pair.
template <class Real, class Stored>
void lbm_step_twice(const Executor&, const LbmParams<Real>&, const LbmCells&, const LbmTileLists&, const Stored* from,
                    Stored* to);

}  // namespace simreel
