#pragma once
// Lattice Boltzmann flows for tests, as scenes describe them.

#include "source/solver.h"
#include "tests/support/shown.h"
#include "tests/support/thrown.h"

namespace simreel::test {

// A flow whose [solver] table continues with `keys`, with the initial state, the viscosity, the collision, a start and
// an outlet without ramp and layer, and stairs as walls written out.
inline Scene lbm_scene(const std::string& keys) {
  std::vector<std::string> others;
  const auto gives = [&](const char* key) { return keys.find(key) != std::string::npos; };
  if (!gives("initial")) others.push_back("solver.initial=rest");
  if (!gives("viscosity") && !gives("reynolds")) others.push_back("solver.viscosity=0.02");
  if (!gives("collision")) others.push_back("solver.collision=bgk");
  if (gives("\"inlet\"") && !gives("ramp")) others.push_back("solver.ramp=0");
  if (gives("\"outlet\"") && !gives("outlet_layer")) others.push_back("solver.outlet_layer=0");
  if (gives("obstacle]]") && !gives("walls")) others.push_back("solver.walls=stairs");
  return parse_scene("seed = 5\n[solver]\nkind = \"lbm\"\n" + keys, "flow.toml", others);
}

inline std::string error_of(const std::string& keys) {
  return test::thrown([&] { plan_solver(lbm_scene(keys)); });
}

inline std::unique_ptr<Solver> make(Executor& executor, const std::string& keys, const std::string& field = "") {
  Scene scene = lbm_scene(keys);
  scene.view.field = field;
  return plan_solver(scene).create(executor);
}

inline const std::string channel =
    "[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\nbottom = \"wall\"\ntop = \"wall\"\n";

inline double value_of(const Scene& scene, Solver& solver, const std::string& name) {
  const std::vector<std::string> names = plan_solver(scene).diagnostics;
  return solver.diagnose().at(static_cast<std::size_t>(std::ranges::find(names, name) - names.begin()));
}

template <class Real>
void expect_same_fields(const std::vector<Real>& a, const std::vector<Real>& b) {
  ASSERT_FALSE(a.empty());
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)), 0);
}

inline const std::string obstructed =
    "grid = [150, 60]\nviscosity = 0.03\nforce = [1e-6, 0]\n[[solver.obstacle]]\ncenter = [40, 33]\nradius = 8\n" +
    channel;

}  // namespace simreel::test
