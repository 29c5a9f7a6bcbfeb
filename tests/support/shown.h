#pragma once
// What a solver shows, on the host.

#include "source/solver.h"

#include "tests/support/test.h"

namespace simreel::test {

// The field of that name, or the default one: [ny][nx] without padding.
template <class Real>
std::vector<Real> shown(const Executor& executor, Solver& solver, std::string_view name = "") {
  const auto field = std::get<FieldView<Real>>(solver.view(name));
  std::vector<Real> padded(field.pitch * static_cast<std::size_t>(field.ny)), values;
  executor.copy(padded.data(), field.value, padded.size() * sizeof(Real));
  for (int y = 0; y < field.ny; ++y) {
    const auto row = padded.begin() + static_cast<std::ptrdiff_t>(field.pitch * static_cast<std::size_t>(y));
    values.insert(values.end(), row, row + field.nx);
  }
  return values;
}

}  // namespace simreel::test
