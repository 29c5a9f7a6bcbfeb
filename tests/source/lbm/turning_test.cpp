// Circles that turn and swing, as a scene describes them.
#include <fmt/format.h>

#include <complex>

#include "checkpoint/checkpoint.h"
#include "tests/support/lbm_scene.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

using test::lbm_scene, test::make, test::shown, test::value_of;

constexpr double pi = 3.14159265358979323846;

// The modified Bessel function of the second kind of order 0 or 1, from its integral.
std::complex<double> bessel_k(int order, std::complex<double> z) {
  constexpr double step = 1e-3;
  std::complex<double> sum = 0.5 * std::exp(-z);
  for (double t = step; t < 8; t += step) sum += std::exp(-z * std::cosh(t)) * (order == 0 ? 1 : std::cosh(t));
  return sum * step;
}

// A cylinder that swings in fluid at rest (Stokes): the velocity around it is that of its surface times K1(k r) / K1(k
// R), k^2 = i omega / nu, and so its torque is 2 pi nu R^2 (du/dr - u / r).
TEST(LbmTurning, ASwingingCircleHasTheTorqueOfTheory) {
  constexpr double radius = 10, rate = 0.002, viscosity = 0.1;
  constexpr int period = 1000;
  Executor executor = Executor::cpu(2);
  const Scene scene = lbm_scene(fmt::format(
      "grid = [91, 91]\nviscosity = {}\ncollision = \"central\"\nprecision = \"double\"\nwalls = \"curved\"\n"
      "[[solver.obstacle]]\ncenter = [44.8, 45.1]\nradius = {}\nrotation = {}\nperiod = {}\n",
      viscosity, radius, rate, period));
  const auto solver = plan_solver(scene).create(executor);
  solver->step(3 * period);
  double with_sine = 0, with_cosine = 0;
  for (int i = 0; i < 100; ++i) {
    const double angle = 2 * pi * (3 * period + 10 * i + 1) / period, torque = value_of(scene, *solver, "torque");
    with_sine += torque * std::sin(angle) / 50;
    with_cosine += torque * std::cos(angle) / 50;
    solver->step(10);
  }
  const std::complex<double> k = std::sqrt(std::complex<double>(0, 2 * pi / period / viscosity));
  const std::complex<double> theory = -2 * pi * viscosity * radius * radius * rate * radius *
                                      (k * bessel_k(0, k * radius) / bessel_k(1, k * radius) + 2 / radius);
  EXPECT_NEAR(with_sine / theory.real(), 1, 0.01);
  EXPECT_NEAR(with_cosine / theory.imag(), 1, 0.02);
}

const std::string risen =
    "grid = [400, 320]\ncollision = \"central\"\nvelocity = 0.05\nramp = 100\nwalls = "
    "\"curved\"\n[solver.boundary]\nleft "
    "= \"inlet\"\nright = \"outlet\"\nbottom = \"slip\"\ntop = \"slip\"\n[[solver.obstacle]]\ncenter = [90, "
    "150]\nradius = 9.3\nrotation = 0.004\n[[solver.obstacle]]\ncenter = [190, 150]\nradius = 9.3\nrotation = "
    "0.004\nperiod = 50\n";

// While the rotation rises and swings, forces and vorticity at walls are those of the coming step, whether two steps
// were taken at once, and after a restart.
TEST(LbmTurning, WhatIsMeasuredDoesNotDependOnHowStepsAreGrouped) {
  Executor executor = Executor::cpu(2);
  const auto fused = make(executor, risen), single = make(executor, "kernel = \"single\"\n" + risen);
  fused->step(24);
  for (int i = 0; i < 8; ++i) single->step(3);
  EXPECT_EQ(fused->diagnose(), single->diagnose());
  test::expect_same_fields(shown<float>(executor, *fused, "vorticity"), shown<float>(executor, *single, "vorticity"));
  Checkpoint saved;
  fused->save(saved);
  const auto resumed = make(executor, risen);
  resumed->load(saved);
  EXPECT_EQ(resumed->diagnose(), fused->diagnose());
}

// Half of the circle lies in the grid; the fluid on the other side of the seam touches its flat cut, which moves along.
TEST(LbmTurning, ACircleOnAPeriodicSideMovesNoFasterThanItsSurface) {
  constexpr float surface = 10 * 0.004f;
  Executor executor = Executor::cpu(2);
  const auto solver = make(executor,
                           "grid = [64, 64]\nviscosity = 0.1\ncollision = \"central\"\nwalls = \"curved\"\n"
                           "[[solver.obstacle]]\ncenter = [0, 32]\nradius = 10\nrotation = 0.004\n",
                           "speed");
  solver->step(400);
  ASSERT_TRUE(solver->finite());
  const std::vector<float> speed = shown<float>(executor, *solver, "speed");
  const float fastest = *std::ranges::max_element(speed);
  EXPECT_GT(fastest, surface / 2);
  EXPECT_LT(fastest, surface * 1.05f);
}

}  // namespace
}  // namespace simreel
