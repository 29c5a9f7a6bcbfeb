#include "kernels/wave/wave.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "kernels/base/math.h"
#include "kernels/base/random.h"
#include "kernels/base/reduce.h"
#include "kernels/wave/cell.h"
#ifdef __CUDACC__
#include "kernels/wave/tuned.cuh"
#endif

namespace simreel {
namespace {

// Steps per pass over memory. More steps save traffic and waste work in the halos of tiles; measured to be the best on
// both machines.
constexpr int pass_steps = 12;

constexpr std::uint64_t noise_stream = 3;  // 0 to 2 belong to the rain

template <class Real>
HD std::size_t offset(const WaveParams<Real>& p, int x, int y) {
  return static_cast<std::size_t>(y) * p.pitch + static_cast<std::size_t>(x);
}

template <class Real>
struct Step {
  WaveParams<Real> p;
  WaveState<const Real> from;
  WaveState<Real> to;

  HD void interior(int x, int y) const {
    const std::size_t k = offset(p, x, y);
    const Real* u = from.u + k;
    const Real d =
        wave_increment(u[-1], u[1], *(u - p.pitch), *(u + p.pitch), u[0], from.d[k], p.friction[0], p.coupling[0]);
    to.d[k] = d;
    to.u[k] = u[0] + d;
  }

  HD Real beyond(int x, int y) const {
    const WaveFold column = wave_fold(x, p.nx, p.boundary), row = wave_fold(y, p.ny, p.boundary);
    return wave_signed(from.u[offset(p, column.index, row.index)], column.sign * row.sign);
  }

  HD void operator()(int x, int y) const {
    const std::size_t k = offset(p, x, y);
    const int sides = wave_absorbing_sides(x, p.nx, p.boundary) + wave_absorbing_sides(y, p.ny, p.boundary);
    const Real u = from.u[k];
    const Real d = wave_increment(beyond(x - 1, y), beyond(x + 1, y), beyond(x, y - 1), beyond(x, y + 1), u, from.d[k],
                                  p.friction[sides], p.coupling[sides]);
    to.d[k] = d;
    to.u[k] = u + d;
  }
};

// The pass on a CPU: a thread copies a tile and its halo into scratch memory that stays in its cache, advances it, and
// stores the part that is still valid. The copy of u moves down one row per step: row y of the new state overwrites row
// y - 1 of the old one, which is no longer needed, so one array is enough.
constexpr int cpu_tile_width = 480, cpu_tile_height = 192;  // at most
constexpr int cpu_copy_lead =
    15;  // values before a row, so that its second one, where work begins, starts a cache line
constexpr int cpu_copy_width = cpu_tile_width + 2 * pass_steps + 8;
constexpr int cpu_copy_height = cpu_tile_height + 2 * pass_steps;
constexpr std::size_t cpu_copy_values =
    static_cast<std::size_t>(cpu_copy_width) * (2 * cpu_copy_height + pass_steps + 1);

template <class Real>
struct CpuPass {
  WaveParams<Real> p;
  int steps;
  WaveState<const Real> from;
  WaveState<Real> to;
  Real* scratch;
  int tiles_x, tile_height;

  static void copy_row(const Real* source, WaveFold row, const WaveParams<Real>& p, int x0, int width, Real* out) {
    source += static_cast<std::size_t>(row.index) * p.pitch;
    const int inside_from = std::clamp(-x0, 0, width), inside_to = std::clamp(p.nx - x0, inside_from, width);
    const auto fold = [&](int i) {
      const WaveFold column = wave_fold(x0 + i, p.nx, p.boundary);
      out[i] = wave_signed(source[column.index], row.sign * column.sign);
    };
    for (int i = 0; i < inside_from; ++i) fold(i);
    for (int i = inside_to; i < width; ++i) fold(i);
    if (row.sign > 0) {
      std::copy(source + (x0 + inside_from), source + (x0 + inside_to), out + inside_from);
    } else {
      for (int i = inside_from; i < inside_to; ++i) out[i] = wave_signed(source[x0 + i], row.sign);
    }
  }

  // Cells first <= i < last of a row, which all have the same number of absorbing sides. `out` is the row below `u`:
  // its old value at i is read before it is overwritten.
  void advance_cells(const Real* u, Real* d, Real* out, int first, int last, int sides) const {
    const Real friction = p.friction[sides], coupling = p.coupling[sides];
    SIMREEL_INDEPENDENT
    for (int i = first; i < last; ++i) {
      const Real increment = wave_increment(u[i - 1], u[i + 1], u[i - cpu_copy_width], u[i + cpu_copy_width], u[i],
                                            d[i], friction, coupling);
      d[i] = increment;
      out[i] = u[i] + increment;
    }
  }

  void advance_row(const Real* u, Real* d, Real* out, int x0, int y, int width) const {
    if (p.boundary != WaveBoundary::absorbing) return advance_cells(u, d, out, 1, width - 1, 0);
    const int row_sides = wave_absorbing_sides(wave_fold(y, p.ny, p.boundary).index, p.ny, p.boundary);
    const int period = std::max(1, p.nx - 1);  // outermost columns, and their mirror images, are its multiples
    for (int first = 1; first < width - 1;) {
      const int past = ((x0 + first) % period + period) % period;  // cells since the last of them
      const int outermost = std::min(first + (past == 0 ? 0 : period - past), width - 1);
      advance_cells(u, d, out, first, outermost, row_sides);
      if (outermost < width - 1) {
        const int column_sides =
            wave_absorbing_sides(wave_fold(x0 + outermost, p.nx, p.boundary).index, p.nx, p.boundary);
        advance_cells(u, d, out, outermost, outermost + 1, row_sides + column_sides);
      }
      first = outermost + 1;
    }
  }

  void run(std::int64_t tile, int thread) const {
    const int inner_x = static_cast<int>(tile % tiles_x) * cpu_tile_width,
              inner_y = static_cast<int>(tile / tiles_x) * tile_height;
    const int inner_width = std::min(cpu_tile_width, p.nx - inner_x),
              inner_height = std::min(tile_height, p.ny - inner_y);
    const int x0 = inner_x - steps, y0 = inner_y - steps;
    const int width = inner_width + 2 * steps, height = inner_height + 2 * steps;
    Real* const u = scratch + static_cast<std::size_t>(thread) * cpu_copy_values + cpu_copy_lead;
    Real* const d = u + static_cast<std::size_t>(cpu_copy_width) * (cpu_copy_height + pass_steps);
    const auto row_of = [](Real* base, int row) { return base + static_cast<std::ptrdiff_t>(row) * cpu_copy_width; };

    for (int r = 0; r < height; ++r) {
      const WaveFold row = wave_fold(y0 + r, p.ny, p.boundary);
      copy_row(from.u, row, p, x0, width, row_of(u, r + steps));
      copy_row(from.d, row, p, x0, width, row_of(d, r));
    }
    // All steps sweep up the tile together, each one row behind the step before, so the active rows fit into the L1
    // cache.
    for (int front = 1; front < height - 1; ++front) {
      for (int step = 0; step < steps; ++step) {
        const int r = front - step, shift = steps - step;  // row r of the tile lies in row r + shift of the copy
        if (r <= step) break;                              // invalid, like all rows below it
        advance_row(row_of(u, r + shift), row_of(d, r), row_of(u, r + shift - 1), x0, y0 + r, width);
      }
    }
    for (int r = 0; r < inner_height; ++r) {
      const std::size_t k = offset(p, inner_x, inner_y + r);
      const Real* const heights = row_of(u, r + steps) + steps;
      const Real* const increments = row_of(d, r + steps) + steps;
      std::copy(heights, heights + inner_width, to.u + k);
      std::copy(increments, increments + inner_width, to.d + k);
    }
  }
};

template <class Real>
struct Droplet {
  WaveParams<Real> p;
  WaveDroplet drop;
  WaveState<Real> state;
  int x0, y0;

  HD void operator()(int i, int j) const {
    int x = x0 + i, y = y0 + j;
    const double dx = (x - drop.center_x) / drop.radius, dy = (y - drop.center_y) / drop.radius;
    if (p.boundary == WaveBoundary::periodic) {
      x = wave_fold(x, p.nx, p.boundary).index;
      y = wave_fold(y, p.ny, p.boundary).index;
    }
    if (x < 0 || x >= p.nx || y < 0 || y >= p.ny) return;
    const Real pulse = static_cast<Real>(-drop.amplitude * exact::exp(-std::fma(dx, dx, dy * dy)));
    const std::size_t k = offset(p, x, y);
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
                     exact::sinpi(static_cast<double>(n) * (y + 1) / (p.ny + 1));
    const std::size_t k = offset(p, x, y);
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
    const std::uint64_t cell =
        static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(p.nx) + static_cast<std::uint64_t>(x);
    const std::size_t k = offset(p, x, y);
    state.u[k] = static_cast<Real>(amplitude * (2 * random_unit(seed, noise_stream, cell) - 1));
    state.d[k] = 0;
  }
};

template <class Real>
struct Velocity {
  WaveParams<Real> p;
  const Real* d;
  Real timestep;
  Real* velocity;

  HD void operator()(int x, int y) const {
    const std::size_t k = offset(p, x, y);
    velocity[k] = d[k] / timestep;
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
    const bool wraps = p.boundary == WaveBoundary::periodic, walled = p.boundary == WaveBoundary::fixed;
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
    const std::size_t k = offset(p, x, y);
    const double d = state.d[k];
    double links = link(k, x, x + 1, p.nx, 1) + link(k, y, y + 1, p.ny, p.pitch);
    if (p.boundary == WaveBoundary::fixed) {
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
    const Real value = u[offset(p, x, y)];
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
  p.ny = ny;
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
void wave_pass(const Executor& executor, const WaveParams<Real>& p, int steps, WaveState<const Real> from,
               WaveState<Real> to, Real* scratch) {
  assert(steps >= 1 && steps <= pass_steps);
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    launch_wave_pass(executor, p, steps, from, to);
    return;
  }
#endif
  // Tall tiles waste least at their edges, but every thread should get a few.
  const int tiles_x = (p.nx + cpu_tile_width - 1) / cpu_tile_width;
  const int shared = static_cast<int>(std::int64_t{p.ny} * tiles_x / (4 * executor.threads()));
  const int tile_height = std::clamp(shared, 48, cpu_tile_height), tiles_y = (p.ny + tile_height - 1) / tile_height;
  const CpuPass<Real> pass{p, steps, from, to, scratch, tiles_x, tile_height};
  executor.run_tasks(
      std::int64_t{tiles_x} * tiles_y,
      [](const void* erased, std::int64_t tile, int thread) {
        static_cast<const CpuPass<Real>*>(erased)->run(tile, thread);
      },
      &pass);
}

int wave_max_pass() { return pass_steps; }

std::size_t wave_scratch_values(const Executor& executor) {
  return executor.backend() == Backend::cuda ? 0 : cpu_copy_values * static_cast<std::size_t>(executor.threads());
}

template <class Real>
void wave_droplet(const Executor& executor, const WaveParams<Real>& p, const WaveDroplet& drop, WaveState<Real> state) {
  const bool wraps = p.boundary == WaveBoundary::periodic;
  WaveDroplet placed = drop;
  if (wraps) {
    placed.center_x = std::fmod(drop.center_x, p.nx);
    placed.center_y = std::fmod(drop.center_y, p.ny);
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
  const auto [y0, y1] = reach(placed.center_y, p.ny);
  if (x0 > x1 || y0 > y1) return;
  const Extent patch{static_cast<int>(x1 - x0) + 1, static_cast<int>(y1 - y0) + 1};
  parallel_for(executor, "wave_droplet", patch,
               Droplet<Real>{p, placed, state, static_cast<int>(x0), static_cast<int>(y0)});
}

template <class Real>
void wave_mode(const Executor& executor, const WaveParams<Real>& p, int m, int n, double amplitude,
               WaveState<Real> state) {
  const double sine_x = exact::sinpi(0.5 * m / (p.nx + 1)), sine_y = exact::sinpi(0.5 * n / (p.ny + 1));
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
  parallel_for(executor, "wave_velocity", extent(p), Velocity<Real>{p, d, static_cast<Real>(timestep), velocity});
}

template <class Real>
double wave_energy(const Executor& executor, const WaveParams<Real>& p, WaveState<const Real> state, double speed,
                   double spacing, double timestep, void* scratch) {
  const double kinetic = 0.5 * (spacing / timestep) * (spacing / timestep), potential = 0.5 * speed * speed;
  return reduce(executor, "wave_energy", extent(p), Energy<Real>{p, state, kinetic, potential}, scratch);
}

template <class Real>
double wave_max_abs(const Executor& executor, const WaveParams<Real>& p, const Real* u, void* scratch) {
  return reduce(executor, "wave_max_abs", extent(p), MaxAbs<Real>{p, u}, scratch);
}

template <class Real>
std::size_t wave_reduce_bytes(const WaveParams<Real>& p) {
  return reduce_scratch_bytes(extent(p), sizeof(double));
}

#define SIMREEL_INSTANTIATE(Real)                                                                                      \
  template WaveParams<Real> wave_params(int, int, WaveBoundary, double, double);                                       \
  template void wave_step(const Executor&, const WaveParams<Real>&, WaveState<const Real>, WaveState<Real>);           \
  template void wave_pass(const Executor&, const WaveParams<Real>&, int, WaveState<const Real>, WaveState<Real>,       \
                          Real*);                                                                                      \
  template void wave_droplet(const Executor&, const WaveParams<Real>&, const WaveDroplet&, WaveState<Real>);           \
  template void wave_mode(const Executor&, const WaveParams<Real>&, int, int, double, WaveState<Real>);                \
  template void wave_noise(const Executor&, const WaveParams<Real>&, std::uint64_t, double, WaveState<Real>);          \
  template void wave_velocity(const Executor&, const WaveParams<Real>&, const Real*, double, Real*);                   \
  template double wave_energy(const Executor&, const WaveParams<Real>&, WaveState<const Real>, double, double, double, \
                              void*);                                                                                  \
  template double wave_max_abs(const Executor&, const WaveParams<Real>&, const Real*, void*);                          \
  template std::size_t wave_reduce_bytes(const WaveParams<Real>&);
SIMREEL_INSTANTIATE(float)
SIMREEL_INSTANTIATE(double)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
