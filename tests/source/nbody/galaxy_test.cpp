// The galaxy: what it is made of, and that it stays as it is.

#include "base/error.h"
#include "source/nbody/bodies.h"
#include "tests/support/backends.h"
#include "tests/support/nbody_fixture.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

using test::nbody_scene, test::make_nbody;

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
  const auto solver = make_nbody(executor, galaxy + "bodies = 10000\nmass = 3\nradius = 2\n");
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

// Kinetic energy is half the potential one, and stays so; the disk keeps its radius through one rotation. The fastest
// bodies of the spheres are left out; what that takes from their dispersion is given back.
TEST(Galaxy, IsNearEquilibrium) {
  const Executor executor = Executor::cpu(2);
  const auto solver = make_nbody(
      executor, "initial = \"galaxy\"\nmethod = \"tree\"\nsoftening = 0.05\ntimestep = 0.05\nbodies = 8000\n");
  const double radius = half_radius(executor, *solver, 1760);
  for (const int steps : {0, 250, 250}) {
    solver->step(steps);
    const std::vector<double> d = solver->diagnose();
    EXPECT_NEAR(d[2] / -d[3], 0.5, steps == 0 ? 0.015 : 0.03) << steps;
    EXPECT_NEAR(half_radius(executor, *solver, 1760) / radius, 1, 0.08) << steps;
  }
  EXPECT_TRUE(solver->finite());
}

TEST(Galaxy, TwoMeet) {
  BodiesOptions o;
  o.initial = InitialBodies::galaxies;
  o.count = 9000;
  o.mass_ratio = 0.5;
  o.separation = 30;
  o.pericenter = 3;
  const Bodies bodies = make_bodies(Executor::cpu(), o);
  ASSERT_EQ(bodies.size(), 9000u);
  double mass[5] = {}, x[5] = {}, moving[5] = {};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    mass[bodies.group[i]] += bodies.position[i].w;
    x[bodies.group[i]] += bodies.position[i].w * bodies.position[i].x;
    moving[bodies.group[i]] += bodies.position[i].w * bodies.velocity[i].x;
  }
  const double shares[] = {0.22 * 2 / 3, 0.08 * 2 / 3, 0.7, 0.08 / 3, 0.22 / 3};
  for (std::size_t group = 0; group < 5; ++group) EXPECT_NEAR(mass[group], shares[group], 1e-3) << group;
  const double apart = x[4] / mass[4] - x[0] / mass[0], closing = moving[4] / mass[4] - moving[0] / mass[0];
  EXPECT_NEAR(std::abs(apart), 30 * 0.8, 0.6) << "of a parabola whose angle at 30 has a cosine of 2 * 3 / 30 - 1";
  EXPECT_LT(apart * closing, 0) << "towards each other";
}

TEST(Galaxy, NeedsADisk) {
  EXPECT_EQ(test::thrown([] { plan_solver(nbody_scene(galaxy + "bodies = 100\nhalo_mass = 0.95\n")); }),
            "nbody.toml:9:1: bulge and halo have 1.03 of the mass together, which leaves no disk; 0.995 at most");
  EXPECT_NO_THROW(make_nbody(Executor::cpu(1), galaxy + "bodies = 1\n"));
}

}  // namespace
}  // namespace simreel
