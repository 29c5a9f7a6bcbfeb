#include "kernels/pde/sides.h"

#include <algorithm>

#include "kernels/base/launch.h"
#include "kernels/pde/cell.h"

namespace simreel {
namespace {

constexpr int arrays_at_once = 16;  // as a kernel's arguments have room for

template <class Real>
struct Arrays {
  PdeGrid grid;
  int from, to;
  PdeSides<Real> sides[arrays_at_once];
  Real* array[arrays_at_once];

  HD PdeFill<Real> fill(int number) const { return {grid, sides[number], array[number]}; }
};

// x: the places beyond both ends of a row; y: the rows of one array after the other.
template <class Real>
struct FillColumns {
  Arrays<Real> arrays;

  HD void operator()(int x, int y) const {
    const PdeGrid& grid = arrays.grid;
    const int rows = arrays.to - arrays.from;
    arrays.fill(y / rows).column(x < grid.halo ? -1 - x : grid.nx + x - grid.halo, arrays.from + y % rows);
  }
};

template <class Real>
struct FillRows {
  Arrays<Real> arrays;

  HD void operator()(int x, int y) const {
    const PdeGrid& grid = arrays.grid;
    const PdeFill<Real> fill = arrays.fill(y / (2 * grid.halo));
    const int place = y % (2 * grid.halo), row = place < grid.halo ? -1 - place : grid.ny + place - grid.halo;
    if (fill.is_filled(row, arrays.from, arrays.to)) fill.outer(x - grid.halo, row);
  }
};

}  // namespace

template <class Real>
void pde_fill_outputs(const Executor& executor, const PdeGrid& grid, const PdeRun<Real>& run, bool columns) {
  if (grid.halo == 0 || run.to <= run.from) return;
  for (std::size_t first = 0; first < run.outputs.size(); first += arrays_at_once) {
    const auto count = static_cast<int>(std::min<std::size_t>(arrays_at_once, run.outputs.size() - first));
    Arrays<Real> arrays{grid, run.from, run.to, {}, {}};
    for (int i = 0; i < count; ++i) {
      arrays.sides[i] = run.sides[first + static_cast<std::size_t>(i)];
      arrays.array[i] = run.outputs[first + static_cast<std::size_t>(i)];
    }
    if (columns)
      parallel_for(executor, "pde_fill_columns", {2 * grid.halo, (run.to - run.from) * count},
                   FillColumns<Real>{arrays});
    if (!grid.open_below || !grid.open_above)
      parallel_for(executor, "pde_fill_rows", {grid.nx + 2 * grid.halo, 2 * grid.halo * count}, FillRows<Real>{arrays});
  }
}
template void pde_fill_outputs(const Executor&, const PdeGrid&, const PdeRun<float>&, bool);
template void pde_fill_outputs(const Executor&, const PdeGrid&, const PdeRun<double>&, bool);

template <class Real>
void pde_fill_sides(const Executor& executor, const PdeGrid& grid, const PdeSides<Real>& sides, Real* array, int from,
                    int to) {
  PdeRun<Real> run;
  run.outputs = {&array, 1};
  run.sides = {&sides, 1};
  run.from = from, run.to = to;
  pde_fill_outputs(executor, grid, run);
}
template void pde_fill_sides(const Executor&, const PdeGrid&, const PdeSides<float>&, float*, int, int);
template void pde_fill_sides(const Executor&, const PdeGrid&, const PdeSides<double>&, double*, int, int);

}  // namespace simreel
