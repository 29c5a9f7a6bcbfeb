// What bodies give each other adds up to nothing, to the last unit of their momenta, whatever their masses.

#include "kernels/nbody/motion.h"
#include "tests/support/backends.h"
#include "tests/support/nbody_fixture.h"

namespace simreel {
namespace {

using test::bodies_of, test::CsvFile, test::make_nbody;

using Momentum = std::array<double, 3>;

Momentum total_of(Solver& solver) {
  const std::vector<double> d = solver.diagnose();
  return {d[5], d[6], d[7]};
}

// Masses times the velocities that are shown.
Momentum shown_total(const Executor& executor, Solver& solver) {
  const test::BodyState<float> state = bodies_of(executor, solver);
  Momentum total{};
  for (std::size_t i = 0; i < state.position.size(); ++i) {
    const double mass = static_cast<double>(state.position[i].w);
    total[0] += mass * static_cast<double>(state.velocity[i].x);
    total[1] += mass * static_cast<double>(state.velocity[i].y);
    total[2] += mass * static_cast<double>(state.velocity[i].z);
  }
  return total;
}

// A cloud of masses from 1e-6 to 1, none like another, that moves as a whole.
std::string uneven_cloud() {
  std::string lines;
  for (int i = 0; i < 333; ++i) {
    const double angle = 2.39996 * i, radius = std::sqrt(i / 333.0);
    lines += fmt::format("{},{},{},{},{},{},{}\n", radius * std::cos(angle), radius * std::sin(angle),
                         0.2 * std::sin(7.0 * i), 3 - 0.1 * std::sin(angle), 0.1 * std::cos(angle), -1 + 1e-3 * i,
                         std::pow(10.0, -6.0 * ((i * 61) % 333) / 332));
  }
  return lines;
}

void expect_kept(const Executor& executor, const std::string& precision) {
  const CsvFile file(uneven_cloud());
  for (const char* integrator : {"leapfrog", "euler", "rk4"})
    for (const char* kernel : {"naive", "tiled", "symmetric"}) {
      SCOPED_TRACE(fmt::format("{} {} {}", precision, integrator, kernel));
      const auto solver = make_nbody(
          executor, file.keys() + fmt::format("softening = 0.05\ntimestep = 0.001\nintegrator = \"{}\"\nkernel = "
                                              "\"{}\"\nprecision = \"{}\"\n",
                                              integrator, kernel, precision));
      const Momentum before = total_of(*solver);
      const float start = bodies_of(executor, *solver).velocity[7].x;
      for (const int steps : {1, 20, 50}) {
        solver->step(steps);
        EXPECT_EQ(total_of(*solver), before);
      }
      EXPECT_TRUE(solver->finite());
      EXPECT_GT(std::abs(bodies_of(executor, *solver).velocity[7].x - start), 0.01f);
      const Momentum shown = shown_total(executor, *solver);
      for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(shown[axis], before[axis], 1e-7 * std::abs(before[0])) << axis;
    }
}

TEST(NbodyMomentum, StaysToTheLastUnit) {
  expect_kept(Executor::cpu(2), "exact");
  if (cuda_devices().empty()) return;
  for (const char* precision : {"exact", "fast"}) expect_kept(Executor::cuda(), precision);
}

// What rounding leaves over goes to all bodies by their masses: equal shares would push the light ones about.
TEST(NbodyMomentum, UnevenBodiesMoveAsInDouble) {
  const Executor executor = Executor::cpu(2);
  const CsvFile file(uneven_cloud());
  const std::string keys = file.keys() + "softening = 0.05\ntimestep = 0.001\n";
  const auto exact = make_nbody(executor, keys), twice = make_nbody(executor, keys + "precision = \"double\"\n");
  exact->step(200);
  twice->step(200);
  const test::BodyState<float> found = bodies_of(executor, *exact);
  const test::BodyState<double> expected = bodies_of<double>(executor, *twice);
  for (std::size_t i = 0; i < found.velocity.size(); ++i) {
    ASSERT_NEAR(found.velocity[i].x, expected.velocity[i].x, 1e-3) << i;
    ASSERT_NEAR(found.velocity[i].y, expected.velocity[i].y, 1e-3) << i;
    ASSERT_NEAR(found.velocity[i].z, expected.velocity[i].z, 1e-3) << i;
  }
}

// A unit of momentum would be a jump for a dust grain.
TEST(NbodyMomentum, DustMovesAsInDouble) {
  const Executor executor = Executor::cpu(1);
  for (const char* mass : {"1e-9", "1e-20", "1e-35"}) {
    const CsvFile file(fmt::format("1,0,0,0,0.5,0,1\n-1,0,0,0,-0.5,0,1\n0,6,0.5,0.55,0,0.01,{}\n", mass));
    Vec4<double> place[2] = {};
    for (const char* precision : {"exact", "double"}) {
      const std::string keys =
          file.keys() + fmt::format("softening = 0\ntimestep = 0.002\nprecision = \"{}\"\n", precision);
      const auto solver = make_nbody(executor, keys);
      solver->step(5000);
      if (precision == std::string("double")) {
        place[1] = bodies_of<double>(executor, *solver).position[2];
      } else {
        const Vec4<float> q = bodies_of(executor, *solver).position[2];
        place[0] = {q.x, q.y, q.z, q.w};
      }
    }
    EXPECT_GT(std::abs(place[1].x), 3) << "it should have gone round";
    EXPECT_NEAR(place[0].x, place[1].x, 2e-4) << mass;
    EXPECT_NEAR(place[0].y, place[1].y, 2e-4) << mass;
    EXPECT_NEAR(place[0].z, place[1].z, 2e-4) << mass;
  }
}

// Two heavy bodies, each of them with more momentum than the range is made for.
TEST(NbodyMomentum, NoticesThatItLeavesItsRange) {
  const Executor executor = Executor::cpu(1);
  const CsvFile file("1,0,0,0,0,0,1\n-1,0,0,0,0,0,1\n");
  for (const auto& [timestep, leaves] : {std::pair{1.0, false}, {1e4, true}}) {
    const auto solver = make_nbody(
        executor, file.keys() + fmt::format("softening = 1\nintegrator = \"euler\"\ntimestep = {}\n", timestep));
    solver->step(1);
    EXPECT_EQ(solver->finite(), !leaves);
    EXPECT_EQ(solver->divergence().find("a body became so fast") == 0, leaves);
  }
}

// Kicks of 2^60 units each: four of them fill the range, and the fifth is left out.
TEST(NbodyMomentum, AddsUpToItsRangeAndNoFarther) {
  const Executor executor = Executor::cpu(1);
  const std::size_t padded = nbody_padded(2);
  Buffer<Vec4<float>> position(executor, padded), velocity(executor, padded);
  Buffer<std::int64_t> sum(executor, 3 * padded), momentum(executor, 3 * padded), residual(executor, 3);
  Buffer<double> mass_before(executor, 2);
  Buffer<int> overflow(executor, 1);
  velocity.clear();
  sum.clear();
  momentum.clear();
  overflow.clear();
  for (std::size_t i = 0; i < 2; ++i) {
    position.data()[i] = {0, 0, 0, 1};
    sum.data()[i] = i == 0 ? 1 : -1;
    mass_before.data()[i] = 0.5 * static_cast<double>(i);
  }
  NbodyMotion<float> motion{2, padded, position.data(), velocity.data(), sum.data(), 1, 1, 1, {}};
  motion.momentum = {momentum.data(), residual.data(), mass_before.data(), overflow.data(), 0x1p60, 0};
  for (int kicks = 1; kicks <= 4; ++kicks) {
    nbody_kick(executor, motion, 1.0f);
    EXPECT_EQ(momentum.data()[0], std::int64_t{kicks} << 60);
    EXPECT_EQ(velocity.data()[1].x, static_cast<float>(-kicks));
    EXPECT_EQ(overflow.data()[0], 0);
  }
  nbody_kick(executor, motion, 1.0f);
  EXPECT_EQ(momentum.data()[0], std::int64_t{4} << 60);
  EXPECT_EQ(overflow.data()[0], 1);
}

TEST(NbodyMomentum, UnitsAreFineAndRangesWide) {
  for (const double mass : {1e-9, 1.0, 3e30})
    for (const double speed : {1e-6, 1.0, 3e8}) {
      const NbodyMomentum units = nbody_momentum_units(mass, speed);
      EXPECT_LE(mass * speed * 0x1p8 * units.scale, 0x1p62);
      EXPECT_GT(mass * speed * 0x1p8 * units.scale, 0x1p60);
      EXPECT_LE(1 / (units.lightest * units.scale), speed * 0x1p-26);  // a unit as a velocity
    }
  EXPECT_EQ(nbody_momentum_units(1, 0).scale, 1);  // a body alone, at rest
}

}  // namespace
}  // namespace simreel
