#include <fmt/format.h>

#include "base/error.h"
#include "source/solver.h"
#include "source/wave/options.h"
#include "source/wave/sources.h"
#include "tests/support/backends.h"
#include "tests/support/shown.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

using test::shown;

// A wave scene whose [solver] table continues with `keys`, with time step, damping and initial state written out.
Scene wave_scene(const std::string& keys) {
  std::vector<std::string> others;
  for (const auto& [key, value] :
       {std::pair("timestep", "0.05"), std::pair("damping", "0.002"), std::pair("initial", "rest")})
    if (keys.find(key) == std::string::npos) others.push_back(fmt::format("solver.{}={}", key, value));
  return parse_scene("seed = 5\n[solver]\nkind = \"wave\"\n" + keys, "wave.toml", others);
}

std::string error_of(const std::string& keys) {
  return test::thrown([&] { plan_solver(wave_scene(keys)); });
}

template <class Real = float>
std::vector<Real> run(const Executor& executor, const Scene& scene, const std::vector<std::int64_t>& portions) {
  const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
  for (const std::int64_t steps : portions) solver->step(steps);
  return shown<Real>(executor, *solver);
}

const std::string rainy =
    "grid = [150, 90]\n"
    "[[solver.droplet]]\nposition = [40, 30]\n"
    "[[solver.droplet]]\ntime = 0.72\nposition = [100.5, 60]\nradius = 5\nstart = \"kick\"\n"
    "[solver.rain]\nrate = 3\nstart = \"kick\"\n";

TEST(WaveSolver, GroupingOfStepsAndKernelsDoNotChangeTheBits) {
  const std::vector<float> expected = run(Executor::cpu(1), wave_scene("kernel = \"naive\"\n" + rainy), {60});
  for (const char* kernel : {"auto", "naive", "tiled"})
    for (const Executor& executor : test::cpu_executors()) {
      const Scene scene = wave_scene(fmt::format("kernel = \"{}\"\n", kernel) + rainy);
      EXPECT_EQ(run(executor, scene, {60}), expected) << kernel;
      EXPECT_EQ(run(executor, scene, {0, 1, 13, 25, 1, 20}), expected) << kernel;
    }
}

TEST(WaveSolver, DropletsFallWhenTheirTimeIsReached) {
  const Executor executor = Executor::cpu(1);
  const Scene scene = wave_scene("grid = [64, 64]\ntimestep = 0.05\n[[solver.droplet]]\ntime = 0.15\n");
  const std::vector<float> rest(64 * 64);
  EXPECT_EQ(run(executor, scene, {2}), rest);
  const std::vector<float> hit = run(executor, scene, {3});  // 3 steps of 0.05 round to a little more than 0.15
  EXPECT_NE(hit, rest);
  // The default place is the middle, between four cells: half a cell away along both axes.
  EXPECT_FLOAT_EQ(hit[31 * 64 + 31], static_cast<float>(-0.07 * std::exp(-0.5 / 9)));
  EXPECT_EQ(hit[31 * 64 + 31], hit[32 * 64 + 32]);
  const Scene at_once = wave_scene("grid = [65, 65]\n[[solver.droplet]]\n");
  EXPECT_FLOAT_EQ(run(executor, at_once, {})[32 * 65 + 32], -0.07f);
}

TEST(WaveSolver, RainFallsWhereItsTableIsTwiceACrossingUnlessItSays) {
  const Executor executor = Executor::cpu(1);
  const auto after = [&](const std::string& rain) {
    return run(executor, wave_scene("grid = [64, 64]\n" + rain), {4000});
  };
  const std::vector<float> dry(64 * 64, 0.0f);
  EXPECT_EQ(after(""), dry);
  EXPECT_EQ(after("[solver.rain]\nrate = 0\n"), dry);
  EXPECT_EQ(after("[solver.rain]\nradius = 2\n"), after("[solver.rain]\nradius = 2\nrate = 0.03125\n"));
  EXPECT_NE(after("[solver.rain]\n"), dry);
}

TEST(Droplets, FallInOrderAtTheFirstStepNotBeforeTheirTime) {
  Droplets droplets({{0.3, {1, 1, 3, 1}}, {0.0, {2, 2, 3, 1}}, {0.31, {3, 3, 3, 1}}, {0.3, {4, 4, 3, 1}}}, {}, 1, 10,
                    10, 0.1);
  for (const auto& [step, x] : {std::pair{0, 2.0}, {3, 1.0}, {3, 4.0}, {4, 3.0}}) {
    EXPECT_EQ(droplets.next_step(), step);
    EXPECT_EQ(droplets.pop().center_x, x);
  }
  EXPECT_EQ(droplets.next_step(), std::numeric_limits<std::int64_t>::max());
}

TEST(Droplets, RainIsAPoissonProcessFromTheSeed) {
  const RainOptions rain{2.0, 3, 0.07};
  Droplets first({}, rain, 9, 100, 50, 0.01), again({}, rain, 9, 100, 50, 0.01), other({}, rain, 10, 100, 50, 0.01);
  int count = 0, in_left_half = 0, differ = 0;
  for (; first.next_step() < 100000; ++count) {  // time 1000: 2000 droplets expected, standard deviation 45
    ASSERT_EQ(first.next_step(), again.next_step());
    const WaveDroplet drop = first.pop(), same = again.pop();
    ASSERT_EQ(drop.center_x, same.center_x);
    ASSERT_EQ(drop.center_y, same.center_y);
    ASSERT_GE(drop.center_x, -0.5);
    ASSERT_LT(drop.center_x, 99.5);
    ASSERT_GE(drop.center_y, -0.5);
    ASSERT_LT(drop.center_y, 49.5);
    in_left_half += drop.center_x < 49.5;
    differ += other.pop().center_x != drop.center_x;
  }
  EXPECT_NEAR(count, 2000, 5 * 45);
  EXPECT_NEAR(in_left_half, count / 2.0, 5 * 23);
  EXPECT_EQ(differ, count);
}

TEST(WaveSolver, DiagnosticsAreStepTimeEnergyAndHeight) {
  Executor executor = Executor::cpu(2);
  const Scene scene = wave_scene(
      "grid = [63, 63]\ntimestep = 0.5\ndamping = 0\ninitial = \"mode\"\namplitude = 2\nprecision = \"double\"\n");
  const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
  std::vector<double> start = solver->diagnose();
  ASSERT_EQ(start.size(), solver_kind(scene).diagnostics.size());
  EXPECT_EQ(start[0], 0);
  EXPECT_EQ(start[1], 0);
  EXPECT_NEAR(start[3], 2, 1e-14);
  // All of it potential: c^2 / 2 times the integral of |grad u|^2 = amplitude^2 pi^2 / 4 on any square (second order in
  // 1 / 64).
  EXPECT_NEAR(start[2] / (0.5 * 4 * 3.14159265358979323846 * 3.14159265358979323846 / 2), 1, 1e-3);
  solver->step(50);
  const std::vector<double> later = solver->diagnose();
  EXPECT_EQ(later[0], 50);
  EXPECT_EQ(later[1], 25);
  EXPECT_NEAR(later[2] / start[2], 1, 1e-12);
}

TEST(WaveSolver, VelocityIsAFieldOfItsOwn) {
  const Executor executor = Executor::cpu(2);
  Scene scene =
      wave_scene("grid = [64, 64]\ntimestep = 0.05\n[[solver.droplet]]\nposition = [32, 32]\nstart = \"kick\"\n");
  scene.view.field = "velocity";
  const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
  EXPECT_FLOAT_EQ(shown<float>(executor, *solver, "velocity")[32 * 64 + 32], -0.07f / 0.05f);
  const std::vector<double> before = solver->diagnose();
  EXPECT_EQ(solver->diagnose(), before);  // looking does not disturb the state
}

// The energy at time 24 of droplets at times 0 and 8.
double energy_of_droplets(const char* start, double timestep) {
  const Executor executor = Executor::cpu(2);
  const Scene scene =
      wave_scene(fmt::format("grid = [64, 64]\nprecision = \"double\"\ndamping = 0.01\ntimestep = {1}\n"
                             "[[solver.droplet]]\nposition = [20, 30]\nradius = 6\nstart = \"{0}\"\n"
                             "[[solver.droplet]]\nposition = [28, 36]\nradius = 6\ntime = 8\nstart = \"{0}\"\n",
                             start, timestep));
  const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
  solver->step(std::llround(24 / timestep));
  return solver->diagnose()[2];
}

TEST(WaveSolver, EnergyOfDropletsFromRestConvergesWithTheTimeStep) {
  std::vector<double> energy;
  for (const double timestep : {0.5, 0.25, 0.125, 0.0625}) energy.push_back(energy_of_droplets("rest", timestep));
  EXPECT_NEAR(energy[0] / energy[3], 1, 0.1);
  EXPECT_NEAR((energy[0] - energy[1]) / (energy[1] - energy[2]), 2, 0.5);  // first order
  EXPECT_NEAR((energy[1] - energy[2]) / (energy[2] - energy[3]), 2, 0.25);
}

TEST(WaveSolver, EnergyOfKicksGrowsWithTheSquareOfOneOverTheTimeStep) {
  EXPECT_NEAR(energy_of_droplets("kick", 0.03125) / energy_of_droplets("kick", 0.0625), 4, 0.1);
}

TEST(WaveSolver, RainStartsAsItsTableSays) {
  const auto energy = [](const std::string& start) {
    const Executor executor = Executor::cpu(1);
    const std::unique_ptr<Solver> solver =
        plan_solver(wave_scene("grid = [64, 64]\n[solver.rain]\nrate = 2\n" + start)).create(executor);
    solver->step(100);
    return solver->diagnose()[2];
  };
  const double rest = energy("start = \"rest\"\n");
  EXPECT_EQ(energy(""), rest);
  EXPECT_GT(energy("start = \"kick\"\n"), 50 * rest);
}

TEST(WaveSolver, NoticesOverflow) {
  Executor executor = Executor::cpu(1);
  const std::unique_ptr<Solver> solver =
      plan_solver(wave_scene("grid = [64, 64]\n[[solver.droplet]]\namplitude = 3e38\n[[solver.droplet]]\ntime = "
                             "0.5\namplitude = 3e38\n"))
          .create(executor);
  EXPECT_TRUE(solver->finite());
  solver->step(10);
  EXPECT_FALSE(solver->finite());
}

TEST(WaveSolver, NoiseFillsTheGrid) {
  const std::vector<float> noise =
      run(Executor::cpu(2), wave_scene("grid = [300, 200]\ninitial = \"noise\"\namplitude = 0.5\n"), {});
  double sum = 0, square = 0;
  for (const float value : noise) {
    ASSERT_LE(std::abs(value), 0.5f);
    sum += value;
    square += value * value;
  }
  EXPECT_NEAR(sum / 60000, 0, 0.006);  // five standard errors
  EXPECT_NEAR(square / 60000, 1.0 / 12, 0.002);
}

TEST(WaveSolver, NamesTheLargestStableTimeStep) {
  EXPECT_EQ(error_of("grid = [8, 8]\ndamping = 0\ntimestep = 0.7071\n"), "");
  const std::string error = error_of("grid = [8, 8]\nspeed = 2\nspacing = 0.5\ndamping = 0\ntimestep = 0.2\n");
  EXPECT_TRUE(test::says(error, "wave.toml:8:1"));
  EXPECT_TRUE(test::says(error, "c dt / dx = 0.8"));
  EXPECT_TRUE(test::says(error, "largest timestep is 0.176776"));
  // The one that is named works, with damping as well, where the limit is lower.
  for (const double damping : {0.0, 0.002, 0.5, 30.0}) {
    const std::string base =
        fmt::format("grid = [8, 8]\ninitial = \"noise\"\nboundary = \"periodic\"\ndamping = {}\n", damping);
    const std::string text = error_of(base + "timestep = 100\n");
    const double largest = std::stod(text.substr(text.rfind(' ') + 1));
    const Scene scene = wave_scene(base + fmt::format("timestep = {}\n", largest));
    Executor executor = Executor::cpu(1);
    const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
    solver->step(20000);
    EXPECT_LT(solver->diagnose()[3], 3e4) << damping;
    EXPECT_NE(error_of(base + fmt::format("timestep = {}\n", largest * 1.0001)), "") << damping;
  }
}

TEST(WaveLook, APulseThatLeavesGoesFromCornerToCorner) {
  const auto cells = [](const std::string& keys) {
    Scene scene = parse_scene("[solver]\nkind = \"wave\"\ngrid = [900, 1200]\n" + keys, "x.toml");
    complete_scene(scene);
    const WaveOptions options = read_wave_options(scene.solver, nullptr);
    return static_cast<double>(scene.animation.steps_per_frame) * 600 * options.courant_number();
  };
  const std::string pulse = "initial = \"= exp(-r^2/50)\"\n";
  EXPECT_NEAR(cells("boundary = \"absorbing\"\n" + pulse), 1500, 60);
  EXPECT_NEAR(cells("boundary = \"free\"\n" + pulse), 3000, 60) << "it stays";
  EXPECT_NEAR(cells("boundary = \"absorbing\"\n[solver.rain]\nrate = 0.1\n"), 3000, 60) << "more come";
}

}  // namespace
}  // namespace simreel
