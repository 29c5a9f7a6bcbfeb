// Two phases as scenes describe them: where they start, and what they keep.

#include "tests/support/lbm_scene.h"

namespace simreel {
namespace {

using test::lbm_scene, test::shown, test::value_of;

const std::string splash =
    "grid = [60, 52]\ncollision = \"central\"\n[solver.phases]\nlevel = 12\ngravity = 2e-5\n"
    "contact_angle = 60\n[[solver.phases.drop]]\ncenter = [30, 32]\nradius = 11\nvelocity = [0.01, -0.02]\n"
    "[[solver.phases.bubble]]\ncenter = [10, 4]\nradius = 6\n";

TEST(LbmPhasesSolver, TheStartIsWhatTheSceneSays) {
  Executor executor = Executor::cpu(1);
  const Scene scene = lbm_scene(splash);
  const auto solver = plan_solver(scene).create(executor);
  const std::vector<float> phase = shown<float>(executor, *solver, "phase"), uy = shown<float>(executor, *solver, "uy"),
                           density = shown<float>(executor, *solver, "density");
  const auto at = [](const std::vector<float>& field, int x, int y) {
    return field[static_cast<std::size_t>(y * 60 + x)];
  };
  EXPECT_NEAR(at(phase, 30, 32), 1, 1e-4);
  EXPECT_NEAR(at(uy, 30, 32), -0.02, 1e-5);
  EXPECT_NEAR(at(density, 30, 32), 1, 1e-4);
  EXPECT_NEAR(at(phase, 45, 1), 1, 1e-3);
  EXPECT_NEAR(at(phase, 10, 4), 0, 1e-2);  // the bubble
  EXPECT_NEAR(at(density, 5, 45), 0.01, 1e-5);
  EXPECT_NEAR(at(phase, 45, 11) + at(phase, 45, 12), 1, 1e-5);  // the layer is 12 cells high
}

TEST(LbmPhasesSolver, MassAndLiquidAreKept) {
  Executor executor = Executor::cpu(2);
  const Scene scene = lbm_scene("precision = \"double\"\n" + splash);
  const auto solver = plan_solver(scene).create(executor);
  const double liquid = value_of(scene, *solver, "liquid"), mass = value_of(scene, *solver, "mass");
  EXPECT_NEAR(mass, 0.01 * 60 * 52 + 0.99 * liquid, 1e-8);
  solver->step(1000);
  EXPECT_TRUE(solver->finite());
  EXPECT_NEAR(value_of(scene, *solver, "liquid") / liquid, 1, 1e-13);
  EXPECT_NEAR(value_of(scene, *solver, "mass") / mass, 1, 1e-13);
  EXPECT_GT(value_of(scene, *solver, "kinetic"), 0);
}

// A layer that is level stays so.
TEST(LbmPhasesSolver, ALayerStaysAtRest) {
  Executor executor = Executor::cpu(2);
  const Scene scene = lbm_scene(
      "grid = [8, 64]\ncollision = \"central\"\nprecision = \"double\"\n[solver.phases]\nlevel = 32\ngravity = 1e-5\n"
      "density_ratio = 1000\n");
  const auto solver = plan_solver(scene).create(executor);
  solver->step(4000);
  EXPECT_LT(value_of(scene, *solver, "max_speed"), 1e-3);  // the sound that its weight makes at step 0
  const std::vector<double> phase = shown<double>(executor, *solver, "phase");
  EXPECT_NEAR(phase[8 * 31] + phase[8 * 32], 1, 5e-2);
}

}  // namespace
}  // namespace simreel
