// N-body runs with method = "tree", compared with direct sums.

#include "kernels/nbody/tree/tree.h"
#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "tests/support/backends.h"
#include "tests/support/nbody_fixture.h"

namespace simreel {
namespace {

using test::nbody_scene, test::make_nbody, test::numbers_of;

const std::string tree = "method = \"tree\"\n";
const std::string plummer = "initial = \"plummer\"\nbodies = 3000\nsoftening = 0.02\n";

TEST(NbodyTreeRuns, EveryRunHasTheSameBitsOnEveryMachine) {
  const std::vector<Executor> machines = test::executors();
  for (const std::string keys :
       {"initial = \"cube\"\nbodies = 1000\n", "initial = \"sphere\"\nbodies = 65\n",
        "initial = \"disk\"\nbodies = 2000\naccuracy = \"fine\"\n", "initial = \"collision\"\nbodies = 2000\n",
        "initial = \"figure_eight\"\n", "initial = \"plummer\"\nbodies = 2000\nintegrator = \"rk4\"\n",
        "initial = \"plummer\"\nbodies = 2000\nintegrator = \"euler\"\nvelocity_factor = 0.9\naccuracy = \"coarse\"\n",
        "initial = \"plummer\"\nbodies = 1\n", "initial = \"galaxy\"\nbodies = 2000\n",
        "initial = \"galaxies\"\nbodies = 2000\n", "initial = \"cosmological\"\nbodies = 1000\n",
        "initial = \"kepler\"\nplanet = [{axis = 1.0}, {axis = 1.6, eccentricity = 0.2, mass = 1e-3}]\n",
        "initial = \"plummer\"\nbodies = 2000\nsoftening = 0\n"}) {
    std::vector<float> expected;
    for (const Executor& machine : machines) {
      const auto solver = make_nbody(machine, keys + tree);
      solver->step(2);
      solver->step(3);
      EXPECT_TRUE(solver->finite()) << keys;
      const std::vector<float> numbers = numbers_of(machine, *solver);
      if (expected.empty()) expected = numbers;
      EXPECT_TRUE(numbers == expected) << keys << machine.name();
    }
  }
}

// A state in a file is the state: read from one, written to another and read again, it gives the same run. With a
// quarter of the bodies without mass too.
TEST(NbodyTreeRuns, RunsFromAFileAsFromTheStateInIt) {
  const Executor executor = Executor::cpu(2);
  auto state = test::bodies_of(executor, *make_nbody(executor, plummer + tree));
  for (const bool light : {false, true}) {
    for (std::size_t i = 0; light && i < state.position.size(); i += 4) state.position[i].w = 0;
    std::vector<float> start, end;
    for (const Executor& machine : test::executors()) {
      std::string lines;
      for (std::size_t i = 0; i < state.position.size(); ++i) {
        const Vec4<float>&q = state.position[i], &v = state.velocity[i];
        lines += fmt::format("{},{},{},{},{},{},{}\n", q.x, q.y, q.z, v.x, v.y, v.z, q.w);
      }
      const test::CsvFile file(lines);
      const auto solver = make_nbody(machine, file.keys() + "softening = 0.02\n" + tree);
      state = test::bodies_of(machine, *solver);
      const std::vector<float> first = numbers_of(machine, *solver);
      const std::vector<double> before = solver->diagnose();
      solver->step(5);
      const std::vector<float> last = numbers_of(machine, *solver);
      const std::vector<double> after = solver->diagnose();
      for (std::size_t k = 5; k < 8; ++k) EXPECT_EQ(after[k], before[k]) << "momentum";
      if (start.empty()) start = first, end = last;
      EXPECT_TRUE(first == start) << machine.name();
      EXPECT_TRUE(last == end) << machine.name();
      EXPECT_FALSE(last == first);
    }
  }
}

// As with direct sums: what the tree's forces leave over goes to all bodies by their masses.
TEST(NbodyTreeRuns, MomentumStaysToTheLastUnit) {
  for (const Executor& executor : test::executors())
    for (const char* integrator : {"leapfrog", "euler", "rk4"}) {
      const auto solver = make_nbody(
          executor, plummer + tree + fmt::format("accuracy = \"coarse\"\nintegrator = \"{}\"\n", integrator));
      const std::vector<double> before = solver->diagnose();
      const std::vector<float> start = numbers_of(executor, *solver);
      solver->step(7);
      const std::vector<double> after = solver->diagnose();
      for (std::size_t k = 5; k < 8; ++k) EXPECT_EQ(after[k], before[k]) << integrator;
      EXPECT_NE(numbers_of(executor, *solver), start);
    }
}

// 8 dynamical times of a Plummer model.
TEST(NbodyTreeRuns, KeepsEnergyAndAngularMomentumAsDirectSumsDo) {
  const Executor executor = Executor::cpu(2);
  const std::string keys = "initial = \"plummer\"\nbodies = 2000\nsoftening = 0.05\ntimestep = 0.02\n";
  const auto drift = [&](const std::string& method) {
    const auto solver = make_nbody(executor, keys + method);
    const std::vector<double> before = solver->diagnose();
    solver->step(400);
    const std::vector<double> after = solver->diagnose();
    EXPECT_TRUE(solver->finite());
    // Relative to the energy, and to what 2000 masses at unit distance and speed have at most.
    return std::pair(std::abs(after[4] / before[4] - 1),
                     std::hypot(after[8] - before[8], after[9] - before[9], after[10] - before[10]));
  };
  const auto [direct_energy, direct_spin] = drift("");
  EXPECT_LT(direct_energy, 1e-3);
  for (const char* accuracy : {"standard", "fine"}) {
    const auto [energy, spin] = drift(tree + fmt::format("accuracy = \"{}\"\n", accuracy));
    EXPECT_LT(energy, direct_energy + 1e-3) << accuracy;
    EXPECT_LT(spin, direct_spin + 1e-3) << accuracy;
  }
}

// Of a uniform ball with a radius of 1; more than 100000 bodies are not summed over all pairs.
TEST(NbodyTreeRuns, GivesThePotentialEnergyOfManyBodies) {
  const Executor executor = Executor::cpu(2);
  const std::string ball = "initial = \"sphere\"\nbodies = 100001\nsoftening = 0.001\n";
  double energies[2];
  for (const bool by_tree : {false, true}) {
    energies[by_tree] = make_nbody(executor, ball + (by_tree ? tree : ""))->diagnose()[3];
    EXPECT_NEAR(energies[by_tree], -0.6, 2e-3);
  }
  EXPECT_NEAR(energies[1] / energies[0], 1, 3e-5);
}

// What docs/solvers/nbody.md and `check` say of a Plummer model of 2^14 bodies, within a fifth; every body is measured.
TEST(NbodyTreeRuns, HasTheErrorsThatCheckStates) {
  const Executor executor = Executor::cpu(2);
  const std::string keys = "initial = \"plummer\"\nbodies = 16384\nsoftening = 0.01\n" + tree;
  struct Row {
    const char* accuracy;
    double rms, p99;
  };
  for (const Row& row : {Row{"coarse", 6.5e-3, 2.6e-2}, Row{"standard", 2.7e-3, 1.1e-2}, Row{"fine", 1.6e-3, 6.1e-3}}) {
    const auto solver = make_nbody(executor, keys + fmt::format("accuracy = \"{}\"\n", row.accuracy));
    const auto error = solver->force_error();
    EXPECT_NEAR(error->rms / row.rms, 1, 0.2) << row.accuracy;
    EXPECT_NEAR(error->p99 / row.p99, 1, 0.2) << row.accuracy;
  }
}

TEST(NbodyTreeRuns, SaysWhatItIs) {
  const SolverPlan plan = plan_solver(nbody_scene(plummer + tree)), direct = plan_solver(nbody_scene(plummer));
  EXPECT_EQ(plan.texts.summary, "N-body, 3000 bodies, exact, tree (standard), leapfrog");
  EXPECT_EQ(plan.texts.facts[0],
            "errors of accelerations about 2.7e-03 (rms), 1.1e-02 (99 %), as in a Plummer model of so many bodies");
  EXPECT_EQ(plan.updated, "force");
  EXPECT_EQ(plan.updates_per_step, 3000);
  EXPECT_EQ(plan.smaller(500).updates_per_step, 500);
  EXPECT_EQ(plan_solver(nbody_scene(plummer + tree + "integrator = \"rk4\"\n")).updates_per_step, 12000);
  const Executor executor = Executor::cpu(1);
  EXPECT_EQ(plan.bytes(executor) - direct.bytes(executor), NbodyTree::bytes(executor, 3000));
  // At most 60 bytes a body where they are many, in addition to what a look at the energy takes for a moment.
  EXPECT_LT(NbodyTree::bytes(executor, 1 << 20), (60u + 9u) << 20);

  // Where a tree is much faster, check and render say so.
  EXPECT_TRUE(direct.texts.remarks.empty());
  const std::vector<std::string> remarks = plan_solver(nbody_scene("bodies = 60000\n")).texts.remarks;
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(
      remarks[0],
      "60000 bodies: method = \"tree\" would take a third of the time or less, with errors of accelerations about "
      "2.7e-03 (rms), 1.1e-02 (99 %)");
  // Of fewer than 50000 a GPU has the sums as quickly.
  EXPECT_EQ(plan_solver(nbody_scene("bodies = 10000\n"))
                .texts.remarks.at(0)
                .find("10000 bodies: on a CPU method = \"tree\" would take a third of the time or less"),
            0u);
  EXPECT_TRUE(plan_solver(nbody_scene("bodies = 9999\n")).texts.remarks.empty());
  // Errors fall with the number of bodies.
  const auto fact = [](const char* keys) { return plan_solver(nbody_scene(keys + tree)).texts.facts[0]; };
  EXPECT_EQ(fact("bodies = 200000\naccuracy = \"coarse\"\n").find("errors of accelerations about 3.3e-03 (rms)"), 0u);
  EXPECT_EQ(fact("bodies = 2000000\naccuracy = \"fine\"\n").find("errors of accelerations about 3.0e-04 (rms)"), 0u);
  EXPECT_TRUE(plan_solver(nbody_scene("bodies = 60000\n" + tree)).texts.remarks.empty());
  EXPECT_TRUE(plan_solver(nbody_scene("bodies = 60000\nprecision = \"double\"\n")).texts.remarks.empty());
}

TEST(NbodyTreeRuns, TellsItsStages) {
  const Executor executor = Executor::cpu(2);
  const auto solver = make_nbody(executor, plummer + tree);
  const std::vector<float> before = (solver->step(1), numbers_of(executor, *solver));
  const auto stages = solver->stage_times();
  ASSERT_EQ(stages.size(), 5u);
  EXPECT_EQ(stages[4].first, "walk");
  for (const auto& [name, seconds] : stages) EXPECT_GT(seconds, 0) << name;
  EXPECT_LT(solver->force_error()->rms, 6e-3);
  EXPECT_LT(solver->force_error()->p99, 3e-2);
  EXPECT_EQ(numbers_of(executor, *solver), before) << "measuring changes nothing";
  EXPECT_TRUE(make_nbody(executor, plummer)->stage_times().empty());
}

}  // namespace
}  // namespace simreel
