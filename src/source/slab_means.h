#pragma once
// The means of a field over the pixels of a smaller picture, where each rank has some rows of the field.
//
// A row of pixels belongs to the rank that has the lowest row of its cells. That rank finds its means as one that has
// all rows would, so they have the same bits. Where a row of pixels reaches across the border of a rank, the ranks
// above send their rows of it, and all of them are put one above the other: the seam. Rank 0 collects the means.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/pixels.h"
#include "exec/buffer.h"
#include "exec/communicator.h"
#include "exec/domain.h"
#include "kernels/base/field_means.h"
#include "kernels/base/view.h"

namespace simreel {

class SlabMeans {
 public:
  // `domains`: of all ranks. All arguments must outlive it.
  SlabMeans(const Executor&, const Communicator&, const std::vector<Domain>& domains);

  // `part`: the rows that this rank has in memory, of which its own are valid. `pixels` are fewer than the cells along
  // both axes. Collective; on rank 0 the whole picture, valid until the next call.
  template <class Real>
  FieldMeans find(const FieldView<Real>& part, Size pixels, double offset);

  // The executor memory of a rank for that, at most: `row_bytes` of a row of values and solid cells, `nx` by `ny`
  // cells.
  static std::size_t bytes(int rank, int ranks, std::size_t row_bytes, int nx, int ny, Size pixels);

 private:
  // Rows of pixels, or of cells: first <= i < end.
  struct Rows {
    int first = 0, end = 0;
    int count() const { return end - first; }
  };
  // A row of pixels with cells of several ranks.
  struct Seam {
    int owner = 0;  // the rank of its lowest cells
    Rows cells;     // of the grid
  };

  void place(int nx, Size pixels);
  Rows own_part(const Seam&, int rank) const;
  template <class Value>
  void add_seams(const Value* rows, std::size_t pitch, Value* seam, std::vector<Transfer>& sends,
                 std::vector<Transfer>& receives) const;
  AxisSamples rows_at(const Buffer<std::int32_t>& table, int count) const;
  void collect();

  const Executor& executor_;
  const Communicator& ranks_;
  const std::vector<Domain>& domains_;

  // What follows depends on the grid and the size of the picture.
  int nx_ = 0;
  Size pixels_{};
  std::vector<Rows> rows_;   // of pixels, counted from the bottom, by rank
  std::vector<Seam> seams_;  // from the bottom
  Rows seam_;                // the cells of the seam that this rank owns; none: it owns no seam
  Buffer<std::int32_t> column_table_, row_table_, seam_table_;
  Buffer<double> value_, weight_;  // of the own rows of pixels; on rank 0 of all
  Buffer<std::byte> seam_value_, seam_cell_, scratch_;
};

}  // namespace simreel
