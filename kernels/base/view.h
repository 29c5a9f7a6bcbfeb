#pragma once
// Non-owning views of a solver's state: plain structs of pointers, shared by host code and kernels.

#include <cstddef>
#include <cstdint>
#include <variant>

namespace simreel {

struct Outline;

// A scalar on a grid: value[y * pitch + x], 0 <= x < nx to the right, 0 <= y < ny upwards. Executor memory.
template <class Real>
struct FieldView {
  const Real* value = nullptr;
  int nx = 0, ny = 0;
  std::size_t pitch = 0;  // values from one row to the next, >= nx
  // Laid out like `value`; negative cells are solid, and their values are ignored. Null: no cell is solid.
  const std::int8_t* cell = nullptr;
  // The true shapes of the solid cells (base/outline.h), in host memory; null: unknown. Cells and shapes do not change
  // while this pointer is the same.
  const Outline* outline = nullptr;
};

// Four contiguous numbers: a body's position and mass, or its velocity and 0.
template <class Real>
struct alignas(4 * sizeof(Real)) Vec4 {
  Real x, y, z, w;
};

// Bodies in space. Executor memory.
template <class Real>
struct ParticlesView {
  const Vec4<Real>* position = nullptr;  // x, y, z in world units, y upwards; w: mass, > 0
  const Vec4<Real>* velocity = nullptr;  // world units per simulated time; w: 0
  const std::uint8_t* group = nullptr;   // for example the galaxy that a body belongs to, from 0; null: all are 0
  std::size_t count = 0;
};

using View = std::variant<FieldView<float>, FieldView<double>, ParticlesView<float>, ParticlesView<double>>;

}  // namespace simreel
