#include "source/lbm/shedding.h"

#include <fmt/format.h>

#include "kernels/base/random.h"
#include "tests/support/lbm_scene.h"

namespace simreel {
namespace {

using test::channel, test::make;

TEST(Shedding, FindsTheFrequencyOfAnOscillation) {
  std::vector<Sample> samples;
  for (int i = 0; i < 1000; ++i)
    samples.push_back({10.0 * i, 3 + (i < 400 ? 0.0 : 0.5 * std::sin(10.0 * i / 170) + 0.05 * std::sin(i * 0.9))});
  ASSERT_TRUE(regular_frequency(samples, 1e-3));
  EXPECT_NEAR(*regular_frequency(samples, 1e-3) * 2 * 3.14159265358979323846 * 170, 1, 0.01);
  EXPECT_FALSE(regular_frequency(samples, 0.6));
  EXPECT_FALSE(regular_frequency(std::span(samples).first(400), 1e-3));
  EXPECT_FALSE(regular_frequency({}, 1e-3));
}

TEST(Shedding, IsFoundWhileItGrowsAndNotWhereItDiesAway) {
  const auto oscillation = [](double growth) {
    std::vector<Sample> samples;
    for (int i = 0; i < 1000; ++i) samples.push_back({1.0 * i, std::exp(growth * i) * std::sin(i / 15.0)});
    return samples;
  };
  for (const double growth : {-0.001, 0.0, 0.001}) {
    ASSERT_TRUE(regular_frequency(oscillation(growth), 1e-3)) << growth;
    EXPECT_NEAR(*regular_frequency(oscillation(growth), 1e-3) * 2 * 3.14159265358979323846 * 15, 1, 0.01);
  }
  EXPECT_FALSE(regular_frequency(oscillation(-0.005), 1e-3));
}

TEST(Shedding, IsNoNoise) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<Sample> samples;
    double smooth = 0;
    for (std::uint64_t i = 0; i < 400; ++i) {
      smooth = 0.9 * smooth + random_unit(seed, 0, i) - 0.5;
      samples.push_back({static_cast<double>(i), smooth});
    }
    EXPECT_FALSE(regular_frequency(samples, 0)) << seed;
  }
}

TEST(Shedding, HasAStrouhalNumberThatBodiesCanHave) {
  LiftScale scale;
  scale.speed = 0.05;
  scale.min_length = scale.greatest_length = 24;
  EXPECT_TRUE(is_shedding_frequency(0.2 * 0.05 / 24, scale));
  EXPECT_FALSE(is_shedding_frequency(1.39 * 0.05 / 24, scale));
  EXPECT_FALSE(is_shedding_frequency(0.01 * 0.05 / 24, scale));
  scale.min_length = 2;  // a wire beside the body
  EXPECT_TRUE(is_shedding_frequency(0.2 * 0.05 / 24, scale));
}

// Below a Reynolds number of about 47 a wake is steady. What half precision makes of its lift is noise.
TEST(LbmSolver, SteadyFlowsHaveNoStrouhalNumber) {
  for (const char* precision : {"half", "float"})
    for (const int reynolds : {10, 27}) {
      Executor executor = Executor::cpu(2);
      const auto solver =
          make(executor, fmt::format("grid = [160, 60]\ncollision = \"trt\"\nvelocity = 0.05\nreynolds = {}\nlength = "
                                     "8\ninitial = \"uniform\"\nprecision = \"{}\"\n",
                                     reynolds, precision) +
                             channel + "[[solver.obstacle]]\ncenter = [40, 31]\nradius = 4\n");
      solver->step(12000);
      EXPECT_EQ(solver->findings(), std::vector<std::string>{}) << precision << " " << reynolds;
    }
}

// However seldom it is looked at, the vortex street keeps its frequency: the lift is sampled on the way. Half precision
// leaves it its frequency, too.
TEST(LbmSolver, TheStrouhalNumberDoesNotDependOnTheFrames) {
  const auto found = [](std::int64_t steps_a_frame, const std::string& precision = "float") {
    Executor executor = Executor::cpu(2);
    const auto solver =
        make(executor, "precision = \"" + precision +
                           "\"\ngrid = [240, 82]\ncollision = \"trt\"\nvelocity = 0.1\nreynolds = 150\nlength = "
                           "20\ninitial = \"uniform\"\n" +
                           channel + "[[solver.obstacle]]\ncenter = [50, 39]\nradius = 10.0\n");
    for (std::int64_t step = 0; step < 12000; step += steps_a_frame) solver->step(steps_a_frame);
    return solver->findings().at(0);
  };
  const std::string seldom = found(600);
  EXPECT_EQ(seldom, found(40));
  EXPECT_TRUE(test::says(seldom, "Strouhal number 0.2"));
  EXPECT_EQ(found(600, "half").substr(0, 20), seldom.substr(0, 20));
}

}  // namespace
}  // namespace simreel
