#pragma once
// A smaller picture of a field, of which each rank has some rows.
//
// A row of pixels belongs to the rank that has the lowest row of its cells. That rank draws it as one that has all rows
// would, so it has the same bits. Where a row of pixels reaches across the border of a rank, the ranks above send their
// rows of cells of it, and all of them are put one above the other: the seam. Rank 0 collects the pixels.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/pixels.h"
#include "exec/buffer.h"
#include "exec/communicator.h"
#include "exec/domain.h"
#include "kernels/base/view.h"
#include "kernels/raster/field.h"

namespace simreel {

class SlabPicture {
 public:
  // `domains`: of all ranks. All arguments must outlive it.
  SlabPicture(const Executor&, const Communicator&, const std::vector<Domain>& domains);

  // As that of DividedFields, but of this rank alone: not collective, and it always waits.
  void set_colors(std::span<const Color>);
  // `part`: the rows that this rank has in memory, of which its own are valid. Collective; on rank 0 the whole picture.
  template <class Real>
  FieldRows draw(const FieldView<Real>& part, const FieldPicture&);

  // The executor memory of a rank for that, at most: `row_bytes` of a row of values and solid cells, `nx` by `ny`
  // cells.
  static std::size_t bytes(int rank, int ranks, std::size_t row_bytes, int nx, int ny, Size pixels, std::size_t colors);

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
  template <class Pixel>
  void add_rows(Buffer<Pixel>& pixels, std::vector<Transfer>& sends, std::vector<Transfer>& receives) const;

  const Executor& executor_;
  const Communicator& ranks_;
  const std::vector<Domain>& domains_;
  Buffer<Color> colors_;

  // What follows depends on the grid and the size of the picture.
  int nx_ = 0;
  Size pixels_{};
  std::vector<Rows> rows_;   // of pixels, counted from the bottom, by rank
  std::vector<Seam> seams_;  // from the bottom
  Rows seam_;                // the cells of the seam that this rank owns; none: it owns no seam
  Buffer<std::int32_t> column_table_, row_table_, seam_table_;
  Buffer<Color> shallow_;  // the own rows of pixels, on rank 0 all; empty: not wanted yet
  Buffer<DeepColor> deep_;
  Buffer<std::byte> seam_value_, seam_cell_, scratch_;
};

}  // namespace simreel
