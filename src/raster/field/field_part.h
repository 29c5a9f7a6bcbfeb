#pragma once
// A part of a field, as a field of its own.

#include "base/outline.h"
#include "base/pixels.h"
#include "kernels/base/view.h"

namespace simreel {

class FieldPart {
 public:
  // Cells of the field, y upwards.
  explicit FieldPart(const Rectangle& cells = {}) : cells_(cells) {}
  const Rectangle& cells() const { return cells_; }

  // Valid as long as the view and this part.
  template <class Real>
  FieldView<Real> of(const FieldView<Real>&);

 private:
  Rectangle cells_;
  Outline outline_;  // as the part sees it
  const Outline* outline_of_ = nullptr;
};

}  // namespace simreel
