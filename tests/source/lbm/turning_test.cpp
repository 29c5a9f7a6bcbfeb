// Circles that turn, as a scene describes them.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/lbm_scene.h"

namespace simreel {
namespace {

// Half of the circle lies in the grid; the fluid on the other side of the seam touches its flat cut, which moves along.
TEST(LbmTurning, ACircleOnAPeriodicSideMovesNoFasterThanItsSurface) {
  constexpr float surface = 10 * 0.004f;
  Executor executor = Executor::cpu(2);
  const auto solver = test::make(executor,
                                 "grid = [64, 64]\nviscosity = 0.1\ncollision = \"central\"\nwalls = \"curved\"\n"
                                 "[[solver.obstacle]]\ncenter = [0, 32]\nradius = 10\nrotation = 0.004\n",
                                 "speed");
  solver->step(400);
  ASSERT_TRUE(solver->finite());
  const std::vector<float> speed = test::shown<float>(executor, *solver, "speed");
  const float fastest = *std::ranges::max_element(speed);
  EXPECT_GT(fastest, surface / 2);
  EXPECT_LT(fastest, surface * 1.05f);
}

}  // namespace
}  // namespace simreel
