// The pace and the range of a video of equations, where the scene does not say them.
#include "source/pde/pace.h"

#include <fmt/format.h>

#include "source/solver.h"
#include "source/solvers.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

const std::string heat =
    "grid = [120, 68]\nboundary = { left = { value = 1 }, right = { value = 0 } }\n[solver.fields.u]\ninitial = 0\n"
    "rate = \"= lap(u)\"\n";
const std::string wave =
    "grid = [120, 68]\nboundary = \"free\"\n[solver.fields.h]\ninitial = \"= exp(-((x - 40)^2 + (y - 30)^2)/40)\"\n"
    "rate = \"= w\"\n[solver.fields.w]\ninitial = 0\nrate = \"= lap(h)\"\n";

Scene complete(const std::string& solver, const std::string& rest = "") {
  Scene scene = parse_scene("[solver]\nkind = \"pde\"\n" + solver + rest, "x.toml");
  complete_scene(scene);
  return scene;
}

// Simulated, in ten seconds of video.
double shown(const Scene& scene) {
  const double frame = static_cast<double>(scene.animation.steps_per_frame) * plan_solver(scene).timestep;
  return frame * scene.animation.fps() * 10;
}

std::string reason(const Scene& scene) {
  for (const std::string& fact : plan_solver(scene).texts.facts)
    if (fact.starts_with("steps_per_frame")) return fact;
  return "";
}

// The slowest wave between the sides decays as exp(-(pi/L)^2 t), so that at 3.6 L^2/pi^2 a fortieth is left of it.
TEST(PdePace, HeatIsShownUntilItHasCrossedTheGrid) {
  const double unit = 120.0 * 120 / 9.87;
  EXPECT_GT(shown(complete(heat)), 1.5 * unit);
  EXPECT_LT(shown(complete(heat)), 6 * unit);
  EXPECT_TRUE(test::says(reason(complete(heat)), "settled"));
}

TEST(PdePace, WavesCrossTheGridInSomeSeconds) {
  const double crossings = shown(complete(wave)) / 120;  // of a side, at the speed 1
  EXPECT_GT(crossings, 1);
  EXPECT_LT(crossings, 6);
}

// Noise of 0.1 grows as e^t to 1, and the domains take a hundred times as long to become few.
TEST(PdePace, SaysThatGrowthIsOverBeforeItIsSeen) {
  const std::string domains =
      "grid = [96, 60]\n[solver.fields.u]\ninitial = \"= 0.02*noise(x/3, y/3)\"\nrate = \"= u - u^3 + lap(u)\"\n";
  EXPECT_TRUE(test::says(reason(complete(domains)), "what grows at first is there by time "));
  EXPECT_FALSE(test::says(reason(complete(heat)), "what grows at first"));
}

TEST(PdePace, FollowsTheRateOfTheFrames) {
  for (const std::string& solver : {heat, wave}) {
    const double usual = shown(complete(solver));
    EXPECT_NEAR(shown(complete(solver, "[animation]\nfps = 30\n")) / usual, 1, 0.2);
    EXPECT_NEAR(shown(complete(solver, "[animation]\nframes = 60\n")) / usual, 1, 1e-9) << "a shorter video shows less";
  }
}

// A front of Fisher's equation goes 2 sqrt(r) cells a unit of time, a reaction alone is over after a few.
TEST(PdePace, FollowsTheUnitsOfTheEquations) {
  const auto front = [](double rate) {
    return fmt::format(
        "grid = [120, 68]\nboundary = \"free\"\n[solver.fields.u]\ninitial = \"= exp(-((x - 60)^2 + (y - 34)^2)/30)\"\n"
        "rate = \"= {}*(lap(u) + 0.2*u*(1 - u))\"\n",
        rate);
  };
  const double slow = shown(complete(front(0.01))), fast = shown(complete(front(1)));
  EXPECT_NEAR(slow / fast, 100, 10);
  EXPECT_GT(fast, 60 / 0.9) << "it reaches the sides";
  EXPECT_LT(fast, 600);
}

// exp(-t) falls to an eighth at t = 2.08.
TEST(PdePace, MakesAStepSmallerWhereOneAFrameIsARush) {
  const Scene scene = complete("grid = [64, 36]\n[solver.fields.u]\ninitial = \"= x/nx\"\nrate = \"= -u\"\n");
  EXPECT_EQ(scene.animation.steps_per_frame, 1);
  EXPECT_LT(plan_solver(scene).timestep, 0.05) << "where 2.8 is stable";
  EXPECT_NEAR(shown(scene), 2.1, 0.3);
}

// The middle of a disc of radius R has the temperature 1 - exp(-R^2 / 4t) as long as no side is near.
TEST(PdePace, ADiscThatCoolsIsSeenToTheEnd) {
  const std::string disc =
      "grid = [160, 160]\nboundary = \"free\"\n[solver.fields.u]\ninitial = \"= r < 14\"\nrate = \"= lap(u)\"\n";
  const double end = 1 - std::exp(-14 * 14 / (4 * shown(complete(disc))));
  EXPECT_GT(end, 0.09);
  EXPECT_LT(end, 0.2);
}

// A packet of wave number k goes k cells a unit of time: it meets the barrier, and what passes it has time to part
// from what does not.
TEST(PdePace, APacketComesToItsBarrierInTime) {
  for (const auto& [nx, k] : {std::pair{200, 0.6}, {400, 0.8}}) {
    const Scene scene = complete(
        fmt::format("grid = [{}, 120]\nboundary = \"free\"\n[solver.parameters]\nV = \"= {}*(abs(x - {}) < 3)\"\n"
                    "[solver.fields.u]\ninitial = \"= exp(-((x - {})^2 + (y - 60)^2)/300)*cos({}*x)\"\n"
                    "rate = \"= -0.5*lap(v) + V*v\"\n"
                    "[solver.fields.v]\ninitial = \"= exp(-((x - {})^2 + (y - 60)^2)/300)*sin({}*x)\"\n"
                    "rate = \"= 0.5*lap(u) - V*u\"\n",
                    nx, k * k / 2, 0.6 * nx, 0.25 * nx, k, 0.25 * nx, k));
    const double impact = 0.35 * nx / k / shown(scene);
    EXPECT_GT(impact, 0.12) << reason(scene);
    EXPECT_LT(impact, 0.65) << reason(scene);
  }
}

// Rolls of Swift and Hohenberg grow as exp(0.02 t) from a thousandth to a tenth.
TEST(PdePace, WaitsForWhatGrowsSlowly) {
  const Scene scene = complete(
      "grid = [96, 54]\nprecision = \"double\"\n[solver.fields.u]\ninitial = \"= 0.001*noise(x/2.3, y/2.3)\"\n"
      "rate = \"= 0.02*u - (u + 2*lap(u) + bilap(u)) - u^3\"\n");
  EXPECT_GT(shown(scene), 1.2 * std::log(100) / 0.02) << reason(scene);
  EXPECT_LT(shown(scene), 20 * std::log(100) / 0.02) << reason(scene);
}

TEST(PdePace, KeepsWhatTheSceneSays) {
  const Scene given = complete(wave, "[animation]\nsteps_per_frame = 7\n[view]\nrange = [0, 1]\n");
  EXPECT_EQ(given.animation.steps_per_frame, 7);
  EXPECT_EQ(given.view.colormap, "viridis") << "of a range that the scene gives";
  EXPECT_EQ(reason(given), "");
}

TEST(PdePace, SaysWhereNothingTellsIt) {
  const Scene still = complete("grid = [64, 36]\n[solver.fields.u]\ninitial = 2\nrate = \"= lap(u)\"\n");
  EXPECT_EQ(still.animation.steps_per_frame, 4);
  EXPECT_TRUE(test::says(reason(still), "does not change"));
  const Scene unchecked = complete("timestep = 0.1\nunchecked = true\n" + heat);
  EXPECT_EQ(unchecked.animation.steps_per_frame, 4);
  EXPECT_TRUE(test::says(reason(unchecked), "unchecked"));
}

TEST(PdePace, BoundsTheStepsOfAVideo) {
  const Scene scene = complete("grid = [3000, 1700]" + heat.substr(heat.find('\n')));
  EXPECT_TRUE(test::says(reason(scene), "too many steps"));
  EXPECT_EQ(scene.animation.steps_per_frame, 4);
}

TEST(PdeRange, FollowsFromTheValues) {
  EXPECT_EQ(complete(wave).view.range, RangeMode::symmetric);
  EXPECT_EQ(complete(wave).view.colormap, "glow");
  EXPECT_EQ(complete(heat).view.range, RangeMode::robust);
  EXPECT_EQ(complete(heat).view.colormap, "viridis");
  const std::string rises =
      "grid = [64, 36]\n[solver.fields.u]\ninitial = \"= noise(x/8, y/8)\"\nrate = \"= 1 + 0.1*lap(u)\"\n";
  EXPECT_EQ(complete(rises).view.range, RangeMode::follow);
  EXPECT_EQ(complete(wave, "[view]\nscale = \"log\"\n").view.range, RangeMode::robust) << "which takes no signs";
  EXPECT_EQ(complete(wave, "[animation]\nsteps_per_frame = 4\n").view.range, RangeMode::symmetric);
}

}  // namespace
}  // namespace simreel
