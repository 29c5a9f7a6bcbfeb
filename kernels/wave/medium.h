#pragma once
// The wave equation where cells differ: a speed of their own, solid cells, sides of several kinds, layers that absorb,
// and sources,
//
//   u_tt + k u_t = c(x, y)^2 (u_xx + u_yy) + sources.
//
// A cell that has none of these gets the bits of wave_step, so parts of a grid without them are advanced by the plain
// kernels. The layers are perfectly matched ones (docs/solvers/wave.md): each derivative across a layer gets a memory
// of what it was, one value at the outer face of a cell and one at its centre.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/buffer.h"
#include "kernels/wave/wave.h"

namespace simreel {

// What a neighbour counts as: a bit for each direction where it counts as the cell itself, so that nothing flows
// (free). With the bit of the same direction below as well, the face between them absorbs.
enum WaveLink : std::uint8_t {
  wave_west = 1,
  wave_east = 2,
  wave_south = 4,
  wave_north = 8,
  wave_zero = 16,  // the factor that makes it the bit of a neighbour that counts as 0 (fixed)
};

// The memories of the layers. `x`: [ny][2 width], the columns at the left side from the outermost inwards and then
// those at the right side likewise; `y`: [2 width] rows of a pitch, those of the whole grid. Null without layers along
// that axis.
template <class Real>
struct WaveMemory {
  Real *x_face = nullptr, *x_cell = nullptr, *y_face = nullptr, *y_cell = nullptr;
};

// How a layer's memories change in a step, by the depth of the cell, 0 for the outermost:
// memory = keep memory + take derivative. The face is the outer one.
template <class Real>
struct WaveDepth {
  Real face_keep = 0, face_take = 0, cell_keep = 0, cell_take = 0;
};

// The layers at the sides of a grid; 0 cells: no layer there.
template <class Real>
struct WaveLayers {
  int left = 0, right = 0, bottom = 0, top = 0;
  int width = 0;                           // each of them is this or 0
  const WaveDepth<Real>* depth = nullptr;  // [width]
};

// A cell that sources drive, and its shares in them: shares[first] to shares[first + count].
struct WaveDriven {
  int x = 0, y = 0;
  std::uint32_t first = 0, count = 0;
};
template <class Real>
struct WaveShare {
  std::uint32_t source = 0;
  Real weight = 0;
};
// The sources' values for the steps of a pass. A soft source adds its value to the increment; a hard one, the last of
// the cell, sets the height.
template <class Real>
struct WaveDrive {
  const WaveDriven* cells = nullptr;   // sorted by y, then x; each cell once; y as in memory
  const std::uint32_t* row = nullptr;  // [ny + 1]: the first cell of a row
  const WaveShare<Real>* shares = nullptr;
  const std::uint8_t* hard = nullptr;    // [step of the pass][sources]: 1 for a hard source that is on
  const Real* value = nullptr;           // likewise
  std::uint32_t sources = 0, count = 0;  // of sources, of cells
};

// All of it, in executor memory.
template <class Real>
struct WaveMedium {
  WaveParams<Real> grid;
  bool wraps_x = false, wraps_y = false;
  const Real* coupling = nullptr;       // (c dt / dx)^2 of a cell, 0: solid; laid out as the state
  const std::uint8_t* links = nullptr;  // WaveLink bits of a cell, likewise
  WaveLayers<Real> layers;
  WaveDrive<Real> drive;
};

template <class Real>
struct WaveMediumState {
  WaveState<Real> state;
  WaveMemory<Real> memory;
};

// The depths of a layer of `width` cells. `lambda` is c dt / dx there.
template <class Real>
std::vector<WaveDepth<Real>> wave_layer_depths(int width, double lambda);

// By depth, the factor of what is added to cells of such a layer: that of the layer for what does not change. More
// would stay in it for long.
std::vector<double> wave_layer_weights(int width);

// A part of a grid: the cells x to x + width - 1 of the rows y to y + height - 1.
struct WaveTileBox {
  int x, y, width, height;
};

// Which blocks of wave_mark x wave_mark cells hold a cell that plain kernels do not advance.
inline constexpr int wave_mark = 16;
struct WaveMarks {
  int nx = 0, ny = 0;  // blocks
  bool wraps_x = false, wraps_y = false;
  std::vector<std::uint8_t> marked;

  // Whether any cell of x0 <= x < x1, y0 <= y < y1 is marked; parts outside of the grid wrap around or count as not.
  bool any(int x0, int y0, int x1, int y1, int cells_x, int cells_y) const;
};

// Advances one step, cell by cell. The states must not overlap.
template <class Real>
void wave_medium_step(const Executor&, const WaveMedium<Real>&, const WaveMediumState<Real>& from,
                      const WaveMediumState<Real>& to);

struct SideStream;

// Advances 1 to wave_max_pass() steps in one pass, with the bits of as many calls of wave_medium_step: tiles without
// marks as wave_pass does. Not for sources that move.
template <class Real>
class WaveMediumPass {
 public:
  WaveMediumPass(const Executor&, const WaveParams<Real>&, WaveMarks, int layer_width);

  // `plain_scratch` as of wave_pass.
  void run(const WaveMedium<Real>&, int steps, const WaveMediumState<Real>& from, const WaveMediumState<Real>& to,
           Real* plain_scratch);

  // Of executor memory that a pass takes.
  static std::size_t bytes(const Executor&, int layer_width);
  // Whether a GPU's multiprocessor holds a tile: not if the layers are very wide. If false, take single steps instead.
  static bool fits(const Executor&, const WaveMedium<Real>&);

 private:
  struct Tiles {                    // of a pass of so many steps, on a GPU
    Buffer<std::uint32_t> numbers;  // the marked ones first
    std::size_t marked = 0;
  };

  const Executor& executor_;
  WaveParams<Real> grid_;
  WaveMarks marks_;
  int width_;
  Buffer<Real> scratch_;
  std::vector<Tiles> tiles_;          // by number of steps
  std::shared_ptr<SideStream> side_;  // on a GPU
};

// The energy that the scheme conserves without damping, layers and sources, for the surface density (reference / c)^2,
// as wave_energy; `largest` is the coupling of the reference speed.
template <class Real>
double wave_medium_energy(const Executor&, const WaveMedium<Real>&, const OwnRows&, WaveState<const Real>,
                          double largest, double speed, double spacing, double timestep, void* scratch);

// Sets solid cells to 0, where something was added to a whole part of the grid.
template <class Real>
void wave_clear_solids(const Executor&, const WaveMedium<Real>&, WaveState<Real>);

// Multiplies a state by weights.
template <class Real>
void wave_weigh(const Executor&, const WaveParams<Real>&, const WaveWeights<Real>&, WaveState<Real>);

}  // namespace simreel
