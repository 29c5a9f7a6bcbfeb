#include "kernels/lbm/tracer.h"

#include <cmath>
#include <limits>

#include "kernels/lbm/boundary.h"
#ifdef __CUDACC__
#include "kernels/base/close_launch.cuh"
#endif

namespace simreel {
namespace {

// Of a cell in row y of the whole grid.
HD inline bool in_spot(const TracerParams& t, int x, int y) {
  for (int n = 0; n < t.spots; ++n) {
    const double dx = x - t.spot[n].x, dy = y - t.spot[n].y;
    if (dx * dx + dy * dy <= t.spot[n].radius * t.spot[n].radius) return true;
  }
  return false;
}

template <class Real, class Stored>
struct Velocity {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Stored* state;
  Real *ux, *uy;
  int step;  // whose force the state contains: 0 that of the step before, 1 that of this one

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    Real q[9];
    lbm_load_cell(p, state, place, q);
    const LbmMacroscopic<Real> at = lbm_macroscopic(lbm_push_at(p, place, step), q);
    const bool solid = cell[place] < 0;
    ux[place] = solid ? Real(0) : at.ux;
    uy[place] = solid ? Real(0) : at.uy;
  }
};

template <class Real>
struct Advance {
  LbmParams<Real> p;
  const std::int8_t* cell;
  TracerParams t;
  Real diffusivity;
  TracerStep<Real> fields;

  // The cell at (x, y), or the side beyond which (x, y) lies.
  struct Place {
    LbmSide side;  // periodic: a cell
    bool solid;
    Real dye;  // of the cell or of the fluid that enters
  };
  // Loads unconditionally (from the cell at `own_place` where (x, y) is beyond a side), so that the loads of all places
  // around a cell overlap on a GPU.
  HD Place at(int x, int y, std::size_t own_place) const {
    const LbmSide side = x < 0       ? p.left
                         : x >= p.nx ? p.right
                         : y < 0     ? p.bottom
                         : y >= p.ny ? p.top
                                     : LbmSide::periodic;
    const bool beyond = side != LbmSide::periodic;
    const std::size_t place = beyond ? own_place : lbm_place(p, lbm_fold(x, p.nx), lbm_fold(y, p.ny));
    const bool solid = cell[place] < 0;
    const Real dye = fields.from[place];
    return {side, solid && !beyond, side == LbmSide::inlet ? inflow(x, y) : dye};
  }
  HD Real inflow(int x, int y) const {
    const bool across_x = y < 0 || y >= p.ny;
    const int along = across_x ? x : lbm_row_of_whole(p, y), cells = across_x ? p.nx : p.whole_ny;
    if (t.stripes == 0) return Real(0);
    return (2 * std::int64_t{along} + 1) * t.stripes / cells % 2 == 0 ? Real(1) : Real(0);
  }

  // The dye there, or `own` if the place is beyond a wall or an outlet or in a solid cell.
  HD static Real dye(const Place& there, Real own) {
    const bool known = there.side == LbmSide::inlet || (there.side == LbmSide::periodic && !there.solid);
    return known ? there.dye : own;
  }

  HD static Real slope(Real a, Real b) { return a * b > 0 ? Real(2) * a * b / (a + b) : Real(0); }

  // Flux through one face of a cell, from the dye on the line across it: outward velocity times the difference from the
  // cell's own dye, so that a constant field stays constant although the divergence of the velocity is only nearly 0.
  HD static Real flux(Real outward, Real back, Real own, Real there, Real further) {
    const bool leaves = outward > 0;
    const Real centre = leaves ? own : there, behind = leaves ? back : further, before = leaves ? there : own;
    const Real reach = leaves ? Real(1) - outward : Real(1) + outward;
    const Real value = centre + Real(0.5) * reach * slope(centre - behind, before - centre);
    return outward * (value - own);
  }

  HD bool is_open(int x, int y, std::size_t place) const {
    if (x < 2 || y < 2 || x >= p.nx - 2 || y >= p.ny - 2) return false;
    const std::int8_t* const here = cell + place;
    return ((here[0] | here[-1] | here[1] | *(here - p.pitch) | *(here + p.pitch)) & ~lbm_layer) == lbm_plain;
  }

  // The two faces of a cell along x or y.
  struct Line {
    Real forth, back;    // fluxes out of the cell
    Real there, behind;  // differences of the neighbours' dye from its own, for diffusion
  };
  // With two fluid cells on either side, `step` values apart: no tests, which makes most cells fast.
  HD Line open_line(const Real* u, std::size_t place, std::ptrdiff_t step, Real own) const {
    const Real* const c = fields.from + place;
    const Real* const v = u + place;
    return {flux(Real(0.5) * (v[0] + v[step]), c[-step], own, c[step], c[2 * step]),
            flux(-(Real(0.5) * (v[0] + v[-step])), c[step], own, c[-step], c[-2 * step]), c[step] - own,
            c[-step] - own};
  }
  HD Line line(const Real* u, int x, int y, int dx, int dy, std::size_t place, Real own) const {
    const Place next = at(x + dx, y + dy, place), last = at(x - dx, y - dy, place);
    const Place next_but_one = at(x + 2 * dx, y + 2 * dy, place), last_but_one = at(x - 2 * dx, y - 2 * dy, place);
    const Real here = u[place];
    const Real forth = at_face(u, here, x + dx, y + dy, next), back = at_face(u, here, x - dx, y - dy, last);
    const Real there = dye(next, own), behind = dye(last, own);
    const Real further = next.side == LbmSide::periodic ? dye(next_but_one, there) : there;
    const Real furthest = last.side == LbmSide::periodic ? dye(last_but_one, behind) : behind;
    const Real out = flux(forth, behind, own, there, further), in = flux(-back, there, own, behind, furthest);
    return {is_closed(next) ? Real(0) : out, is_closed(last) ? Real(0) : in, there - own, behind - own};
  }
  HD static bool is_closed(const Place& there) {
    return there.solid || there.side == LbmSide::wall || there.side == LbmSide::moving || there.side == LbmSide::slip;
  }
  // The velocity at the face to (x, y), along its axis.
  HD Real at_face(const Real* u, Real here, int x, int y, const Place& there) const {
    if (there.side != LbmSide::periodic) return here;
    return Real(0.5) * (here + u[lbm_place(p, lbm_fold(x, p.nx), lbm_fold(y, p.ny))]);
  }

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    if (cell[place] < 0) {
      fields.to[place] = Real(0);
      return;
    }
    const Real own = fields.from[place];
    Line along, across;
    if (is_open(x, y, place)) {
      along = open_line(fields.ux, place, 1, own);
      across = open_line(fields.uy, place, static_cast<std::ptrdiff_t>(p.pitch), own);
    } else {
      along = line(fields.ux, x, y, 1, 0, place, own);
      across = line(fields.uy, x, y, 0, 1, place, own);
    }
    const Real advected = (along.forth + along.back) + (across.forth + across.back);
    const Real spread = (along.there + along.behind) + (across.there + across.behind);
    store(x, y, place, own, advected, spread);
  }

  HD void store(int x, int y, std::size_t place, Real own, Real advected, Real spread) const {
    Real value = own - advected + diffusivity * spread;
    value = value < 0 ? Real(0) : value > 1 ? Real(1) : value;
    fields.to[place] = in_spot(t, x, lbm_row_of_whole(p, y)) ? Real(1) : value;
  }
};

#ifdef __CUDACC__
// One step of the flow with its velocity, and one of the dye. Whether the flow is forced is asked by each cell: a
// kernel for either case took from 1.05 to 0.985 of the time on an H200, and these kernels were a quarter of a
// program's code. The list of edge cells comes in rows before those of the grid, because edge cells take longest. (A
// thread each for the dye and the flow of a cell is no faster, on an H200.)
template <class Real, class Stored, LbmModel model>
struct Beside {
  Advance<Real> dye;
  LbmCells cells;
  const Stored* from;
  Stored* to;
  Real *ux, *uy;
  int edge_rows;

  HD void operator()(int x, int row) const {
    const LbmParams<Real>& p = dye.p;
    Real q[9];
    if (row < edge_rows) {
      const std::size_t n =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(p.nx) + static_cast<std::size_t>(x);
      if (n >= cells.edges) return;
      const std::size_t place = cells.edge[n];
      const int x_of = static_cast<int>(place % p.pitch), y_of = static_cast<int>(place / p.pitch);
      const std::int8_t kind = cells.cell[place];
      if (lbm_is_edge(kind))
        LbmPull<Real, LbmPlanes<Real, Stored>>{p, cells, {p, from}, x_of, y_of}.all(q);
      else
        lbm_pull_plain(p, from, place, q);
      return finish(place, lbm_rates_at(p, kind, x_of, y_of), q);
    }
    const int y = row - edge_rows;
    const std::size_t place = lbm_place(p, x, y);
    const bool plain = cells.cell[place] == lbm_plain;
    // Before the dye, whose loads depend on each other: these overlap with them.
    if (plain) lbm_pull_plain(p, from, place, q);
    if (dye.fields.to) dye(x, y);
    if (plain) finish(place, p.rates, q);
  }

  HD void finish(std::size_t place, LbmRates<Real> rates, Real (&q)[9]) const {
    const bool forced = lbm_is_forced(dye.p);
    const LbmPush<Real> push = forced ? lbm_push_at(dye.p, place, 1) : LbmPush<Real>{};
    forced ? lbm_collide<model, true>(dye.p, rates, push, q) : lbm_collide<model, false>(dye.p, rates, push, q);
    for (int i = 0; i < 9; ++i) {
      Stored* const stored = to + static_cast<std::size_t>(i) * dye.p.plane + place;
      Stored value;
      lbm_store(&value, q[i]);
      *stored = value;
      q[i] = lbm_load(&value);  // half rounds
    }
    const LbmMacroscopic<Real> at = lbm_macroscopic(push, q);
    ux[place] = at.ux;
    uy[place] = at.uy;
  }
};

constexpr int beside_columns = 64, beside_rows = 4;  // of a block
// Blocks per multiprocessor: bounds registers to what plain cells need, which are most; edge cells would take twice as
// many. In float fewer blocks, each with all its loads in flight, are faster where few fit on the grid: 640 x 240 cells
// take 15.2 us a step on an H200 (simreel bench scenes/karman.toml).
template <class Stored>
constexpr int wanted_blocks = sizeof(Stored) == 8   ? 4
                              : sizeof(Stored) == 4 ? 4
                                                    : 8;

// A multiprocessor of a consumer GPU holds fewer threads, and ptxas warns of bounds that it cannot keep (CUDA C++
// Programming Guide, technical specifications per compute capability).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int threads_held = 1024;
#elif defined(__CUDA_ARCH__) && ((__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100)
constexpr int threads_held = 1536;
#else
constexpr int threads_held = 2048;
#endif
constexpr int max_blocks = threads_held / (beside_columns * beside_rows);
template <class Stored>
constexpr int beside_blocks = wanted_blocks<Stored> < max_blocks ? wanted_blocks<Stored> : max_blocks;

template <class Real, class Stored, LbmModel model>
__global__ void __launch_bounds__(beside_columns* beside_rows, beside_blocks<Stored>)
    step_beside(int rows, int blocks_x, const __grid_constant__ Beside<Real, Stored, model> body) {
  let_next_begin();
  await_previous();
  const int x = static_cast<int>(blockIdx.x % blocks_x) * beside_columns + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.x / blocks_x) * beside_rows + static_cast<int>(threadIdx.y);
  if (x < body.dye.p.nx && row < rows) body(x, row);
}

template <class Real, class Stored, LbmModel model>
void launch_beside(const Executor& executor, const Advance<Real>& dye, const LbmCells& cells, const Stored* from,
                   Stored* to, Real* ux, Real* uy) {
  const int nx = dye.p.nx, edge_rows = static_cast<int>((std::int64_t{cells.edges} + nx - 1) / nx);
  const int rows = edge_rows + dye.p.ny, blocks_x = (nx + beside_columns - 1) / beside_columns;
  const std::int64_t blocks = std::int64_t{blocks_x} * ((rows + beside_rows - 1) / beside_rows);
  const auto kernel = step_beside<Real, Stored, model>;
  launch_closely(kernel, static_cast<std::size_t>(blocks), dim3(beside_columns, beside_rows), 0, executor.stream(),
                 rows, blocks_x, Beside<Real, Stored, model>{dye, cells, from, to, ux, uy, edge_rows});
  check_launch("step_beside");
}
#endif

template <class Real>
struct Show {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Real* from;
  Real* to;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    to[place] = cell[place] < 0 ? std::numeric_limits<Real>::quiet_NaN() : from[place];
  }
};

template <class Real>
struct StartDye {
  LbmParams<Real> p;
  const std::int8_t* cell;
  TracerParams t;
  int bands;
  Real* tracer;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    const int row = lbm_row_of_whole(p, y);
    const bool band = bands > 0 && (2 * std::int64_t{row} + 1) * bands / p.whole_ny % 2 == 0;
    tracer[place] = cell[place] >= 0 && (band || in_spot(t, x, row)) ? Real(1) : Real(0);
  }
};

}  // namespace

template <class Real, class Stored>
void tracer_velocity(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const Stored* state,
                     Real* ux, Real* uy) {
  parallel_for(executor, "tracer_velocity", {p.nx, p.ny}, Velocity<Real, Stored>{p, cells.cell, state, ux, uy, 0});
}

template <class Real>
void tracer_step(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const TracerParams& t,
                 const TracerStep<Real>& dye) {
  parallel_for(executor, "tracer_step", {p.nx, p.ny},
               Advance<Real>{p, cells.cell, t, static_cast<Real>(t.diffusivity), dye});
}

template <class Real, class Stored>
void tracer_step_beside_flow(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells,
                             const TracerParams& t, const Stored* from, Stored* to, Real* ux, Real* uy,
                             const TracerStep<Real>& dye) {
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    const Advance<Real> advance{p, cells.cell, t, static_cast<Real>(t.diffusivity), dye};
    return lbm_with_model(p, [&]<LbmModel model, bool>() {
      launch_beside<Real, Stored, model>(executor, advance, cells, from, to, ux, uy);
    });
  }
#endif
  lbm_step(executor, p, cells, from, to);
  parallel_for(executor, "tracer_velocity", {p.nx, p.ny}, Velocity<Real, Stored>{p, cells.cell, to, ux, uy, 1});
  if (dye.to) tracer_step(executor, p, cells, t, dye);
}

template <class Real>
void tracer_show(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const Real* from,
                 Real* to) {
  parallel_for(executor, "tracer_show", {p.nx, p.ny}, Show<Real>{p, cells.cell, from, to});
}

template <class Real>
void tracer_start(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const TracerParams& t,
                  int bands, Real* tracer) {
  parallel_for(executor, "tracer_start", {p.nx, p.ny}, StartDye<Real>{p, cells.cell, t, bands, tracer});
}

#define SIMREEL_INSTANTIATE(Real, Stored)                                                                              \
  template void tracer_velocity(const Executor&, const LbmParams<Real>&, const LbmCells&, const Stored*, Real*,        \
                                Real*);                                                                                \
  template void tracer_step_beside_flow(const Executor&, const LbmParams<Real>&, const LbmCells&, const TracerParams&, \
                                        const Stored*, Stored*, Real*, Real*, const TracerStep<Real>&);
SIMREEL_INSTANTIATE(float, float)
SIMREEL_INSTANTIATE(double, double)
SIMREEL_INSTANTIATE(float, Half)
#undef SIMREEL_INSTANTIATE
#define SIMREEL_INSTANTIATE(Real)                                                                          \
  template void tracer_step(const Executor&, const LbmParams<Real>&, const LbmCells&, const TracerParams&, \
                            const TracerStep<Real>&);                                                      \
  template void tracer_show(const Executor&, const LbmParams<Real>&, const LbmCells&, const Real*, Real*); \
  template void tracer_start(const Executor&, const LbmParams<Real>&, const LbmCells&, const TracerParams&, int, Real*);
SIMREEL_INSTANTIATE(float)
SIMREEL_INSTANTIATE(double)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
