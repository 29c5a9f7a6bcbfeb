#pragma once
// A solver's state on its way to the sinks that write data: packed values in host memory.

#include <cstddef>
#include <cstdint>

namespace simreel {

// The layout of packed values.
//   field:  `fields` times ny rows of nx values, the first row at y = 0; then, if `solid`, ny rows of nx bytes, 1 for a
//           solid cell and 0 for others
//   bodies: `count` times x, y, z, mass; then `count` times vx, vy, vz, 0; then, if `groups`, `count` bytes
struct StateLayout {
  enum class Kind { field, bodies } kind = Kind::field;
  bool twice = false;  // double, otherwise float
  int nx = 0, ny = 0;
  std::size_t count = 0;
  bool groups = false;
  int fields = 1;  // one after the other; their names belong to the run
  bool solid = false;

  // Values of one field.
  std::size_t field_values() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny); }
  std::size_t value_bytes() const { return twice ? sizeof(double) : sizeof(float); }
  std::size_t values_bytes() const { return static_cast<std::size_t>(fields) * field_values() * value_bytes(); }
  std::size_t bytes() const {
    if (kind == Kind::field) return values_bytes() + (solid ? field_values() : 0);
    return count * (8 * value_bytes() + (groups ? 1 : 0));
  }
  bool operator==(const StateLayout&) const = default;
};

struct State {
  StateLayout layout;
  const std::byte* values = nullptr;
  std::int64_t step = 0;
  double time = 0;  // simulated
};

// Calls `use` with a pointer to the values, a const float* or a const double*.
template <class Use>
auto visit_values(const State& state, const Use& use) {
  if (state.layout.twice) return use(reinterpret_cast<const double*>(state.values));
  return use(reinterpret_cast<const float*>(state.values));
}

}  // namespace simreel
