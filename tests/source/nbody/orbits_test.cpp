// Orbits that are known: ellipses, the figure eight, and what a closed system keeps.

#include <fmt/format.h>

#include "tests/support/backends.h"
#include "tests/support/nbody_fixture.h"

namespace simreel {
namespace {

using test::bodies_of, test::nbody_scene, test::make_nbody;

constexpr double pi = 3.14159265358979323846;

// A sun of mass 1 and a light planet on an ellipse of axis 1: the period is 2 pi / sqrt(1 + mass).
std::string ellipse(double eccentricity, const char* integrator, int steps_per_period) {
  return fmt::format(
      "initial = \"kepler\"\nsoftening = 0\nprecision = \"double\"\nintegrator = \"{}\"\ntimestep = {}\n"
      "[[solver.planet]]\nmass = 0.001\naxis = 1\neccentricity = {}\ninclination = 30\nnode = 40\nperiapsis = 50\n",
      integrator, 2 * pi / std::sqrt(1.001) / steps_per_period, eccentricity);
}

// From the sun to the planet.
Vec4<double> apart(const test::BodyState<double>& state) {
  return {state.position[1].x - state.position[0].x, state.position[1].y - state.position[0].y,
          state.position[1].z - state.position[0].z, 0};
}
double length(const Vec4<double>& v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

// How far from its start the planet is after one period.
double closing_error(const char* integrator, int steps) {
  const Executor executor = Executor::cpu(1);
  const auto solver = make_nbody(executor, ellipse(0.5, integrator, steps));
  const Vec4<double> start = apart(bodies_of<double>(executor, *solver));
  EXPECT_NEAR(length(start), 0.5, 1e-14);  // at the pericentre
  solver->step(steps);
  const Vec4<double> end = apart(bodies_of<double>(executor, *solver));
  return length({end.x - start.x, end.y - start.y, end.z - start.z, 0});
}

TEST(NbodyOrbits, AnEllipseClosesAtTheOrderOfTheIntegrator) {
  const double leapfrog = closing_error("leapfrog", 2000), leapfrog_half = closing_error("leapfrog", 4000);
  EXPECT_NEAR(leapfrog / leapfrog_half, 4, 0.1);
  EXPECT_LT(leapfrog_half, 2e-4);
  const double rk4 = closing_error("rk4", 500), rk4_half = closing_error("rk4", 1000);
  EXPECT_NEAR(rk4 / rk4_half, 16, 1.5);
  EXPECT_LT(rk4_half, 1e-6);
  const double euler = closing_error("euler", 20000), euler_half = closing_error("euler", 40000);
  EXPECT_NEAR(euler / euler_half, 4, 0.1);  // what is of first order cancels over a whole period
  EXPECT_LT(euler_half, 1e-5);
}

TEST(NbodyOrbits, TheEllipseHasTheAxesOfItsElements) {
  const Executor executor = Executor::cpu(1);
  const auto solver = make_nbody(executor, ellipse(0.6, "rk4", 4000));
  double nearest = 10, farthest = 0;
  for (int step = 0; step < 4000; ++step) {
    const double distance = length(apart(bodies_of<double>(executor, *solver)));
    nearest = std::min(nearest, distance);
    farthest = std::max(farthest, distance);
    solver->step(1);
  }
  EXPECT_NEAR(nearest, 0.4, 1e-6);
  EXPECT_NEAR(farthest, 1.6, 1e-6);
}

// A star at rest, and two bodies without mass on circles of radius 1 and 4 around it.
template <class Real>
void expect_that_the_massless_only_follow(const std::string& keys, int threads) {
  SCOPED_TRACE(keys + fmt::format("{} threads", threads));
  const test::CsvFile file("1,0,0,0,1,0,0\n0,0,0,0,0,0,1\n4,0,0,0,0.5,0,0\n");
  constexpr int period = 2000;  // steps of the inner one; the outer one takes eight times as many
  const Executor executor = Executor::cpu(threads);
  const Scene scene = nbody_scene(file.keys() + keys + fmt::format("softening = 0\ntimestep = {}\n", 2 * pi / period));
  const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
  const auto distance_from = [&](double x, std::size_t body) {
    const Vec4<Real> q = bodies_of<Real>(executor, *solver).position[body];
    return length({static_cast<double>(q.x) - x, static_cast<double>(q.y), static_cast<double>(q.z), 0});
  };
  solver->step(period / 2);
  EXPECT_LT(distance_from(-1, 0), 1e-4);
  solver->step(period / 2);
  EXPECT_LT(distance_from(1, 0), 1e-4);
  solver->step(7 * period);
  EXPECT_LT(distance_from(4, 2), 1e-3);
  EXPECT_EQ(distance_from(0, 1), 0) << "nothing pulls the star";
  const std::vector<double> found = solver->diagnose();
  for (std::size_t i = 5; i < 8; ++i) EXPECT_EQ(found[i], 0) << "momentum";
  EXPECT_TRUE(solver->finite());
}

TEST(NbodyOrbits, BodiesWithoutMassFollowAPullAndExertNone) {
  for (const std::string integrator : {"integrator = \"leapfrog\"\n", "integrator = \"rk4\"\n"})
    for (const int threads : {1, 2}) {
      expect_that_the_massless_only_follow<float>(integrator + "precision = \"exact\"\n", threads);
      expect_that_the_massless_only_follow<double>(integrator + "precision = \"double\"\n", threads);
    }
}

TEST(NbodyOrbits, TheEarthTakesAYearInMetresKilogramsAndSeconds) {
  const Executor executor = Executor::cpu(1);
  constexpr double gravity = 6.6743e-11, sun = 1.98841e30, axis = 1.495978707e11;
  const double year = 2 * pi * std::sqrt(axis * axis * axis / (gravity * (sun + 5.97e24)));
  EXPECT_NEAR(year, 365.256 * 86400, 3600);
  for (const char* precision : {"exact", "double"}) {
    const auto solver =
        make_nbody(executor, fmt::format("initial = \"kepler\"\nG = {}\nsun_mass = {}\nsoftening = 0\ntimestep = {}\n"
                                         "precision = \"{}\"\n[[solver.planet]]\nmass = 5.97e24\naxis = {}\n",
                                         gravity, sun, year / 2000, precision, axis));
    solver->step(2000);
    EXPECT_TRUE(solver->finite());
    if (precision == std::string("double")) {
      const Vec4<double> end = apart(bodies_of<double>(executor, *solver));
      EXPECT_NEAR(end.x / axis, 1, 1e-5);
      EXPECT_NEAR(end.y / axis, 0, 1e-4);
    } else {
      const test::BodyState<float> state = bodies_of<float>(executor, *solver);
      EXPECT_NEAR((state.position[1].x - state.position[0].x) / axis, 1, 1e-4);
      EXPECT_NEAR((state.position[1].y - state.position[0].y) / axis, 0, 1e-3);
    }
  }
}

TEST(NbodyOrbits, ElementsTurnTheOrbitInSpace) {
  const Executor executor = Executor::cpu(1);
  const auto place = [&](const std::string& elements) {
    const Scene scene = nbody_scene(
        "initial = \"kepler\"\nprecision = \"double\"\n[[solver.planet]]\nmass = 1e-9\naxis = 2\n" + elements);
    const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
    return apart(bodies_of<double>(executor, *solver));
  };
  const auto expect = [&](const std::string& elements, double x, double y, double z) {
    const Vec4<double> q = place(elements);
    EXPECT_NEAR(q.x, x, 1e-9) << elements;
    EXPECT_NEAR(q.y, y, 1e-9) << elements;
    EXPECT_NEAR(q.z, z, 1e-9) << elements;
  };
  expect("", 2, 0, 0);
  expect("anomaly = 90\n", 0, 2, 0);
  expect("periapsis = 90\n", 0, 2, 0);
  expect("node = 180\n", -2, 0, 0);
  expect("inclination = 90\nperiapsis = 90\n", 0, 0, 2);
  expect("inclination = 90\nnode = 90\nperiapsis = 30\n", 0, 2 * std::sqrt(3.0) / 2, 1);
  expect("eccentricity = 0.5\n", 1, 0, 0);
  expect("eccentricity = 0.5\nanomaly = 180\n", -3, 0, 0);
}

TEST(NbodyOrbits, TheFigureEightReturns) {
  const Executor executor = Executor::cpu(1);
  constexpr double period = 6.32591398;
  const auto distance_after_a_period = [&](const char* precision, double gravity) {
    const auto solver =
        make_nbody(executor, fmt::format("initial = \"figure_eight\"\nsoftening = 0\nintegrator = \"rk4\"\n"
                                         "timestep = {}\nprecision = \"{}\"\nG = {}\n",
                                         period / 4000 / std::sqrt(gravity), precision, gravity));
    const std::vector<double> before = solver->diagnose();
    EXPECT_NEAR(before[4] / gravity, -1.287146, 1e-5);  // energy of the published orbit, from its initial values
    std::vector<Vec4<double>> at[2];
    for (std::vector<Vec4<double>>& here : at) {
      if (precision == std::string("double"))
        here = bodies_of<double>(executor, *solver).position;
      else
        for (const Vec4<float>& q : bodies_of<float>(executor, *solver).position) here.push_back({q.x, q.y, q.z, q.w});
      solver->step(4000);
    }
    double largest = 0;
    for (std::size_t i = 0; i < 3; ++i)
      largest =
          std::max(largest, length({at[1][i].x - at[0][i].x, at[1][i].y - at[0][i].y, at[1][i].z - at[0][i].z, 0}));
    return largest;
  };
  EXPECT_LT(distance_after_a_period("double", 1), 1e-6);  // the initial values have eight digits
  EXPECT_LT(distance_after_a_period("double", 4), 1e-6);
  EXPECT_LT(distance_after_a_period("exact", 1), 1e-3);
}

TEST(NbodyOrbits, LeapfrogKeepsTheEnergyOfAHundredOrbits) {
  const Executor executor = Executor::cpu(1);
  for (const char* precision : {"exact", "double"}) {
    const auto solver =
        make_nbody(executor, fmt::format("initial = \"kepler\"\nsoftening = 0\ntimestep = {}\nprecision = \"{}\"\n"
                                         "[[solver.planet]]\nmass = 0.001\neccentricity = 0.3\n",
                                         2 * pi / 500, precision));
    const double start = solver->diagnose()[4];
    EXPECT_NEAR(start, -0.5 * 0.001, 1e-8);
    double largest = 0;
    for (int portion = 0; portion < 1000; ++portion) {
      solver->step(50);
      largest = std::max(largest, std::abs(solver->diagnose()[4] / start - 1));
    }
    EXPECT_LT(largest, 1.2e-4) << precision;  // it swings within an orbit, and does not grow from one to the next
    EXPECT_GT(largest, 5e-5) << precision;
  }
}

TEST(NbodyOrbits, VelocityFactorAppliesAtEveryKick) {
  const Executor executor = Executor::cpu(1);
  const std::string moving = "initial = \"sphere\"\nbodies = 5\nvirial = 0.5\nG = 1e-20\nvelocity_factor = 0.5\n";
  for (const auto& [integrator, share] : {std::pair{"euler", 0.5}, {"rk4", 0.5}, {"leapfrog", 0.25}}) {
    const auto solver = make_nbody(executor, moving + fmt::format("integrator = \"{}\"\n", integrator));
    const double before = solver->diagnose()[2];
    solver->step(3);
    EXPECT_NEAR(solver->diagnose()[2] / before, std::pow(share, 6), 1e-7) << integrator;
  }
}

}  // namespace
}  // namespace simreel
