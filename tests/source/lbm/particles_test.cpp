// Particles that a flow carries, as a scene describes them.

#include "picture/rasterizer.h"
#include "tests/support/backends.h"
#include "tests/support/lbm_scene.h"
#include "tests/support/shown.h"

namespace simreel {
namespace {

using test::make, test::obstructed;

const PathsView& paths_of(Solver& solver) { return *std::get<FieldView<float>>(solver.view("speed")).paths; }

std::vector<PathPoint> now(const Executor& executor, Solver& solver) {
  const PathsView& paths = paths_of(solver);
  std::vector<PathPoint> points(static_cast<std::size_t>(paths.count));
  executor.copy(points.data(), paths.now, points.size() * sizeof(PathPoint));
  return points;
}

// All over a channel with an obstacle, ending now and then, and along a line.
const std::string carried = obstructed +
                            "[[solver.particles]]\ncount = 300\nlife = 90\n"
                            "[[solver.particles]]\nfrom = [2, 3]\nto = [2, 56]\ncount = 7\nevery = 9\nlife = 200\n";

std::vector<std::byte> saved_after(Executor& executor, const std::vector<int>& groups) {
  const auto solver = make(executor, carried);
  for (const int steps : groups) solver->step(steps);
  return test::saved(*solver);
}

TEST(LbmParticles, DoNotDependOnTheMachineAndOnHowStepsAreGrouped) {
  Executor one = Executor::cpu(1), three = Executor::cpu(3);
  const std::vector<std::byte> together = saved_after(one, {150});
  EXPECT_TRUE(saved_after(three, std::vector<int>(150, 1)) == together);
  for (Executor& machine : test::executors()) EXPECT_TRUE(saved_after(machine, {7, 1, 110, 32}) == together);
  EXPECT_FALSE(saved_after(one, {149}) == together);
}

// The flow that a force keeps up between walls is a parabola.
TEST(LbmParticles, InAChannelMoveAsFarAsTheParabolaSays) {
  Executor executor = Executor::cpu(2);
  const auto solver = make(executor,
                           "grid = [40, 32]\nprecision = \"double\"\ncollision = \"trt\"\nviscosity = 0.1\n"
                           "force = [3.125e-5, 0]\n"
                           "initial_ux = \"= 1.5625e-4 * (y + 0.5) * (31.5 - y)\"\n"
                           "[[solver.particles]]\nfrom = [5, 0]\nto = [5, 31]\ncount = 63\n");
  constexpr int steps = 402;
  const auto places = [&] {
    const PathsView& paths = *std::get<FieldView<double>>(solver->view("speed")).paths;
    std::vector<PathPoint> points(static_cast<std::size_t>(paths.count));
    executor.copy(points.data(), paths.now, points.size() * sizeof(PathPoint));
    return points;
  };
  solver->step(steps);
  const std::vector<PathPoint> points = places();
  ASSERT_EQ(points.size(), 63U);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double y = static_cast<double>(i) / 2 - 15.5, u = 1.5625e-4 * (y + 16) * (16 - y);
    double way = static_cast<double>(points[i].x) - 5;
    if (way < 0) way += 40;
    EXPECT_NEAR(points[i].y, static_cast<double>(i) / 2, 1e-5);
    EXPECT_NEAR(way, u * steps, 0.002 * u * steps + 1.5625e-4 / 4 * steps) << "row " << y;
  }
}

// They stay on their streamlines, which are closed and keep their shape while the flow decays.
TEST(LbmParticles, GoAroundInVortices) {
  Executor executor = Executor::cpu(2);
  const auto solver = make(executor,
                           "grid = [64, 64]\ninitial = \"taylor_green\"\nviscosity = 0.001\nvelocity = 0.05\n"
                           "collision = \"trt\"\n[[solver.particles]]\ncount = 200\n");
  const auto stream = [](const PathPoint& at) {
    const double k = 2 * 3.14159265358979323846 / 64;
    return std::cos(k * (static_cast<double>(at.x) + 0.5)) * std::cos(k * (static_cast<double>(at.y) + 0.5));
  };
  solver->step(8);
  const std::vector<PathPoint> before = now(executor, *solver);
  solver->step(3000);  // some turns of those near the middle of a vortex
  const std::vector<PathPoint> after = now(executor, *solver);
  double farthest = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(std::abs(stream(after[i])), std::abs(stream(before[i])), 0.03) << i;
    farthest = std::max(farthest, std::hypot(static_cast<double>(after[i].x - before[i].x),
                                             static_cast<double>(after[i].y - before[i].y)));
  }
  EXPECT_GT(farthest, 10);
}

TEST(LbmParticles, StayInTheFluid) {
  Executor executor = Executor::cpu(2);
  const auto solver = make(executor, obstructed + "[[solver.particles]]\ncount = 500\n");
  solver->step(1200);
  int behind = 0;
  for (const PathPoint& at : now(executor, *solver)) {
    if (at.life == 0) continue;
    EXPECT_GT(std::hypot(static_cast<double>(at.x) - 40, static_cast<double>(at.y) - 33), 7);
    EXPECT_TRUE(at.x > -0.6F && at.x < 149.6F && at.y >= -0.5F && at.y <= 59.5F) << at.x << ", " << at.y;
    behind += at.life > 1;
  }
  EXPECT_GT(behind, 50) << "those that left through the outlet begin again";
}

// A line at an inlet sends out a row of particles every so many steps, and the channel stays full of them.
TEST(LbmParticles, FollowEachOtherFromALine) {
  Executor executor = Executor::cpu(2);
  const auto solver = make(executor,
                           "grid = [120, 40]\ninitial = \"uniform\"\nvelocity = 0.1\n[solver.boundary]\nleft = "
                           "\"inlet\"\nright = \"outlet\"\nbottom = \"slip\"\ntop = \"slip\"\n"
                           "[[solver.particles]]\nfrom = [0, 10]\nto = [0, 30]\ncount = 5\nevery = 100\nlife = 2000\n");
  const auto rows = [&] {
    std::vector<float> places;
    for (const PathPoint& at : now(executor, *solver))
      if (at.life > 0 && std::fabs(at.y - 10) < 0.01F) places.push_back(at.x);
    std::ranges::sort(places);
    return places;
  };
  solver->step(500);
  EXPECT_EQ(rows().size(), 6U);
  for (const int more : {1500, 2500}) {
    solver->step(more);
    const std::vector<float> places = rows();
    EXPECT_GE(places.size(), 11U);
    for (std::size_t i = 1; i < places.size(); ++i) EXPECT_NEAR(places[i] - places[i - 1], 10, 0.2);
  }
}

std::vector<Color> picture_of(const Executor& executor, const std::string& look) {
  Scene scene = parse_scene("seed = 5\n[solver]\nkind = \"lbm\"\nramp = 0\n" + carried +
                                "[view]\nsize = [300, 120]\nrange = [0, 0.2]\n" + look,
                            "flow.toml");
  complete_scene(scene);
  const SolverPlan plan = plan_solver(scene);
  const auto solver = plan.create(executor);
  solver->step(130);
  DrawContext stage;
  stage.figure.grid = {1.0 * plan.grid.cells[0], 1.0 * plan.grid.cells[1]};
  Rasterizer rasterizer(executor, scene.view, stage);
  rasterizer.draw(solver->view(plan.field), 0);
  Buffer<std::byte> bytes(executor, frame_bytes(scene.view.size, PixelLayout::rgba));
  rasterizer.convert(PixelLayout::rgba, bytes.data());
  std::vector<Color> colors(bytes.size() / sizeof(Color));
  std::memcpy(static_cast<void*>(colors.data()), bytes.download().data(), bytes.size());
  return colors;
}

const std::string green = "[view.particles]\ncolors = [\"#00ff00\", \"#0000ff\"]\nopacity = 1\nradius = 2\ntrail = ";

TEST(LbmParticles, AreDrawnWithTheirPathsInTheColourOfTheirSet) {
  const Executor cpu = Executor::cpu(3);
  const auto count = [](const std::vector<Color>& picture, const Color& color) {
    return std::ranges::count(picture, color);
  };
  const std::vector<Color> points = picture_of(cpu, green + "0\n"), trails = picture_of(cpu, green + "0.4\n");
  EXPECT_GT(count(points, Color{0, 255, 0}), 300 * 4);
  EXPECT_GT(count(points, Color{0, 0, 255}), 7 * 4);
  EXPECT_EQ(count(picture_of(cpu, ""), (Color{0, 255, 0})), 0);
  const auto greenish = [](const std::vector<Color>& picture) {
    return std::ranges::count_if(picture, [](const Color& c) { return c.g > 100 && c.g > c.r && c.g > c.b; });
  };
  EXPECT_GT(greenish(trails), greenish(points) + 1000);
  for (const Executor& machine : test::executors()) EXPECT_TRUE(picture_of(machine, green + "0.4\n") == trails);
}

TEST(LbmParticles, MayNotBeginInAnObstacle) {
  Executor executor = Executor::cpu(1);
  EXPECT_THROW(make(executor, obstructed + "[[solver.particles]]\nfrom = [40, 30]\nto = [41, 34]\n"), UsageError);
}

}  // namespace
}  // namespace simreel
