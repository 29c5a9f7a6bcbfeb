#include "kernels/lbm/heat.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/base/reduce.h"
#include "kernels/base/threads.h"
#include "kernels/lbm/boundary.h"
#include "kernels/lbm/cpu.h"

namespace simreel {
namespace {

constexpr int planes = lbm_heat_planes;

// Where the temperature's populations are in a state.
template <class Real, class T>
HD T* heat_of(const LbmParams<Real>& p, T* state) {
  return state + 9 * p.plane;
}

template <class Real>
HD Real sum_of(const Real (&h)[planes]) {
  return h[0] + ((h[1] + h[2]) + (h[3] + h[4]));
}

template <class Real>
HD Real temperature_at(const LbmParams<Real>& p, const Real* state, std::size_t place) {
  const Real* const h = heat_of(p, state) + place;
  return h[0] + ((h[p.plane] + h[2 * p.plane]) + (h[3 * p.plane] + h[4 * p.plane]));
}

template <class Real>
HD LbmPush<Real> buoyant(LbmPush<Real> push, const LbmHeat<Real>& heat, Real temperature) {
  push.y = push.y + heat.buoyancy * temperature;
  return push;
}

// Relaxes the populations of a cell of temperature `sum` towards the equilibrium in the velocity (ux, uy).
template <class Real>
[[gnu::always_inline]] HD inline void relax(const LbmHeat<Real>& heat, Real sum, Real ux, Real uy, Real (&h)[planes]) {
  constexpr Real third = Real(1) / Real(3), half = Real(0.5);
  const Real s1 = h[1] + h[2], s2 = h[3] + h[4], d1 = h[1] - h[2], d2 = h[3] - h[4], even = third * sum;
  const Real e1 = s1 - heat.even * (s1 - even), e2 = s2 - heat.even * (s2 - even);
  const Real o1 = d1 - heat.odd * (d1 - ux * sum), o2 = d2 - heat.odd * (d2 - uy * sum);
  h[0] = sum - (e1 + e2);
  h[1] = half * (e1 + o1);
  h[2] = half * (e1 - o1);
  h[3] = half * (e2 + o2);
  h[4] = half * (e2 - o2);
}

template <class Real>
HD void pull_plain_heat(const LbmParams<Real>& p, const Real* from, std::size_t place, Real (&h)[planes]) {
  const Real* const f = heat_of(p, from) + place;
  h[0] = *f;
  h[1] = f[lbm_pull(p, 1, 1, 0)];
  h[2] = f[lbm_pull(p, 2, -1, 0)];
  h[3] = f[lbm_pull(p, 3, 0, 1)];
  h[4] = f[lbm_pull(p, 4, 0, -1)];
}

// The populations of the flow around an edge cell, whose temperature in this step is known.
template <class Real>
struct HeatedPlanes {
  const LbmParams<Real>& p;
  const LbmHeat<Real>& heat;
  const Real* f;
  Real temperature;

  HD const Real* where(int i, int x, int y) const {
    return f + static_cast<std::size_t>(i) * p.plane + lbm_place(p, x, y);
  }
  // In the step before this one (0) or in this one (1).
  HD LbmPush<Real> push(std::size_t place, int step) const {
    return buoyant(lbm_push_at(p, place, step), heat, step == 0 ? temperature_at(p, f, place) : temperature);
  }
};

// Collides the temperature with the flow, which has collided under `push`, and stores both.
template <class Real>
[[gnu::always_inline]] HD inline void finish(const LbmParams<Real>& p, const LbmHeat<Real>& heat, std::size_t place,
                                             Real sum, LbmPush<Real> push, const Real (&q)[9], Real (&h)[planes],
                                             Real* to) {
  lbm_store_cell(p, to, place, q);
  const LbmMacroscopic<Real> at = lbm_macroscopic(push, q);
  relax(heat, sum, at.ux, at.uy, h);
  for (int i = 0; i < planes; ++i) heat_of(p, to)[static_cast<std::size_t>(i) * p.plane + place] = h[i];
}

// Pulls the temperature's populations into a cell that may lie at a side or an obstacle.
template <class Real>
struct HeatPull {
  const LbmParams<Real>& p;
  const LbmHeat<Real>& heat;
  const LbmCells& cells;
  const Real* from;
  int x, y;

  // What lies in one direction: a cell, the inside of an outlet, or a wall, whose temperature and heat are known.
  struct Next {
    enum { cell, outlet, wall } kind;
    std::size_t place;  // of a cell
    LbmHeatWall<Real> wall_of;
    bool obstacle;
  };
  HD Next next(int dx, int dy) const {
    const int to_x = x + dx, to_y = y + dy;
    const bool beyond = to_x < 0 || to_x >= p.nx || to_y < 0 || to_y >= p.ny;
    const int n = to_x < 0 ? 0 : to_x >= p.nx ? 1 : to_y < 0 ? 2 : 3;
    const LbmSide side = n == 0 ? p.left : n == 1 ? p.right : n == 2 ? p.bottom : p.top;
    if (beyond && side == LbmSide::outlet) return {Next::outlet, 0, {}, false};
    if (beyond && side != LbmSide::periodic) return {Next::wall, 0, heat.side[n], false};
    const std::size_t place = lbm_place(p, lbm_fold(to_x, p.nx), lbm_fold(to_y, p.ny));
    const std::int8_t kind = cells.cell[place];
    if (kind < 0) return {Next::wall, 0, heat.obstacle[-1 - kind], true};
    return {Next::cell, place, {}, false};
  }
  HD Real stored(int i, std::size_t place) const {
    return heat_of(p, from)[static_cast<std::size_t>(i) * p.plane + place];
  }

  HD void all(Real (&h)[planes]) const {
    const std::size_t place = lbm_place(p, x, y);
    const Next around[4] = {next(1, 0), next(-1, 0), next(0, 1), next(0, -1)};
    h[0] = stored(0, place);
    // Velocity i leads to around[i - 1], and what arrives with it comes from the opposite direction.
    lbm_for_axes([&]<int i>() {
      constexpr int back = lbm_back(i);
      const Next& source = around[back - 1];
      h[i] = source.kind == Next::cell ? stored(i, source.place) : stored(source.kind == Next::wall ? back : i, place);
    });
    const LbmPull<Real, LbmPlanes<Real, Real>> flow{p, cells, {p, from}, x, y};
    const std::uint8_t* const share = (cells.cell[place] & lbm_curved) != 0 ? flow.shares() : nullptr;
    const Real come[planes] = {h[0], h[1], h[2], h[3], h[4]};
    lbm_for_axes([&]<int i>() {
      constexpr int back = lbm_back(i), ex = lbm_ex(i), ey = lbm_ey(i);
      const Next& to = around[i - 1];
      if (to.kind != Next::wall) return;
      h[back] =
          from_wall(to.wall_of, share ? share[i - 1] : std::uint8_t{0}, stored(i, place), come[i], stored(back, place));
      if (to.wall_of.fixed || !to.obstacle) return;
      Real ux = 0, uy = 0;  // a wall that turns takes fluid along, and heat with it
      flow.wall_velocity(ex, ey, Real(0.5), ux, uy);
      h[back] = h[back] - temperature_at(p, from, place) * (Real(ex) * ux + Real(ey) * uy);
    });
  }

  // What comes back along a link: `out` left for the wall, `behind` follows it from the next cell, and `mine` left this
  // cell the other way. `share` as in LbmCurves.
  HD static Real from_wall(const LbmHeatWall<Real>& wall, std::uint8_t share, Real out, Real behind, Real mine) {
    if (!wall.fixed) return out + wall.value;
    const Real given = wall.value / Real(3);  // 2 w T
    if (share == 0 || share == 128) return given - out;
    if (share < 128) {
      const Real twice = static_cast<Real>(share) / Real(128);
      return given - (twice * out + (Real(1) - twice) * behind);
    }
    const Real inverse = Real(128) / static_cast<Real>(share);
    return inverse * (given - out) + (Real(1) - inverse) * mine;
  }
};

template <class Real>
struct HeatedEdge {
  LbmParams<Real> p;
  LbmHeat<Real> heat;
  LbmCells cells;
  bool edges_only;  // others are computed in runs
  const Real* from;
  Real* to;

  HD void operator()(int column, int row) const {
    const std::size_t n = static_cast<std::size_t>(row) * lbm_edge_columns + static_cast<std::size_t>(column);
    if (n >= cells.edges) return;
    const std::size_t place = cells.edge[n];
    const int y = static_cast<int>(place / p.pitch), x = static_cast<int>(place % p.pitch);
    const std::int8_t kind = cells.cell[place];
    const bool edge = lbm_is_edge(kind);
    if (!edge && edges_only) return;
    Real q[9], h[planes];
    if (edge)
      HeatPull<Real>{p, heat, cells, from, x, y}.all(h);
    else
      pull_plain_heat(p, from, place, h);
    const Real sum = sum_of(h);
    if (edge)
      LbmPull<Real, HeatedPlanes<Real>>{p, cells, {p, heat, from, sum}, x, y}.all(q);
    else
      lbm_pull_plain(p, from, place, q);
    const LbmPush<Real> push = buoyant(lbm_push_at(p, place, 1), heat, sum);
    lbm_collide_any(p, lbm_rates_at(p, kind, x, y), push, q);
    finish(p, heat, place, sum, push, q, h, to);
  }
};

#ifdef __CUDACC__
template <class Real, LbmModel model>
struct HeatedStep {
  LbmParams<Real> p;
  LbmHeat<Real> heat;
  const std::int8_t* cell;
  const Real* from;
  Real* to;

  __device__ void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    if (cell[place] != lbm_plain) return;
    Real q[9], h[planes];
    pull_plain_heat(p, from, place, h);
    lbm_pull_plain(p, from, place, q);
    const Real sum = sum_of(h);
    const LbmPush<Real> push = buoyant(lbm_push_at(p, place, 1), heat, sum);
    lbm_collide<model, true>(p, p.rates, push, q);
    finish(p, heat, place, sum, push, q, h, to);
  }
};
#endif

// Runs of cells that are no edges on a CPU, as LbmCpu.
template <class Real>
struct HeatedRows {
  static constexpr int longest = lbm_longest_run;
  LbmParams<Real> p;
  LbmHeat<Real> heat;
  const std::int8_t* cell;
  const Real* from;
  Real* to;

  void operator()(int y) const {
    for (int x = 0; x < p.nx;) {
      const std::size_t place = lbm_place(p, x, y);
      const int most = std::min(p.nx - x, longest - x % longest);
      int count = 0;
      while (count < most && (cell[place + static_cast<std::size_t>(count)] & ~lbm_layer) == 0) ++count;
      if (count > 0) run(x, y, place, count);
      x += std::max(count, 1);
    }
  }

  void run(int x, int y, std::size_t place, int count) const {
    LbmOwn<Real> own;
    alignas(64) Real sum[longest], out[9 * longest];
    for (int k = 0; k < count; ++k) {
      const LbmRates<Real> rates = lbm_rates_at(p, cell[place + static_cast<std::size_t>(k)], x + k, y);
      const LbmPush<Real> push = lbm_push_at(p, place + static_cast<std::size_t>(k), 1);
      own.even[k] = rates.even;
      own.odd[k] = rates.odd;
      own.push_x[k] = push.x;
      own.push_y[k] = push.y;
    }
    const Real* const from_heat = heat_of(p, from) + place;
    const Real *h0 = from_heat, *h1 = from_heat + lbm_pull(p, 1, 1, 0), *h2 = from_heat + lbm_pull(p, 2, -1, 0);
    const Real *h3 = from_heat + lbm_pull(p, 3, 0, 1), *h4 = from_heat + lbm_pull(p, 4, 0, -1);
    SIMREEL_INDEPENDENT
    for (int k = 0; k < count; ++k) {
      sum[k] = h0[k] + ((h1[k] + h2[k]) + (h3[k] + h4[k]));
      own.push_y[k] = buoyant({own.push_x[k], own.push_y[k]}, heat, sum[k]).y;
    }
    const Real* const f = from + place;
    const Real* const source[9] = {f + lbm_pull(p, 0, 0, 0),   f + lbm_pull(p, 1, 1, 0),  f + lbm_pull(p, 2, -1, 0),
                                   f + lbm_pull(p, 3, 0, 1),   f + lbm_pull(p, 4, 0, -1), f + lbm_pull(p, 5, 1, 1),
                                   f + lbm_pull(p, 6, -1, -1), f + lbm_pull(p, 7, 1, -1), f + lbm_pull(p, 8, -1, 1)};
    lbm_collide_run(p, source, count, &own, out, longest);
    Real* const t0 = heat_of(p, to) + place;
    Real *t1 = t0 + p.plane, *t2 = t1 + p.plane, *t3 = t2 + p.plane, *t4 = t3 + p.plane;
    const LbmHeat<Real> of = heat;
    SIMREEL_INDEPENDENT
    for (int k = 0; k < count; ++k) {
      const Real q[9] = {out[k],
                         out[longest + k],
                         out[2 * longest + k],
                         out[3 * longest + k],
                         out[4 * longest + k],
                         out[5 * longest + k],
                         out[6 * longest + k],
                         out[7 * longest + k],
                         out[8 * longest + k]};
      const LbmMacroscopic<Real> at = lbm_macroscopic({own.push_x[k], own.push_y[k]}, q);
      Real h[planes] = {h0[k], h1[k], h2[k], h3[k], h4[k]};
      relax(of, sum[k], at.ux, at.uy, h);
      t0[k] = h[0];
      t1[k] = h[1];
      t2[k] = h[2];
      t3[k] = h[3];
      t4[k] = h[4];
    }
    for (std::size_t i = 0; i < 9; ++i)
      std::memcpy(to + i * p.plane + place, out + i * longest, static_cast<std::size_t>(count) * sizeof(Real));
  }
};

template <class Real>
struct StartHeat {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const double* given;
  int y;
  Real* state;

  HD void operator()(int x, int row) const {
    const std::size_t place = lbm_place(p, x, y + row);
    const bool fluid = cell[place] >= 0;
    const double value =
        given[static_cast<std::size_t>(row) * static_cast<std::size_t>(p.nx) + static_cast<std::size_t>(x)];
    for (int i = 0; i < planes; ++i)
      heat_of(p, state)[static_cast<std::size_t>(i) * p.plane + place] =
          static_cast<Real>(fluid ? value / (i == 0 ? 3 : 6) : 0.0);
  }
};

template <class Real>
struct Push {
  LbmParams<Real> p;
  LbmHeat<Real> heat;
  const Real* state;
  Real* push;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y), second = p.pitch * static_cast<std::size_t>(p.ny) + place;
    LbmPush<Real> all;
    if (p.push) all = {p.push[place], p.push[second]};
    all = buoyant(all, heat, temperature_at(p, state, place));
    push[place] = all.x;
    push[second] = all.y;
  }
};

template <class Real>
struct Temperature {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Real* state;
  double offset, scale;
  Real* out;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    const double value = offset + scale * static_cast<double>(temperature_at(p, state, place));
    out[place] = cell[place] < 0 ? std::numeric_limits<Real>::quiet_NaN() : static_cast<Real>(value);
  }
};

template <class Real>
struct HeatSums {
  LbmParams<Real> p;
  LbmHeat<Real> heat;
  LbmCells cells;
  const Real* state;

  using Value = LbmHeatSums;
  HD static Value empty() { return {0, 0, 0, 0, 0}; }
  HD static Value combine(const Value& a, const Value& b) {
    return {a.temperature + b.temperature, a.along_x + b.along_x, a.along_y + b.along_y, a.entering + b.entering,
            a.links + b.links};
  }
  HD Value operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    const std::int8_t kind = cells.cell[place];
    if (kind < 0) return empty();
    Real q[9];
    lbm_load_cell(p, state, place, q);
    const LbmMacroscopic<Real> at = lbm_macroscopic(lbm_push_at(p, place, 0), q);
    const double sum = static_cast<double>(temperature_at(p, state, place));
    Value value{sum, static_cast<double>(at.ux) * sum, static_cast<double>(at.uy) * sum, 0, 0};
    if (lbm_is_edge(kind)) at_walls(x, y, place, value);
    return value;
  }
  HD void at_walls(int x, int y, std::size_t place, Value& value) const {
    const HeatPull<Real> here{p, heat, cells, state, x, y};
    Real h[planes];
    here.all(h);
    lbm_for_axes([&]<int i>() {
      const auto next = here.next(lbm_ex(i), lbm_ey(i));
      if (next.kind != HeatPull<Real>::Next::wall || !next.wall_of.counted) return;
      value.entering += static_cast<double>(h[lbm_back(i)]) - static_cast<double>(here.stored(i, place));
      value.links += 1;
    });
  }
};

}  // namespace

template <class Real>
void lbm_set_heat_rates(LbmHeat<Real>& heat, double diffusivity) {
  const double half_width = 3 * diffusivity;  // 1 / odd - 1/2
  heat.odd = static_cast<Real>(1 / (half_width + 0.5));
  heat.even = static_cast<Real>(1 / (0.25 / half_width + 0.5));
}

template <class Real>
void lbm_heat_step(const Executor& executor, const LbmParams<Real>& p, const LbmHeat<Real>& heat, const LbmCells& cells,
                   const Real* from, Real* to) {
  const bool on_cpu = executor.backend() == Backend::cpu;
#ifdef __CUDACC__
  if (!on_cpu)
    lbm_with_model(p, [&]<LbmModel model, bool>() {
      parallel_for_on_gpu(executor, "lbm_heat_step", {p.nx, p.ny},
                          HeatedStep<Real, model>{p, heat, cells.cell, from, to});
    });
#endif
  if (on_cpu) rows_on_threads(executor, p.ny, HeatedRows<Real>{p, heat, cells.cell, from, to});
  parallel_for(executor, "lbm_heat_edges", {lbm_edge_columns, lbm_edge_rows(cells)},
               HeatedEdge<Real>{p, heat, cells, on_cpu, from, to});
}

template <class Real>
void lbm_heat_start(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const double* given,
                    int y, int rows, Real* state) {
  parallel_for(executor, "lbm_heat_start", {p.nx, rows}, StartHeat<Real>{p, cells.cell, given, y, state});
}

template <class Real>
void lbm_heat_push(const Executor& executor, const LbmParams<Real>& p, const LbmHeat<Real>& heat, const Real* state,
                   Real* push) {
  parallel_for(executor, "lbm_heat_push", {p.nx, p.ny}, Push<Real>{p, heat, state, push});
}

template <class Real>
void lbm_heat_field(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const Real* state,
                    double offset, double scale, Real* field) {
  parallel_for(executor, "lbm_heat_field", {p.nx, p.ny}, Temperature<Real>{p, cells.cell, state, offset, scale, field});
}

template <class Real>
LbmHeatSums lbm_heat_sums(const Executor& executor, const LbmParams<Real>& p, const LbmHeat<Real>& heat,
                          const OwnRows& rows, const LbmCells& cells, const Real* state, void* scratch) {
  static_assert(sizeof(LbmHeatSums) <= sizeof(LbmSums));  // of which lbm_reduce_bytes are
  return reduce(executor, "lbm_heat_sums", p.nx, rows, HeatSums<Real>{p, heat, cells, state}, scratch);
}

#define SIMREEL_INSTANTIATE(Real)                                                                                     \
  template void lbm_set_heat_rates(LbmHeat<Real>&, double);                                                           \
  template void lbm_heat_step(const Executor&, const LbmParams<Real>&, const LbmHeat<Real>&, const LbmCells&,         \
                              const Real*, Real*);                                                                    \
  template void lbm_heat_start(const Executor&, const LbmParams<Real>&, const LbmCells&, const double*, int, int,     \
                               Real*);                                                                                \
  template void lbm_heat_push(const Executor&, const LbmParams<Real>&, const LbmHeat<Real>&, const Real*, Real*);     \
  template void lbm_heat_field(const Executor&, const LbmParams<Real>&, const LbmCells&, const Real*, double, double, \
                               Real*);                                                                                \
  template LbmHeatSums lbm_heat_sums(const Executor&, const LbmParams<Real>&, const LbmHeat<Real>&, const OwnRows&,   \
                                     const LbmCells&, const Real*, void*);
SIMREEL_INSTANTIATE(float)
SIMREEL_INSTANTIATE(double)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
