#pragma once
// Between which values a field lies, and how large they are.

#include <cstddef>

#include "exec/executor.h"
#include "kernels/base/launch.h"
#include "kernels/base/reduce.h"
#include "kernels/base/view.h"

namespace simreel {

// The smallest and the largest finite value of the cells of a field that are not solid; low > high if there is none.
template <class Value>
struct Extremes {
  Value low, high;
};
// Bytes of scratch memory that find_extremes needs for a field of nx by ny cells.
std::size_t extremes_scratch_bytes(int nx, int ny);
// Waits for the executor. `scratch` is executor memory.
template <class Real>
Extremes<Real> find_extremes(const Executor&, const FieldView<Real>&, void* scratch);

// How large values are, whatever their sign: of the finite values of cells that are not solid.
struct Spread {
  double largest = 0;  // |v|
  double sum = 0;      // of |v|
  double squares = 0;  // of v^2

  HD static Spread combine(const Spread& a, const Spread& b) {
    return {a.largest > b.largest ? a.largest : b.largest, a.sum + b.sum, a.squares + b.squares};
  }
  // The m of a range [-m, m]: two and a half times the mean of |v| weighted with |v| itself, so that cells at rest do
  // not count and a few extreme ones little, but not more than the largest.
  double reach() const;
};
// Waits for the executor; the same bits on every backend. `scratch` is executor memory of spread_scratch_bytes.
template <class Real>
Spread find_spread(const Executor&, const FieldView<Real>&, void* scratch);
std::size_t spread_scratch_bytes(int nx, int ny);

// The same of a field that lies on several ranks, of which each has some rows of `field` for its own. Collective;
// `whole_rows` and the sizes for the scratch memory are those of the whole field.
template <class Real>
Extremes<double> find_extremes(const Executor&, const FieldView<Real>& field, const OwnRows&, void* scratch);
template <class Real>
Spread find_spread(const Executor&, const FieldView<Real>& field, const OwnRows&, int whole_rows, void* scratch);

}  // namespace simreel
