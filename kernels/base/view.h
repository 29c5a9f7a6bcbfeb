#pragma once
// Non-owning views of a solver's state: plain structs of pointers, shared by host code and kernels.

#include <cstddef>
#include <cstdint>
#include <variant>

namespace simreel {

struct Outline;

// Where a particle is, or was: cells, a whole number is a cell's centre. `life` counts its lives from 1, and a path
// joins places of one life; 0: it is not there.
struct PathPoint {
  float x, y;
  std::uint32_t life;
};

// Particles that a flow carries, and where they were. Executor memory.
struct PathsView {
  static constexpr int max_sets = 16;
  const PathPoint* now = nullptr;   // of `count` particles
  const PathPoint* past = nullptr;  // `rows` of them, in turn: row `newest` is the latest, the one before it is older
  int count = 0, rows = 0, newest = 0;
  // As shares of the time for which a path is seen: since the newest row, and from a row to the next.
  float age = 0, step = 0;
  float farthest_x = 0,
        farthest_y = 0;              // cells of a path from a row to the next; more: it went through a periodic side
  int sets = 0, end[max_sets] = {};  // set n has the particles before end[n], from that of the set before on
};

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
  const PathsView* paths = nullptr;  // that are drawn over it, in host memory; null: none
  int first_x = 0, first_y = 0;      // where the paths have its cell (0, 0)
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
