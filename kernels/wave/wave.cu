#include "kernels/wave/wave.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "kernels/base/math.h"
#include "kernels/base/random.h"
#include "kernels/base/reduce.h"
#include "kernels/base/threads.h"
#include "kernels/wave/cpu.h"
#ifdef __CUDACC__
#include "kernels/wave/tuned.cuh"
#endif

namespace simreel {
namespace {

constexpr std::uint64_t noise_stream = 3;  // 0 to 2 belong to the rain

template <class Real>
struct Step {
  WaveParams<Real> p;
  WaveState<const Real> from;
  WaveState<Real> to;

  HD void interior(int x, int y) const {
    const std::size_t k = wave_offset(p, x, y);
    const Real* u = from.u + k;
    const Real d =
        wave_increment(u[-1], u[1], *(u - p.pitch), *(u + p.pitch), u[0], from.d[k], p.friction[0], p.coupling[0]);
    to.d[k] = d;
    to.u[k] = u[0] + d;
  }

  HD Real beyond(int x, int y) const {
    const WaveFold column = wave_fold(x, p.nx, p.boundary), row = wave_fold(y, p.ny, p.boundary);
    return wave_signed(from.u[wave_offset(p, column.index, row.index)], column.sign * row.sign);
  }

  HD void operator()(int x, int y) const {
    const std::size_t k = wave_offset(p, x, y);
    const int sides = wave_absorbing_sides(x, p.nx, p.boundary) + wave_absorbing_sides(y, p.ny, p.boundary);
    const Real u = from.u[k];
    const Real d = wave_increment(beyond(x - 1, y), beyond(x + 1, y), beyond(x, y - 1), beyond(x, y + 1), u, from.d[k],
                                  p.friction[sides], p.coupling[sides]);
    to.d[k] = d;
    to.u[k] = u + d;
  }
};

template <class Real>
struct Droplet {
  WaveParams<Real> p;
  WaveDroplet drop;
  WaveState<Real> state;
  WaveWeights<Real> weights;
  int x0, y0;

  HD void operator()(int i, int j) const {
    int x = x0 + i, y = y0 + j;
    const double dx = (x - drop.center_x) / drop.radius, dy = (y - drop.center_y) / drop.radius;
    y -= p.y0;
    const bool wraps = wave_wraps(p.boundary);
    if (wraps) {
      x = wave_fold(x, p.nx, p.boundary).index;
      y = wave_fold(y, p.whole_ny, p.boundary).index;
    }
    if (x < 0 || x >= p.nx || y < 0 || y >= p.ny) return;
    const Real pulse = static_cast<Real>(-drop.amplitude * exact::exp(-std::fma(dx, dx, dy * dy)));
    add(x, y, pulse);
    if (wraps)  // a part may have a row of the grid more than once
      for (y += p.whole_ny; y < p.ny; y += p.whole_ny) add(x, y, pulse);
  }

  HD void add(int x, int y, Real pulse) const {
    if (weights.column != nullptr) pulse *= weights.column[x] * weights.row[y];
    const std::size_t k = wave_offset(p, x, y);
    state.u[k] += pulse;
    if (drop.start == WaveStart::kick) state.d[k] += pulse;
  }
};

template <class Real>
struct Mode {
  WaveParams<Real> p;
  int m, n;
  double amplitude;
  double half_acceleration;  // of a unit height, in one step
  WaveState<Real> state;

  HD void operator()(int x, int y) const {
    const double u = amplitude * exact::sinpi(static_cast<double>(m) * (x + 1) / (p.nx + 1)) *
                     exact::sinpi(static_cast<double>(n) * (wave_row_of_whole(p, y) + 1) / (p.whole_ny + 1));
    const std::size_t k = wave_offset(p, x, y);
    state.u[k] = static_cast<Real>(u);
    state.d[k] = static_cast<Real>(half_acceleration * u);
  }
};

template <class Real>
struct Noise {
  WaveParams<Real> p;
  std::uint64_t seed;
  double amplitude;
  WaveState<Real> state;

  HD void operator()(int x, int y) const {
    const std::uint64_t cell = static_cast<std::uint64_t>(wave_row_of_whole(p, y)) * static_cast<std::uint64_t>(p.nx) +
                               static_cast<std::uint64_t>(x);
    const std::size_t k = wave_offset(p, x, y);
    state.u[k] = static_cast<Real>(amplitude * (2 * random_unit(seed, noise_stream, cell) - 1));
    state.d[k] = 0;
  }
};

// Of some cells, with the padding of the rows: on a GPU single values would use half of the memory's bandwidth.
template <class Real>
struct Velocity {
  struct alignas(16) Cells {
    static constexpr int count = 16 / sizeof(Real);
    Real values[count];
  };
  const Cells* d;
  Real timestep;
  Cells* velocity;
  int columns;  // of Cells

  HD void operator()(int x, int y) const {
    const std::size_t k = static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x);
    Cells cells = d[k];
    for (Real& value : cells.values) value /= timestep;
    velocity[k] = cells;
  }
};

template <class Real>
struct Energy {
  using Value = double;
  WaveParams<Real> p;
  WaveState<const Real> state;
  double kinetic, potential;  // factors of d^2 and of a link's product

  HD static double empty() { return 0; }
  HD static double combine(double a, double b) { return a + b; }

  // (u_1 - u_0) (u-_1 - u-_0) between cell k and its neighbour `other` steps away along a line of n cells.
  HD double link(std::size_t k, int i, int other, int n, std::size_t stride) const {
    const bool wraps = wave_wraps(p.boundary), walled = wave_is_walled(p.boundary);
    const bool outside = other < 0 || other >= n;
    if (outside && !wraps && !walled) return 0;
    const double u = state.u[k], before = u - static_cast<double>(state.d[k]);
    if (outside && walled) return u * before;
    const std::size_t j = k + static_cast<std::size_t>(wave_fold(other, n, p.boundary).index) * stride -
                          static_cast<std::size_t>(i) * stride;
    const double u_other = state.u[j], before_other = u_other - static_cast<double>(state.d[j]);
    return (u_other - u) * (before_other - before);
  }

  HD double operator()(int x, int y) const {
    const std::size_t k = wave_offset(p, x, y);
    const double d = state.d[k];
    double links = link(k, x, x + 1, p.nx, 1) + link(k, y, y + 1, p.ny, p.pitch);
    if (wave_is_walled(p.boundary)) {
      if (x == 0) links += link(k, x, -1, p.nx, 1);
      if (y == 0) links += link(k, y, -1, p.ny, p.pitch);
    }
    return std::fma(kinetic * d, d, potential * links);
  }
};

template <class Real>
struct MaxAbs {
  using Value = Real;
  WaveParams<Real> p;
  const Real* u;

  HD static Real empty() { return 0; }
  HD static Real combine(Real a, Real b) { return a > b ? a : b; }
  HD Real operator()(int x, int y) const {
    const Real value = u[wave_offset(p, x, y)];
    if (value != value) return std::numeric_limits<Real>::infinity();
    return value < 0 ? -value : value;
  }
};

template <class Real>
Extent extent(const WaveParams<Real>& p) {
  return {p.nx, p.ny};
}

}  // namespace

template <class Real>
WaveParams<Real> wave_params(int nx, int ny, WaveBoundary boundary, double lambda, double friction) {
  WaveParams<Real> p;
  p.nx = nx;
  p.ny = p.whole_ny = ny;
  const int unit = nx < 64 ? wave_pack : 64;  // whole cache lines, unless they would be most of a row
  p.pitch = static_cast<std::size_t>((nx + unit - 1) / unit) * static_cast<std::size_t>(unit);
  p.boundary = boundary;
  for (int m = 0; m < 3; ++m) {
    p.friction[m] = static_cast<Real>((friction + 2 * m * lambda) / (1 + m * lambda));
    p.coupling[m] = static_cast<Real>(lambda * lambda / (1 + m * lambda));
  }
  return p;
}

template <class Real>
void wave_step(const Executor& executor, const WaveParams<Real>& p, WaveState<const Real> from, WaveState<Real> to) {
  parallel_for(executor, "wave_step", extent(p), Step<Real>{p, from, to});
}

template <class Real>
void wave_pass(const Executor& executor, const WaveParams<Real>& p, [[maybe_unused]] const OwnRows& own,
               [[maybe_unused]] Share share, int steps, WaveState<const Real> from, WaveState<Real> to, Real* scratch) {
  assert(steps >= 1 && steps <= wave_pass_steps);
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    launch_wave_pass(executor, p, own, share, steps, from, to);
    return;
  }
#endif
  assert(share == Share::all);
  const WaveCpuTiles tiles(p.nx, p.ny, executor.threads());
  const WaveCpuPass<Real> pass{p, steps, from, to, scratch};
  on_threads(executor, tiles.count(), [&](std::int64_t tile, int thread) { pass.run(tiles.at(tile), thread); });
}

int wave_max_pass() { return wave_pass_steps; }

std::size_t wave_scratch_values(const Executor& executor) {
  return executor.backend() == Backend::cuda ? 0 : wave_cpu_copy_values * static_cast<std::size_t>(executor.threads());
}

template <class Real>
void wave_droplet(const Executor& executor, const WaveParams<Real>& p, const WaveDroplet& drop, WaveState<Real> state,
                  const WaveWeights<Real>& weights) {
  const bool wraps = wave_wraps(p.boundary);
  WaveDroplet placed = drop;
  if (wraps) {
    placed.center_x = std::fmod(drop.center_x, p.nx);
    placed.center_y = std::fmod(drop.center_y, p.whole_ny);
  }
  // The first and the last cell within the droplet along an axis.
  const auto reach = [&](double center, int n) -> std::pair<double, double> {
    const double first = std::ceil(center - 2 * drop.radius), last = std::floor(center + 2 * drop.radius);
    if (!wraps) return {std::max(0.0, first), std::min(n - 1.0, last)};
    if (last - first < n) return {first, last};
    const double low = std::ceil(center - 0.5 * n);  // wider than the grid: each cell once, by its nearest image
    return {low, low + n - 1};
  };
  const auto [x0, x1] = reach(placed.center_x, p.nx);
  const auto [y0, y1] = reach(placed.center_y, p.whole_ny);
  if (x0 > x1 || y0 > y1) return;
  const Extent patch{static_cast<int>(x1 - x0) + 1, static_cast<int>(y1 - y0) + 1};
  parallel_for(executor, "wave_droplet", patch,
               Droplet<Real>{p, placed, state, weights, static_cast<int>(x0), static_cast<int>(y0)});
}

template <class Real>
void wave_mode(const Executor& executor, const WaveParams<Real>& p, int m, int n, double amplitude,
               WaveState<Real> state) {
  const double sine_x = exact::sinpi(0.5 * m / (p.nx + 1)), sine_y = exact::sinpi(0.5 * n / (p.whole_ny + 1));
  const double stiffness = 4 * (sine_x * sine_x + sine_y * sine_y);  // -(u_W + u_E + u_S + u_N - 4 u) / u of this mode
  parallel_for(executor, "wave_mode", extent(p),
               Mode<Real>{p, m, n, amplitude, 0.5 * static_cast<double>(p.coupling[0]) * stiffness, state});
}

template <class Real>
void wave_noise(const Executor& executor, const WaveParams<Real>& p, std::uint64_t seed, double amplitude,
                WaveState<Real> state) {
  parallel_for(executor, "wave_noise", extent(p), Noise<Real>{p, seed, amplitude, state});
}

template <class Real>
void wave_velocity(const Executor& executor, const WaveParams<Real>& p, const Real* d, double timestep,
                   Real* velocity) {
  using Cells = typename Velocity<Real>::Cells;
  static_assert(wave_pack % Cells::count == 0);
  const int columns = static_cast<int>(p.pitch) / Cells::count;
  parallel_for(executor, "wave_velocity", {columns, p.ny},
               Velocity<Real>{reinterpret_cast<const Cells*>(d), static_cast<Real>(timestep),
                              reinterpret_cast<Cells*>(velocity), columns});
}

template <class Real>
double wave_energy(const Executor& executor, const WaveParams<Real>& p, const OwnRows& rows,
                   WaveState<const Real> state, double speed, double spacing, double timestep, void* scratch) {
  const double kinetic = 0.5 * (spacing / timestep) * (spacing / timestep), potential = 0.5 * speed * speed;
  return reduce(executor, "wave_energy", p.nx, rows, Energy<Real>{p, state, kinetic, potential}, scratch);
}

template <class Real>
double wave_max_abs(const Executor& executor, const WaveParams<Real>& p, const OwnRows& rows, const Real* u,
                    void* scratch) {
  return reduce(executor, "wave_max_abs", p.nx, rows, MaxAbs<Real>{p, u}, scratch);
}

template <class Real>
std::size_t wave_reduce_bytes(const WaveParams<Real>& p) {
  return reduce_scratch_bytes(extent(p), sizeof(double));
}

#define SIMREEL_INSTANTIATE(Real)                                                                                      \
  template WaveParams<Real> wave_params(int, int, WaveBoundary, double, double);                                       \
  template void wave_step(const Executor&, const WaveParams<Real>&, WaveState<const Real>, WaveState<Real>);           \
  template void wave_pass(const Executor&, const WaveParams<Real>&, const OwnRows&, Share, int, WaveState<const Real>, \
                          WaveState<Real>, Real*);                                                                     \
  template void wave_droplet(const Executor&, const WaveParams<Real>&, const WaveDroplet&, WaveState<Real>,            \
                             const WaveWeights<Real>&);                                                                \
  template void wave_mode(const Executor&, const WaveParams<Real>&, int, int, double, WaveState<Real>);                \
  template void wave_noise(const Executor&, const WaveParams<Real>&, std::uint64_t, double, WaveState<Real>);          \
  template void wave_velocity(const Executor&, const WaveParams<Real>&, const Real*, double, Real*);                   \
  template double wave_energy(const Executor&, const WaveParams<Real>&, const OwnRows&, WaveState<const Real>, double, \
                              double, double, void*);                                                                  \
  template double wave_max_abs(const Executor&, const WaveParams<Real>&, const OwnRows&, const Real*, void*);          \
  template std::size_t wave_reduce_bytes(const WaveParams<Real>&);
SIMREEL_INSTANTIATE(float)
SIMREEL_INSTANTIATE(double)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
