// Flows that leave through the characteristic outlet, and slip sides.

#include "tests/support/lbm_fixture.h"

namespace simreel {
namespace {

template <class Real>
Flow<Real> stream(int nx, int ny, LbmCollision collision, double viscosity, double velocity) {
  Flow<Real> f = flow<Real>(nx, ny, collision, viscosity);
  f.p.left = LbmSide::inlet;
  f.p.right = LbmSide::outlet;
  f.p.outlet = LbmOutlet::characteristic;
  f.p.velocity = static_cast<Real>(velocity);
  f.velocity = velocity;
  f.initial = LbmInitial::uniform;
  return f;
}

// What stays of the energy of a pulse of sound, half of which runs to the outlet and half to the inlet and back, after
// both have left: the rest is what the outlet reflected.
double energy_left(LbmOutlet outlet) {
  constexpr int nx = 240, ny = 4;
  constexpr double velocity = 0.05;
  const Executor executor = Executor::cpu(1);
  Flow<double> f = stream<double>(nx, ny, LbmCollision::central, 0.002, velocity);
  f.p.outlet = outlet;
  Fluid<double> fluid(executor, f);
  // The inlet makes the pulse by a gust of about 20 steps.
  const auto energy = [&] {
    const std::vector<double> ux = fluid.field(LbmField::ux), density = fluid.field(LbmField::density);
    double sum = 0;
    for (std::size_t i = 0; i < ux.size(); ++i)
      sum += (density[i] - 1) * (density[i] - 1) / 3 + (ux[i] - velocity) * (ux[i] - velocity);
    return sum;
  };
  for (int step = 0; step < 60; ++step) {
    const double phase = (step - 30) / 10.0;
    fluid.bring_in(1 + 0.2 * std::exp(-phase * phase));
    fluid.step(1);
  }
  fluid.bring_in(1);
  const double before = energy();
  fluid.step(600);  // sound crosses in 380
  return energy() / before;
}

TEST(LbmOutlet, LetsSoundLeave) {
  EXPECT_LT(energy_left(LbmOutlet::characteristic), 0.002);
  EXPECT_GT(energy_left(LbmOutlet::pressure), 0.3);
}

// Past a circle of 20 cells at a Reynolds number of 20,000: the flow stays finite, its outlet column is smooth, and
// mean density stays at 1. zz is the rms amplitude of the grid's shortest wave, by fourth differences, over the
// velocity.
TEST(LbmOutlet, LetsVorticesLeaveAtAHighReynoldsNumber) {
  constexpr int nx = 300, ny = 100;
  constexpr double velocity = 0.1;
  const Executor executor = Executor::cpu(2);
  Flow<float> f = stream<float>(nx, ny, LbmCollision::central, velocity * 20 / 20000, velocity);
  f.p.bottom = f.p.top = LbmSide::slip;
  f.p.layer = 20;
  f.obstacles = {circle(70, ny / 2 - 0.2, 10)};
  Fluid<float> fluid(executor, f);
  fluid.step(12000);
  const LbmSums sums = fluid.sums();
  ASSERT_TRUE(std::isfinite(sums.max_speed_square));
  EXPECT_NEAR(sums.mass / sums.cells, 0, 0.02);
  EXPECT_LT(std::sqrt(sums.max_speed_square), 5 * velocity);
  const std::vector<float> ux = fluid.field(LbmField::ux), uy = fluid.field(LbmField::uy);
  double square = 0;
  for (int y = 2; y < ny - 2; ++y)
    for (const std::vector<float>* u : {&ux, &uy}) {
      const auto at = [&](int k) { return static_cast<double>((*u)[(y + k) * nx + nx - 1]); };
      const double z = (at(-2) - 4 * at(-1) + 6 * at(0) - 4 * at(1) + at(2)) / 16;
      square += z * z / (ny - 4);
    }
  EXPECT_LT(std::sqrt(square) / velocity, 0.005);
}

// Where a stream has met nothing yet there is no vorticity: rms over the columns behind the inlet, times D / U.
TEST(LbmOutlet, AStreamHasNoStripesBehindItsInlet) {
  constexpr int nx = 240, ny = 90, diameter = 16;
  constexpr double velocity = 0.05;
  const Executor executor = Executor::cpu(2);
  const auto stripes = [&](LbmCollision collision) {
    Flow<float> f = stream<float>(nx, ny, collision, velocity * diameter / 400, velocity);
    f.p.bottom = f.p.top = LbmSide::slip;
    f.p.layer = 20;
    f.obstacles = {circle(80, ny / 2 - 0.2, diameter / 2.0)};
    Fluid<float> fluid(executor, f);
    fluid.step(6000);
    const std::vector<float> vorticity = fluid.field(LbmField::vorticity);
    double square = 0;
    for (int y = 0; y < ny; ++y)
      for (int x = 1; x < 20; ++x) {
        const double here = static_cast<double>(vorticity[y * nx + x]) * diameter / velocity;
        square += here * here / (19 * ny);
      }
    return std::sqrt(square);
  };
  EXPECT_LT(stripes(LbmCollision::central), 0.02);
  EXPECT_GT(stripes(LbmCollision::bgk), 0.02);
}

// Outlets on three sides, which meet in two corners.
TEST(LbmOutlet, MayMeetOtherOutlets) {
  const Executor executor = Executor::cpu(2);
  Flow<float> f = stream<float>(200, 120, LbmCollision::central, 0.1 * 20 / 2000, 0.1);
  f.p.bottom = f.p.top = LbmSide::outlet;
  f.p.layer = 20;
  f.obstacles = {circle(60, 60.3, 10)};
  Fluid<float> fluid(executor, f);
  fluid.step(8000);
  const LbmSums sums = fluid.sums();
  ASSERT_TRUE(std::isfinite(sums.max_speed_square));
  EXPECT_NEAR(sums.mass / sums.cells, 0, 0.02);
  EXPECT_LT(std::sqrt(sums.max_speed_square), 0.3);
}

// A slip side is a mirror: the lower half of a flow that is symmetric about it, to the bit.
TEST(LbmSlip, IsAPlaneOfSymmetry) {
  constexpr int nx = 90, ny = 48;
  const Executor executor = Executor::cpu(2);
  Flow<float> whole = stream<float>(nx, 2 * ny, LbmCollision::central, 0.01, 0.05);
  whole.p.bottom = whole.p.top = LbmSide::wall;
  whole.p.layer = 10;
  whole.obstacles = {circle(30, ny - 0.5, 9)};
  Flow<float> half = whole;
  half.p.ny = ny;
  half.p.top = LbmSide::slip;
  Fluid<float> a(executor, whole), b(executor, half);
  a.step(600);
  b.step(600);
  EXPECT_TRUE(std::isfinite(a.sums().max_speed_square));
  for (const LbmField which : {LbmField::ux, LbmField::uy, LbmField::vorticity}) {
    std::vector<float> lower = a.field(which);
    lower.resize(static_cast<std::size_t>(nx * ny));
    const std::vector<float> found = b.field(which);
    int different = 0;
    for (std::size_t i = 0; i < found.size(); ++i) different += test::differ(found[i], lower[i]);
    EXPECT_EQ(different, 0) << static_cast<int>(which);
  }
  EXPECT_NEAR(b.force(0).x, a.force(0).x / 2, 1e-3 * a.force(0).x);
}

// A flow and its outlet turned by 90 degrees to the left: the same bits, turned.
TEST(LbmOutlet, TurnsWithTheFlowToTheBit) {
  constexpr int side = 64;
  const Executor executor = Executor::cpu(2);
  Flow<float> f = stream<float>(side, side, LbmCollision::central, 0.003, 0.05), turned;
  f.p.bottom = LbmSide::wall;
  f.p.top = LbmSide::slip;
  f.p.layer = 8;
  f.initial = LbmInitial::rest;
  f.obstacles = {circle(20, 33, 8)};
  turned = f;
  turned.p.left = LbmSide::slip;
  turned.p.right = LbmSide::wall;
  turned.p.bottom = LbmSide::inlet;
  turned.p.top = LbmSide::outlet;
  turned.obstacles = {circle(side - 1 - 33, 20, 8)};
  Fluid<float> a(executor, f), b(executor, turned);
  a.step(700);
  b.step(700);
  EXPECT_TRUE(std::isfinite(a.sums().max_speed_square));
  EXPECT_EQ(test::cells_not_turned(a, b, side), 0);
}

}  // namespace
}  // namespace simreel
