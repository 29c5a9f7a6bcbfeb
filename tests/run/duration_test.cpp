#include "run/duration.h"

#include "tests/support/test.h"

namespace simreel {
namespace {

TEST(Estimate, TimesAreInUnitsOfPeople) {
  for (const auto& [seconds, words] : {std::pair{0.00123, "0.01 s"},
                                       {0.35, "0.35 s"},
                                       {59.0, "59 s"},
                                       {300.0, "5 min"},
                                       {5400.0, "1.5 h"},
                                       {90000.0, "25 h"},
                                       {259200.0, "3 days"},
                                       {4e7, "463 days"},
                                       {6.3e7, "2 years"},
                                       {3.7e10, "1172 years"}})
    EXPECT_EQ(in_words(seconds), words);
}

TEST(Estimate, WorkIsThatOfEveryPass) {
  const Scene scene = parse_scene(
      "[solver]\nkind = \"wave\"\ngrid = [20, 10]\n[animation]\nframes = 11\nsteps_per_frame = 3\nstart = 70\n",
      "x.toml");
  const SolverPlan plan = plan_solver(scene);
  const Work twice(scene, plan, true, 2, true), state(scene, plan, false, 1, false);
  EXPECT_EQ(twice.steps, 200);
  EXPECT_EQ(twice.updates, 40000);
  EXPECT_EQ(twice.frames, 11);
  EXPECT_EQ(state.updates, 20000);
  EXPECT_EQ(state.frames, 0);
  EXPECT_EQ(twice.first_steps, 100);
  EXPECT_EQ(twice.measured, 11);
  EXPECT_EQ(state.measured, 0);
  EXPECT_EQ(state.written, 11);
}

TEST(Estimate, StepsOfFewBodiesAndDyeCostMoreThanTheirUpdates) {
  const auto seconds = [](const std::string& text) {
    const Scene scene = parse_scene("[animation]\nframes = 2\nsteps_per_frame = 1000000\n[solver]\n" + text, "x.toml");
    const SolverPlan plan = plan_solver(scene);
    return usual_seconds(scene, plan, Executor::cpu(1), Work(scene, plan, false, 1, false));
  };
  EXPECT_NEAR(seconds("kind = \"nbody\"\nbodies = 7\n"), 1 + 0.049, 0.01);
  EXPECT_NEAR(seconds("kind = \"nbody\"\nbodies = 1000\n"), 1 + 1000, 0.1);
  const std::string flow = "kind = \"lbm\"\ngrid = [100, 100]\n[solver.tracer]\nbands = 4\n";
  EXPECT_NEAR(seconds(flow), 1 + 200, 0.1) << "the dye is not shown";
  EXPECT_NEAR(seconds(flow + "[view]\nfield = \"tracer\"\n"), 1 + 1000, 0.1);
}

TEST(Estimate, RunsOfMoreThanADayAreWarnedOf) {
  const Scene scene = parse_scene("[solver]\nkind = \"wave\"\ngrid = [20, 10]\n", "x.toml");
  const SolverPlan plan = plan_solver(scene);
  EXPECT_FALSE(long_run(scene, plan, 86400, "here"));
  EXPECT_EQ(long_run(scene, plan, 864000, "here")
                .value_or("")
                .find("x.toml:3:1: this run takes about 10 days here; fewer cells in grid, frames or steps_per_frame"),
            0u);
}

}  // namespace
}  // namespace simreel
