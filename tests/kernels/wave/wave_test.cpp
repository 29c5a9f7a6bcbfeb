#include "kernels/wave/wave.h"

#include "exec/buffer.h"
#include "kernels/base/random.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

constexpr WaveBoundary boundaries[] = {WaveBoundary::fixed, WaveBoundary::free, WaveBoundary::periodic,
                                       WaveBoundary::absorbing};

// A wave on an executor, stepped by either kernel, seen as the cells of its grid.
template <class Real>
class Wave {
 public:
  Wave(const Executor& executor, const WaveParams<Real>& p)
      : executor_(executor),
        p_(p),
        pass_scratch_(executor, wave_scratch_values(executor), Memory::pinned),
        reduce_scratch_(executor, wave_reduce_bytes(p)) {
    for (int i = 0; i < 2; ++i) {
      u_[i] = Buffer<Real>(executor, p.pitch * static_cast<std::size_t>(p.ny));
      d_[i] = Buffer<Real>(executor, p.pitch * static_cast<std::size_t>(p.ny));
      u_[i].clear();
      d_[i].clear();
    }
  }

  WaveState<Real> state() { return {u_[0].data(), d_[0].data()}; }
  WaveState<const Real> now() const { return {u_[0].data(), d_[0].data()}; }
  double energy(double spacing, double timestep, double speed = 1) {
    return wave_energy(executor_, p_, {0, p_.ny}, now(), speed, spacing, timestep, reduce_scratch_.data());
  }
  double max_abs() { return wave_max_abs(executor_, p_, {0, p_.ny}, u_[0].data(), reduce_scratch_.data()); }

  void naive(int steps) {
    for (int i = 0; i < steps; ++i) {
      wave_step(executor_, p_, now(), {u_[1].data(), d_[1].data()});
      swap();
    }
  }
  void pass(int steps) {
    wave_pass(executor_, p_, {0, p_.ny}, Share::all, steps, now(), {u_[1].data(), d_[1].data()}, pass_scratch_.data());
    swap();
  }

  // The shares of a pass one after the other, the inner one while the halo holds no numbers. Returns whether the inner
  // one advanced anything.
  bool pass_in_shares(const OwnRows& own, int steps) {
    Buffer<Real>* const buffers[] = {&u_[0], &d_[0]};
    const std::vector<Real> right[] = {u_[0].download(), d_[0].download()};
    for (int i = 0; i < 2; ++i) {
      std::vector<Real> wrong(right[i].size(), std::numeric_limits<Real>::quiet_NaN());
      const auto first = static_cast<std::ptrdiff_t>(p_.pitch) * own.first;
      std::copy_n(right[i].begin() + first, static_cast<std::ptrdiff_t>(p_.pitch) * own.count, wrong.begin() + first);
      buffers[i]->upload(wrong.data());
    }
    const WaveState<Real> next{u_[1].data(), d_[1].data()};
    wave_pass(executor_, p_, own, Share::inner, steps, now(), next, pass_scratch_.data());
    const std::vector<Real> inner = u_[1].download();
    for (int i = 0; i < 2; ++i) buffers[i]->upload(right[i].data());
    wave_pass(executor_, p_, own, Share::outer, steps, now(), next, pass_scratch_.data());
    swap();
    return std::ranges::any_of(inner, [](Real u) { return u != 0; });
  }

  // u, row by row without padding, then d.
  std::vector<Real> cells() const {
    std::vector<Real> all;
    for (const Buffer<Real>* buffer : {&u_[0], &d_[0]}) {
      const std::vector<Real> padded = buffer->download();
      for (int y = 0; y < p_.ny; ++y) {
        const auto row = padded.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y) * p_.pitch);
        all.insert(all.end(), row, row + p_.nx);
      }
    }
    return all;
  }
  Real u(int x, int y) const { return u_[0].download()[y * p_.pitch + x]; }

 private:
  void swap() {
    std::swap(u_[0], u_[1]);
    std::swap(d_[0], d_[1]);
  }

  const Executor& executor_;
  WaveParams<Real> p_;
  Buffer<Real> u_[2], d_[2], pass_scratch_;
  Buffer<std::byte> reduce_scratch_;
};

template <class Real>
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

// 29 steps from noise, naive on one thread.
template <class Real>
std::vector<Real> reference(const WaveParams<Real>& p) {
  const Executor executor = Executor::cpu(1);
  Wave<Real> wave(executor, p);
  wave_noise(executor, p, 42, 1.0, wave.state());
  wave.naive(29);
  return wave.cells();
}

template <class Real>
void expect_parity(const Executor& executor, const WaveParams<Real>& p, const std::vector<Real>& expected) {
  Wave<Real> naive(executor, p), tiled(executor, p);
  for (Wave<Real>* wave : {&naive, &tiled}) wave_noise(executor, p, 42, 1.0, wave->state());
  naive.naive(29);
  for (const int steps : {1, 12, 3, 8, 5}) tiled.pass(steps);
  EXPECT_TRUE(same_bits(naive.cells(), expected)) << executor.name() << " naive " << p.nx << " x " << p.ny;
  EXPECT_TRUE(same_bits(tiled.cells(), expected)) << executor.name() << " tiled " << p.nx << " x " << p.ny;
}

template <class Real>
void expect_parity_everywhere(const std::vector<Executor>& executors, const std::vector<int>& sides) {
  for (const WaveBoundary boundary : boundaries)
    for (const int nx : sides)
      for (const int ny : sides) {
        const WaveParams<Real> p = wave_params<Real>(nx, ny, boundary, 0.4, 0.01);
        const std::vector<Real> expected = reference(p);
        for (const Executor& executor : executors) expect_parity(executor, p, expected);
      }
}

// Odd sizes, sizes smaller than a tile's halo, and sizes of several tiles.
TEST(Wave, TiledAndNaiveAgreeToTheBitOnTheCpu) {
  expect_parity_everywhere<float>(test::cpu_executors(), {1, 2, 3, 8, 131, 501});
  expect_parity_everywhere<double>(test::cpu_executors(), {1, 8, 197});
}

TEST(Gpu, WaveAgreesWithTheCpuToTheBit) {
  SKIP_WITHOUT_GPU();
  std::vector<Executor> executors;
  executors.push_back(Executor::cuda());
  expect_parity_everywhere<float>(executors, {1, 2, 3, 8, 131, 501, 2051});
  expect_parity_everywhere<double>(executors, {1, 8, 197, 1027});
}

// Of a part whose ends are open, which only GPUs heed: all rows that no wrong one can have reached.
template <class Real>
void expect_parts_agree(const Executor& executor, int nx, const std::vector<int>& heights) {
  for (const int ny : heights)
    for (const auto& [below, above] : {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
      const WaveParams<Real> whole = wave_params<Real>(nx, ny, WaveBoundary::free, 0.6, 0.01);
      WaveParams<Real> part = whole;
      part.open_below = below;
      part.open_above = above;
      Wave<Real> expected(executor, whole), wave(executor, part);
      for (Wave<Real>* each : {&expected, &wave}) {
        wave_noise(executor, whole, 42, 1.0, each->state());
        for (const int steps : {12, 5}) each->pass(steps);
      }
      const std::vector<Real> a = expected.cells(), b = wave.cells();
      for (int y = below ? 17 : 0; y < ny - (above ? 17 : 0); ++y)
        for (const int row : {y, ny + y}) {  // of heights, and of increments
          const std::size_t start = static_cast<std::size_t>(row) * static_cast<std::size_t>(nx);
          EXPECT_EQ(std::memcmp(&a[start], &b[start], static_cast<std::size_t>(nx) * sizeof(Real)), 0)
              << executor.name() << ", row " << row << " of " << ny;
        }
    }
}

TEST(Gpu, PartsOfWavesAgreeWithTheWhole) {
  SKIP_WITHOUT_GPU();
  const Executor executor = Executor::cuda();
  expect_parts_agree<float>(executor, 517, {40, 140, 301, 1003});
  expect_parts_agree<float>(executor, 2051, {2051});  // the large tiles
  expect_parts_agree<double>(executor, 517, {40, 140, 301, 1003});
}

// A rank's part whose halo arrives after the inner share.
template <class Real>
void expect_shares_agree(const Executor& executor, int nx, int ny) {
  for (const auto& [below, above] : {std::pair(12, 12), std::pair(0, 24), std::pair(17, 0)})
    for (const int steps : {1, 5, 12}) {
      WaveParams<Real> part = wave_params<Real>(nx, ny, WaveBoundary::absorbing, 0.4, 0.01);
      part.open_below = below > 0;
      part.open_above = above > 0;
      Wave<Real> expected(executor, part), wave(executor, part);
      for (Wave<Real>* each : {&expected, &wave}) wave_noise(executor, part, 42, 1.0, each->state());
      expected.pass(steps);
      EXPECT_TRUE(wave.pass_in_shares({below, ny - below - above}, steps));
      EXPECT_TRUE(same_bits(wave.cells(), expected.cells()))
          << nx << " x " << ny << ", " << steps << " steps, halo of " << below << " and " << above << " rows";
    }
}

TEST(Gpu, InnerSharesOfWavesNeedNothingOfTheHalo) {
  SKIP_WITHOUT_GPU();
  const Executor executor = Executor::cuda();
  expect_shares_agree<float>(executor, 517, 301);
  expect_shares_agree<float>(executor, 2051, 2051);  // the large tiles
  expect_shares_agree<double>(executor, 517, 301);
  expect_shares_agree<double>(executor, 2051, 1503);
}

TEST(Wave, DiagnosticsHaveTheSameBitsEverywhere) {
  const std::vector<Executor> executors = test::executors();
  for (const WaveBoundary boundary : boundaries) {
    const WaveParams<float> p = wave_params<float>(333, 221, boundary, 0.4, 0.0);
    std::vector<double> energies, heights;
    for (const Executor& executor : executors) {
      Wave<float> wave(executor, p);
      wave_noise(executor, p, 7, 1.0, wave.state());
      wave.naive(5);
      energies.push_back(wave.energy(1, 0.4));
      heights.push_back(wave.max_abs());
    }
    for (std::size_t i = 1; i < executors.size(); ++i) {
      EXPECT_EQ(energies[0], energies[i]) << executors[i].name();
      EXPECT_EQ(heights[0], heights[i]) << executors[i].name();
    }
  }
}

// A standing mode of the fixed grid obeys sin^2(omega dt / 2) = lambda^2 (sin^2(m pi / 2 (nx + 1)) + sin^2(n pi / 2 (ny
// + 1))).
TEST(Wave, StandingModeFollowsTheSchemesDispersionRelation) {
  constexpr int nx = 40, ny = 31, m = 3, n = 2;
  constexpr double lambda = 0.6, amplitude = 0.5, pi = 3.14159265358979323846;
  const Executor executor = Executor::cpu(2);
  const WaveParams<double> p = wave_params<double>(nx, ny, WaveBoundary::fixed, lambda, 0);
  Wave<double> wave(executor, p);
  wave_mode(executor, p, m, n, amplitude, wave.state());
  const double sine_x = std::sin(m * pi / (2 * (nx + 1))), sine_y = std::sin(n * pi / (2 * (ny + 1)));
  const double omega_dt = 2 * std::asin(lambda * std::sqrt(sine_x * sine_x + sine_y * sine_y));
  const auto shape = [&](int x, int y) {
    return amplitude * std::sin(m * pi * (x + 1) / (nx + 1)) * std::sin(n * pi * (y + 1) / (ny + 1));
  };
  for (int steps = 0; steps <= 3000; steps += 1000) {
    if (steps > 0)
      for (int i = 0; i < 100; ++i) wave.pass(10);
    for (const auto& [x, y] : {std::pair{5, 4}, {17, 20}, {39, 30}})
      EXPECT_NEAR(wave.u(x, y), shape(x, y) * std::cos(omega_dt * steps), 1e-11)
          << "step " << steps << " cell " << x << "," << y;
  }
}

TEST(Wave, EnergyIsConservedWithoutDamping) {
  const Executor executor = Executor::cpu(2);
  for (const WaveBoundary boundary : {WaveBoundary::fixed, WaveBoundary::free, WaveBoundary::periodic}) {
    const WaveParams<double> p = wave_params<double>(60, 45, boundary, 0.65, 0);
    Wave<double> wave(executor, p);
    wave_droplet(executor, p, {22, 17, 3, 0.07}, wave.state());
    const double start = wave.energy(1, 0.65);
    EXPECT_GT(start, 0);
    for (int i = 0; i < 500; ++i) wave.pass(10);
    EXPECT_NEAR(wave.energy(1, 0.65) / start, 1, 1e-11) << static_cast<int>(boundary);
  }
  const WaveParams<float> p = wave_params<float>(60, 45, WaveBoundary::fixed, 0.05, 0);
  Wave<float> wave(executor, p);
  wave_droplet(executor, p, {22, 17, 3, 0.07}, wave.state());
  const double start = wave.energy(1, 0.05);
  for (int i = 0; i < 500; ++i) wave.pass(10);
  EXPECT_NEAR(wave.energy(1, 0.05) / start, 1, 1e-4);
}

// The scheme as it is usually written, three levels and ghost cells, in plain loops.
TEST(Wave, FollowsTheThreeLevelFormula) {
  constexpr double lambda = 0.55, friction = 0.03;
  const Executor executor = Executor::cpu(2);
  for (const auto& [nx, ny] : {std::pair{20, 13}, {1, 17}, {2, 5}})
    for (const WaveBoundary boundary : {WaveBoundary::fixed, WaveBoundary::free, WaveBoundary::periodic}) {
      const WaveParams<double> p = wave_params<double>(nx, ny, boundary, lambda, friction);
      Wave<double> wave(executor, p);
      wave_noise(executor, p, 11, 1.0, wave.state());
      const auto width = static_cast<std::size_t>(nx), cells = width * static_cast<std::size_t>(ny);
      const std::vector<double> start = wave.cells();
      std::vector<double> now(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(cells)), before = now;
      const auto value = [&, nx = nx, ny = ny](const std::vector<double>& u, int x, int y) {
        if (boundary == WaveBoundary::fixed && (x < 0 || x >= nx || y < 0 || y >= ny)) return 0.0;
        const bool wraps = boundary == WaveBoundary::periodic;
        x = wraps ? (x + nx) % nx : std::clamp(x, 0, nx - 1);
        y = wraps ? (y + ny) % ny : std::clamp(y, 0, ny - 1);
        return u[y * width + x];
      };
      for (int step = 0; step < 40; ++step) {
        std::vector<double> next(cells);
        for (int y = 0; y < ny; ++y)
          for (int x = 0; x < nx; ++x)
            next[y * width + x] = (2 - friction) * value(now, x, y) - (1 - friction) * value(before, x, y) +
                                  lambda * lambda *
                                      (value(now, x - 1, y) + value(now, x + 1, y) + value(now, x, y - 1) +
                                       value(now, x, y + 1) - 4 * value(now, x, y));
        before = std::exchange(now, next);
      }
      for (int i = 0; i < 4; ++i) wave.pass(10);
      const std::vector<double> u = wave.cells();
      for (std::size_t k = 0; k < cells; ++k) ASSERT_NEAR(u[k], now[k], 1e-12) << nx << " x " << ny << " cell " << k;
    }
}

TEST(Wave, AbsorbingSidesLetAPulseOut) {
  const Executor executor = Executor::cpu(2);
  for (const auto& [x, y] : {std::pair{100.0, 100.0}, {60.0, 40.0}}) {
    const WaveParams<double> p = wave_params<double>(201, 201, WaveBoundary::absorbing, 0.5, 0);
    Wave<double> wave(executor, p);
    wave_droplet(executor, p, {x, y, 5, 1}, wave.state());
    const double start = wave.energy(1, 0.5);
    for (int i = 0; i < 80; ++i) wave.pass(10);  // time 400: twice across
    EXPECT_LT(wave.energy(1, 0.5), 0.02 * start) << x;
  }
}

TEST(Wave, AnAbsorbingLineLetsAPulseOutAtItsEnds) {
  const Executor executor = Executor::cpu(1);
  const WaveParams<double> p = wave_params<double>(300, 1, WaveBoundary::absorbing, 0.5, 0);
  Wave<double> wave(executor, p);
  wave_droplet(executor, p, {150, 0, 6, 1}, wave.state());
  const double start = wave.energy(1, 0.5);
  for (int i = 0; i < 10; ++i) wave.pass(10);  // 50 cells of way
  EXPECT_NEAR(wave.energy(1, 0.5) / start, 1, 1e-10);
  EXPECT_GT(std::abs(wave.u(198, 0)), 0.1);
  EXPECT_LT(std::abs(wave.u(220, 0)), 1e-3);
  for (int i = 0; i < 40; ++i) wave.pass(10);
  EXPECT_LT(wave.energy(1, 0.5), 1e-3 * start);
}

TEST(Wave, DropletIsAGaussianPulseOfHeightAndAsAKickOfTheIncrementToo) {
  const Executor executor = Executor::cpu(2);
  const WaveParams<double> p = wave_params<double>(40, 30, WaveBoundary::fixed, 0.5, 0);
  for (const WaveStart start : {WaveStart::rest, WaveStart::kick}) {
    Wave<double> wave(executor, p);
    const WaveDroplet drop{20.25, 3, 2.5, 0.07, start};
    wave_droplet(executor, p, drop, wave.state());
    const std::vector<double> cells = wave.cells();
    for (int y = 0; y < 30; ++y)
      for (int x = 0; x < 40; ++x) {
        const double dx = x - drop.center_x, dy = y - drop.center_y;
        const bool hit = std::abs(dx) <= 5 && std::abs(dy) <= 5;
        const double expected = hit ? -0.07 * std::exp(-(dx * dx + dy * dy) / 6.25) : 0.0;
        const double height = cells[y * 40 + x];
        EXPECT_NEAR(height, expected, 1e-16);
        EXPECT_EQ(cells[1200 + y * 40 + x], start == WaveStart::kick ? height : 0.0);
      }
  }
}

TEST(Wave, DropletsWrapAroundAPeriodicGridAndAreCutByOthers) {
  const Executor executor = Executor::cpu(2);
  const auto total = [&](WaveBoundary boundary, double x, double y, int side) {
    const WaveParams<double> p = wave_params<double>(side, side, boundary, 0.5, 0);
    Wave<double> wave(executor, p);
    wave_droplet(executor, p, {x, y, 2, 1}, wave.state());
    double sum = 0;
    const std::vector<double> cells = wave.cells();
    for (std::size_t i = 0; i < cells.size() / 2; ++i) sum += cells[i];
    return sum;
  };
  const double whole = total(WaveBoundary::fixed, 16, 16, 32);
  EXPECT_NEAR(total(WaveBoundary::periodic, 0, 31, 32), whole, 1e-13);
  EXPECT_GT(total(WaveBoundary::fixed, 0, 31, 32),
            whole * 0.6);  // less than half of each axis is cut, and the pulse is negative
  EXPECT_EQ(total(WaveBoundary::fixed, 500, 16, 32), 0.0);
  EXPECT_NEAR(total(WaveBoundary::periodic, 16 - 32e6, 16 + 32e6, 32), whole, 1e-13);
  EXPECT_EQ(total(WaveBoundary::fixed, -1e300, 16, 32), 0.0);
  EXPECT_NEAR(total(WaveBoundary::periodic, 1e300, -1e300, 32), whole, 1e-13);
  // Wider than the grid: each of the nine cells once, by its nearest image.
  EXPECT_NEAR(total(WaveBoundary::periodic, 1, 1, 3), -std::pow(1 + 2 * std::exp(-0.25), 2), 1e-14);
}

template <class Real>
void expect_velocity(const Executor& executor, int nx) {
  const WaveParams<Real> p = wave_params<Real>(nx, 21, WaveBoundary::free, 0.05, 0);
  Wave<Real> wave(executor, p);
  wave_noise(executor, p, 3, 1.0, wave.state());
  wave.naive(4);
  Buffer<Real> velocity(executor, p.pitch * 21);
  velocity.clear();
  wave_velocity(executor, p, wave.now().d, 0.05, velocity.data());
  const std::vector<Real> v = velocity.download(), cells = wave.cells();
  for (int y = 0; y < 21; ++y)
    for (int x = 0; x < nx; ++x)
      EXPECT_EQ(v[y * p.pitch + x], cells[(21 + y) * nx + x] / Real(0.05))
          << executor.name() << ", " << nx << " columns, " << x << ", " << y;
}

TEST(Wave, VelocityIsTheIncrementOverTheTimeStep) {
  for (const Executor& executor : test::executors())
    for (const int nx : {1, 33, 64, 131}) {
      expect_velocity<float>(executor, nx);
      expect_velocity<double>(executor, nx);
    }
}

TEST(Wave, MaximumSeesWhatIsNotANumber) {
  const Executor executor = Executor::cpu(1);
  const WaveParams<float> p = wave_params<float>(50, 40, WaveBoundary::fixed, 0.5, 0);
  Wave<float> wave(executor, p);
  std::vector<float> values(p.pitch * 40);
  values[p.pitch * 7 + 9] = -3;
  values[p.pitch - 1] = 100;  // padding
  executor.copy(wave.state().u, values.data(), values.size() * sizeof(float));
  EXPECT_EQ(wave.max_abs(), 3);
  values[p.pitch * 39 + 49] = NAN;
  executor.copy(wave.state().u, values.data(), values.size() * sizeof(float));
  EXPECT_EQ(wave.max_abs(), INFINITY);
}

}  // namespace
}  // namespace simreel
