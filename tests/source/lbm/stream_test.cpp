// Flows from an inlet to an outlet as a scene describes them: start, layer, outlet.
#include <fmt/format.h>

#include "source/solver.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

SolverPlan plan_of(const std::string& keys) {
  return plan_solver(parse_scene("[solver]\nkind = \"lbm\"\n" + keys, "flow.toml"));
}

const std::string stream =
    "[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\nbottom = \"slip\"\ntop = \"slip\"\n";
const std::string circle = "[[solver.obstacle]]\ncenter = [50, 40]\nradius = 8\n";

// The least and the greatest drag coefficient from a step on, and the mean density at the end.
struct Drag {
  double min = 1e9, greatest = -1e9, density = 0;
};
Drag drag_of(const std::string& keys, int from, int to) {
  Executor executor = Executor::cpu(2);
  const SolverPlan plan =
      plan_of("grid = [200, 80]\nvelocity = 0.05\nreynolds = 100\nlength = 16\n" + keys + stream + circle);
  const auto solver = plan.create(executor);
  const auto column = static_cast<std::size_t>(std::ranges::find(plan.diagnostics, "drag") - plan.diagnostics.begin());
  Drag drag;
  for (int step = 0; step < to; step += 20) {
    solver->step(20);
    const std::vector<double> row = solver->diagnose();
    if (step < from) continue;
    drag.min = std::min(drag.min, 2 * row[column] / (0.05 * 0.05 * 16));
    drag.greatest = std::max(drag.greatest, 2 * row[column] / (0.05 * 0.05 * 16));
    drag.density = row[2] / (200 * 80 - 197);
  }
  return drag;
}

// A flow that is there at once hits the body, and the sound of it stays: the drag swings. One that rises does neither.
TEST(LbmStream, StartsWithoutSound) {
  const Drag at_once = drag_of("initial = \"uniform\"\noutlet = \"pressure\"\n", 0, 2000);
  EXPECT_GT(at_once.greatest, 10);
  EXPECT_LT(at_once.min, -1);
  const Drag risen = drag_of("", 100, 6000);
  EXPECT_GT(risen.min, 0);
  EXPECT_LT(risen.greatest, 3);
  EXPECT_NEAR(risen.density, 1, 0.02);
}

TEST(LbmStream, RisesOverTheStepsOfItsRamp) {
  const auto fact = [](const std::string& keys) {
    for (const std::string& line : plan_of(keys).texts.facts)
      if (line.find("rises") != std::string::npos) return line;
    return std::string();
  };
  const std::string narrow = "grid = [200, 80]\n", wide = "grid = [1000, 80]\n";
  EXPECT_EQ(fact(narrow + stream), "the flow of the inlet rises over the first 2000 steps");
  EXPECT_EQ(fact(wide + stream), "the flow of the inlet rises over the first 3000 steps");
  EXPECT_EQ(fact(narrow + "ramp = 500\n" + stream), "the flow of the inlet rises over the first 500 steps");
  EXPECT_EQ(fact(narrow + "ramp = 0\n" + stream), "");
  EXPECT_EQ(fact(narrow + "initial = \"uniform\"\n" + stream), "");
  EXPECT_EQ(fact(narrow), "");

  // Before the ramp ends the middle of the inlet has the share of its velocity that a cosine gives.
  Executor executor = Executor::cpu(1);
  const SolverPlan plan = plan_of("grid = [8, 4]\nviscosity = 0.1\nvelocity = 0.02\ninitial = \"rest\"\nramp = 4000\n" +
                                  std::string("outlet_layer = 0\n") + stream);
  const auto solver = plan.create(executor);
  solver->step(1000);
  EXPECT_NEAR(solver->diagnose()[4] / 0.02, 0.5 - 0.5 * std::sqrt(0.5), 0.005);
  solver->step(1000);
  EXPECT_NEAR(solver->diagnose()[4] / 0.02, 0.5, 0.005);
  solver->step(3000);
  EXPECT_NEAR(solver->diagnose()[4] / 0.02, 1, 0.005);
}

// The gust of a ramp: in a channel whose body is in the middle the wake swings without a nudge by hand.
TEST(LbmStream, AGustEndsTheSymmetryOfAWake) {
  Executor executor = Executor::cpu(2);
  const auto lift = [&](const std::string& initial) {
    const SolverPlan plan = plan_of(initial + "grid = [160, 61]\nvelocity = 0.05\nreynolds = 100\nlength = 12\n" +
                                    stream + "[[solver.obstacle]]\ncenter = [40, 30]\nradius = 6\n");
    const auto solver = plan.create(executor);
    solver->step(2500);
    return std::abs(solver->diagnose()[7]);
  };
  EXPECT_EQ(lift("initial = \"rest\"\n"), 0);
  EXPECT_GT(lift(""), 1e-6);
}

// What a stream that meets nothing carries stays straight: the borders of dye after two passages, to a tenth of a cell.
TEST(LbmStream, CarriesDyeInStraightLines) {
  Executor executor = Executor::cpu(2);
  constexpr int nx = 160, ny = 32;
  Scene scene = parse_scene(
      "[solver]\nkind = \"lbm\"\ngrid = [160, 32]\ninitial = \"rest\"\nviscosity = 0.001\nvelocity = "
      "0.05\n" +
          stream + "[solver.tracer]\nstripes = 2\n",
      "flow.toml");
  scene.view.field = "tracer";
  const auto solver = plan_solver(scene).create(executor);
  solver->step(2000 + 2 * nx * 20);
  const auto view = std::get<FieldView<float>>(solver->view("tracer"));
  double worst = 0;
  for (int border = 8; border < ny; border += 8)
    for (int x = 2; x < nx - 25; ++x) {
      const auto dye = [&](int y) { return static_cast<double>(view.value[y * view.pitch + x]); };
      int y = border - 4;
      while (y < border + 3 && (dye(y) > 0.5) == (dye(y + 1) > 0.5)) ++y;
      const double crossing = y + (dye(y) - 0.5) / (dye(y) - dye(y + 1));
      worst = std::max(worst, std::abs(crossing - (border - 0.5)));
    }
  EXPECT_LT(worst, 0.1);
}

// Reynolds number 2000 past 20 cells in every precision: finite, and no sound in a density that stays at 1.
TEST(LbmStream, StaysFiniteInEveryPrecision) {
  for (const char* precision : {"float", "half", "double"}) {
    Executor executor = Executor::cpu(2);
    const SolverPlan plan =
        plan_of(fmt::format("precision = \"{}\"\ngrid = [160, 60]\nvelocity = 0.1\nreynolds = "
                            "2000\nlength = 14\n",
                            precision) +
                stream + "[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [40, 22]\nmax = [46, 35]\n");
    const auto solver = plan.create(executor);
    solver->step(4000);
    ASSERT_TRUE(solver->finite()) << precision;
    EXPECT_LT(solver->diagnose()[3], 0.5) << precision;
    EXPECT_NEAR(solver->diagnose()[2] / (160 * 60 - 98), 1, 0.06) << precision;
  }
}

// `check` names the flows of the manual's table that end, and a way out; those with the default collision pass.
TEST(LbmStream, WarnsWhereACollisionDiverges) {
  const auto warning = [](const std::string& keys) {
    const std::vector<std::string> all =
        plan_of("grid = [200, 80]\nlength = 20\n" + keys + stream + circle).texts.warnings;
    return all.empty() ? "" : all[0];
  };
  const auto expect = [&](const std::string& keys, const std::string& words) {
    EXPECT_TRUE(test::says(warning(keys), words)) << keys << warning(keys);
  };
  const std::string central = "take collision = \"central\"";
  expect(
      "reynolds = 200\ncollision = \"bgk\"\noutlet_layer = 0\n",
      "flow.toml:5:1: velocity / viscosity is 10; past obstacles bgk tends to diverge above 5 where the outlet has no "
      "layer: " +
          central);
  expect("reynolds = 600\ncollision = \"bgk\"\n", "above 25: " + central);
  expect("reynolds = 500\nvelocity = 0.05\ncollision = \"trt\"\n", central);
  expect("reynolds = 1200\nvelocity = 0.05\ncollision = \"mrt\"\n", "close to 1/2");
  expect("reynolds = 1200\noutlet_layer = 0\n", "take outlet_layer = 20");
  expect("reynolds = 30000\n", "a picture, not a measurement");
  EXPECT_EQ(warning("reynolds = 2000\n"), "");
  EXPECT_EQ(warning("reynolds = 200\ncollision = \"bgk\"\n"), "");
}

TEST(LbmStream, ADivergenceNamesTwoWaysOut) {
  const auto words = [](const std::string& keys) {
    Executor executor = Executor::cpu(1);
    return plan_of("grid = [64, 64]\n" + keys + stream).create(executor)->divergence();
  };
  EXPECT_EQ(words("collision = \"bgk\"\n"),
            "a value is infinite or not a number; take collision = \"central\", or a lower velocity");
  EXPECT_EQ(words("outlet_layer = 0\n"),
            "a value is infinite or not a number; take outlet_layer = 20, or a lower velocity");
  EXPECT_EQ(words(""),
            "a value is infinite or not a number; take a lower velocity, or more cells across what the flow passes");
}

// Air past a rod of 2 cm at 0.5 m/s, and honey in the same flow, whose tau stays below 1.
TEST(LbmStream, TakesUnitsOfTheWorld) {
  const auto facts = [](const std::string& units, const std::string& keys) {
    return plan_of("grid = [200, 80]\n" + keys + stream + circle +
                   "[units]\nlength = 0.02\nvelocity = 0.5\nviscosity = " + units + "\n")
        .texts.facts;
  };
  const std::vector<std::string> air = facts("1.5e-5", "");
  EXPECT_EQ(air.at(0),
            "tau = 0.5036, viscosity 0.0012, Mach number 0.0866, grid Reynolds number 41.67, Reynolds number 666.7");
  EXPECT_EQ(air.at(1), "a cell is 0.00125 m, a step 0.000125 s, velocity 0.05 cells a step");
  const std::vector<std::string> honey = facts("0.005", "length = 32\n");
  EXPECT_EQ(honey.at(0),
            "tau = 1, viscosity 0.1667, Mach number 0.018, grid Reynolds number 0.0625, Reynolds number 2");
  EXPECT_EQ(honey.at(1), "a cell is 0.000625 m, a step 1.302e-05 s, velocity 0.01042 cells a step");
}

// The eddy viscosity acts where the flow has shear, and more with a larger constant.
TEST(LbmStream, SmagorinskyDampsWhatIsSmall) {
  Executor executor = Executor::cpu(2);
  const auto energy = [&](const char* keys) {
    const auto solver =
        plan_of(std::string("grid = [64, 64]\ninitial = \"taylor_green\"\nvelocity = 0.1\nviscosity = 1e-4\n") + keys)
            .create(executor);
    solver->step(400);
    return solver->diagnose().back();
  };
  const double none = energy(""), zero = energy("smagorinsky = 0\n"), usual = energy("smagorinsky = 0.1\n"),
               large = energy("smagorinsky = 0.3\n");
  EXPECT_EQ(none, zero);
  EXPECT_LT(usual, none);
  EXPECT_LT(large, usual);
  EXPECT_GT(large, 0.5 * none);
}

}  // namespace
}  // namespace simreel
