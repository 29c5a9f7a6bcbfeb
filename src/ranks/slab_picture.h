#pragma once
// A smaller picture of a field, of which each rank has some rows.
//
// A row of pixels belongs to the rank that has the lowest row of its cells. That rank draws it as one that has all rows
// would, so it has the same bits. Where a row of pixels reaches across the border of a rank, the ranks above send their
// rows of cells of it, and all of them are put one above the other: the seam. The pixels are collected in memory of
// rank 0: by the kernels that draw them, where all ranks write to it, or by an exchange.

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
#include "ranks/divided_fields.h"

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
  static std::size_t bytes(int rank, int ranks, std::size_t row_bytes, int nx, int ny, const ViewRequirements&);

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

  // The pixels of a depth.
  template <class Pixel>
  struct Sheet {
    // On rank 0 two whole pictures if all ranks draw in them, otherwise one; on the others their rows in the latter
    // case.
    Buffer<Pixel> memory;
    Pixel* pictures = nullptr;  // that this rank draws in: those of rank 0, or its own rows; null: not wanted yet
  };

  void place(const FieldPicture&);
  template <class Pixel>
  void lay(Sheet<Pixel>&);
  Rows own_part(const Seam&, int rank) const;
  template <class Value>
  void add_seams(const Value* rows, std::size_t pitch, Value* seam, std::vector<Transfer>& sends,
                 std::vector<Transfer>& receives) const;
  AxisSamples rows_at(const Buffer<std::int32_t>& table, int count) const;
  template <class Pixel>
  Pixel* picture_of(const Sheet<Pixel>&) const;
  template <class Pixel>
  Pixel* rows_of(const Sheet<Pixel>&, int rank) const;
  template <class Pixel>
  void add_rows(const Sheet<Pixel>&, std::vector<Transfer>& sends, std::vector<Transfer>& receives) const;

  const Executor& executor_;
  const Communicator& ranks_;
  const std::vector<Domain>& domains_;
  Buffer<Color> colors_;

  // What follows depends on the part of the grid that is seen and the size of the picture.
  Rectangle part_{};
  AxisPart shown_x_, shown_y_;
  Size pixels_{};
  std::vector<Rows> rows_;   // of pixels, counted from the bottom, by rank
  std::vector<Seam> seams_;  // from the bottom; cells of the part
  Rows seam_;                // the cells of the seam that this rank owns; none: it owns no seam
  Buffer<std::int32_t> column_table_, row_table_, seam_table_;
  bool together_ = false;  // all ranks draw in the memory of rank 0
  Sheet<Color> shallow_;
  Sheet<DeepColor> deep_;
  // Which of two pictures is drawn. Rank 0 may still be reading one while the others draw the next; before they draw
  // the one after, it has read it (`join`).
  int turn_ = 0;
  Buffer<std::byte> seam_value_, seam_cell_, scratch_;
};

}  // namespace simreel
