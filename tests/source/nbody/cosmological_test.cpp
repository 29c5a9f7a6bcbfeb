// The cube that expands with waves of density in it.

#include "base/error.h"
#include "source/nbody/bodies.h"
#include "tests/support/backends.h"
#include "tests/support/nbody_fixture.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

using test::nbody_scene, test::make_nbody;

BodiesOptions options(std::int64_t side) {
  BodiesOptions o;
  o.initial = InitialBodies::cosmological;
  o.count = side * side * side;
  o.seed = 3;
  return o;
}

double dot(const Vec4<double>& a, const Vec4<double>& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Distances of the bodies from their places on the grid.
std::vector<Vec4<double>> shifts_of(const Bodies& bodies, std::int64_t side, double radius = 1) {
  std::vector<Vec4<double>> shifts;
  for (std::int64_t i = 0; i < side * side * side; ++i) {
    const auto along = [&](std::int64_t index) {
      return radius * (2 * (static_cast<double>(index) + 0.5) / static_cast<double>(side) - 1);
    };
    const Vec4<double>& q = bodies.position[i];
    shifts.push_back({q.x - along(i % side), q.y - along(i / side % side), q.z - along(i / side / side), 0});
  }
  return shifts;
}

double rms(const std::vector<Vec4<double>>& vectors) {
  double sum = 0;
  for (const Vec4<double>& v : vectors) sum += dot(v, v);
  return std::sqrt(sum / 3 / static_cast<double>(vectors.size()));
}

TEST(Cosmological, MovesBodiesFromAGrid) {
  BodiesOptions o = options(32);
  o.radius = 2;
  o.mass = 5;
  const Bodies bodies = make_bodies(Executor::cpu(), o);
  ASSERT_EQ(bodies.size(), 32768u);
  EXPECT_NEAR(rms(shifts_of(bodies, 32, 2)) / (0.03 * 2), 1, 0.25) << "a few long waves decide";
  EXPECT_NEAR(bodies.position[77].w * 32768, 5, 1e-12);
  // H^2 = 8 pi G rho / 3; the growing wave moves with it on top of the expansion.
  const double rate = std::sqrt(8 * std::acos(-1.0) / 3 * 5 / 64);
  const std::vector<Vec4<double>> shifts = shifts_of(bodies, 32, 2);
  for (const std::size_t i : {0u, 777u, 31000u}) {
    const Vec4<double>&q = bodies.position[i], &v = bodies.velocity[i];
    EXPECT_NEAR(v.x, rate * (q.x + shifts[i].x), 1e-9);
    EXPECT_NEAR(v.z, rate * (q.z + shifts[i].z), 1e-9);
  }
}

// The waves belong to the seed, not to the number of bodies: a small run shows the web of a large one.
TEST(Cosmological, HasTheSameWavesWithMoreBodies) {
  const std::vector<Vec4<double>> few = shifts_of(make_bodies(Executor::cpu(), options(16)), 16),
                                  many = shifts_of(make_bodies(Executor::cpu(), options(32)), 32);
  double product = 0, square = 0, other = 0;
  for (std::size_t i = 0; i < few.size(); ++i) {
    const std::size_t x = i % 16, y = i / 16 % 16, z = i / 256;
    Vec4<double> mean{0, 0, 0, 0};
    for (std::size_t c = 0; c < 8; ++c) {
      const Vec4<double>& s = many[((2 * z + c / 4) * 32 + 2 * y + c / 2 % 2) * 32 + 2 * x + c % 2];
      mean = {mean.x + s.x / 8, mean.y + s.y / 8, mean.z + s.z / 8, 0};
    }
    product += dot(mean, few[i]);
    square += dot(mean, mean);
    other += dot(few[i], few[i]);
  }
  EXPECT_GT(product / std::sqrt(square * other), 0.93) << "the finer grid has shorter waves, too";
  BodiesOptions seeded = options(16);
  seeded.seed = 4;
  EXPECT_NE(make_bodies(Executor::cpu(), seeded).position[5].x,
            make_bodies(Executor::cpu(), options(16)).position[5].x);
}

TEST(Cosmological, SteeperSpectraAreSmoother) {
  const auto roughness = [](double spectrum) {
    BodiesOptions o = options(32);
    o.spectrum = spectrum;
    const std::vector<Vec4<double>> shifts = shifts_of(make_bodies(Executor::cpu(), o), 32);
    std::vector<Vec4<double>> steps;
    for (std::size_t i = 1; i < shifts.size(); ++i)
      if (i % 32) steps.push_back({shifts[i].x - shifts[i - 1].x, shifts[i].y - shifts[i - 1].y, 0, 0});
    return rms(steps) / rms(shifts);
  };
  EXPECT_LT(roughness(-3), 0.7 * roughness(-1));
}

// In a universe that just expands for ever, lengths grow as t^(2/3), and so do waves in units of them.
TEST(Cosmological, ExpandsAndItsWavesGrow) {
  const Executor executor = Executor::cpu(2);
  const auto solver = make_nbody(executor,
                                 "initial = \"cosmological\"\nbodies = 4096\ndisplacement = 0.01\n"
                                 "spectrum = 0\nsoftening = 0.05\ntimestep = 0.01\n");
  BodiesOptions o = options(16);
  o.seed = 5;  // of nbody_scene
  o.displacement = 0.01;
  o.spectrum = 0;
  const Bodies start = make_bodies(Executor::cpu(), o);
  const std::vector<Vec4<double>> shifts = shifts_of(start, 16);
  constexpr double rate = 1.0233267079464885;  // sqrt(pi / 3)
  const double time = 2 / (3 * rate), growth = 1.8;
  solver->step(std::lround(time * (std::pow(growth, 1.5) - 1) / 0.01));
  const test::BodyState<float> state = test::bodies_of(executor, *solver);
  // Near the middle, where the faces of the cube are felt least: x = a q + b shift.
  double qq = 0, qx = 0, sx = 0, ss = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const Vec4<double>& s = shifts[i];
    const Vec4<double> q{start.position[i].x - s.x, start.position[i].y - s.y, start.position[i].z - s.z, 0};
    if (dot(q, q) > 0.25) continue;
    const Vec4<float>& p = state.position[i];
    const Vec4<double> at{static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z), 0};
    qq += dot(q, q);
    qx += dot(q, at);
  }
  const double a = qx / qq;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const Vec4<double>& s = shifts[i];
    const Vec4<double> q{start.position[i].x - s.x, start.position[i].y - s.y, start.position[i].z - s.z, 0};
    if (dot(q, q) > 0.25) continue;
    const Vec4<float>& p = state.position[i];
    sx += dot(s, {static_cast<double>(p.x) - a * q.x, static_cast<double>(p.y) - a * q.y,
                  static_cast<double>(p.z) - a * q.z, 0});
    ss += dot(s, s);
  }
  EXPECT_NEAR(a, growth, 0.05 * growth);
  EXPECT_GT(sx / ss / a, 1.4) << "waves grow beyond the expansion, up to 1.8 times where no grid blurs them";
  EXPECT_LT(sx / ss / a, 1.9);
}

TEST(Cosmological, NeedsACube) {
  EXPECT_EQ(test::thrown([] { plan_solver(nbody_scene("initial = \"cosmological\"\nbodies = 100000\n")); }),
            "nbody.toml:5:1: initial = \"cosmological\" begins on a grid: 100000 is not the cube of a whole number; "
            "97336 = 46^3 or 103823 = 47^3 is");
  const SolverPlan plan = plan_solver(nbody_scene("initial = \"cosmological\"\nbodies = 8000\n"));
  EXPECT_NO_THROW(plan.smaller(1e6).create(Executor::cpu(1))) << "some of the bodies, to measure speed";
  EXPECT_NO_THROW(make_nbody(Executor::cpu(1), "initial = \"cosmological\"\nbodies = 1\n"));
}

}  // namespace
}  // namespace simreel
