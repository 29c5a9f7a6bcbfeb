#pragma once
// Which rows of a grid a rank owns, and which others it keeps in memory: its halo.
//
// A rank's part is a grid of its own, with the halo as its outermost rows. Kernels advance it as if it were whole, or
// leave out rows where the halo ends. What they compute in the halo becomes wrong from the outside by a row a step; it
// is replaced by an exchange before the wrong rows reach the own ones.
//
//   row of the grid   0                first         first + count            whole
//                     |------------------|===================|------------------|
//   row in memory                   0    below       below + count  rows()
//                                   |....|===================|....|

#include <vector>

namespace simreel {

struct Domain {
  int whole = 0;             // rows of the grid
  int first = 0, count = 0;  // rows of this rank
  int below = 0, above = 0;  // rows of the halo
  bool wraps = false;        // the halo goes on at the opposite side

  // Own rows begin at a multiple of this many, so that sums over strips of them (kernels/base/reduce.h) are the same
  // for any number of ranks.
  static constexpr int unit = 32;
  static int max_ranks(int rows) { return (rows + unit - 1) / unit; }

  // The parts of a grid, about equally large. `ranks` is at most max_ranks(rows). One rank has no halo.
  static std::vector<Domain> cut(int rows, int ranks, int halo, bool wraps);

  int rows() const { return below + count + above; }  // in memory
  // Whether the grid goes on beyond the first and the last row in memory.
  bool open_below() const { return wraps ? below > 0 : start() > 0; }
  bool open_above() const { return wraps ? above > 0 : start() + rows() < whole; }
  int start() const { return first - below; }  // row of the grid at row 0 of the memory; may lie before the grid
  int row_of_grid(int row) const;              // of a row in memory
};

// Rows that follow each other, in the grid and in the memory of a rank.
struct RowRun {
  int peer = 0;  // the rank that owns them or gets them
  int row = 0;   // the first one in memory
  int row_of_grid = 0;
  int count = 0;
};

// What fills the halo of a rank: the n-th run that it receives from a peer is the n-th that the peer sends it.
struct HaloRuns {
  std::vector<RowRun> sends, receives;
};
HaloRuns halo_runs(const std::vector<Domain>& domains, int rank);

}  // namespace simreel
