#pragma once
// Computes passes on a CPU or a GPU, with the same bits.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "exec/executor.h"
#include "kernels/pde/pass.h"

namespace simreel {

// The arrays of a rank's part of a grid. Value (x, y) of an array lies at first[y * pitch + x]; x from -halo to
// nx + halo - 1 and y from -halo to ny + halo - 1 are memory. Each row begins at a multiple of 128 bytes.
struct PdeGrid {
  int nx = 0, ny = 0;        // cells of the part
  int halo = 0;              // the reach of the deepest pass
  std::size_t pitch = 0;     // values from one row to the next
  std::size_t left = 0;      // values of a row before value 0
  int y0 = 0, whole_ny = 0;  // row of the whole grid at row 0, and rows of the whole grid; y0 < 0 where it wraps around
  bool periodic_x = false, periodic_y = false;
  bool open_below = false, open_above = false;  // the grid goes on beyond row 0, or beyond row ny - 1, on another rank

  // Values of the memory of an array: a row more, as a thread of a GPU reads whole quads of cells, past nx, and as
  // whole rows that are gathered from value (0, 0) on end `left` values late.
  std::size_t memory() const { return pitch * static_cast<std::size_t>(ny + 2 * halo + 1); }
  // From the begin of the memory of an array to value (0, 0).
  std::size_t origin() const { return pitch * static_cast<std::size_t>(halo) + left; }
};
// `value_bytes`: 4 or 8. Sets pitch and left, and a whole grid of these rows alone with open sides nowhere.
PdeGrid pde_grid(int nx, int ny, int halo, std::size_t value_bytes);

// What lies beyond one side, `halo` cells deep: the k-th cell outside is fma(factor, u, offset) of the k-th cell
// inside (the last one there is, in parts of fewer cells), with factor[k * stride + i] at place i along the side: from
// 0 to its cells - 1, and of bottom and top, whose rows have the corners, from -halo to nx + halo - 1, where columns
// that repeat have the same values. Executor memory. Null for a periodic side and for a plain mirror. Rows at the left
// and right sides are counted in the whole grid.
template <class Real>
struct PdeSide {
  const Real* factor = nullptr;
  const Real* offset = nullptr;
  std::size_t stride = 0;
};
template <class Real>
struct PdeSides {
  PdeSide<Real> left, right, bottom, top;
};

template <class Real>
struct PdeRun {
  std::span<const Real* const> inputs;  // value (0, 0) of each
  // An output may be an input that is read at its own cell only.
  std::span<Real* const> outputs;
  // Of each output. The halo columns of the rows that were computed, and the halo rows at ends that are not open, are
  // filled from them, columns first.
  std::span<const PdeSides<Real>> sides;
  std::span<const double> uniforms;
  std::uint64_t seed = 0, number = 0;  // of random numbers: the scene's, and that of the step
  int from = 0, to = 0;                // rows of the outputs to compute
};

// Fills the halo of one array, rows from <= y < to, as a run does.
template <class Real>
void pde_fill_sides(const Executor&, const PdeGrid&, const PdeSides<Real>&, Real* array, int from, int to);

// How a pass is computed. `best`: on a GPU compiled by the driver where that works. The others are for tests:
// interpreted, on a CPU too, or compiled with so many rows for a thread.
enum class PdeMachine { best, interpreter, one_row, two_rows, four_rows };

// Most inputs, intermediates and outputs of a pass together, and most uniforms, on a GPU.
inline constexpr std::size_t pde_pointers = 384, pde_uniforms = 32;

template <class Real>
class PdeEngine {
 public:
  // The executor must outlive it.
  PdeEngine(const Executor&, const PdePass&, PdeMachine = PdeMachine::best);
  PdeEngine(PdeEngine&&) noexcept;
  ~PdeEngine();

  // Asynchronous on a GPU. Throws what the device says if it fails.
  void run(const PdeGrid&, const PdeRun<Real>&);

  // Why a GPU interprets the pass; empty where it need not.
  const std::string& why_interpreted() const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

// Why every GPU interprets a pass, and so needs an array for each intermediate; empty where its driver may compile it.
template <class Real>
std::string pde_why_interpreted(const PdePass&);

}  // namespace simreel
