// The largest stable step, against systems from the literature and the schemes themselves.

#include "source/pde/limit.h"

#include <complex>

#include "source/ranked.h"
#include "tests/support/backends.h"
#include "tests/support/pde_scene.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

using test::pde_error, test::pde_scene;

// The systems of tests/physics/pde_limits.txt: keys of [solver], and the time up to which they are looked at.
std::map<std::string, std::pair<std::string, double>> literature() {
  std::ifstream file(test::root() / "tests/physics/pde_limits.txt");
  std::map<std::string, std::pair<std::string, double>> systems;
  std::string name, schemes;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("== ")) {
      systems[name].first += line + "\n";
      continue;
    }
    double time = 0;
    std::istringstream(line.substr(3)) >> name >> schemes >> time;
    systems[name].second = time;
  }
  return systems;
}

// tests/physics/pde_limits.py says where the limits come from.
TEST(PdeLimit, IsNeverUnstableAndNotTooCarefulForSystemsOfTheLiterature) {
  auto systems = literature();
  std::ifstream file(test::root() / "tests/physics/pde_limits.csv");
  int count = 0;
  std::string line, name, scheme;
  std::getline(file, line);
  for (double largest = 0; std::getline(file, line); ++count) {
    std::istringstream row(line);
    std::getline(row, name, ','), std::getline(row, scheme, ','), row >> largest;
    const auto& [keys, time] = systems.at(name);
    const Scene scene = pde_scene(fmt::format("scheme = \"{}\"\n{}[animation]\nframes = {}\nsteps_per_frame = 1\n",
                                              scheme, keys, 2 + static_cast<int>(time / (0.8 * largest))));
    const SolverPlan plan = plan_solver(scene);
    EXPECT_LT(plan.timestep, largest) << name << " " << scheme;
    EXPECT_GT(plan.timestep, 0.05 * largest) << name << " " << scheme;
    const Executor executor = Executor::cpu(1);
    const std::unique_ptr<Solver> solver = plan.create(executor);
    solver->step(std::min<std::int64_t>(500, std::int64_t(time / plan.timestep)));  // not beyond: some blow up later
    EXPECT_TRUE(solver->finite()) << name << " " << scheme;
  }
  EXPECT_GT(count, 35);
}

TEST(PdeSchemes, MultiplyAsTheirPolynomialsSay) {
  for (const std::string scheme : {"euler", "heun", "rk4", "rkc2"})
    for (const std::complex<double> z : {std::complex(-0.7, 0.4), {0.2, 1.1}, {-1.9, 0.0}}) {
      const Scene scene = pde_scene(
          fmt::format("grid = [1, 1]\nscheme = \"{}\"\nprecision = \"double\"\ntimestep = 0.5\nunchecked = true\n"
                      "[solver.fields.p]\ntype = \"complex\"\ninitial = 1\nrate = \"= ({} + {}i)*p\"\n",
                      scheme, 2 * z.real(), 2 * z.imag()));
      const Executor executor = Executor::cpu(1);
      const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
      solver->step(1);
      Table keys = scene.solver;
      const std::complex<double> growth = pde_growth(read_pde_options(keys))(z);
      EXPECT_NEAR(test::shown<double>(executor, *solver, "p.re")[0], growth.real(), 1e-13) << scheme;
      EXPECT_NEAR(test::shown<double>(executor, *solver, "p.im")[0], growth.imag(), 1e-13) << scheme;
    }
}

// Euler's method with steps of 2.5 goes round four values for ever. At one of them, 0.5359, such steps are stable.
const std::string jumps =
    "grid = [40, 70]\nscheme = \"euler\"\n[solver.fields.u]\ninitial = 0.01\nrate = \"= 0.1*lap(u) + u*(1 - u)\"\n";

// Whether a run that jumps goes on; if not, its reason must name the step that would do.
bool goes_on(const Executor& executor, bool watched, int ranks) {
  const Scene scene = pde_scene(jumps);
  Table table = scene.solver;
  const auto problem = make_problem(read_pde_options(table), 40, 70, &scene);
  problem->set_step(2.5);
  problem->limit = watched ? 10 : 0;
  SolverPlan plan = plan_solver(scene);
  plan.create_rank = [problem](const Executor& part, const Communicator& all) {
    return make_pde_solver<float>(part, all, problem);
  };
  create_alone(plan);
  spread(plan, scene, Ranks{ranks, "--ranks"});
  const std::unique_ptr<Solver> solver = plan.create(executor);
  for (int frame = 0; frame < 10; ++frame) {
    if (!solver->finite()) {
      EXPECT_TRUE(test::says(solver->divergence(), "steps above 0.8889"));
      EXPECT_GT(frame, 1);
      return false;
    }
    solver->step(32);
  }
  return true;
}

TEST(PdeLimit, ARunThatIsUnstableLaterEndsWithTheStepThatWouldDo) {
  EXPECT_TRUE(test::says(pde_error("timestep = 2.5\n" + jumps),
                         "the time step 2.5 is unstable with euler: the largest is about 1.11"));
  EXPECT_TRUE(goes_on(Executor::cpu(1), false, 1));
  for (const int ranks : {1, 2, 3}) EXPECT_FALSE(goes_on(Executor::cpu(ranks), true, ranks)) << ranks;
}

TEST(Gpu, ARunThatIsUnstableLaterEndsWithTheStepThatWouldDo) {
  SKIP_WITHOUT_GPU();
  EXPECT_TRUE(goes_on(Executor::cuda(), false, 1));
  EXPECT_FALSE(goes_on(Executor::cuda(), true, 1));
}

TEST(PdeLimit, SaysWhereThereIsNone) {
  const auto texts = [](const std::string& keys) {
    const SolverPlan plan = plan_solver(pde_scene("grid = [8, 8]\n" + keys));
    return fmt::format("{:.4g} {}", plan.timestep, fmt::join(plan.texts.warnings, "; "));
  };
  const std::string grows = "[solver.fields.u]\ninitial = 1\nrate = \"= 4*u\"\n";
  EXPECT_EQ(texts(grows),
            "0.05 no limit of the step was found: waves grow at up to 4 per unit of time, and none decay so fast; the "
            "step is 0.05 (auto); the run ends if it comes to a state for which that is too large");
  EXPECT_TRUE(test::says(texts("timestep = 3\n" + grows), "a step of 3 does not follow that"));
  EXPECT_TRUE(test::says(texts("[solver.fields.u]\ninitial = 1\nrate = \"= u^2\"\n"), "seem to grow without bound"));
}

}  // namespace
}  // namespace simreel
