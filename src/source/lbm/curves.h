#pragma once
// Where the walls of obstacles cut the links between cells.

#include "exec/buffer.h"
#include "exec/domain.h"
#include "source/obstacles/obstacles.h"

namespace simreel {

// What LbmCurves points to, in host memory.
struct CurveLists {
  std::vector<std::uint64_t> mask;
  std::vector<std::uint32_t> before;
  std::vector<std::uint8_t> share;
  int words = 0;  // to a row
};

// Finds the links that a wall of a known shape cuts, and those to obstacles that turn, and marks their cells as
// `lbm_curved`. Without `curved` all walls stay in the middle of their links. A link also stays so where the cell on
// its other side is solid or beyond a wall, inlet or outlet, because interpolation needs it.
template <class Real>
CurveLists find_curves(LbmGeometry&, const LbmParams<Real>&, const std::vector<ObstacleOptions>&, bool curved);

// At most so many bytes are in the lists of a flow with so many edge cells.
template <class Real>
std::size_t max_curve_bytes(const LbmParams<Real>& p, std::size_t edges) {
  return 12 * (static_cast<std::size_t>(p.nx) / 64 + 1) * static_cast<std::size_t>(p.ny) + 8 * edges +
         lbm_max_obstacles * sizeof(LbmSpin);
}

// The lists in executor memory.
class CurveBuffers {
 public:
  LbmCurves upload(const Executor&, const CurveLists&);

 private:
  Buffer<std::uint64_t> mask_;
  Buffer<std::uint32_t> before_;
  Buffer<std::uint8_t> share_;
};

// The rotations of obstacles in executor memory.
class SpinBuffer {
 public:
  // Those of steps 0 and 1; null if none turns.
  const LbmSpin* upload(const Executor&, const std::vector<ObstacleOptions>&);
  // Sets those of the two steps from `step` on, counted from 0.
  void turn(const Executor&, std::int64_t step);

 private:
  Buffer<LbmSpin> spin_;
  bool swings_ = false;
};

// The rows of a flow's cells that a rank has in memory.
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
