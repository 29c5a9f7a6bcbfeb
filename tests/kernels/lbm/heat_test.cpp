// The temperature of a flow: equal bits of all ways to step it, symmetry, and conduction as theory has it.

#include "kernels/lbm/heat.h"

#include "tests/support/backends.h"
#include "tests/support/lbm_fixture.h"

namespace simreel {
namespace {

template <class Real>
struct HeatCase {
  Flow<Real> flow;
  LbmHeat<Real> heat;
  std::vector<LbmHeatWall<Real>> obstacles;
};

template <class Real>
HeatCase<Real> heat_case(int nx, int ny, double viscosity, double diffusivity, double buoyancy) {
  HeatCase<Real> c{flow<Real>(nx, ny, LbmCollision::central, viscosity), {}, {}};
  lbm_set_heat_rates(c.heat, diffusivity);
  c.heat.buoyancy = static_cast<Real>(buoyancy);
  return c;
}

// Between four walls, around an obstacle, all insulated.
HeatCase<double> box(int nx, int ny, double viscosity, double diffusivity, const ObstacleOptions& obstacle,
                     bool curved) {
  HeatCase<double> c = heat_case<double>(nx, ny, viscosity, diffusivity, 0);
  c.flow.p.left = c.flow.p.right = LbmSide::wall;
  walls(c.flow.p);
  c.flow.obstacles = {obstacle};
  c.flow.curved = curved;
  c.obstacles = {{}};
  return c;
}

template <class Real>
LbmHeatWall<Real> fixed(double temperature) {
  return {true, true, static_cast<Real>(temperature)};
}

template <class Real>
class Heated : public Fluid<Real> {
 public:
  using Start = std::function<double(int x, int y)>;

  Heated(const Executor& executor, const HeatCase<Real>& c, const Start& start, bool only_edges = false)
      : Fluid<Real>(executor, with_heat(c.flow), only_edges), heat_(c.heat) {
    if (!c.obstacles.empty()) walls_ = Buffer(executor, c.obstacles);
    heat_.obstacle = walls_.data();
    std::vector<double> given;
    for (int y = 0; y < p_.ny; ++y)
      for (int x = 0; x < p_.nx; ++x) given.push_back(start(x, y));
    const Buffer<double> values(executor, given);
    lbm_heat_start(executor, p_, cells_, values.data(), 0, p_.ny, state_[0].data());
    push_ = Buffer<Real>(executor, 2 * p_.pitch * static_cast<std::size_t>(p_.ny));
    executor.wait();
  }

  void step(int steps) {
    for (int i = 0; i < steps; ++i) {
      lbm_heat_step(executor_, p_, heat_, cells_, now(), state_[1].data());
      std::swap(state_[0], state_[1]);
    }
  }
  std::vector<Real> temperature() const {
    return this->shown([&](Real* to) { lbm_heat_field(executor_, p_, cells_, now(), 0, 1, to); });
  }
  std::vector<Real> velocity(LbmField which) {
    const LbmParams<Real> p = seen();
    return this->shown([&](Real* to) { lbm_field(executor_, p, cells_, now(), which, to); });
  }
  LbmHeatSums sums() {
    return lbm_heat_sums(executor_, seen(), heat_, {0, p_.ny}, cells_, now(), this->scratch_.data());
  }

 private:
  using Fluid<Real>::executor_, Fluid<Real>::p_, Fluid<Real>::cells_, Fluid<Real>::state_, Fluid<Real>::now;

  static Flow<Real> with_heat(Flow<Real> flow) {
    flow.p.planes += lbm_heat_planes;
    flow.p.driven = true;
    return flow;
  }
  LbmParams<Real> seen() {
    lbm_heat_push(executor_, p_, heat_, now(), push_.data());
    LbmParams<Real> p = p_;
    p.push = push_.data();
    return p;
  }

  LbmHeat<Real> heat_;
  Buffer<LbmHeatWall<Real>> walls_;
  Buffer<Real> push_;
};

double uneven(int x, int y) { return 0.1 * ((7 * x + 3 * y + x * y) % 11) - 0.5; }

// Every kind of side and wall, on sizes around those of runs and blocks.
template <class Real>
std::vector<HeatCase<Real>> varied_cases() {
  using S = LbmSide;
  std::vector<HeatCase<Real>> cases;
  for (const LbmModel model : {LbmModel::two_rates, LbmModel::mrt, LbmModel::central, LbmModel::central_eddies})
    for (const auto& [nx, ny] : {std::pair{1, 1}, {2, 3}, {5, 1}, {64, 48}, {301, 37}}) {
      const auto add = [&](S left, S right, S bottom, S top) {
        HeatCase<Real> c = heat_case<Real>(nx, ny, 0.05, 0.04, 1e-4);
        LbmParams<Real>& p = c.flow.p;
        p.model = model;
        p.eddies = model == LbmModel::central_eddies ? Real(0.18) : Real(0);
        p.energy = p.energy_square = p.rates.odd = Real(1.3);
        p.left = left, p.right = right, p.bottom = bottom, p.top = top;
        p.outlet = LbmOutlet::characteristic;
        p.layer = p.left == S::outlet || p.right == S::outlet ? std::min(nx, 7) : 0;
        c.heat.side[0] = fixed<Real>(0.3);
        c.heat.side[1] = {false, false, Real(1e-3)};
        c.heat.side[2] = fixed<Real>(0.5);
        c.heat.side[3] = {};
        c.flow.curved = true;
        if (nx > 20) {
          c.flow.obstacles = {circle(nx / 3.0, ny / 2.0, 5.3), circle(nx - 1, ny / 3.0, 4)};
          c.flow.obstacles[1].rotation = 0.01;
          c.obstacles = {fixed<Real>(-0.5), {false, false, Real(1e-3)}};
        }
        cases.push_back(c);
      };
      add(S::periodic, S::periodic, S::periodic, S::periodic);
      add(S::periodic, S::periodic, S::wall, S::moving);
      add(S::wall, S::slip, S::slip, S::wall);
      add(S::inlet, S::outlet, S::wall, S::slip);
      add(S::outlet, S::outlet, S::inlet, S::outlet);
    }
  return cases;
}

template <class Real>
void expect_parity() {
  const Executor reference = Executor::cpu(1);
  for (const HeatCase<Real>& c : varied_cases<Real>()) {
    SCOPED_TRACE(fmt::format("{} x {}, model {}", c.flow.p.nx, c.flow.p.ny, static_cast<int>(c.flow.p.model)));
    Heated<Real> expected(reference, c, uneven, true);
    expected.step(9);
    const std::vector<Real> state = expected.state();
    const LbmHeatSums sums = expected.sums();
    EXPECT_TRUE(std::isfinite(sums.along_y + sums.entering));
    for (const Executor& executor : test::executors()) {
      Heated<Real> heated(executor, c, uneven);
      heated.step(9);
      if (executor.backend() == Backend::cpu) {
        EXPECT_EQ(std::memcmp(heated.state().data(), state.data(), state.size() * sizeof(Real)), 0);
      }
      const std::vector<Real> a = heated.temperature(), b = expected.temperature();
      EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)), 0) << executor.name();
      EXPECT_EQ(heated.sums().entering, sums.entering);
      EXPECT_EQ(heated.sums().along_y, sums.along_y);
    }
  }
}

TEST(LbmHeat, RunsOfPlainCellsThreadsAndGpusGiveTheBitsOfTheGeneralWay) {
  expect_parity<float>();
  expect_parity<double>();
}

TEST(LbmHeat, ConductionIsLinearAndItsFluxExact) {
  const Executor executor = Executor::cpu(2);
  for (const double diffusivity : {0.01, 0.3, 2.0}) {
    HeatCase<double> c = heat_case<double>(3, 16, 0.1, diffusivity, 0);
    walls(c.flow.p);
    c.heat.side[2] = fixed<double>(0.5);
    c.heat.side[3] = {true, false, -0.5};
    Heated<double> heated(executor, c, [](int, int) { return 0.2; });
    heated.step(static_cast<int>(1200 / std::min(diffusivity, 0.3)));
    const std::vector<double> temperature = heated.temperature();
    for (int y = 0; y < 16; ++y) EXPECT_NEAR(temperature[3 * y], 0.5 - (y + 0.5) / 16, 1e-12) << diffusivity;
    EXPECT_NEAR(heated.sums().entering / 3, diffusivity / 16, 1e-13);
    EXPECT_EQ(heated.sums().links, 3);
  }
}

// What enters through one side stays between insulated ones, also around an obstacle.
TEST(LbmHeat, HeatIsKeptBetweenInsulatedWalls) {
  const Executor executor = Executor::cpu(2);
  HeatCase<double> c = box(40, 32, 0.05, 0.04, circle(20, 16, 6.2), true);
  c.heat.buoyancy = 1e-5;
  c.heat.side[2] = {false, false, 1e-4};
  Heated<double> heated(executor, c, uneven);
  const double before = heated.sums().temperature;
  heated.step(1000);
  EXPECT_NEAR(heated.sums().temperature - before, 40 * 1e-4 * 1000, 1e-10);
}

// Far from the temperature without buoyancy, a wall that turns takes as much heat along as fluid.
TEST(LbmHeat, AnInsulatedRotorHardlyChangesAUniformTemperature) {
  const Executor executor = Executor::cpu(2);
  for (const bool curved : {false, true}) {
    HeatCase<double> c = box(40, 40, 0.05, 0.01, circle(19.3, 19.6, 8), curved);
    c.flow.obstacles[0].rotation = 0.005;
    Heated<double> heated(executor, c, [](int, int) { return 1.0; });
    heated.step(3000);
    double low = 1, high = 1;
    for (const double value : heated.temperature())
      if (!std::isnan(value)) low = std::min(low, value), high = std::max(high, value);
    EXPECT_GT(low, 0.9) << curved;
    EXPECT_LT(high, 1.3) << curved;
  }
}

// A wave of temperature that a uniform flow carries: its speed, and the rate of its decay.
TEST(LbmHeat, AWaveMovesWithTheFlowAndDecaysByDiffusion) {
  const Executor executor = Executor::cpu(2);
  constexpr int n = 64, steps = 600;
  constexpr double u = 0.05, diffusivity = 0.02, pi = 3.14159265358979;
  HeatCase<double> c = heat_case<double>(n, 4, 0.02, diffusivity, 0);
  c.flow.initial = LbmInitial::uniform;
  c.flow.velocity = u;
  Heated<double> heated(executor, c, [&](int x, int) { return 0.5 * std::cos(2 * pi * x / n); });
  heated.step(steps);
  const std::vector<double> temperature = heated.temperature();
  double along = 0, across = 0;
  for (int x = 0; x < n; ++x) {
    along += 2.0 / n * temperature[x] * std::cos(2 * pi * x / n);
    across += 2.0 / n * temperature[x] * std::sin(2 * pi * x / n);
  }
  const double k = 2 * pi / n, rate = -std::log(2 * std::hypot(along, across)) / (k * k * steps);
  EXPECT_NEAR(rate / diffusivity, 1, 0.01);
  EXPECT_NEAR(std::atan2(across, along) / (k * u * steps), 1, 0.005);
}

// Near a warm circle in a cold box T = A + B log r, with the B of the heat that leaves it.
double error_around_circle(int radius, bool curved) {
  const Executor executor = Executor::cpu(2);
  const int n = 4 * radius + 10;
  const double middle = (n - 1) / 2.0, inner = radius;
  HeatCase<double> c = box(n, n, 0.1, 0.3, circle(middle, middle, inner), curved);
  c.obstacles = {fixed<double>(0.5)};
  c.heat.side[0] = c.heat.side[1] = c.heat.side[2] = c.heat.side[3] = {true, false, -0.5};
  Heated<double> heated(executor, c, [](int, int) { return 0.0; });
  heated.step(2 * n * n);
  const std::vector<double> temperature = heated.temperature();
  const double entering = heated.sums().entering, slope = -entering / (2 * 3.14159265358979 * 0.3);
  double sum = 0, count = 0;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const double r = std::hypot(x - middle, y - middle);
      if (r <= inner || r > 1.2 * inner) continue;
      const double difference = temperature[y * n + x] - (0.5 + slope * std::log(r / inner));
      sum += difference * difference;
      count += 1;
    }
  return std::sqrt(sum / count);
}

TEST(LbmHeat, CurvedWallsLieWhereTheShapeSays) {
  const double curved = error_around_circle(10, true), stairs = error_around_circle(10, false);
  EXPECT_LT(curved, 2e-3);
  EXPECT_GT(stairs, 4 * curved);
}

// A layer between walls, mirrored, and turned upside down with hot and cold exchanged, is the same to the bit.
TEST(LbmHeat, ConvectionKeepsItsSymmetries) {
  constexpr int nx = 48, ny = 24;
  const Executor executor = Executor::cpu(2);
  HeatCase<float> c = heat_case<float>(nx, ny, 0.02, 0.03, 2e-3);
  walls(c.flow.p);
  c.heat.side[2] = fixed<float>(0.5);
  c.heat.side[3] = fixed<float>(-0.5);
  Heated<float> plain(executor, c, uneven), mirrored(executor, c, [](int x, int y) { return uneven(nx - 1 - x, y); });
  Heated<float> turned(executor, c, [](int x, int y) { return -uneven(x, ny - 1 - y); });
  for (Heated<float>* heated : {&plain, &mirrored, &turned}) heated->step(600);
  const std::vector<float> t = plain.temperature(), m = mirrored.temperature(), u = turned.temperature();
  const std::vector<float> v = plain.velocity(LbmField::uy), w = turned.velocity(LbmField::uy);
  float fastest = 0;
  int different = 0;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      fastest = std::max(fastest, std::abs(v[y * nx + x]));
      different += t[y * nx + x] != m[y * nx + nx - 1 - x];
      different += t[y * nx + x] != -u[(ny - 1 - y) * nx + x];
      different += v[y * nx + x] != -w[(ny - 1 - y) * nx + x];
    }
  EXPECT_GT(fastest, 0.01f);
  EXPECT_EQ(different, 0);
}

}  // namespace
}  // namespace simreel
