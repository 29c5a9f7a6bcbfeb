// A solver that was loaded continues as the one that was saved.

#include <malloc.h>

#include "base/error.h"
#include "source/solver.h"
#include "tests/support/backends.h"
#include "tests/support/places.h"
#include "tests/support/shown.h"

namespace simreel {
namespace {

std::vector<std::byte> viewed(const Executor& executor, Solver& solver, std::string_view field) {
  return test::packed(executor, solver.view(field));
}

std::vector<std::filesystem::path> all_scenes() {
  std::vector<std::filesystem::path> scenes = test::scenes_in("scenes");
  for (const auto& scene : test::scenes_in("tests/golden")) scenes.push_back(scene);
  return scenes;
}

// Saves on one executor after `before` steps, loads on the other, and compares what both are after `after` more.
void expect_same_future(const Executor& first, const Executor& second) {
  constexpr int before = 7, after = 5;
  for (const auto& file : all_scenes()) {
    SCOPED_TRACE(file.string());
    const Scene scene = load_scene(file, test::few_bodies(file));
    const SolverPlan plan = plan_solver(scene);
    const auto saved = plan.create(first), loaded = plan.create(second);
    saved->step(3);
    ASSERT_TRUE(saved->finite());
    saved->step(before - 3);
    Checkpoint checkpoint;
    saved->save(checkpoint);
    EXPECT_LE(checkpoint.bytes(), plan.saved_bytes + 4096);
    loaded->step(2);
    loaded->load(checkpoint);
    EXPECT_EQ(loaded->steps_done(), before);
    EXPECT_EQ(viewed(second, *loaded, plan.field), viewed(first, *saved, plan.field));
    for (Solver* solver : {saved.get(), loaded.get()}) {
      solver->step(after);
      EXPECT_TRUE(solver->finite());
    }
    EXPECT_EQ(loaded->diagnose(), saved->diagnose());
    EXPECT_EQ(loaded->findings(), saved->findings());
    const std::vector<std::byte> view = viewed(first, *saved, plan.field);
    EXPECT_EQ(view.size(), plan.view_bytes);
    EXPECT_TRUE(viewed(second, *loaded, plan.field) == view);
  }
}

TEST(SolverCheckpoint, HasTheSameFutureOnAnyNumberOfThreads) { expect_same_future(Executor::cpu(1), Executor::cpu(3)); }

TEST(Gpu, SolverCheckpointHasTheSameFutureOnBothMachines) {
  SKIP_WITHOUT_GPU();
  const Executor gpu = Executor::cuda(), cpu = Executor::cpu();
  expect_same_future(gpu, cpu);
  expect_same_future(cpu, gpu);
}

// What a run that starts in such memory saves after some steps.
std::vector<std::byte> saved_bytes_in(int dirt, const std::string& solver) {
  ::mallopt(M_PERTURB, dirt);  // fills all memory that is allocated
  Checkpoint checkpoint;
  {
    const Executor executor = Executor::cpu(1);
    const auto run = plan_solver(parse_scene("[solver]\n" + solver, "x.toml")).create(executor);
    run->step(3);
    run->save(checkpoint);
  }
  ::mallopt(M_PERTURB, 0);
  return test::bytes_of(checkpoint);
}

TEST(SolverCheckpoint, EqualStatesGiveEqualBytes) {
  for (const std::string solver :
       {"kind = \"wave\"\ngrid = [37, 11]\ndroplet = [{ position = [9, 5], radius = 3.0, amplitude = 0.2 }]\nkernel = "
        "\"naive\"\n",
        "kind = \"wave\"\ngrid = [37, 11]\ndroplet = [{ position = [9, 5], radius = 3.0, amplitude = 0.2 }]\nprecision "
        "= \"double\"\n",
        "kind = \"wave\"\ngrid = [37, 11]\nboundary = \"periodic\"\ninitial = \"noise\"\n",
        "kind = \"lbm\"\ngrid = [37, 11]\n", "kind = \"lbm\"\ngrid = [37, 11]\nprecision = \"half\"\n",
        "kind = \"nbody\"\nbodies = 37\n", "kind = \"nbody\"\nbodies = 37\nprecision = \"double\"\n"}) {
    EXPECT_TRUE(saved_bytes_in(0x2a, solver) == saved_bytes_in(0x6b, solver)) << solver;
  }
}

TEST(SolverCheckpoint, BlocksOfAnotherSolverAreRefused) {
  const Executor executor = Executor::cpu(1);
  const auto make = [&](const std::string& solver) {
    return plan_solver(parse_scene("[solver]\n" + solver, "x.toml")).create(executor);
  };
  Checkpoint checkpoint;
  EXPECT_THROW(make("kind = \"wave\"\ngrid = [32, 18]\n")->load(checkpoint), RuntimeError);
  make("kind = \"wave\"\ngrid = [32, 18]\n")->save(checkpoint);
  EXPECT_THROW(make("kind = \"wave\"\ngrid = [320, 180]\n")->load(checkpoint), RuntimeError);
  EXPECT_THROW(make("kind = \"wave\"\ngrid = [32, 18]\nprecision = \"double\"\n")->load(checkpoint), RuntimeError);
  EXPECT_THROW(make("kind = \"lbm\"\ngrid = [32, 18]\n")->load(checkpoint), RuntimeError);
}

}  // namespace
}  // namespace simreel
