// The scenes of scenes/large: too large for the tests of scenes/, so that few of their bodies stand for all.

#include "source/solver.h"
#include "tests/support/backends.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

TEST(LargeScenes, FitAGpuAndRunWithFewBodies) {
  const Executor executor = Executor::cpu(2);
  const auto scenes = test::scenes_in("scenes/large");
  ASSERT_GE(scenes.size(), 3u);
  for (const auto& file : scenes) {
    const SolverPlan whole = plan_solver(load_complete_scene(file));
    EXPECT_GE(whole.bodies, 4000000u) << file;
    EXPECT_LT(whole.bytes(executor) / whole.bodies, 300u) << file << ": bytes a body, with the copy of a CPU";
    EXPECT_TRUE(whole.texts.warnings.empty()) << file;
    EXPECT_TRUE(whole.texts.remarks.empty()) << file;
    const auto solver = plan_solver(load_complete_scene(file, test::few_bodies(file))).create(executor);
    solver->step(3);
    EXPECT_TRUE(solver->finite()) << file;
  }
}

}  // namespace
}  // namespace simreel
