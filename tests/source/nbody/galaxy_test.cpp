// The galaxy: what it is made of, and that it stays as it is.

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "tests/support/backends.h"
#include "tests/support/nbody_fixture.h"

namespace simreel {
namespace {

using test::nbody_scene;

const std::string galaxy = "initial = \"galaxy\"\nmethod = \"tree\"\nsoftening = 0.05\ntimestep = 0.02\n";

double radius_of(const Vec4<float>& q) { return std::hypot(static_cast<double>(q.x), q.y); }

// The radius that holds half of the disk.
double half_radius(const Executor& executor, Solver& solver, std::size_t disk) {
  std::vector<double> radii;
  const test::BodyState<float> state = test::bodies_of(executor, solver);
  for (std::size_t i = 0; i < disk; ++i) radii.push_back(radius_of(state.position[i]));
  std::ranges::sort(radii);
  return radii[disk / 2];
}

TEST(Galaxy, HasADiskABulgeAndAHalo) {
  const Executor executor = Executor::cpu(2);
  const auto solver = plan_solver(nbody_scene(galaxy + "bodies = 10000\nmass = 3\nradius = 2\n")).create(executor);
  const test::BodyState<float> state = test::bodies_of(executor, *solver);
  double mass[3] = {}, spin[3] = {}, farthest = 0;
  // With the default shares: 2200 bodies of the disk, 800 of the bulge, 7000 of the halo.
  for (std::size_t i = 0; i < 10000; ++i) {
    const std::size_t part = i < 2200 ? 0 : i < 3000 ? 1 : 2;
    const Vec4<float>&q = state.position[i], &v = state.velocity[i];
    mass[part] += static_cast<double>(q.w);
    spin[part] += static_cast<double>(q.w) * (static_cast<double>(q.x) * v.y - static_cast<double>(q.y) * v.x);
    farthest = std::max(farthest, std::sqrt(radius_of(q) * radius_of(q) + static_cast<double>(q.z) * q.z));
  }
  EXPECT_NEAR(mass[0], 0.66, 1e-5);
  EXPECT_NEAR(mass[1], 0.24, 1e-5);
  EXPECT_NEAR(mass[2], 2.1, 1e-5);
  EXPECT_GT(spin[0], 0.5) << "the disk rotates from x towards y";
  EXPECT_LT(std::abs(spin[1]) + std::abs(spin[2]), 0.2 * spin[0]);
  EXPECT_LT(farthest, 20.5) << "10 scale lengths";
  EXPECT_NEAR(half_radius(executor, *solver, 2200), 2 * 1.678, 0.15) << "of an exponential disk";
}

// Kinetic energy is half the potential one, and stays so; the disk keeps its radius through one rotation.
TEST(Galaxy, IsNearEquilibrium) {
  const Executor executor = Executor::cpu(2);
  const auto solver =
      plan_solver(
          nbody_scene("initial = \"galaxy\"\nmethod = \"tree\"\nsoftening = 0.05\ntimestep = 0.05\nbodies = 8000\n"))
          .create(executor);
  const double radius = half_radius(executor, *solver, 1760);
  for (const int steps : {0, 250, 250}) {
    solver->step(steps);
    const std::vector<double> d = solver->diagnose();
    EXPECT_NEAR(d[2] / -d[3], 0.5, 0.04) << steps;
    EXPECT_NEAR(half_radius(executor, *solver, 1760) / radius, 1, 0.08) << steps;
  }
  EXPECT_TRUE(solver->finite());
}

TEST(Galaxy, NeedsADisk) {
  try {
    plan_solver(nbody_scene(galaxy + "bodies = 100\nhalo_mass = 0.95\n"));
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "nbody.toml:9:1: bulge and halo have 1.03 of the mass together, which leaves no disk; 0.995 at most");
  }
  EXPECT_NO_THROW(plan_solver(nbody_scene(galaxy + "bodies = 1\n")).create(Executor::cpu(1)));
}

}  // namespace
}  // namespace simreel
