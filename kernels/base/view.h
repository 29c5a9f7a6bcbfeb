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

// Four numbers side by side: a body's position and mass, or its velocity and nothing.
template <class Real>
struct alignas(4 * sizeof(Real)) Vec4 {
  Real x, y, z, w;
};

// Bodies in space. Executor memory; owns nothing.
template <class Real>
struct ParticlesView {
  const Vec4<Real>* position = nullptr;  // x, y, z in world units, y upwards; w: mass, > 0
  const Vec4<Real>* velocity = nullptr;  // world units per simulated time; w: 0
  const std::uint8_t* group = nullptr;   // which galaxy, say, a body belongs to, from 0; null: all are of group 0
  std::size_t count = 0;
};

using View = std::variant<FieldView<float>, FieldView<double>, ParticlesView<float>, ParticlesView<double>>;

}  // namespace simreel
