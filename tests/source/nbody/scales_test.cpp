// What follows from bodies as they are: softening and timestep, in any units, so that their orbits are Kepler's.

#include "source/nbody/scales.h"

#include <fmt/format.h>

#include "tests/support/backends.h"
#include "tests/support/nbody_fixture.h"

namespace simreel {
namespace {

SolverPlan plan_of(const test::CsvFile& file, const std::string& keys) {
  return plan_solver(parse_scene("[solver]\nkind = \"nbody\"\n" + file.keys() + keys, "x.toml"));
}

bool says(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

// Two bodies at the pericentre of an ellipse of this axis, and its period.
struct Pair {
  double gravity, heavy, light, axis, eccentricity;

  double period() const { return 2 * std::numbers::pi * std::sqrt(axis * axis * axis / (gravity * (heavy + light))); }
  std::string rows() const {
    const double r = axis * (1 - eccentricity), mass = heavy + light;
    const double v = std::sqrt(gravity * mass * (1 + eccentricity) / r), a = -light / mass, b = heavy / mass;
    return fmt::format("{},0,0,0,{},0,{}\n{},0,0,0,{},0,{}\n", a * r, a * v, heavy, b * r, b * v, light);
  }
};

TEST(BodyScales, OrbitsCloseInAnyUnits) {
  const Pair pairs[] = {
      {1, 1, 1e-3, 1, 0},                           // units of G
      {39.478, 1, 1e-6, 0.01, 0},                   // a hot planet: AU, years and suns
      {6.674e-11, 5.972e24, 7.342e22, 3.844e8, 0},  // Earth and Moon: metres, seconds, kilograms
      {6.674e-11, 2e30, 1.9e27, 7.8e11, 0.05},      // Jupiter
      {1, 1, 1, 1e-4, 0.9},                         // a tight binary
      {1, 1, 1e-3, 1e5, 0.5},
  };
  for (const Pair& pair : pairs)
    for (const char* method : {"direct", "tree"}) {
      SCOPED_TRACE(fmt::format("axis {}, {}", pair.axis, method));
      const test::CsvFile file(pair.rows());
      const SolverPlan plan = plan_of(file, fmt::format("G = {}\nmethod = \"{}\"\n", pair.gravity, method));
      EXPECT_TRUE(plan.texts.warnings.empty()) << plan.texts.warnings.front();
      EXPECT_TRUE(says(plan.texts.facts, "the closest pair, body 0 and body 1, orbits in"));
      const Executor executor = Executor::cpu(1);
      const std::unique_ptr<Solver> solver = plan.create(executor);
      const auto apart = [&] {
        const auto state = test::bodies_of(executor, *solver);
        const Vec4<float>&a = state.position[0], &b = state.position[1];
        return std::array{double(b.x) - double(a.x), double(b.y) - double(a.y)};
      };
      const auto start = apart();
      const double energy = solver->diagnose()[4];
      const double steps = std::round(pair.period() / plan.timestep);
      ASSERT_LT(steps, 1e5);
      solver->step(static_cast<std::int64_t>(steps));
      const auto end = apart();
      const double missed = std::hypot(end[0] - start[0], end[1] - start[1]);
      // The period is within half a step and the error of the scheme.
      const double speed = start[0] * std::sqrt((1 + pair.eccentricity) / std::pow(1 - pair.eccentricity, 3));
      EXPECT_LT(missed, speed * 2 * std::numbers::pi * (0.5 / steps + 2e-3));
      EXPECT_NEAR(solver->diagnose()[4] / energy, 1, 1e-5);
      EXPECT_EQ(solver->warning(), "");
    }
}

TEST(BodyScales, TheClosestOfFewDecides) {
  // Two in a pair, around which a third one goes, and a moon about that.
  const test::CsvFile file(
      "0.05,0,0,0,2.2361,0,1\n-0.05,0,0,0,-2.2361,0,1\n10,0,0,0,0.4472,0,1e-3\n10.01,0,0,0,0.7634,0,1e-9\n");
  const SolverPlan plan = plan_of(file, "");
  EXPECT_TRUE(says(plan.texts.facts, "the closest pair, body 0 and body 1, orbits in 0.14")) << plan.texts.facts.back();
  EXPECT_EQ(plan.timestep, 2e-4);
  EXPECT_TRUE(says(plan.texts.facts, "a thousandth of the least distance of body 2 and body 3, 0.01"));
  const std::vector<Orbit> orbits =
      scales_of(Bodies{{{0.05, 0, 0, 1}, {-0.05, 0, 0, 1}, {10, 0, 0, 1e-3}, {10.01, 0, 0, 1e-9}},
                       {{0, 2.2361, 0, 0}, {0, -2.2361, 0, 0}, {0, 0.4472, 0, 0}, {0, 0.7634, 0, 0}},
                       {0, 0, 0, 0},
                       {}},
                1, 0)
          .orbits;
  ASSERT_EQ(orbits.size(), 3u);
  EXPECT_NEAR(orbits[0].period, 2 * std::numbers::pi * std::sqrt(1e-3 / 2), 1e-4);
  EXPECT_NEAR(orbits[1].period, 2 * std::numbers::pi * std::sqrt(1e-6 / 1e-3), 1e-3) << "the moon";
  EXPECT_NEAR(orbits[2].axis, 10, 0.01) << "around both of the pair";
}

TEST(BodyScales, GivenKeysWinAndTheRestFitsThem) {
  const test::CsvFile file("0,0,0,0,0,0,1\n1,0,0,0,1,0,1e-3\n");
  const SolverPlan plan = plan_of(file, "timestep = 0.004\nsoftening = 0.002\n");
  EXPECT_EQ(plan.timestep, 0.004);
  EXPECT_TRUE(plan.texts.warnings.empty());
  EXPECT_FALSE(says(plan.texts.facts, "softening")) << "nothing was found";
  const SolverPlan slow = plan_of(file, "timestep = 0.7\n");
  EXPECT_TRUE(says(slow.texts.warnings, "timestep = 0.7 is 0.11 of a turn of body 0 and body 1 at their nearest"));
  EXPECT_TRUE(says(slow.texts.warnings, "0.01 would do"));
  const SolverPlan soft = plan_of(file, "softening = 0.5\n");
  EXPECT_TRUE(says(soft.texts.warnings, "softening = 0.5 is not small against 0.998"));
  // A softened pair turns more slowly.
  EXPECT_GE(soft.timestep, plan_of(file, "").timestep);
}

TEST(BodyScales, ManyAreSoftenedByTheirSpacing) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  Bodies bodies;
  for (int i = 0; i < 700; ++i)
    bodies.add({normal(random), normal(random), normal(random), 1.0 / 700},
               {0.4 * normal(random), 0.4 * normal(random), 0.4 * normal(random), 0}, 0);
  const BodyScales scales = scales_of(bodies, 1, 0);
  std::vector<double> gaps;
  for (const Vec4<double>& a : bodies.position) {
    double least = 1e9;
    for (const Vec4<double>& b : bodies.position)
      if (&a != &b) least = std::min(least, std::hypot(a.x - b.x, a.y - b.y, a.z - b.z));
    gaps.push_back(least);
  }
  std::ranges::sort(gaps);
  EXPECT_DOUBLE_EQ(scales.spacing, gaps[350]);
  EXPECT_DOUBLE_EQ(scales.closest, gaps[0]);
  const BodySteps cluster = steps_for(bodies, 1, {});
  EXPECT_EQ(cluster.softening, round_down(gaps[350] / 3));
  EXPECT_GE(cluster.timestep, 2e-3);
  EXPECT_LE(cluster.timestep, 0.02);
  EXPECT_EQ(cluster.warning, "");
  // A pair far closer than neighbours are, on a circle.
  const double apart = 0.002, speed = std::sqrt(2.0 / 700 / apart) / 2;
  bodies.position[1] = bodies.position[0];
  bodies.position[1].x += apart;
  bodies.velocity[1] = bodies.velocity[0];
  bodies.velocity[0].y -= speed, bodies.velocity[1].y += speed;
  const BodySteps pair = steps_for(bodies, 1, {});
  EXPECT_TRUE(test::says(pair.warning, "body 0 and body 1 orbit each other in 0.01"));
}

// Clouds of a radius of about 1, of mass 1, whose middles are two bodies on a parabola.
Bodies clouds_on_a_parabola(double apart, double pericenter) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const double spin = std::sqrt(4 * pericenter) / apart, falls = std::sqrt(4 / apart - spin * spin);
  Bodies bodies;
  for (int i = 0; i < 400; ++i) {
    const double side = i % 2 == 0 ? -0.5 : 0.5;
    bodies.add({side * apart + 0.6 * normal(random), 0.6 * normal(random), 0.6 * normal(random), 1.0 / 200},
               {-side * falls + 0.4 * normal(random), side * spin + 0.4 * normal(random), 0.4 * normal(random), 0}, 0);
  }
  return bodies;
}

Scene shown(const Bodies& bodies, double* frame = nullptr) {
  std::string rows;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec4<double>&q = bodies.position[i], &v = bodies.velocity[i];
    rows += fmt::format("{},{},{},{},{},{},{}\n", q.x, q.y, q.z, v.x, v.y, v.z, q.w);
  }
  const test::CsvFile file(rows);
  Scene scene = parse_scene("[solver]\nkind = \"nbody\"\n" + file.keys(), "x.toml");
  complete_scene(scene);
  if (frame) *frame = plan_solver(scene).frame_interval;
  return scene;
}

TEST(BodyLook, FindsCloudsThatAreApart) {
  const Clouds two = clouds_of(clouds_on_a_parabola(10, 1));
  ASSERT_EQ(two.bodies.size(), 2);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_DOUBLE_EQ(two.bodies.position[i].w, 1);
    EXPECT_NEAR(std::abs(two.bodies.position[i].x), 5, 0.2);
    EXPECT_NEAR(two.radius[i], 0.6 * 2.154, 0.15) << "four fifths of a normal distribution";
  }
  EXPECT_EQ(clouds_of(clouds_on_a_parabola(1, 0.5)).bodies.size(), 1);
}

// Clouds at rest in a regular polygon fall to its middle as one body would around all, on a line of half the axis.
Bodies clouds_in_a_ring(int count, double radius, bool grouped = false, double width = 0.6) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Bodies bodies;
  for (int i = 0; i < 120 * count; ++i) {
    const double angle = 2 * 3.14159265358979 * (i % count) / count;
    bodies.add({radius * std::cos(angle) + width * normal(random), radius * std::sin(angle) + width * normal(random),
                width * normal(random), 1.0 / 120},
               {0.6 * width * normal(random), 0.6 * width * normal(random), 0.6 * width * normal(random), 0},
               grouped ? i % count : 0);
  }
  return bodies;
}

TEST(BodyLook, FindsSeveralCloudsAroundAMiddle) {
  for (const int count : {3, 4, 5, 7}) {
    const Clouds clouds = clouds_of(clouds_in_a_ring(count, 8));
    ASSERT_EQ(clouds.bodies.size(), static_cast<std::size_t>(count));
    for (const Vec4<double>& q : clouds.bodies.position) EXPECT_NEAR(std::hypot(q.x, q.y), 8, 0.3);
  }
  EXPECT_EQ(clouds_of(clouds_in_a_ring(3, 0.5)).bodies.size(), 1u);
  EXPECT_EQ(clouds_of(clouds_in_a_ring(5, 0)).bodies.size(), 1u);
}

// Where many lie between them, the groups of a file tell; a group within another is none by itself.
TEST(BodyLook, GroupsThatAreApartAreClouds) {
  EXPECT_EQ(clouds_of(clouds_in_a_ring(3, 2.6, false, 1.0)).bodies.size(), 1u);
  EXPECT_EQ(clouds_of(clouds_in_a_ring(3, 2.6, true, 1.0)).bodies.size(), 3u);
  EXPECT_EQ(clouds_of(clouds_in_a_ring(3, 0.2, true, 1.0)).bodies.size(), 1u);
  Bodies disks = clouds_in_a_ring(2, 8, true);
  for (std::size_t i = 0; i < disks.size(); i += 3) disks.group[i] = static_cast<std::uint8_t>(disks.group[i] + 2);
  EXPECT_EQ(clouds_of(disks).bodies.size(), 2u) << "with their bulges";
}

TEST(BodyLook, ThreeCloudsMeetAtTwoFifthsOfTenSeconds) {
  double frame = 0;
  const Scene scene = shown(clouds_in_a_ring(3, 10, false, 0.2), &frame);
  // Each is drawn to the middle by 1 / (sqrt(3) r^2): it falls in pi/2 sqrt(r^3 sqrt(3) / 2).
  const double falls = 3.14159265358979 / 2 * std::sqrt(1000 * std::sqrt(3.0) / 2);
  EXPECT_NEAR(falls / (frame * scene.animation.fps()), 4, 0.6);
}

TEST(BodyLook, CloudsMeetAtTwoFifthsOfTenSeconds) {
  for (const double apart : {6.0, 8.0, 25.0}) {  // at first less than a step a frame
    const double pericenter = 0.5, d = std::sqrt(apart / pericenter - 1),
                 met = std::sqrt(pericenter * pericenter * pericenter) * d * (1 + d * d / 3);  // Barker
    const Bodies bodies = clouds_on_a_parabola(apart, pericenter);
    double frame = 0;
    const Scene scene = shown(bodies, &frame);
    EXPECT_NEAR(met / (frame * scene.animation.fps()), 4, 0.6) << apart << " apart";
    EXPECT_GT(scene.camera.pose.extent * 16 / 9, apart / 2 + 1);
    EXPECT_LT(scene.camera.pose.extent * 16 / 9, apart / 2 + 5);
  }
}

// The curve of Chenciner and Montgomery reaches 1.0817 along x, and a third of that along y.
TEST(BodyLook, FewFillThePictureInWhichTheyStay) {
  Bodies eight;
  eight.add({0.97000436, -0.24308753, 0, 1}, {0.46620368, 0.43236573, 0, 0}, 0);
  eight.add({-0.97000436, 0.24308753, 0, 1}, {0.46620368, 0.43236573, 0, 0}, 0);
  eight.add({0, 0, 0, 1}, {-0.93240737, -0.86473146, 0, 0}, 0);
  const double filled = 1.0817 / (shown(eight).camera.pose.extent * 16 / 9);
  EXPECT_GT(filled, 0.8);
  EXPECT_LT(filled, 0.95);
  // An ellipse of axis 1 lies beside the sun in its focus.
  Bodies comet;
  comet.add({0, 0, 0, 1}, {0, 0, 0, 0}, 0);
  comet.add({1.9, 0, 0, 1e-6}, {0, std::sqrt(0.1 / 1.9), 0, 0}, 0);
  const CameraPose pose = shown(comet).camera.pose;
  EXPECT_NEAR(pose.target[0], 0.9, 0.05);
  EXPECT_NEAR(pose.extent * 16 / 9, 1.15, 0.1);
}

// A star passes a disk and throws a part of it far away; the picture shows what stays, and where the star comes from.
TEST(BodyLook, WhatIsThrownOutDoesNotWidenThePicture) {
  Bodies bodies;
  bodies.add({0, 0, 0, 1}, {0, 0, 0, 0}, 0);
  bodies.add({-14, 5, 0, 0.7}, {0.55, 0, 0, 0}, 0);
  for (int i = 0; i < 40; ++i) {
    const double radius = 1 + 0.05 * i, angle = 2.399 * i, speed = 1 / std::sqrt(radius);
    bodies.add({radius * std::cos(angle), radius * std::sin(angle), 0, 0},
               {-speed * std::sin(angle), speed * std::cos(angle), 0, 0}, 0);
  }
  const double across = shown(bodies).camera.pose.extent * 16 / 9;
  EXPECT_GT(across, 8);
  EXPECT_LT(across, 50);
}

TEST(BodyScales, RoundedDownNumbersAreWrittenAsTheyAre) {
  EXPECT_EQ(round_down(1), 1);
  EXPECT_EQ(round_down(0.0049), 0.002);
  EXPECT_EQ(round_down(0.0051), 0.005);
  EXPECT_EQ(round_down(1.9e-7), 1e-7);
  EXPECT_EQ(round_down(7.3e8), 5e8);
}

}  // namespace
}  // namespace simreel
