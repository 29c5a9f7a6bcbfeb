#pragma once
// Scenes of typed equations, and what they come to.

#include <fmt/format.h>

#include "base/error.h"
#include "source/solver.h"
#include "tests/support/shown.h"
#include "tests/support/thrown.h"

namespace simreel::test {

// A scene whose [solver] table continues with `keys`.
inline Scene pde_scene(const std::string& keys) {
  return parse_scene("seed = 5\n[solver]\nkind = \"pde\"\n" + keys, "pde.toml");
}

inline std::string pde_error(const std::string& keys) {
  return test::thrown([&] { plan_solver(pde_scene(keys)); });
}

// A field after some steps, in double precision if the keys say so.
template <class Real = double>
std::vector<Real> pde_run(const std::string& keys, std::int64_t steps, std::string_view field = "",
                          const Executor& executor = Executor::cpu(2)) {
  const SolverPlan plan = plan_solver(pde_scene(keys));
  const std::unique_ptr<Solver> solver = plan.create(executor);
  solver->step(steps);
  return shown<Real>(executor, *solver, field);
}

}  // namespace simreel::test
