// The flow of scenes/car.toml, at a third of its size.

#include "tests/support/lbm_scene.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

Scene small_car() {
  return load_scene(test::root() / "scenes/car.toml",
                    {"solver.grid=[320,108]", "solver.length=27", "solver.obstacle.0.min=[67,1]",
                     "solver.obstacle.0.max=[173,30]", "view.field=speed"});
}

// The sound of a start at once would make it swing between both signs for thousands of steps.
TEST(LbmCar, ItsDragIsPositiveFromTheRampOn) {
  Executor executor = Executor::cpu(2);
  const Scene scene = small_car();
  const auto solver = plan_solver(scene).create(executor);
  solver->step(2000);
  for (int i = 0; i < 60; ++i) {
    ASSERT_GT(test::value_of(scene, *solver, "drag"), 0) << "step " << 2000 + 100 * i;
    solver->step(100);
  }
  const double cells = test::value_of(scene, *solver, "mass");
  ASSERT_TRUE(std::isfinite(cells));
}

}  // namespace
}  // namespace simreel
