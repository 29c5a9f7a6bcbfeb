// Two phases: the literature, a reference that is written plainly, symmetry, conservation, and equal bits.

#include "kernels/lbm/phases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>

#include "kernels/base/math.h"
#include "kernels/lbm/cell.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

constexpr double pi = std::numbers::pi;
using Distance = std::function<double(double x, double y)>;
using Sides = std::array<LbmSide, 4>;  // left, right, bottom, top
constexpr LbmSide periodic = LbmSide::periodic, wall = LbmSide::wall, slip = LbmSide::slip, moving = LbmSide::moving;

double phase_at(double distance, double width) { return 1 / (1 + exact::exp(-4 * distance / width)); }

template <class Real>
class Phases {
 public:
  Phases(const Executor& executor, std::array<int, 2> grid, const LbmFluids& fluids, Sides sides,
         const Distance& distance, const Distance& ux = {})
      : executor_(executor), fluids_(fluids), phases_(lbm_phases_of<Real>(fluids)) {
    p.nx = grid[0], p.ny = grid[1];
    p.planes += lbm_phases_planes;
    lbm_layout(p, sizeof(Real), executor.backend());
    p.left = sides[0], p.right = sides[1], p.bottom = sides[2], p.top = sides[3];
    p.velocity = Real(0.02);
    for (Buffer<Real>& state : state_) {
      state = Buffer<Real>(executor, lbm_values(p));
      state.clear();
    }
    const std::size_t n = static_cast<std::size_t>(p.nx) * static_cast<std::size_t>(p.ny);
    std::vector<double> given(3 * n);
    for (int y = 0; y < p.ny; ++y)
      for (int x = 0; x < p.nx; ++x) {
        given[index(x, y)] = phase_at(distance(x, y), fluids.width);
        if (ux) given[n + index(x, y)] = ux(x, y), given[2 * n + index(x, y)] = 0.5 * ux(y, x);
      }
    const Buffer<double> values(executor, given);
    const double* const v = values.data();
    lbm_phases_start(executor, p, LbmPhasesGiven{v, v + n, v + 2 * n, 0, p.ny}, state_[0].data());
    scratch_ = Buffer<std::byte>(executor, lbm_reduce_bytes(p));
    executor.wait();
  }

  void step(int steps) {
    for (int i = 0; i < steps; ++i) {
      lbm_phases_step(executor_, p, phases_, static_cast<const Real*>(state_[0].data()), state_[1].data());
      std::swap(state_[0], state_[1]);
    }
  }
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(p.nx) + static_cast<std::size_t>(x);
  }
  // Of the populations, or of what comes after them: 9, the phase; 10 and 11, the velocity.
  std::vector<Real> plane(std::size_t which) const {
    const std::vector<Real> all = state_[0].download();
    std::vector<Real> values;
    for (int y = 0; y < p.ny; ++y)
      for (int x = 0; x < p.nx; ++x)
        values.push_back(all[which * p.plane + static_cast<std::size_t>(y) * p.pitch + static_cast<std::size_t>(x)]);
    return values;
  }
  std::vector<Real> everything() const {
    std::vector<Real> all;
    for (std::size_t i = 0; i < 12; ++i) {
      const std::vector<Real> values = plane(i);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
  std::vector<Real> field(LbmField which) const {
    Buffer<Real> shown(executor_, p.pitch * static_cast<std::size_t>(p.ny));
    lbm_phases_field(executor_, p, phases_, static_cast<const Real*>(state_[0].data()), which, shown.data());
    return shown.download();
  }
  LbmSums sums() const {
    return lbm_phases_sums(executor_, p, phases_, {0, p.ny, nullptr}, static_cast<const Real*>(state_[0].data()),
                           const_cast<std::byte*>(scratch_.data()));
  }
  double pressure(int x, int y) const {
    double sum = 0;
    for (std::size_t i = 0; i < 9; ++i) sum += static_cast<double>(plane(i)[index(x, y)]);
    const double c = std::clamp(static_cast<double>(plane(9)[index(x, y)]), 0.0, 1.0), gas = 1 / fluids_.density_ratio;
    return sum * (gas + c * (1 - gas)) / 3;
  }

  LbmParams<Real> p;

 private:
  const Executor& executor_;
  LbmFluids fluids_;
  LbmPhases<Real> phases_;
  Buffer<Real> state_[2];
  Buffer<std::byte> scratch_;
};

LbmFluids fluids(double ratio, double viscosity, double tension) {
  LbmFluids f;
  f.density_ratio = ratio;
  f.liquid_viscosity = f.gas_viscosity = viscosity;
  f.surface_tension = tension;
  return f;
}
Distance drop(double x, double y, double radius) {
  return [=](double px, double py) { return radius - std::hypot(px - x, py - y); };
}

// p_in - p_out = tension / R; and what moves though all is at rest.
TEST(LbmPhases, ADropHasThePressureOfLaplace) {
  const Executor executor = Executor::cpu(2);
  for (const double ratio : {1.0, 100.0}) {
    const double tension = 1e-3, viscosity = 0.1;
    LbmFluids f = fluids(ratio, viscosity, tension);
    f.width = 5;
    Phases<double> phases(executor, {64, 64}, f, {periodic, periodic, periodic, periodic}, drop(31.5, 31.5, 18));
    phases.step(3000);
    const double jump = phases.pressure(31, 31) - phases.pressure(0, 0);
    EXPECT_NEAR(jump * 18 / tension, 1, 0.02) << ratio;
    // The capillary number of what moves though nothing should.
    EXPECT_LT(std::sqrt(phases.sums().max_speed_square) * viscosity / tension, 2e-3) << ratio;
  }
}

// Of a drop of the area of half a disk, from a cap 8 degrees nearer to 90; x = -0.5 is its axis.
TEST(LbmPhases, DropsMeetWallsAtTheAngleOfContact) {
  const Executor executor = Executor::cpu(1);
  for (const auto& [angle, steps] :
       {std::pair{30.0, 10000}, {60.0, 3000}, {90.0, 2000}, {120.0, 3000}, {150.0, 5000}}) {
    LbmFluids f = fluids(10, 0.05, 16e-3);
    f.gas_viscosity = 0.1;
    f.angle = angle;
    const double radius = angle < 150 ? 12 : 20, start = (angle > 90 ? angle - 8 : angle + 8) * pi / 180;
    const double cap = radius * std::sqrt(pi / 2 / (start - std::sin(start) * std::cos(start)));
    const int nx = angle < 60 ? 36 : 28, ny = angle > 120 ? 36 : 26;
    Phases<double> phases(executor, {nx, ny}, f, {slip, wall, wall, wall},
                          drop(-0.5, -0.5 - cap * std::cos(start), cap));
    phases.step(steps);
    const std::vector<double> c = phases.plane(9);
    // How far the liquid reaches along a row or a column, from the corner.
    const auto reach = [&](std::size_t first, std::size_t stride, int cells) {
      double far = 0;
      for (int i = 0; i < cells - 1; ++i) {
        const double here = c[first + stride * static_cast<std::size_t>(i)],
                     next = c[first + stride * static_cast<std::size_t>(i + 1)];
        if (here >= 0.5 && next < 0.5) far = i + 0.5 + (here - 0.5) / (here - next);
      }
      return far;
    };
    const double height = reach(0, phases.index(0, 1), ny);
    const double foot =
        (15 * reach(0, 1, nx) - 10 * reach(phases.index(0, 1), 1, nx) + 3 * reach(phases.index(0, 2), 1, nx)) /
        8;  // on the wall, by a parabola
    EXPECT_NEAR(2 * std::atan(height / foot) * 180 / pi, angle, 1.5);
  }
}

// A drop that falls into a film, which sways: no specks, and an interface that stays thin where it is stretched.
TEST(LbmPhases, MovingLiquidStaysPure) {
  const Executor executor = Executor::cpu(1);
  LbmFluids f = fluids(100, 0.006, 1.2e-3);
  f.gas_viscosity = 0.1;
  f.gravity[1] = -2e-5;
  const Distance drop_above = drop(-0.5, 34, 12);
  Phases<float> phases(executor, {60, 70}, f, {slip, wall, wall, wall},
                       [&](double x, double y) { return std::max(19.5 - y, drop_above(x, y)); });
  float most = 0;
  for (int i = 0; i < 8; ++i) {
    phases.step(300);
    const std::vector<float> c = phases.plane(9);
    most = std::max(most, std::ranges::max(c));
    if (i == 3) {
      EXPECT_LT(std::ranges::count_if(c, [](float v) { return v > 0.1f && v < 0.9f; }), 320);
    }
  }
  EXPECT_GT(std::sqrt(phases.sums().max_speed_square), 5e-3);
  EXPECT_LT(most, 1.004);
}

// Half a period of a wave of the interface, between the times at which it is flat: that of Prosperetti (1981, Phys.
// Fluids 24, 1217) for equal kinematic viscosities, computed from the roots of his formula.
TEST(LbmPhases, WavesOfTheInterfaceSwingAsProsperettiHasIt) {
  const Executor executor = Executor::cpu(2);
  for (const auto& [ratio, expected] : {std::pair{10.0, 1771.66}, {1000.0, 1648.94}}) {
    const int n = 64;
    const double amplitude = 1;
    Phases<double> phases(
        executor, {n, n + n / 2}, fluids(ratio, 0.01, 4e-3), {periodic, periodic, wall, wall},
        [&](double x, double y) { return 0.75 * n - 0.5 + amplitude * std::cos(2 * pi * (x + 0.5) / n) - y; });
    std::vector<double> flat;
    double last = amplitude;
    for (int step = 1; step < 3000 && flat.size() < 2; ++step) {
      phases.step(1);
      if (step < 600 || step % 10 > 0) continue;
      const std::vector<double> c = phases.plane(9);
      double now = 0;
      for (int y = 0; y < n + n / 2; ++y) now += c[phases.index(0, y)] - c[phases.index(n / 2, y)];
      if (now * last < 0) flat.push_back(step - 10 * now / (now - last));
      last = now;
    }
    ASSERT_EQ(flat.size(), 2u);
    EXPECT_NEAR((flat[1] - flat[0]) / expected, 1, 0.03) << ratio;
  }
}

// What a cell loses the next one gains.
template <class Real>
double lost(int steps) {
  const Executor executor = Executor::cpu(2);
  LbmFluids f = fluids(100, 0.02, 1e-3);
  f.gravity[0] = 1e-5, f.gravity[1] = -2e-5;
  f.angle = 50;
  Phases<Real> phases(executor, {61, 47}, f, {wall, slip, moving, wall}, drop(25, 24, 14),
                      [](double, double y) { return 0.03 * std::sin(0.3 * y); });
  const double before = phases.sums().mass;
  phases.step(steps);
  EXPECT_GT(std::sqrt(phases.sums().max_speed_square), 1e-3);
  return std::abs(phases.sums().mass / before - 1);
}
TEST(LbmPhases, LiquidIsKeptToRounding) {
  EXPECT_LT(lost<double>(1500), 1e-13);
  EXPECT_LT(lost<float>(1500), 2e-6);
}

// Exchanging or reversing axes gives the same bits.
TEST(LbmPhases, MirroredAndTurnedFlowsStaySo) {
  const Executor executor = Executor::cpu(2);
  LbmFluids f = fluids(50, 0.02, 2e-3);
  f.angle = 60;
  const int n = 33;
  const auto at = [&](Sides sides, double gx, double gy, const Distance& distance) {
    LbmFluids here = f;
    here.gravity[0] = gx, here.gravity[1] = gy;
    Phases<float> phases(executor, {n, n}, here, sides, distance);
    phases.step(200);
    return phases;
  };
  const Distance start = drop(12, 13, 8);
  const Phases<float> a = at({wall, slip, wall, wall}, 1e-4, -2e-4, start);
  const Phases<float> mirrored =
      at({slip, wall, wall, wall}, -1e-4, -2e-4, [&](double x, double y) { return start(n - 1 - x, y); });
  const Phases<float> turned =
      at({wall, wall, wall, slip}, -2e-4, 1e-4, [&](double x, double y) { return start(y, x); });
  const std::vector<float> c = a.plane(9), ux = a.plane(10), uy = a.plane(11);
  const std::vector<float> mc = mirrored.plane(9), mx = mirrored.plane(10), tc = turned.plane(9), ty = turned.plane(11);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      ASSERT_EQ(mc[a.index(n - 1 - x, y)], c[a.index(x, y)]);
      ASSERT_EQ(mx[a.index(n - 1 - x, y)], -ux[a.index(x, y)]);
      ASSERT_EQ(tc[a.index(y, x)], c[a.index(x, y)]);
      ASSERT_EQ(ty[a.index(y, x)], ux[a.index(x, y)]);
    }
}

template <class Real>
void expect_equal_bits() {
  const Executor reference = Executor::cpu(1);
  const Distance uneven = [](double x, double y) { return 4 * std::sin(0.7 * x + 0.2) + 3 * std::cos(0.45 * y) - 0.5; };
  for (const std::array<int, 2> grid : {std::array{1, 1}, {1, 7}, {9, 1}, {2, 2}, {3, 3}, {65, 31}})
    for (const Sides& sides : {Sides{periodic, periodic, periodic, periodic}, Sides{periodic, periodic, wall, moving},
                               Sides{wall, slip, slip, wall}, Sides{moving, wall, periodic, periodic}}) {
      SCOPED_TRACE(std::to_string(grid[0]) + " x " + std::to_string(grid[1]));
      LbmFluids f = fluids(30, 0.03, 1e-3);
      f.gravity[1] = -1e-5;
      f.angle = 70;
      Phases<Real> expected(reference, grid, f, sides, uneven);
      expected.step(20);
      const std::vector<Real> state = expected.everything(), turns = expected.field(LbmField::vorticity);
      EXPECT_TRUE(std::isfinite(expected.sums().kinetic) && std::isfinite(expected.sums().max_speed_square));
      for (const Executor& executor : test::executors()) {
        Phases<Real> own(executor, grid, f, sides, uneven);
        own.step(20);
        EXPECT_EQ(std::memcmp(own.everything().data(), state.data(), state.size() * sizeof(Real)), 0);
        EXPECT_EQ(own.sums().kinetic, expected.sums().kinetic);
        EXPECT_EQ(own.field(LbmField::vorticity)[0], turns[0]);
      }
    }
}
TEST(LbmPhases, ThreadsAndGpusGiveTheSameBitsOnGridsOfAnySize) {
  expect_equal_bits<float>();
  expect_equal_bits<double>();
}

// The same scheme from its formulas, on a periodic grid: tanh and atanh of the library, moments by sums, populations
// from central moments by binomials.
class Plain {
 public:
  Plain(int nx, int ny, const LbmFluids& fluids, const Distance& distance) : nx_(nx), ny_(ny), f_(fluids) {
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) c.push_back(phase_at(distance(x, y), f_.width));
    const double T = std::tanh(2 / f_.width);
    for (double d = -60; d < 60; d += 0.01) {
      const double t = std::tanh(2 * d / f_.width), s = 0.5 * T * (1 - t * t) / (1 - t * t * T * T);
      tension_ += 0.01 * s * s;
    }
    ux = uy = std::vector<double>(c.size());
    g_ = std::vector<std::array<double, 9>>(c.size());
  }

  void step() {
    move_phase();
    std::vector<std::array<double, 9>> next(c.size());
    for (int y = 0; y < ny_; ++y)
      for (int x = 0; x < nx_; ++x) {
        std::array<double, 9> q;
        for (int i = 0; i < 9; ++i) q[i] = g_[at(x - ex(i), y - ey(i))][i];
        next[at(x, y)] = collide(x, y, q);
      }
    g_ = next;
  }

  std::vector<double> c, ux, uy;

 private:
  static int ex(int i) { return (i == 1 || i == 5 || i == 7) - (i == 2 || i == 6 || i == 8); }
  static int ey(int i) { return (i == 3 || i == 5 || i == 8) - (i == 4 || i == 6 || i == 7); }
  static double w(int i) { return i == 0 ? 4.0 / 9 : i < 5 ? 1.0 / 9 : 1.0 / 36; }
  std::size_t at(int x, int y) const { return static_cast<std::size_t>(((y + ny_) % ny_) * nx_ + (x + nx_) % nx_); }
  static double apart(double a, double b) { return std::atanh(std::clamp((b - a) / (a + b - 2 * a * b), -0.9, 0.9)); }

  std::array<double, 2> normal(int x, int y) const {
    const double here = c[at(x, y)], dx = (c[at(x + 1, y)] - c[at(x - 1, y)]) / 2,
                 dy = (c[at(x, y + 1)] - c[at(x, y - 1)]) / 2;
    const double mixed = here * (1 - here), share = mixed < 0.02 ? 0.5 : 0.2;
    if (std::hypot(dx, dy) <= share * 2 / f_.width * 2 * mixed) return {0, 0};
    const double along_x = apart(c[at(x - 1, y)], c[at(x + 1, y)]), along_y = apart(c[at(x, y - 1)], c[at(x, y + 1)]);
    const double length = std::hypot(along_x, along_y);
    return {along_x / length, along_y / length};
  }

  void move_phase() {
    std::vector<double> next = c;
    for (int y = 0; y < ny_; ++y)
      for (int x = 0; x < nx_; ++x)
        for (int i = 1; i < 9; ++i) {
          const double a = c[at(x, y)], b = c[at(x + ex(i), y + ey(i))];
          const std::array<double, 2> here = normal(x, y), there = normal(x + ex(i), y + ey(i));
          const double turn = ((here[0] + there[0]) * ex(i) + (here[1] + there[1]) * ey(i)) / 2;
          next[at(x, y)] += f_.mobility * 6 * w(i) * (b - a - std::tanh(2 / f_.width * turn) * (a + b - 2 * a * b));
          if (i > 4) continue;
          const double ux_face = (ux[at(x, y)] + ux[at(x + ex(i), y)]) / 2,
                       uy_face = (uy[at(x, y)] + uy[at(x, y + ey(i))]) / 2;
          next[at(x, y)] -= (ex(i) * ux_face + ey(i) * uy_face) * (a + b) / 2;
        }
    c = next;
  }

  std::array<double, 9> collide(int x, int y, const std::array<double, 9>& q) {
    const double gas = 1 / f_.density_ratio, here = c[at(x, y)], share = std::clamp(here, 0.0, 1.0);
    const double rho = gas + share * (1 - gas), T = std::tanh(2 / f_.width);
    double slope[2] = {}, laplacian = 0;
    for (int i = 1; i < 9; ++i) {
      slope[0] += 3 * w(i) * ex(i) * c[at(x + ex(i), y + ey(i))];
      slope[1] += 3 * w(i) * ey(i) * c[at(x + ex(i), y + ey(i))];
      laplacian += 6 * w(i) * (c[at(x + ex(i), y + ey(i))] - here);
    }
    const double s = 2 * here - 1, kappa = f_.surface_tension / tension_;
    const double mu = -kappa * (T * T * s * (1 - s * s) / (1 - T * T * s * s) + laplacian);
    double pressure = 0, j[2] = {}, second[3] = {};
    for (int i = 0; i < 9; ++i) {
      pressure += q[i];
      j[0] += ex(i) * q[i], j[1] += ey(i) * q[i];
      second[0] += (ex(i) * ex(i) - ey(i) * ey(i)) * q[i], second[1] += ex(i) * ey(i) * q[i];
    }
    const double nu = (gas * f_.gas_viscosity * (1 - share) + f_.liquid_viscosity * share) / rho;
    const double rate = 1 / (3 * nu + 0.5);
    double denser[2], a[2], normal = 0, shear = 0;
    const double mean = std::max(rho + (1 - gas) * laplacian / 4, gas);
    for (int k = 0; k < 2; ++k) {
      const double heavier = (1 - gas) * slope[k] / rho;
      denser[k] = (1 - gas) * slope[k] / mean;
      a[k] = mu * slope[k] / rho - pressure / 3 * heavier + f_.gravity[k] * (1 - f_.still / rho);
    }
    const auto stresses = [&] {
      const double u = j[0] + a[0] / 2, v = j[1] + a[1] / 2;
      normal = second[0] - (u * u - v * v) + u * a[0] - v * a[1];
      shear = second[1] - u * v + (u * a[1] + v * a[0]) / 2;
    };
    stresses();
    const double friction[2] = {(1 - rate / 2) * (normal / 2 * denser[0] + shear * denser[1]),
                                (1 - rate / 2) * (shear * denser[0] - normal / 2 * denser[1])};
    a[0] -= friction[0], a[1] -= friction[1];
    stresses();
    const double u = ux[at(x, y)] = j[0] + a[0] / 2, v = uy[at(x, y)] = j[1] + a[1] / 2;
    // Central moments of f + w without the pressure, and half of those of the force.
    double k[3][3] = {}, source[3][3] = {}, raw[3][3] = {};
    k[0][0] = 1, k[2][2] = 1.0 / 9, k[1][1] = (1 - rate) * shear;
    k[2][0] = 1.0 / 3 + (1 - rate) * normal / 2, k[0][2] = 1.0 / 3 - (1 - rate) * normal / 2;
    source[1][0] = a[0] / 2, source[0][1] = a[1] / 2, source[2][1] = a[1] / 6, source[1][2] = a[0] / 6;
    constexpr double choose[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 2, 1}};
    for (int m = 0; m < 3; ++m)
      for (int n = 0; n < 3; ++n)
        for (int r = 0; r <= m; ++r)
          for (int t = 0; t <= n; ++t)
            raw[m][n] +=
                choose[m][r] * choose[n][t] * std::pow(u, m - r) * std::pow(v, n - t) * (k[r][t] + source[r][t]);
    std::array<double, 9> out;
    for (int i = 0; i < 9; ++i) {
      const auto share_of = [](int e, int order) {
        return e == 0 ? order == 0 ? 1.0 : order == 2 ? -1.0 : 0.0 : order == 1 ? e / 2.0 : order == 2 ? 0.5 : 0.0;
      };
      double sum = 0;
      for (int m = 0; m < 3; ++m)
        for (int n = 0; n < 3; ++n) sum += share_of(ex(i), m) * share_of(ey(i), n) * raw[m][n];
      out[static_cast<std::size_t>(i)] = sum - w(i) + w(i) * pressure;
    }
    return out;
  }

  int nx_, ny_;
  LbmFluids f_;
  double tension_ = 0;  // of a plane interface, for kappa = 1
  std::vector<std::array<double, 9>> g_;
};

// Layers between a wall at rest and one that moves: the stress, density times viscosity times the slope of the
// velocity, is the same in both fluids, and that of viscosities that are linear in the phase.
TEST(LbmPhases, ShearPassesAnInterface) {
  const Executor executor = Executor::cpu(1);
  LbmFluids f = fluids(10, 0.1, 0);
  f.gas_viscosity = 1;
  f.width = 4;
  const Distance below = [](double, double y) { return 9.5 - y; };
  const auto viscosity = [&](double y) {  // dynamic
    const double c = phase_at(9.5 - y, f.width);
    return c * f.liquid_viscosity + (1 - c) * f.gas_viscosity / f.density_ratio;
  };
  double resistance = 0;
  std::vector<double> to;  // below each cell's centre
  for (double y = -0.5 + 0.005; y < 19.5; y += 0.01) {
    if (y > static_cast<double>(to.size())) to.push_back(resistance);
    resistance += 0.01 / viscosity(y);
  }
  const double stress = 0.02 / resistance;
  // ux of a start is a function of both coordinates, of which the second is the row.
  Phases<double> flow(executor, {1, 20}, f, {periodic, periodic, LbmSide::wall, LbmSide::moving}, below,
                      [&](double, double y) { return stress * to[static_cast<std::size_t>(y)]; });
  flow.step(4000);
  const std::vector<double> u = flow.plane(10);
  const double liquid = 0.1 * (u[4] - u[1]) / 3, gas = 0.1 * (u[18] - u[15]) / 3;
  EXPECT_NEAR(gas / liquid, 1, 0.02);
  EXPECT_NEAR(liquid, stress, 0.02 * stress);
}

TEST(LbmPhases, AgreesWithItsFormulas) {
  const Executor executor = Executor::cpu(1);
  LbmFluids f = fluids(20, 0.03, 5e-3);
  f.width = 8;
  f.gas_viscosity = 0.12;
  f.gravity[0] = 1e-4, f.gravity[1] = -3e-4;
  f.still = 0.05;
  const Distance egg = [](double x, double y) { return 10.5 - std::hypot(x - 22, 1.3 * (y - 18)); };
  Phases<double> phases(executor, {46, 37}, f, {periodic, periodic, periodic, periodic}, egg);
  Plain plain(46, 37, f, egg);
  phases.step(40);
  for (int i = 0; i < 40; ++i) plain.step();
  const std::vector<double> c = phases.plane(9), ux = phases.plane(10), uy = phases.plane(11);
  double fastest = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    ASSERT_NEAR(c[i], plain.c[i], 1e-5);
    ASSERT_NEAR(ux[i], plain.ux[i], 2e-6);
    ASSERT_NEAR(uy[i], plain.uy[i], 2e-6);
    fastest = std::max(fastest, std::abs(ux[i]));
  }
  EXPECT_GT(fastest, 2e-3);
}

}  // namespace
}  // namespace simreel
