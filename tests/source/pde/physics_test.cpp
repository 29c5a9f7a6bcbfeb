// Solutions that are known.

#include "tests/support/pde_scene.h"

namespace simreel {
namespace {

using test::pde_run, test::pde_scene;
constexpr double pi = 3.14159265358979323846;

TEST(PdePhysics, HeatDecaysAsOnTheGridAndWithOrderTwo) {
  double errors[2] = {};
  for (const int n : {32, 64}) {
    const int steps = n * n / 4;
    const double dt = 0.1;
    const std::vector<double> u = pde_run(
        fmt::format("grid = [{0}, {0}]\nprecision = \"double\"\ntimestep = {1}\nunchecked = true\nscheme = \"rk4\"\n"
                    "[solver.fields.u]\ninitial = \"= cos(2*pi*x/nx)*cos(4*pi*y/ny)\"\nrate = \"= lap(u)\"\n",
                    n, dt),
        steps);
    const double rate = -std::log(u[0]) / (steps * dt);
    const double grid = 4 * (std::pow(std::sin(pi / n), 2) + std::pow(std::sin(2 * pi / n), 2));
    EXPECT_NEAR(rate / grid, 1, 5e-8) << n;
    errors[n / 64] = 1 - rate / (5 * std::pow(2 * pi / n, 2));
  }
  EXPECT_NEAR(errors[0] / errors[1], 4, 0.05);
}

TEST(PdePhysics, SchemesHaveTheirOrders) {
  // du/dt = -u^2 + cos t, compared with a run of many steps.
  const auto value = [](const char* scheme, int steps) {
    return pde_run(
        fmt::format("grid = [2, 2]\nprecision = \"double\"\nscheme = \"{}\"\ntimestep = {}\nunchecked = true\n"
                    "[solver.fields.u]\ninitial = 1\nrate = \"= cos(t) - u^2\"\n",
                    scheme, 2.0 / steps),
        steps)[0];
  };
  const double exact = value("rk4", 4000);
  for (const auto& [scheme, order] : {std::pair("euler", 1), {"heun", 2}, {"rk4", 4}, {"rkc2", 2}}) {
    const double ratio = (value(scheme, 40) - exact) / (value(scheme, 80) - exact);
    EXPECT_NEAR(std::log2(ratio), order, 0.15) << scheme;
  }
}

TEST(PdePhysics, SidesHoldWhatTheySay) {
  // u = 2 + 0.3 x - 0.2 y + 0.5 t is a solution of du/dt = lap u + 0.5 to rounding, in every scheme.
  const std::string exact = "2 + 0.3*x - 0.2*y + 0.5*t";
  const auto at_x = [&](const char* x) { return fmt::format("2 + 0.3*({}) - 0.2*y + 0.5*t", x); };
  const std::string mixed =  // at the right side, by slope: u_n = 0.3
      fmt::format(
          "left = {{ value = \"= {}\" }}\nright = {{ slope = 0.3 }}\nbottom = {{ slope = \"= 0.2 + 0*x\" }}\n"
          "top = {{ value = \"= 2 + 0.3*x - 0.2*(ny - 0.5) + 0.5*t\" }}\n",
          at_x("-0.5"));
  const std::string formulas =  // u_n = 0.3 at the right side, as a mixture of which both parts change
      fmt::format(
          "left = {{ value = \"= {}\" }}\nright = {{ mixed = {{ a = \"= 0.3 + (0.1 + 0.02*y)*({})\", b = \"= 0.1 + "
          "0.02*y\" }} "
          "}}\nbottom = {{ slope = 0.2 }}\ntop = {{ slope = -0.2 }}\n",
          at_x("-0.5"), at_x("nx - 0.5"));
  for (const char* scheme : {"euler", "heun", "rk4", "rkc2"})
    for (const std::string& sides : {mixed, formulas}) {
      const std::vector<double> u = pde_run(
          fmt::format("grid = [12, 9]\nprecision = \"double\"\nscheme = \"{}\"\ntimestep = 0.1\nboundary = \"free\"\n"
                      "[solver.fields.u]\n"
                      "initial = \"= 2 + 0.3*x - 0.2*y\"\nrate = \"= lap(u) + 0.5\"\n[solver.fields.u.boundary]\n{}",
                      scheme, sides),
          50);
      for (int y = 0; y < 9; ++y)
        for (int x = 0; x < 12; ++x)
          EXPECT_NEAR(u[y * 12 + x], 2 + 0.3 * x - 0.2 * y + 0.5 * 5.0, 1e-12) << scheme << " at " << x << ", " << y;
    }
}

TEST(PdePhysics, MixedSidesComeToTheirSteadyState) {
  // u(0) = 1 at the left side; u_x = 0.5 - 0.25 u at the right one, 8 away: u = 1 + x / 12.
  const std::vector<double> u = pde_run(
      "grid = [8, 1]\nprecision = \"double\"\nscheme = \"rkc2\"\n[solver.fields.u]\ninitial = 0\nrate = \"= dxx(u)\"\n"
      "boundary.left = { value = 1 }\nboundary.right = { mixed = [0.5, 0.25] }\n[solver.boundary]\nleft = \"free\"\n",
      400);
  for (int x = 0; x < 8; ++x) EXPECT_NEAR(u[x], 1 + (x + 0.5) / 12, 1e-9) << x;
}

TEST(PdePhysics, SchroedingerKeepsTheNormAndTurnsThePhase) {
  const std::string keys =
      "grid = [64, 32]\nprecision = \"double\"\ntimestep = 0.05\n[solver.fields.p]\ntype = \"complex\"\n"
      "initial = \"= exp(1i*2*pi*4*x/nx)\"\nrate = \"= 0.5i*lap(p)\"\n[[solver.measure]]\nname = \"norm\"\nmean = "
      "\"= abs2(p)\"\n";
  const Executor executor = Executor::cpu(2);
  const std::unique_ptr<Solver> solver = plan_solver(pde_scene(keys)).create(executor);
  solver->step(200);
  EXPECT_NEAR(solver->diagnose().at(2), 1, 1e-8);
  const double energy = 0.5 * 4 * std::pow(std::sin(4 * pi / 64), 2);
  EXPECT_NEAR(test::shown<double>(executor, *solver, "p.arg")[0], -energy * 10, 1e-7);
  EXPECT_NEAR(test::shown<double>(executor, *solver, "p.abs")[0], 1, 1e-8);
}

TEST(PdePhysics, CahnHilliardKeepsTheMass) {
  const std::string keys =
      "grid = [48, 40]\nprecision = \"double\"\nscheme = \"euler\"\ntimestep = 0.02\n[solver.fields.c]\n"
      "initial = \"= 0.1 + 0.2*noise(x/3, y/3)\"\nrate = \"= lap(mu)\"\n[solver.fields.mu]\n"
      "value = \"= c^3 - c - 0.5*lap(c)\"\n[[solver.measure]]\nname = \"mass\"\nintegral = \"= c\"\n"
      "[[solver.measure]]\nname = \"highest\"\nmax = \"= c\"\n";
  const Executor executor = Executor::cpu(2);
  const std::unique_ptr<Solver> solver = plan_solver(pde_scene(keys)).create(executor);
  const double mass = solver->diagnose().at(2);
  solver->step(3000);
  const std::vector<double> values = solver->diagnose();
  EXPECT_NEAR(values.at(2), mass, 1e-9);
  EXPECT_GT(values.at(3), 0.9) << "it separates";
}

TEST(PdePhysics, FisherWavesHaveTheSpeedOfTheGrid) {
  const std::string keys =
      "grid = [400, 1]\nprecision = \"double\"\ntimestep = 0.2\nboundary = \"free\"\n[solver.fields.u]\n"
      "initial = \"= x < 20\"\nrate = \"= lap(u) + 0.25*u*(1 - u)\"\n";
  const auto front = [](const std::vector<double>& u) {
    const auto i = static_cast<std::size_t>(std::ranges::find_if(u, [](double v) { return v < 0.5; }) - u.begin());
    return static_cast<double>(i) - (0.5 - u[i]) / (u[i - 1] - u[i]);
  };
  const Executor executor = Executor::cpu(1);
  const std::unique_ptr<Solver> solver = plan_solver(pde_scene(keys)).create(executor);
  solver->step(1000);
  const double first = front(test::shown<double>(executor, *solver));
  solver->step(500);
  const double second = front(test::shown<double>(executor, *solver));
  // The linear speed of the grid, less what a front that began steep lacks, 3 / (2 lambda t).
  double speed = 10, lambda = 0;
  for (double l = 0.3; l < 0.7; l += 0.001)
    if (const double c = (2 * std::cosh(l) - 2 + 0.25) / l; c < speed) speed = c, lambda = l;
  const double expected = speed * 100 - 1.5 / lambda * std::log(300.0 / 200);
  EXPECT_NEAR((second - first) / 100, expected / 100, 1e-3);
}

TEST(PdePhysics, NoiseHasItsVariance) {
  const std::vector<double> u = pde_run(
      "grid = [128, 128]\nprecision = \"double\"\nscheme = \"euler\"\ntimestep = 0.04\nunchecked = true\n"
      "[solver.fields.u]\ninitial = 0\nrate = \"= 0\"\nnoise = 0.5\n",
      25);
  double sum = 0, squares = 0;
  for (const double v : u) sum += v, squares += v * v;
  const double count = static_cast<double>(u.size());
  EXPECT_NEAR(sum / count, 0, 4 * 0.5 / 128);
  EXPECT_NEAR(squares / count, 0.25, 0.25 * 4 * std::sqrt(2.0) / 128);
}

}  // namespace
}  // namespace simreel
