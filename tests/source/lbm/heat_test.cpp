// Flows with heat as scenes describe them: Nusselt numbers of the literature, ranks, checkpoints, and what they show.

#include "tests/support/lbm_scene.h"

namespace simreel {
namespace {

using test::lbm_scene, test::shown, test::value_of, test::saved;

// The same to a relative 1e-4 over two looks; a run that does not settle fails.
double settled(const std::string& keys, int steps) {
  Executor executor = Executor::cpu(2);
  const Scene scene = lbm_scene(keys);
  const auto solver = plan_solver(scene).create(executor);
  double last = 0;
  for (int looks = 0; looks < 100; ++looks) {
    solver->step(steps);
    const double now = value_of(scene, *solver, "nusselt");
    if (std::abs(now - last) < 1e-4 * now) {
      EXPECT_NEAR(value_of(scene, *solver, "nusselt_flow") / now, 1, 0.01);
      return now;
    }
    last = now;
  }
  ADD_FAILURE() << "still changes";
  return last;
}

// A roll pair of the critical wavelength, 2 pi / 3.117 heights (Clever, Busse 1974, J. Fluid Mech. 65, 625).
TEST(LbmHeatSolver, LayersHeatedFromBelowHaveTheNusseltNumbersOfTheLiterature) {
  const auto layer = [](double rayleigh) {
    return fmt::format(
        "grid = [81, 40]\nvelocity = 0.1\ncollision = \"central\"\n[solver.heat]\nrayleigh = {}\nperturbation = 0.1\n",
        rayleigh);
  };
  EXPECT_NEAR(settled(layer(1e3), 4000), 1, 1e-3);  // below 1708 nothing moves
  EXPECT_NEAR(settled(layer(1e4), 4000), 2.661, 0.01 * 2.661);
}

// The mean over the hot wall (de Vahl Davis 1983, Int. J. Numer. Methods Fluids 3, 249).
TEST(LbmHeatSolver, CavitiesHeatedFromTheSideHaveTheNusseltNumbersOfTheLiterature) {
  const auto cavity = [](int cells, double rayleigh) {
    return fmt::format(
        "grid = [{}, {}]\nvelocity = 0.1\ncollision = \"central\"\n[solver.heat]\nrayleigh = {}\nleft = \"hot\"\n"
        "right = \"cold\"\n",
        cells, cells, rayleigh);
  };
  EXPECT_NEAR(settled(cavity(32, 1e3), 2000), 1.118, 0.01 * 1.118);
  EXPECT_NEAR(settled(cavity(48, 1e4), 4000), 2.243, 0.01 * 2.243);
}

// The samples of the Nusselt number, too, of which a run speaks at its end.
TEST(LbmHeatSolver, ARunGoesOnFromACheckpointWithTheSameFindings) {
  const Scene scene = lbm_scene("grid = [30, 48]\ncollision = \"central\"\n[solver.heat]\nrayleigh = 1e5\n");
  const SolverPlan plan = plan_solver(scene);
  Executor executor = Executor::cpu(2);
  const auto whole = plan.create(executor), first = plan.create(executor), second = plan.create(executor);
  whole->step(1000);
  first->step(637);
  Checkpoint checkpoint;
  first->save(checkpoint);
  second->load(checkpoint);
  second->step(363);
  EXPECT_TRUE(saved(*second) == saved(*whole));
  EXPECT_EQ(second->findings(), whole->findings());
  EXPECT_EQ(whole->findings().size(), 1u);
}

// Only where all heat goes from side to side is that of the mean fluid the Nusselt number, and only whole circles have
// the length of their circumference.
TEST(LbmHeatSolver, ColumnsAreThoseThatTheSceneHasAMeaningFor) {
  Executor executor = Executor::cpu(1);
  const auto scene_of = [](const std::string& walls, const std::string& obstacles) {
    return lbm_scene("grid = [40, 40]\nviscosity = 0.1\n[solver.heat]\ndiffusivity = 0.1\nbuoyancy = 0\n" + walls +
                     obstacles);
  };
  const auto has = [](const Scene& scene, const std::string& column) {
    const std::vector<std::string> names = plan_solver(scene).diagnostics;
    return std::ranges::count(names, column) > 0;
  };
  const std::string layer = "bottom = 1\ntop = 0\n", circle = "[[solver.obstacle]]\nradius = 5\n";
  EXPECT_TRUE(has(scene_of(layer, ""), "nusselt_flow"));
  EXPECT_FALSE(has(scene_of(layer, circle), "nusselt_flow"));
  EXPECT_FALSE(has(scene_of(layer + "left = 0.5\n", ""), "nusselt_flow"));
  const auto nusselt = [&](const std::string& center, const std::string& cover) {
    const Scene scene = scene_of("initial = 0\n", circle + "temperature = 1\ncenter = " + center + "\n" + cover);
    const auto solver = plan_solver(scene).create(executor);
    solver->step(20);
    return value_of(scene, *solver, "nusselt");
  };
  const double whole = nusselt("[20, 20]", "");
  EXPECT_GT(whole, 1);
  EXPECT_NEAR(nusselt("[20, -0.5]", "") / whole, 3.14159265 / 4, 0.1);  // half of it, over the number of its links
  EXPECT_TRUE(std::isnan(nusselt("[20, 20]", "[[solver.obstacle]]\nradius = 8\ncenter = [20, 20]\n")));
}

// Fields are in the unit of the scene, and so is the mean.
TEST(LbmHeatSolver, ShowsTemperaturesAsTheSceneGivesThem) {
  Executor executor = Executor::cpu(1);
  const Scene scene = lbm_scene(
      "grid = [8, 10]\nviscosity = 0.1\n[solver.heat]\ndiffusivity = 0.1\nbottom = 30\ntop = 10\ninitial = \"= 10 + "
      "x\"\n");
  const auto solver = plan_solver(scene).create(executor);
  const std::vector<float> temperature = shown<float>(executor, *solver, "temperature");
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 8; ++x) EXPECT_NEAR(temperature[y * 8 + x], 10 + x, 1e-5);
  EXPECT_NEAR(value_of(scene, *solver, "temperature"), 13.5, 1e-5);
}

// A warm fluid in a stream through an outlet: heat comes and goes, and nothing diverges.
TEST(LbmHeatSolver, WarmFluidLeavesThroughAnOutlet) {
  Executor executor = Executor::cpu(2);
  const Scene scene = lbm_scene(
      "grid = [160, 48]\nvelocity = 0.05\nviscosity = 0.01\ncollision = \"central\"\noutlet_layer = 10\nramp = "
      "500\n[solver.heat]\nrayleigh = 1e4\n[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\nbottom = "
      "\"slip\"\ntop = \"slip\"\n[[solver.obstacle]]\ncenter = [40, 24]\nradius = 5\ntemperature = \"hot\"\n");
  const auto solver = plan_solver(scene).create(executor);
  solver->step(12000);
  const double before = value_of(scene, *solver, "temperature");
  solver->step(6000);
  const double after = value_of(scene, *solver, "temperature");
  EXPECT_TRUE(solver->finite());
  EXPECT_GT(after, 0.005);
  EXPECT_NEAR(after / before, 1, 0.1);
}

}  // namespace
}  // namespace simreel
