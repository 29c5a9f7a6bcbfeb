#pragma once
// Borrowed looks at a solver's state: plain structs of pointers that host code and kernels share.

#include <cstddef>
#include <cstdint>
#include <variant>

namespace simreel {

// A scalar on a grid: value[y * pitch + x], 0 <= x < nx to the right, 0 <= y < ny upwards. Executor memory; owns
// nothing.
template <class Real>
struct FieldView {
  const Real* value = nullptr;
  int nx = 0, ny = 0;
  std::size_t pitch = 0;  // values from one row to the next, >= nx
  // Laid out like `value`: cells below zero are solid, and their values count nowhere. Null: none is.
  const std::int8_t* cell = nullptr;
};

using View = std::variant<FieldView<float>, FieldView<double>>;

}  // namespace simreel
