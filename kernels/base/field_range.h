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
// Over the own rows of all ranks, of a field that has `whole_rows` rows together; `scratch` is executor memory of
// extremes_scratch_bytes of the whole. Waits for the executor.
template <class Real>
Extremes<Real> find_extremes(const Executor&, const FieldView<Real>&, const OwnRows&, int whole_rows, void* scratch);
template <class Real>
Extremes<Real> find_extremes(const Executor& executor, const FieldView<Real>& field, void* scratch) {
  return find_extremes(executor, field, OwnRows{0, field.ny}, field.ny, scratch);
}

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
// The same way. The same bits on every backend and on any number of ranks.
std::size_t spread_scratch_bytes(int nx, int ny);
template <class Real>
Spread find_spread(const Executor&, const FieldView<Real>&, const OwnRows&, int whole_rows, void* scratch);
template <class Real>
Spread find_spread(const Executor& executor, const FieldView<Real>& field, void* scratch) {
  return find_spread(executor, field, OwnRows{0, field.ny}, field.ny, scratch);
}

}  // namespace simreel
