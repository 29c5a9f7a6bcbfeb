// Smaller plans, with which the speed of large ones is measured.

#include "source/solver.h"

#include "tests/support/test.h"

namespace simreel {
namespace {

// A smaller plan is of the same method, as large as asked for or a little smaller.
TEST(SmallerPlans, HaveAboutSoManyUpdates) {
  for (const std::string text :
       {"[solver]\nkind = \"wave\"\ngrid = [4096, 1024]\nkernel = \"naive\"\nprecision = \"double\"\n"
        "[[solver.droplet]]\nposition = [4000, 1000]\n",
        "[solver]\nkind = \"lbm\"\ngrid = [4096, 1024]\nprecision = \"half\"\n[[solver.obstacle]]\ncenter = [4000, "
        "900]\n",
        "[solver]\nkind = \"lbm\"\ngrid = [1, 4194304]\n", "[solver]\nkind = \"nbody\"\nbodies = 65536\n",
        "[solver]\nkind = \"nbody\"\nbodies = 65536\nintegrator = \"rk4\"\n"}) {
    const SolverPlan plan = plan_solver(parse_scene(text, "x.toml"));
    const SolverPlan part = plan.smaller(1e4);
    EXPECT_LE(part.updates_per_step, 1e4) << text;
    EXPECT_GE(part.updates_per_step, 0.9e4) << text;
    EXPECT_EQ(part.updated, plan.updated);
    EXPECT_EQ(part.bytes_per_update, plan.bytes_per_update) << "the same precision";
    const Executor executor = Executor::cpu(1);
    const std::unique_ptr<Solver> solver = part.create(executor);
    solver->step(3);
    EXPECT_TRUE(solver->finite()) << text;
    EXPECT_EQ(plan.smaller(1e30).updates_per_step, plan.updates_per_step);
  }
}

}  // namespace
}  // namespace simreel
