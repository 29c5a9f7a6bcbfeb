// Flows that formulas and arrays drive: forces, inlet profiles, the flow at step 0.

#include "source/lbm/drive.h"

#include <fmt/format.h>

#include <complex>

#include "checkpoint/checkpoint.h"
#include "tests/support/lbm_scene.h"
#include "tests/support/npy.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

using std::numbers::pi;
using test::error_of, test::lbm_scene, test::make, test::shown;

const std::string periodic =
    "[solver.boundary]\nleft = \"periodic\"\nright = \"periodic\"\nbottom = \"periodic\"\ntop = \"periodic\"\n";

void expect_same(Solver& a, Solver& b, const Executor& executor) {
  for (const char* field : {"ux", "uy", "density"})
    test::expect_same_fields(shown<float>(executor, a, field), shown<float>(executor, b, field));
}

TEST(LbmDrive, TaylorGreenVorticesOfAFormulaAreTheBuiltInOnes) {
  Executor executor = Executor::cpu(2);
  const std::string grid = "grid = [64, 64]\nvelocity = 0.02\nviscosity = 0.02\ncollision = \"central\"\n";
  const auto built_in = make(executor, grid + "initial = \"taylor_green\"\n" + periodic);
  const auto formula =
      plan_solver(parse_scene("[solver]\nkind = \"lbm\"\n" + grid +
                                  "initial_ux = \"= -0.02 * cos(2*pi*(x + 0.5)/nx) * "
                                  "sin(2*pi*(y + 0.5)/ny)\"\ninitial_uy = \"= 0.02 * sin(2*pi*(x + 0.5)/nx) * "
                                  "cos(2*pi*(y + 0.5)/ny)\"\ninitial_density = \"= 1 - 0.75 * 0.02^2 * "
                                  "(cos(4*pi*(x + 0.5)/nx) + cos(4*pi*(y + 0.5)/ny))\"\n" +
                                  periodic,
                              "flow.toml"))
          .create(executor);
  expect_same(*built_in, *formula, executor);
  built_in->step(200);
  formula->step(200);
  expect_same(*built_in, *formula, executor);
}

const std::string open_channel =
    "grid = [160, 64]\ninitial = \"rest\"\nramp = 100\noutlet_layer = 20\n" + test::channel;

TEST(LbmDrive, AParabolaOfAFormulaIsTheParabolicProfile) {
  Executor executor = Executor::cpu(2);
  const auto named = make(executor, "profile = \"parabolic\"\n" + open_channel);
  const auto formula = make(executor, "profile = \"= 4 * ((y + 0.5) / ny) * (1 - (y + 0.5) / ny)\"\n" + open_channel);
  named->step(300);
  formula->step(300);
  expect_same(*named, *formula, executor);
}

// A jet from the middle third of the side.
TEST(LbmDrive, AProfileBlowsWhereItIsNotZero) {
  Executor executor = Executor::cpu(2);
  const Scene scene = lbm_scene(
      "grid = [64, 60]\ncollision = \"central\"\nramp = 50\ninitial = \"rest\"\nprofile = \"= y > 19.5 and y < "
      "39.5\"\n" +
      test::channel);
  const auto solver = plan_solver(scene).create(executor);
  solver->step(400);
  const std::vector<float> ux = shown<float>(executor, *solver, "ux");
  EXPECT_NEAR(ux[30 * 64], 0.05f, 0.005f);
  EXPECT_LT(std::abs(ux[8 * 64]), 0.01f);
  EXPECT_LT(std::abs(ux[52 * 64]), 0.01f);
}

// Couette's flow between walls that slide each at its own speed, along both axes.
TEST(LbmDrive, WallsSlideAtTheirShareOfTheVelocity) {
  Executor executor = Executor::cpu(2);
  for (const bool flat : {true, false}) {
    const auto solver =
        make(executor, fmt::format("grid = {}\nvelocity = 0.04\nviscosity = 0.1\ncollision = \"trt\"\nprecision = "
                                   "\"double\"\n[solver.boundary]\n{} = \"moving\"\n{} = \"moving\"\n{} = -1\n{} = "
                                   "0.5\n{} = \"periodic\"\n{} = \"periodic\"\n",
                                   flat ? "[4, 32]" : "[32, 4]", flat ? "bottom" : "left", flat ? "top" : "right",
                                   flat ? "bottom_factor" : "left_factor", flat ? "top_factor" : "right_factor",
                                   flat ? "left" : "bottom", flat ? "right" : "top"));
    solver->step(20000);
    const std::vector<double> along = shown<double>(executor, *solver, flat ? "ux" : "uy");
    for (std::size_t k = 0; k < 32; ++k)
      ASSERT_NEAR(along[flat ? 4 * k : k], 0.04 * (-1 + 1.5 * (static_cast<double>(k) + 0.5) / 32), 1e-9) << k;
  }
}

// Kolmogorov's flow: a force F sin(k y) drives F sin(k y) / (nu k^2).
TEST(LbmDrive, AForceOverSpaceDrivesKolmogorovsFlow) {
  constexpr double force = 1e-6, viscosity = 0.1, k = 2 * pi / 64;
  for (const char* collision : {"bgk", "trt", "mrt", "central"}) {
    Executor executor = Executor::cpu(2);
    const auto solver = make(
        executor, fmt::format("grid = [8, 64]\nviscosity = {}\ncollision = \"{}\"\nprecision = \"double\"\nforce = "
                              "{{x = \"= {} * sin(2*pi*(y + 0.5)/ny)\"}}\n",
                              viscosity, collision, force) +
                      periodic);
    solver->step(15000);
    const std::vector<double> ux = shown<double>(executor, *solver, "ux");
    for (std::size_t y = 0; y < 64; ++y)
      ASSERT_NEAR(ux[8 * y + 3] * viscosity * k * k / force, std::sin(k * (static_cast<double>(y) + 0.5)), 2e-3)
          << collision << ", row " << y;
  }
}

// A pressure that swings drives a channel as Stokes and Womersley say.
TEST(LbmDrive, AForceOverTimeDrivesWomersleysFlow) {
  constexpr double force = 1e-6, viscosity = 0.1, height = 32;
  constexpr int period = 2000;
  Executor executor = Executor::cpu(2);
  const auto solver = make(executor, fmt::format("grid = [4, 32]\nviscosity = {}\ncollision = \"central\"\nprecision = "
                                                 "\"double\"\nforce = {{x = \"= {} * cos(2*pi*t/{})\"}}\n",
                                                 viscosity, force, period));
  const std::complex<double> rate(0, 2 * pi / period), k = std::sqrt(rate / viscosity);
  solver->step(10 * period);
  for (int quarter = 0; quarter < 4; ++quarter) {
    const std::vector<double> ux = shown<double>(executor, *solver, "ux");
    for (int row = 0; row < 32; ++row) {
      const double y = row - 15.5;
      const std::complex<double> shape = force / rate * (1.0 - std::cosh(k * y) / std::cosh(k * height / 2.0));
      const double theory = (shape * std::exp(rate * (quarter * period / 4.0))).real();
      ASSERT_NEAR(ux[4 * row + 2], theory, 0.01 * force / std::abs(rate)) << "quarter " << quarter << ", row " << row;
    }
    solver->step(period / 4);
  }
}

// Every way to take steps has the same bits, and so has a run that goes on from a checkpoint.
TEST(LbmDrive, AllKernelsAndRestartsGiveTheSameBits) {
  const std::string driven =
      "grid = [400, 320]\ncollision = \"central\"\ninitial = \"rest\"\nvelocity = 0.05\nramp = 100\noutlet_layer = 20\n"
      "walls = \"curved\"\nforce = {x = \"= 1e-5 * sin(2*pi*t/17)\", y = \"= 1e-5 * sin(x / 9) * cos(y / 7)\"}\n"
      "profile = \"= 1 + 0.3 * sin(2*pi*(t/13 + y/ny))\"\n[[solver.obstacle]]\ncenter = [90, 150]\nradius = 9.3\n" +
      test::channel;
  Executor executor = Executor::cpu(2);
  const auto fused = make(executor, driven), single = make(executor, "kernel = \"single\"\n" + driven),
             split = make(executor, "kernel = \"split\"\n" + driven);
  const auto dye = make(executor, driven + "[solver.tracer]\nstripes = 4\n", "tracer");
  fused->step(24);
  for (int i = 0; i < 8; ++i) single->step(3);
  split->step(24);
  dye->step(24);
  for (Solver* const other : {single.get(), split.get(), dye.get()}) {
    EXPECT_EQ(fused->diagnose(), other->diagnose());
    expect_same(*fused, *other, executor);
  }
  Checkpoint saved;
  fused->save(saved);
  const auto resumed = make(executor, driven);
  resumed->load(saved);
  EXPECT_EQ(resumed->diagnose(), fused->diagnose());
  resumed->step(11);
  fused->step(11);
  expect_same(*fused, *resumed, executor);
}

TEST(LbmDrive, TakesArrays) {
  const test::Folder folder;
  std::vector<float> values;
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 48; ++x) values.push_back(static_cast<float>(x * y) * 0x1p-18f);
  std::ofstream(folder / "u.npy", std::ios::binary) << test::npy({32, 48}, values);
  Executor executor = Executor::cpu(2);
  const auto scene = [&](const std::string& u) {
    return parse_scene(fmt::format("[solver]\nkind = \"lbm\"\ngrid = [48, 32]\nviscosity = 0.02\ninitial_ux = "
                                   "\"{}\"\ninitial_uy = 0.01\nforce = {{y = \"{}\"}}\n",
                                   u, u),
                       "flow.toml");
  };
  const SolverPlan plan = plan_solver(scene((folder / "u.npy")));
  EXPECT_EQ(plan.inputs.size(), 2u);  // files that a resumed run must find unchanged
  const auto array = plan.create(executor), formula = plan_solver(scene("= x * y / 262144")).create(executor);
  array->step(20);
  formula->step(20);
  expect_same(*array, *formula, executor);
  EXPECT_TRUE(test::says(error_of("grid = [40, 32]\nforce = {y = \"" + (folder / "u.npy") + "\"}\n"),
                         "the grid needs (32, 40)"));
}

}  // namespace
}  // namespace simreel
