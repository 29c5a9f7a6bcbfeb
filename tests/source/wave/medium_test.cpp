// Waves whose cells differ: the same bits from every kernel and number of threads, and what a scene may say.

#include <fmt/format.h>

#include "base/error.h"
#include "source/solver.h"
#include "tests/support/backends.h"
#include "tests/support/npy.h"
#include "tests/support/places.h"
#include "tests/support/shown.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

using test::shown;

Scene medium_scene(const std::string& keys, const std::vector<std::string>& overrides = {}) {
  return parse_scene("seed = 5\n[solver]\nkind = \"wave\"\n" + keys, "wave.toml", overrides);
}

// Height, then velocity.
template <class Real = float>
std::vector<Real> run(const Executor& executor, const Scene& scene, const std::vector<std::int64_t>& portions) {
  const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
  for (const std::int64_t steps : portions) solver->step(steps);
  std::vector<Real> values = shown<Real>(executor, *solver), velocity = shown<Real>(executor, *solver, "velocity");
  values.insert(values.end(), velocity.begin(), velocity.end());
  return values;
}

template <class Real>
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

std::string error_of(const std::string& keys) {
  return test::thrown([&] { plan_solver(medium_scene(keys)); });
}

// Scenes that have all of it, on grids of several tiles and of less than one.
const std::string obstacles =
    "[[solver.obstacle]]\nshape = \"circle\"\ncenter = [GX, GY]\nradius = 7.5\n"
    "[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [3, 3]\nmax = [6, 9]\nwall = \"free\"\n"
    "[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [GX, 0]\nmax = [GX, 4]\nwall = \"free\"\n"
    "[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [26, 20]\nmax = [30, 25]\nwall = \"absorbing\"\n"
    "[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [28, 27]\nmax = [33, 27]\nwall = \"absorbing\"\n";
const std::string sources =
    "[[solver.source]]\nshape = \"point\"\nposition = [12.3, 14.8]\nfrequency = 0.08\n"
    "[[solver.source]]\nshape = \"line\"\npoints = [[20, 5], [20, 30]]\nmode = \"hard\"\nfrequency = 0.05\nuntil = 12\n"
    "[[solver.source]]\nshape = \"disk\"\nposition = [12, 14]\nradius = 3\nsignal = \"= cos(t / 3)\"\nfrom = 4\n";

std::string placed(std::string text, int nx, int ny) {
  for (const auto& [name, value] : {std::pair("GX", nx / 2), std::pair("GY", ny / 2)})
    for (std::size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, 2, std::to_string(value));
  return text;
}

struct Case {
  const char* name;
  std::string keys;
};
std::vector<Case> cases(int nx, int ny) {
  const std::string grid =
      fmt::format("grid = [{}, {}]\ninitial = \"noise\"\namplitude = 0.5\ndamping = 0.001\n", nx, ny);
  const std::string lens = "speed = \"= if(hypot(x - nx / 3, y - ny / 2) < 12, 0.6, 1)\"\n";
  const std::string given =
      fmt::format("grid = [{}, {}]\ninitial = \"= exp(-r^2 / 30)\"\ninitial_velocity = \"= 0.1 * x / nx\"\n", nx, ny);
  std::vector<Case> list;
  for (const char* boundary : {"fixed", "free", "periodic", "absorbing"}) {
    const std::string sides = fmt::format("boundary = \"{}\"\n", boundary);
    list.push_back({boundary, placed(grid + sides + lens + obstacles + sources, nx, ny)});
  }
  list.push_back(
      {"mixed",
       placed(grid + "[solver.boundary]\nleft = \"free\"\nright = \"absorbing\"\ntop = \"absorbing\"\n" + obstacles, nx,
              ny)});
  list.push_back({"ring", placed(grid + lens +
                                     "[solver.boundary]\nleft = \"periodic\"\nright = \"periodic\"\ntop = "
                                     "\"absorbing\"\n[solver.absorber]\nwidth = 5\n" +
                                     sources,
                                 nx, ny)});
  list.push_back({"given", given + "[solver.absorber]\nwidth = 6\n[[solver.droplet]]\ntime = 3\n"});
  return list;
}

template <class Real>
void expect_parity(const std::vector<Executor>& executors, int nx, int ny) {
  const std::string precision = sizeof(Real) == 8 ? "solver.precision=double" : "solver.precision=float";
  for (const auto& [name, keys] : cases(nx, ny)) {
    const auto scene = [&](const char* kernel) {
      return medium_scene(keys, {precision, fmt::format("solver.kernel={}", kernel)});
    };
    const std::vector<Real> expected = run<Real>(Executor::cpu(1), scene("naive"), {41});
    double largest = 0;
    for (const Real value : expected) largest = std::max(largest, std::abs(static_cast<double>(value)));
    ASSERT_TRUE(largest > 0.01 && largest < 100) << name << " " << nx << " x " << ny << " " << largest;
    for (const Executor& executor : executors) {
      EXPECT_TRUE(same_bits(run<Real>(executor, scene("naive"), {1, 40}), expected))
          << executor.name() << " naive " << name << " " << nx;
      EXPECT_TRUE(same_bits(run<Real>(executor, scene("tiled"), {41}), expected))
          << executor.name() << " tiled " << name << " " << nx;
      EXPECT_TRUE(same_bits(run<Real>(executor, scene("tiled"), {1, 12, 23, 5}), expected))
          << executor.name() << " tiled in parts " << name;
    }
  }
}

TEST(WaveMedium, TiledAndNaiveAgreeToTheBitOnEveryMachine) {
  std::vector<Executor> executors = test::executors();
  expect_parity<float>(executors, 40, 37);
  expect_parity<float>(executors, 613, 260);
  expect_parity<double>(executors, 150, 131);
  executors.erase(executors.begin(), executors.begin() + 2);  // but the GPU
  if (!executors.empty()) expect_parity<float>(executors, 2500, 1300);
}

// A medium that is one speed everywhere is the plain wave.
TEST(WaveMedium, OfOneSpeedHasTheBitsOfThePlainWave) {
  for (const char* boundary : {"fixed", "free", "periodic"})
    for (const char* kernel : {"naive", "tiled"}) {
      const std::string keys = fmt::format(
          "grid = [150, 90]\ninitial = \"noise\"\ntimestep = 0.4\ndamping = 0.01\nboundary = \"{}\"\nkernel = \"{}\"\n",
          boundary, kernel);
      EXPECT_TRUE(same_bits(run(Executor::cpu(2), medium_scene(keys + "speed = 1.1\n"), {50}),
                            run(Executor::cpu(2), medium_scene(keys + "speed = \"= 1.1\"\n"), {50})))
          << boundary << " " << kernel;
    }
}

TEST(WaveMedium, MirroredScenesAreMirroredToTheBit) {
  const auto field = [](const std::string& x) {
    return run(Executor::cpu(2),
               medium_scene("grid = [101, 60]\n[solver.absorber]\nwidth = 8\n"
                            "[[solver.obstacle]]\nshape = \"circle\"\ncenter = [50, 40]\nradius = 6\nwall = \"free\"\n"
                            "[[solver.source]]\nfrequency = 0.07\nposition = [" +
                            x + ", 20]\n"),
               {150});
  };
  const std::vector<float> left = field("30"), right = field("70");
  for (std::size_t y = 0; y < 120; ++y)
    for (std::size_t x = 0; x < 101; ++x) ASSERT_EQ(left[y * 101 + x], right[y * 101 + 100 - x]) << x << " " << y;
}

TEST(WaveMedium, SolidCellsStayFlatAndAreShown) {
  const Executor executor = Executor::cpu(1);
  const std::unique_ptr<Solver> solver =
      plan_solver(medium_scene("grid = [60, 40]\ninitial = \"noise\"\n[[solver.obstacle]]\nshape = \"rectangle\"\nmin "
                               "= [10, 5]\nmax = [20, 12]\n"
                               "[[solver.droplet]]\nposition = [15, 8]\ntime = 2\n"))
          .create(executor);
  solver->step(40);
  const FieldView<float> view = std::get<FieldView<float>>(solver->view(""));
  ASSERT_NE(view.cell, nullptr);
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 60; ++x) {
      const std::size_t k = static_cast<std::size_t>(y) * view.pitch + static_cast<std::size_t>(x);
      const bool solid = x >= 10 && x <= 20 && y >= 5 && y <= 12;
      ASSERT_EQ(view.cell[k] < 0, solid);
      if (solid) {
        ASSERT_EQ(view.value[k], 0.0f);
      }
    }
}

TEST(WaveMedium, LayersCountInThePlan) {
  const Executor executor = Executor::cpu(2);
  const SolverPlan with = plan_solver(medium_scene("grid = [300, 200]\n[solver.absorber]\nwidth = 10\n"));
  const SolverPlan without = plan_solver(medium_scene("grid = [300, 200]\n"));
  EXPECT_GT(with.bytes(executor), without.bytes(executor) + 300 * 200 * 5);
  EXPECT_EQ(with.saved_bytes - without.saved_bytes, 2u * 20 * (200 + 320) * sizeof(float));
}

TEST(WaveMedium, ReadsImagesAndArrays) {
  const test::Folder folder;
  const std::string name = folder / "a.npy";
  std::ofstream(name, std::ios::binary) << test::npy({2, 3}, std::vector<float>{0, 1, 2, 3, 4, 5});
  const std::vector<float> height =
      run(Executor::cpu(1), medium_scene("grid = [3, 2]\ninitial = \"" + name + "\"\n"), {});
  EXPECT_EQ((std::vector<float>(height.begin(), height.begin() + 6)), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(test::says(error_of("grid = [4, 2]\ninitial = \"" + name + "\"\n"),
                         "its shape is (2, 3); the grid needs (2, 4), rows from the lowest to the highest"));

  // A grey image has 40 and 230 of 255; its lowest row is the lowest of the grid.
  const std::string grey = (test::root() / "tests/obstacle/grey.png").string();
  const std::vector<float> levels{230, 230, 230, 40, 40, 40, 230, 230};
  std::vector<float> heights, speeds;
  for (const float level : levels) heights.push_back(level / 255), speeds.push_back(0.5f + 0.5f * (level / 255));
  const std::vector<float> seen =
      run(Executor::cpu(1), medium_scene("grid = [4, 2]\ninitial = \"" + grey + "\"\n"), {});
  for (std::size_t i = 0; i < 8; ++i) EXPECT_FLOAT_EQ(seen[i], heights[i]) << i;
  const std::string listed = folder / "speeds.npy";
  std::ofstream(listed, std::ios::binary) << test::npy({2, 4}, speeds);
  const auto waves = [](const std::string& speed) {
    return run(Executor::cpu(1), medium_scene("grid = [4, 2]\ntimestep = 0.5\ninitial = \"noise\"\n" + speed), {9});
  };
  const std::vector<float> drawn = waves("speed = \"" + grey + "\"\nspeed_range = [0.5, 1]\n"),
                           given = waves("speed = \"" + listed + "\"\n");
  ASSERT_EQ(drawn.size(), given.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_NEAR(drawn[i], given[i], 1e-6) << i;
  EXPECT_FALSE(same_bits(drawn, waves("speed = \"" + grey + "\"\nspeed_range = [0.7, 1]\n")));
}

// A cell is solid where the formula is above 0: here, in the cells of a circle.
TEST(WaveMedium, ObstaclesFromFormulasReflectAsTheirCellsDo) {
  const std::string grid = "grid = [60, 40]\ninitial = \"noise\"\n[[solver.obstacle]]\nwall = \"free\"\n";
  const std::string round = "shape = \"circle\"\ncenter = [25, 18]\nradius = 7.3\n";
  const auto expected = run(Executor::cpu(1), medium_scene(grid + round), {30});
  for (const char* solid : {"= 7.3 - hypot(x - 25, y - 18)", "= hypot(x - 25, y - 18) < 7.3"})
    EXPECT_TRUE(same_bits(
        run(Executor::cpu(2), medium_scene(grid + "shape = \"formula\"\nsolid = \"" + solid + "\"\n"), {30}), expected))
        << solid;
}

}  // namespace
}  // namespace simreel
