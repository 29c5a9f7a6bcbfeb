// Fronts that are as thin as a cell, and what only looks like them.
#include "source/pde/fronts.h"

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/test.h"

namespace simreel {
namespace {

constexpr std::size_t cells = 200;

// tanh((x - from - moved) / width) and back.
std::vector<double> pulse(double width, double moved) {
  std::vector<double> values;
  for (std::size_t i = 0; i < cells; ++i) {
    const double x = static_cast<double>(i) - moved;
    values.push_back(std::tanh((x - 60) / width) - std::tanh((x - 120) / width) - 1);
  }
  return values;
}

double share(const std::vector<double>& values, const std::vector<double>& start, double range) {
  ThinFronts fronts(range);
  fronts.add(values, start);
  return fronts.share();
}

TEST(ThinFronts, AreThoseOfLessThanTwoCells) {
  const std::vector<double> start = pulse(0.4, 0);
  for (const double moved : {20.0, 20.3, 20.5, 20.8}) {
    EXPECT_GT(share(pulse(0.4, moved), start, 2), 0.9) << moved;
    EXPECT_EQ(share(pulse(std::sqrt(2.0), moved), start, 2), 0) << "of the Allen-Cahn equation with cells of 1";
    EXPECT_EQ(share(pulse(3, moved), start, 2), 0);
  }
}

TEST(ThinFronts, AreNotJumpsOfTheStart) {
  const std::vector<double> start = pulse(0.4, 0);
  EXPECT_EQ(share(start, start, 2), 0);
  EXPECT_EQ(share(pulse(0.7, 0.4), start, 2), 0) << "which diffusion has just begun to widen";
  EXPECT_NEAR(share(start, std::vector<double>(cells, -1), 2), 1, 0.05) << "that stick where they have come about";
}

TEST(ThinFronts, AreNotNoiseRipplesOrBordersOfObstacles) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> noise, ripples, walls;
  for (std::size_t i = 0; i < cells; ++i) {
    noise.push_back(uniform(random));
    ripples.push_back(i % 2 == 0 ? 0 : 1);
    walls.push_back(i % 40 < 20 ? 1 : std::numeric_limits<double>::quiet_NaN());
  }
  const std::vector<double> start(cells, 0.5);
  EXPECT_LT(share(noise, start, 1), 0.05);
  EXPECT_EQ(share(ripples, start, 1), 0);
  EXPECT_EQ(share(walls, start, 1), 0);
}

}  // namespace
}  // namespace simreel
