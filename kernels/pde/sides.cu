#include "kernels/base/launch.h"
#include "kernels/pde/cell.h"
#include "kernels/pde/engine.h"

namespace simreel {
namespace {

template <class Real>
struct FillColumns {
  PdeFill<Real> fill;
  int from;

  HD void operator()(int x, int y) const {
    const int halo = fill.grid.halo;
    fill.column(x < halo ? -1 - x : fill.grid.nx + x - halo, from + y);
  }
};

template <class Real>
struct FillRows {
  PdeFill<Real> fill;
  int from, to;

  HD void operator()(int x, int y) const {
    const int halo = fill.grid.halo, row = y < halo ? -1 - y : fill.grid.ny + y - halo;
    if (fill.is_filled(row, from, to)) fill.outer(x - halo, row);
  }
};

}  // namespace

template <class Real>
void pde_fill_sides(const Executor& executor, const PdeGrid& grid, const PdeSides<Real>& sides, Real* array, int from,
                    int to) {
  const PdeFill<Real> fill{grid, sides, array};
  parallel_for(executor, "pde_fill_columns", {2 * grid.halo, to - from}, FillColumns<Real>{fill, from});
  parallel_for(executor, "pde_fill_rows", {grid.nx + 2 * grid.halo, 2 * grid.halo}, FillRows<Real>{fill, from, to});
}
template void pde_fill_sides(const Executor&, const PdeGrid&, const PdeSides<float>&, float*, int, int);
template void pde_fill_sides(const Executor&, const PdeGrid&, const PdeSides<double>&, double*, int, int);

}  // namespace simreel
