#pragma once
// The rows of a flow's cells that a rank has in memory.

#include "exec/domain.h"
#include "source/lbm/curves.h"

namespace simreel {

// What LbmCells needs, in host memory.
struct CellMap {
  std::vector<std::int8_t> cell;
  std::vector<std::uint32_t> edge;
  CurveLists curves;
};

// Takes all cells where the domain is the whole grid. Otherwise copies the rows of the domain; where its halo ends,
// cells are edges, so that no kernel reads beyond.
CellMap take_rows(LbmGeometry& whole, CurveLists curves, const Domain&, int nx, std::size_t pitch);

// Sorts `edge` by what a step does in a cell, so that threads of a GPU that run together take the same way.
void group_edges(CellMap&, int nx, int ny, std::size_t pitch);

}  // namespace simreel
