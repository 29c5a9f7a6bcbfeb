#pragma once
// A part of a field, as a field of its own.

#include <array>

#include "base/outline.h"
#include "kernels/base/axis_samples.h"
#include "kernels/base/view.h"
#include "kernels/raster/canvas.h"

namespace simreel {

class FieldPart {
 public:
  // Cells of the field, y upwards; of none, all of a field is the part.
  explicit FieldPart(const Rectangle& cells = {})
      : all_(cells.width == 0), cells_(cells), columns_(cells.width), rows_(cells.height) {}
  // From `first` on `count` cells along x and y, which may begin and end within a cell. Cells beside them are read for
  // interpolation, if they are in `within`.
  FieldPart(const std::array<double, 2>& first, const std::array<double, 2>& count, const Rectangle& within);
  const Rectangle& cells() const { return cells_; }
  // What of the cells is seen.
  const AxisPart& columns() const { return columns_; }
  const AxisPart& rows() const { return rows_; }

  // The cells. Valid as long as the view and this part.
  template <class Real>
  FieldView<Real> of(const FieldView<Real>&);

 private:
  bool all_ = false;
  Rectangle cells_;
  AxisPart columns_, rows_;
  Outline outline_;  // as the part sees it
  const Outline* outline_of_ = nullptr;
};

}  // namespace simreel
