#pragma once
// What a solver shows and saves, on the host.

#include "kernels/base/pack.h"
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

inline std::vector<std::byte> packed(const Executor& executor, const View& view) {
  Buffer<std::byte> to(executor, state_layout(view).bytes());
  pack_view(executor, view, to.data());
  return to.download();
}

inline std::vector<std::byte> bytes_of(const Checkpoint& checkpoint) {
  Checkpoint::Block head, bytes;
  for (const auto& piece : checkpoint.serialize(head)) bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

inline std::vector<std::byte> saved(const Solver& solver) {
  Checkpoint checkpoint;
  solver.save(checkpoint);
  return bytes_of(checkpoint);
}

}  // namespace simreel::test
