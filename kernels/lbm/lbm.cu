#include "kernels/lbm/lbm.h"

#include <algorithm>

#include "kernels/base/math.h"
#include "kernels/base/threads.h"
#include "kernels/lbm/boundary.h"
#include "kernels/lbm/cpu.h"

namespace simreel {
namespace {

constexpr std::size_t line = 128;  // alignment of rows in bytes

#ifdef __CUDACC__
// On a GPU plain and edge cells are two launches, because the code for edges would raise the register count of the many
// plain cells.
template <class Real, class Stored, LbmModel model, bool forced>
struct PlainStep {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Stored* from;
  Stored* to;

  __device__ void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    if (cell[place] != lbm_plain) return;
    Real q[9];
    lbm_pull_plain(p, from, place, q);
    lbm_collide<model, forced>(p, p.rates, lbm_push_at(p, place, 1), q);
    lbm_store_cell(p, to, place, q);
  }
};
#endif

template <class Real, class Stored>
struct EdgeStep {
  LbmParams<Real> p;
  LbmCells cells;
  bool edges_only;  // others are computed in runs
  const Stored* from;
  Stored* to;

  HD void operator()(int column, int row) const {
    const std::size_t n = static_cast<std::size_t>(row) * lbm_edge_columns + static_cast<std::size_t>(column);
    if (n >= cells.edges) return;
    const std::size_t place = cells.edge[n];
    const int y = static_cast<int>(place / p.pitch), x = static_cast<int>(place % p.pitch);
    const std::int8_t kind = cells.cell[place];
    Real q[9];
    if (lbm_is_edge(kind))
      LbmPull<Real, LbmPlanes<Real, Stored>>{p, cells, {p, from}, x, y}.all(q);
    else if (edges_only)
      return;
    else
      lbm_pull_plain(p, from, place, q);
    lbm_collide_any(p, lbm_rates_at(p, kind, x, y), lbm_push_at(p, place, 1), q);
    lbm_store_cell(p, to, place, q);
  }
};

// The populations after collision of a fluid in equilibrium, minus the weights; the momentum contains half of a step's
// force.
template <class Real, class Stored>
HD void start_cell(const LbmParams<Real>& p, std::size_t place, bool fluid, double density, double ux, double uy,
                   Stored* state) {
  const LbmPush<Real> push = lbm_push_at(p, place, 0);
  const double rho = 1 + density, half_x = 0.5 * static_cast<double>(push.x),
               half_y = 0.5 * static_cast<double>(push.y);
  for (int i = 0; i < 9; ++i) {
    const int ex = lbm_ex(i), ey = lbm_ey(i);
    const double w = i == 0 ? 4.0 / 9 : i < 5 ? 1.0 / 9 : 1.0 / 36;
    const double along = ex * ux + ey * uy, pushed = along + (ex * half_x + ey * half_y);
    const double value = w * (density + rho * (3 * pushed + 4.5 * along * along - 1.5 * (ux * ux + uy * uy)));
    lbm_store(state + static_cast<std::size_t>(i) * p.plane + place, static_cast<Real>(fluid ? value : 0.0));
  }
}

template <class Real, class Stored>
struct StartGiven {
  LbmParams<Real> p;
  const std::int8_t* cell;
  LbmGiven given;
  Stored* state;

  HD void operator()(int x, int row) const {
    const std::size_t place = lbm_place(p, x, given.y + row);
    const std::size_t n = static_cast<std::size_t>(row) * static_cast<std::size_t>(p.nx) + static_cast<std::size_t>(x);
    start_cell(p, place, cell[place] >= 0, given.density[n] - 1, given.ux[n], given.uy[n], state);
  }
};

template <class Real, class Stored>
struct Start {
  LbmParams<Real> p;
  const std::int8_t* cell;
  LbmInitial initial;
  double velocity;
  Stored* state;

  HD void flow(int x, int y, double& density, double& ux, double& uy) const {
    const double s = (x + 0.5) / p.nx, t = (lbm_row_of_whole(p, y) + 0.5) / p.whole_ny;
    if (initial == LbmInitial::uniform) ux = velocity;
    if (initial == LbmInitial::stream) {
      const bool flat = p.left == LbmSide::inlet || p.right == LbmSide::inlet;
      const bool forth = p.left == LbmSide::inlet || (!flat && p.bottom == LbmSide::inlet);
      const double along = forth ? velocity : -velocity;
      const double across = 0.1 * velocity * exact::sinpi(2 * (flat ? s : t)) * exact::sinpi(flat ? t : s);
      ux = flat ? along : across;
      uy = flat ? across : along;
    }
    if (initial == LbmInitial::taylor_green) {
      const double ratio = static_cast<double>(p.whole_ny) / p.nx;  // kx / ky
      ux = -velocity * exact::sinpi(2 * s + 0.5) * exact::sinpi(2 * t);
      uy = velocity * ratio * exact::sinpi(2 * s) * exact::sinpi(2 * t + 0.5);
      density = -0.75 * velocity * velocity * (exact::sinpi(4 * s + 0.5) + ratio * ratio * exact::sinpi(4 * t + 0.5));
    }
    if (initial == LbmInitial::shear_layer) {
      const double from_layer = t <= 0.5 ? t - 0.25 : 0.75 - t;
      const double growth = exact::exp(160 * from_layer);  // tanh a = 1 - 2 / (e^(2 a) + 1)
      ux = velocity * (1 - 2 / (growth + 1));
      uy = 0.05 * velocity * exact::sinpi(2 * (s + 0.25));
    }
  }

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    double density = 0, ux = 0, uy = 0;
    const bool fluid = cell[place] >= 0;
    if (fluid) flow(x, y, density, ux, uy);
    start_cell(p, place, fluid, density, ux, uy, state);
  }
};

}  // namespace

template <class Real>
void lbm_set_rates(LbmParams<Real>& p, LbmCollision collision, double viscosity, double magic) {
  const double half_width = 3 * viscosity;  // tau - 1/2
  const double even = 1 / (half_width + 0.5);
  p.model = collision == LbmCollision::mrt       ? LbmModel::mrt
            : collision == LbmCollision::central ? LbmModel::central
                                                 : LbmModel::two_rates;
  p.viscosity = static_cast<Real>(viscosity);
  p.magic = collision == LbmCollision::trt ? static_cast<Real>(magic) : Real(0);
  p.rates.even = p.rates.odd = p.energy = p.energy_square = static_cast<Real>(even);
  if (collision == LbmCollision::trt) p.rates.odd = static_cast<Real>(1 / (magic / half_width + 0.5));
  if (collision == LbmCollision::mrt) {
    // s2, s3 and s5 = s7 in Lallemand and Luo.
    p.energy = static_cast<Real>(1.63);
    p.energy_square = static_cast<Real>(1.14);
    p.rates.odd = static_cast<Real>(1.92);
  }
}

template <class Real>
void lbm_layout(LbmParams<Real>& p, std::size_t bytes, Backend backend) {
  p.whole_ny = p.ny;
  p.pitch = (static_cast<std::size_t>(p.nx) * bytes + line - 1) / line * line / bytes;
  // Addresses 4096 bytes apart share a cache set; each of the nine planes is offset by 640 bytes more. The memory of a
  // GPU is slower at some distances than at others, by up to 7 %. Multiples of 2 MiB, with these 640 bytes, are among
  // the fast ones of an H100 and of an H200 (docs/design/ranks.md); large planes are rounded up to them.
  const std::size_t plane = p.pitch * static_cast<std::size_t>(p.ny) * bytes;
  const std::size_t unit = backend == Backend::cuda && plane >= std::size_t{128} << 20 ? std::size_t{2} << 20 : 4096;
  p.plane = ((plane + unit - 1) / unit * unit + 640) / bytes;
}

template <class Real>
LbmParams<Real> lbm_part_of(LbmParams<Real> p, const Domain& domain, std::size_t bytes, Backend backend) {
  p.ny = domain.rows();
  lbm_layout(p, bytes, backend);
  p.whole_ny = domain.whole;
  p.y0 = domain.start();
  p.open_below = domain.open_below();
  p.open_above = domain.open_above();
  return p;
}

template <class Real, class Stored>
void lbm_step(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const Stored* from,
              Stored* to) {
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda)
    lbm_with_model(p, [&]<LbmModel model, bool forced>() {
      const PlainStep<Real, Stored, model, forced> plain{p, cells.cell, from, to};
      parallel_for_on_gpu(executor, "lbm_step", {p.nx, p.ny}, plain);
    });
#endif
  if (executor.backend() == Backend::cpu) {
    const LbmCpu<Real, Stored> cpu(p);
    const bool past_caches = lbm_past_caches<Real, Stored>(p);
    rows_on_threads(executor, p.ny, [&](int y) {
      const std::size_t start = lbm_place(p, 0, y);
      cpu.row(cells.cell + start, y, 0, p.nx, 0, lbm_rows(p, from, 0, y), {to + start, p.plane, past_caches},
              [](int) {});
      lbm_fence();
    });
  }
  parallel_for(executor, "lbm_edges", {lbm_edge_columns, lbm_edge_rows(cells)},
               EdgeStep<Real, Stored>{p, cells, executor.backend() == Backend::cpu, from, to});
}

template <class Real, class Stored>
void lbm_start(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, LbmInitial initial,
               double velocity, Stored* state) {
  parallel_for(executor, "lbm_start", {p.nx, p.ny}, Start<Real, Stored>{p, cells.cell, initial, velocity, state});
}

template <class Real, class Stored>
void lbm_start(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const LbmGiven& given,
               Stored* state) {
  parallel_for(executor, "lbm_start", {p.nx, given.rows}, StartGiven<Real, Stored>{p, cells.cell, given, state});
}

#define SIMREEL_INSTANTIATE(Real, Stored)                                                                         \
  template void lbm_step(const Executor&, const LbmParams<Real>&, const LbmCells&, const Stored*, Stored*);       \
  template void lbm_start(const Executor&, const LbmParams<Real>&, const LbmCells&, LbmInitial, double, Stored*); \
  template void lbm_start(const Executor&, const LbmParams<Real>&, const LbmCells&, const LbmGiven&, Stored*);
SIMREEL_INSTANTIATE(float, float)
SIMREEL_INSTANTIATE(double, double)
SIMREEL_INSTANTIATE(float, Half)
#undef SIMREEL_INSTANTIATE
template void lbm_set_rates(LbmParams<float>&, LbmCollision, double, double);
template void lbm_set_rates(LbmParams<double>&, LbmCollision, double, double);
template LbmParams<float> lbm_part_of(LbmParams<float>, const Domain&, std::size_t, Backend);
template LbmParams<double> lbm_part_of(LbmParams<double>, const Domain&, std::size_t, Backend);
template void lbm_layout(LbmParams<float>&, std::size_t, Backend);
template void lbm_layout(LbmParams<double>&, std::size_t, Backend);

}  // namespace simreel
