#include <fmt/format.h>
#include <malloc.h>

#include "tests/support/backends.h"
#include "tests/support/lbm_scene.h"

namespace simreel {
namespace {

using test::channel, test::error_of, test::expect_same_fields, test::lbm_scene, test::make, test::obstructed,
    test::shown, test::value_of;

TEST(LbmSolver, NamesForcesWhereThereAreObstacles) {
  using Names = std::vector<std::string>;
  const std::string circle = "[[solver.obstacle]]\nradius = 3\n";
  EXPECT_EQ(plan_solver(lbm_scene("grid = [32, 32]\n")).diagnostics,
            (Names{"step", "time", "mass", "max_speed", "mean_ux", "mean_uy", "kinetic"}));
  EXPECT_EQ(plan_solver(lbm_scene("grid = [32, 32]\n" + circle)).diagnostics,
            (Names{"step", "time", "mass", "max_speed", "mean_ux", "mean_uy", "drag", "lift", "kinetic"}));
  const Scene two = lbm_scene("grid = [64, 32]\n" + circle + "[[solver.obstacle]]\ncenter = [10, 10]\nradius = 3\n");
  const Names names = plan_solver(two).diagnostics;
  EXPECT_EQ(Names(names.end() - 4, names.end()), (Names{"drag_1", "lift_1", "drag_2", "lift_2"}));
  Executor executor = Executor::cpu(1);
  EXPECT_EQ(plan_solver(two).create(executor)->diagnose().size(), names.size());
}

// In a periodic channel that a force drives, the obstacle in the end takes all the momentum that the force gives.
TEST(LbmSolver, DragBalancesTheForceInAPeriodicBox) {
  Executor executor = Executor::cpu(2);
  const Scene scene = lbm_scene(
      "grid = [60, 40]\nviscosity = 0.1\nforce = [1e-6, 5e-7]\nprecision = \"double\"\n[solver.boundary]\nbottom = "
      "\"periodic\"\ntop = \"periodic\"\n[[solver.obstacle]]\nradius = 8\n");
  const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
  solver->step(40000);
  const double mass = value_of(scene, *solver, "mass");
  EXPECT_NEAR(value_of(scene, *solver, "drag") / (1e-6 * mass), 1, 1e-6);
  EXPECT_NEAR(value_of(scene, *solver, "lift") / (5e-7 * mass), 1, 1e-6);
}

// A force drives the flow between two plates, of which the mean is F H^2 / (12 nu) (Poiseuille).
TEST(LbmSolver, SidesThatAreNotNamedAreAChannel) {
  Executor executor = Executor::cpu(1);
  const Scene scene = lbm_scene("grid = [4, 16]\nviscosity = 0.1\nforce = [1e-5, 0.0]\nprecision = \"double\"\n");
  const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
  solver->step(40000);
  EXPECT_NEAR(value_of(scene, *solver, "mean_ux") / (1e-5 * 16 * 16 / (12 * 0.1)), 1, 0.01);
  EXPECT_NO_THROW(plan_solver(lbm_scene("grid = [16, 16]\ninitial = \"taylor_green\"\n")));  // all periodic
}

TEST(LbmSolver, DiagnosticsAreThoseOfAUniformFlow) {
  Executor executor = Executor::cpu(2);
  const Scene scene = lbm_scene(
      "grid = [48, 20]\ninitial = \"uniform\"\nvelocity = 0.04\n[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [10, "
      "5]\nmax = "
      "[19, 9]\n");
  const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
  const double fluid = 48 * 20 - 10 * 5;
  EXPECT_NEAR(value_of(scene, *solver, "mass"), fluid, 1e-4);
  EXPECT_NEAR(value_of(scene, *solver, "mean_ux"), 0.04, 1e-7);
  EXPECT_NEAR(value_of(scene, *solver, "mean_uy"), 0, 1e-9);
  EXPECT_NEAR(value_of(scene, *solver, "max_speed"), 0.04, 1e-7);
  EXPECT_NEAR(value_of(scene, *solver, "kinetic"), 0.5 * fluid * 0.04 * 0.04, 1e-5);
  solver->step(7);
  EXPECT_EQ(value_of(scene, *solver, "step"), 7);
}

TEST(LbmSolver, ViscosityFollowsFromTheReynoldsNumber) {
  const SolverPlan plan =
      plan_solver(lbm_scene("grid = [64, 32]\nreynolds = 50\nvelocity = 0.05\nlength = 20\n" + channel));
  EXPECT_EQ(plan.texts.facts.at(0),
            "tau = 0.56, viscosity 0.02, Mach number 0.0866, grid Reynolds number 2.5, Reynolds number 50");
  EXPECT_TRUE(plan.texts.warnings.empty());
}

// Of a parabola the mean is two thirds of the peak.
TEST(LbmSolver, AReynoldsNumberMayBeThatOfTheMeanSpeed) {
  const std::string keys = "grid = [64, 32]\nreynolds = 50\nvelocity = 0.06\nlength = 20\nprofile = \"parabolic\"\n";
  const auto facts = [&](const std::string& more) { return plan_solver(lbm_scene(keys + more + channel)).texts.facts; };
  EXPECT_EQ(facts("reynolds_of = \"mean\"\n").at(0).find("tau = 0.548, viscosity 0.016,"), 0u);
  EXPECT_EQ(facts("reynolds_of = \"velocity\"\n"), facts(""));
  EXPECT_EQ(facts("").at(0).find("tau = 0.572, viscosity 0.024,"), 0u);
}

TEST(LbmSolver, ShowsEveryField) {
  Executor executor = Executor::cpu(2);
  const std::string keys = "grid = [64, 64]\ninitial = \"taylor_green\"\nvelocity = 0.05\nprecision = \"double\"\n";
  const auto at = [&](const std::string& field, int x, int y) {
    const std::unique_ptr<Solver> solver = make(executor, keys, field);
    const auto view = std::get<FieldView<double>>(solver->view(field));
    EXPECT_EQ(view.cell, nullptr);
    return view.value[y * view.pitch + x];
  };
  const double k = 2 * 3.14159265358979323846 / 64, x = 10.5 * k, y = 20.5 * k;
  const double ux = -0.05 * std::cos(x) * std::sin(y), uy = 0.05 * std::sin(x) * std::cos(y);
  EXPECT_NEAR(at("ux", 10, 20), ux, 1e-14);
  EXPECT_NEAR(at("uy", 10, 20), uy, 1e-14);
  EXPECT_NEAR(at("speed", 10, 20), std::hypot(ux, uy), 1e-14);
  EXPECT_NEAR(at("vorticity", 10, 20) / (2 * 0.05 * k * std::cos(x) * std::cos(y)), 1, 2e-3);
  EXPECT_NEAR(at("density", 10, 20), 1 - 0.75 * 0.05 * 0.05 * (std::cos(2 * x) + std::cos(2 * y)), 1e-14);
}

// A flow that ends the other collisions is held at the limit, and the run says so; where the limit does not act nothing
// is said.
TEST(LbmSolver, TellsHowOftenTheSpeedLimitActed) {
  Executor executor = Executor::cpu(2);
  const auto findings = [&](double velocity) {
    const std::string keys =
        fmt::format("collision = \"central\"\ngrid = [64, 64]\nviscosity = 1e-5\nvelocity = {}\n", velocity) + channel +
        "[[solver.obstacle]]\nradius = 8\n";
    const auto solver = make(executor, keys);
    for (int frame = 0; frame < 4; ++frame) {
      EXPECT_TRUE(solver->finite());
      solver->step(50);
    }
    return solver->findings();
  };
  EXPECT_EQ(findings(0.01), std::vector<std::string>{});
  ASSERT_EQ(findings(0.4).size(), 1u);
  EXPECT_EQ(findings(0.4)[0].find("the speed limit of 0.5 cells a step acted in 2 of 4 frames, on at most "), 0u)
      << findings(0.4)[0];
}

TEST(LbmSolver, EndsInNaNWhereItIsUnstable) {
  Executor executor = Executor::cpu(1);
  const std::unique_ptr<Solver> solver = make(
      executor, "grid = [64, 64]\nviscosity = 1e-5\nvelocity = 0.4\n" + channel + "[[solver.obstacle]]\nradius = 8\n");
  EXPECT_TRUE(solver->finite());
  solver->step(3000);
  EXPECT_FALSE(solver->finite());
}

TEST(LbmSolver, SplitKernelsGiveTheBitsOfTheFusedOne) {
  for (const char* collision : {"bgk", "trt", "mrt", "central"}) {
    const std::string keys = fmt::format("collision = \"{}\"\n", collision) + obstructed;
    for (Executor& executor : test::cpu_executors()) {
      const auto fused = make(executor, keys), split = make(executor, "kernel = \"split\"\ntile = 16\n" + keys);
      fused->step(40);
      split->step(40);
      expect_same_fields(shown<float>(executor, *split), shown<float>(executor, *fused));
    }
  }
}

// One cell thick, along a diagonal: the half behind it stays at rest, and keeps its mass.
TEST(LbmSolver, NothingSlipsThroughADiagonalWall) {
  Executor executor = Executor::cpu(1);
  const auto solver =
      make(executor,
           "grid = [32, 32]\nviscosity = 0.05\nprecision = \"double\"\n[solver.boundary]\nleft = "
           "\"wall\"\nright = \"wall\"\nbottom = \"wall\"\ntop = \"moving\"\n[[solver.obstacle]]\nshape "
           "= \"polygon\"\npoints = [[0, 0], [31, 31], [0, 0]]\n",
           "speed");
  solver->step(2000);
  const auto field = std::get<FieldView<double>>(solver->view("speed"));
  double above = 0, below = 0;
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) {
      const double speed = field.value[y * field.pitch + x];
      if (x < y) above = std::max(above, speed);
      if (x > y) below = std::max(below, speed);
    }
  EXPECT_GT(above, 0.01);
  EXPECT_EQ(below, 0);
}

// More than any machine has: said before obstacles are painted on so many cells, which would take minutes and
// gigabytes.
TEST(LbmSolver, RefusesAGridThatNoMemoryHolds) {
  const std::string error =
      error_of("grid = [65000, 65000]\nprecision = \"double\"\n[[solver.obstacle]]\nradius = 3\n");
  EXPECT_EQ(error.find("flow.toml:4:1: "), 0u) << error;
  EXPECT_TRUE(test::says(error, "GiB of memory"));
  EXPECT_TRUE(test::says(error, "make grid smaller"));
}

// The plan's map of cells is needed until a solver has its own.
TEST(LbmSolver, LeavesNoMapBesideItsOwn) {
  Executor executor = Executor::cpu(1);
  const std::size_t before = mallinfo2().hblkhd;
  const SolverPlan plan = plan_solver(lbm_scene("grid = [4096, 2048]\nprecision = \"half\"\n[[solver.obstacle]]\n"));
  const auto solver = plan.create(executor);
  EXPECT_LT(mallinfo2().hblkhd - before, plan.bytes(executor) + (1u << 20));
  EXPECT_GE(plan.made_bytes, 4096u * 2048u);
}

TEST(LbmSolver, ASecondSolverOfAPlanIsLikeTheFirst) {
  Executor executor = Executor::cpu(2);
  const SolverPlan plan =
      plan_solver(lbm_scene(obstructed + "[[solver.obstacle]]\nshape = \"porous\"\nmin = [90, 5]\n"));
  const auto first = plan.create(executor), second = plan.create(executor);
  first->step(30);
  second->step(30);
  EXPECT_EQ(first->diagnose(), second->diagnose());
  expect_same_fields(shown<float>(executor, *first), shown<float>(executor, *second));
}

}  // namespace
}  // namespace simreel
