// Dye that a flow carries, as a scene describes it.
#include <fmt/format.h>

#include "tests/support/backends.h"
#include "tests/support/lbm_scene.h"

namespace simreel {
namespace {

using test::channel, test::expect_same_fields, test::make, test::obstructed, test::shown;

// Flows with dye: a channel with solid cells that touch at a corner only; a closed cavity; inlet and outlet on a grid
// of three columns; a periodic line; forces and an inlet that change.
const std::string dyed[] = {
    obstructed +
        "[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [70, 20]\nmax = [75, 25]\n[[solver.obstacle]]\nshape = "
        "\"rectangle\"\nmin = [76, 26]\nmax = [80, 30]\n[solver.tracer]\nstripes = 3\nbands = 2\ndiffusivity = "
        "0.05\n",
    "grid = [66, 35]\ncollision = \"mrt\"\nviscosity = 0.03\nvelocity = 0.08\n[solver.boundary]\nleft = "
    "\"wall\"\nright "
    "= \"wall\"\nbottom = \"wall\"\ntop = \"moving\"\n[solver.tracer]\nbands = 4\n[[solver.tracer.spot]]\nposition = "
    "[64, 33]\n[[solver.tracer.spot]]\nposition = [10, 20]\nradius = 2.5\n",
    "grid = [3, 70]\nvelocity = 0.05\nviscosity = 0.05\n[solver.boundary]\nleft = \"periodic\"\nright = "
    "\"periodic\"\nbottom = \"inlet\"\ntop = \"outlet\"\n[solver.tracer]\nstripes = 1\nbands = 5\n",
    "grid = [1, 2]\ninitial = \"uniform\"\nvelocity = 0.05\n[solver.boundary]\nbottom = \"periodic\"\ntop = "
    "\"periodic\"\n[solver.tracer]\nbands = 1\n",
};

template <class Real>
std::vector<Real> dye_after(Executor& executor, const std::string& keys, const std::vector<int>& groups) {
  const auto solver = make(executor, keys, "tracer");
  for (const int steps : groups) solver->step(steps);
  return shown<Real>(executor, *solver, "tracer");
}

// Calls test(precision, a value of its type) for each precision.
template <class Test>
void for_each_precision(const Test& test) {
  test("precision = \"float\"\n", 0.0f);
  test("precision = \"half\"\n", 0.0f);
  test("precision = \"double\"\n", 0.0);
}

TEST(LbmSolver, DyeDoesNotDependOnTheMachineAndOnHowStepsAreGrouped) {
  Executor executor = Executor::cpu(2);
  for_each_precision([&](const char* precision, auto zero) {
    using Real = decltype(zero);
    for (const std::string& keys : dyed) {
      const std::vector<Real> together = dye_after<Real>(executor, precision + keys, {40});
      expect_same_fields(dye_after<Real>(executor, precision + keys, std::vector<int>(40, 1)), together);
      for (Executor& machine : test::executors())
        for (const std::vector<int>& groups : {std::vector<int>{40}, {7, 1, 30, 2}})
          expect_same_fields(dye_after<Real>(machine, precision + keys, groups), together);
      const std::vector<Real> earlier = dye_after<Real>(executor, precision + keys, {39});
      const bool still = std::memcmp(earlier.data(), together.data(), together.size() * sizeof(Real)) == 0;
      EXPECT_EQ(still, keys == dyed[3]) << keys;
    }
  });
}

TEST(LbmSolver, SplitKernelsCarryTheDyeLikeTheFusedOne) {
  Executor executor = Executor::cpu(2);
  for (const std::string& keys : dyed)
    expect_same_fields(dye_after<float>(executor, "kernel = \"split\"\n" + keys, {15, 25}),
                       dye_after<float>(executor, keys, {40}));
}

// A disk of dye in a uniform flow keeps its amount and moves with the flow.
TEST(LbmSolver, DyeMovesWithTheFlow) {
  Executor executor = Executor::cpu(2);
  const auto middle = [&](Solver& solver, double& amount) {
    const std::vector<float> dye = shown<float>(executor, solver, "tracer");
    double x = 0, y = 0;
    amount = 0;
    for (int row = 0; row < 64; ++row)
      for (int column = 0; column < 200; ++column) {
        const double c = static_cast<double>(dye[row * 200 + column]);
        EXPECT_GE(c, 0);
        EXPECT_LE(c, 1);
        amount += c;
        x += c * column;
        y += c * row;
      }
    return std::pair{x / amount, y / amount};
  };
  const auto solver =
      make(executor, "grid = [200, 64]\ninitial = \"uniform\"\nvelocity = 0.1\n[solver.tracer]\nbands = 2\n", "tracer");
  double before = 0, after = 0;
  middle(*solver, before);
  EXPECT_EQ(before, 200 * 32);
  solver->step(100);
  const auto [x, y] = middle(*solver, after);
  EXPECT_NEAR(after, before, 0.05);  // bands lie along the flow, which leaves them as they are
  EXPECT_NEAR(x, 99.5, 1e-3);
  EXPECT_NEAR(y, 23.5, 1e-3);
}

TEST(LbmSolver, InletsBringStripesOfDye) {
  Executor executor = Executor::cpu(2);
  const auto solver = make(executor,
                           "grid = [200, 64]\ninitial = \"uniform\"\nvelocity = 0.1\n[solver.boundary]\nleft = "
                           "\"inlet\"\nright = \"outlet\"\nbottom = \"periodic\"\ntop = \"periodic\"\n"
                           "[solver.tracer]\nstripes = 2\n",
                           "tracer");
  solver->step(800);  // the front is at 80 cells
  const std::vector<float> dye = shown<float>(executor, *solver, "tracer");
  const auto at = [&](int x, int y) { return dye[y * 200 + x]; };
  EXPECT_NEAR(at(60, 8), 1, 1e-3);
  EXPECT_NEAR(at(60, 24), 0, 1e-3);
  EXPECT_NEAR(at(60, 40), 1, 1e-3);
  EXPECT_NEAR(at(100, 8), 0, 1e-3);
  int front = 0;
  while (at(front, 8) > 0.5f) ++front;
  EXPECT_NEAR(front, 80, 1);
}

// As many stripes as the key allows: their number times a cell's leaves the range of int.
TEST(LbmSolver, InletsBringManyStripesOfDye) {
  Executor executor = Executor::cpu(2);
  constexpr int cells = 3001, stripes = 1 << 20;
  const auto solver =
      make(executor,
           fmt::format("grid = [3, {}]\ninitial = \"uniform\"\nvelocity = 0.1\n[solver.boundary]\nleft = "
                       "\"inlet\"\nright = \"outlet\"\nbottom = \"periodic\"\ntop = \"periodic\"\n"
                       "[solver.tracer]\nstripes = {}\n",
                       cells, stripes),
           "tracer");
  solver->step(2);
  const std::vector<float> dye = shown<float>(executor, *solver, "tracer");
  for (std::int64_t y = 0; y < cells; ++y) ASSERT_EQ(dye[3 * y] > 0.05f, (2 * y + 1) * stripes / cells % 2 == 0) << y;
}

// A line of dye on a periodic grid one cell wide: its neighbours are itself.
TEST(LbmSolver, DyeOnALineStaysOnIt) {
  Executor executor = Executor::cpu(1);
  for (const char* grid : {"[1, 8]", "[8, 1]", "[1, 1]", "[2, 3]"}) {
    const auto solver = make(executor,
                             fmt::format("grid = {}\ninitial = \"uniform\"\n[solver.boundary]\nbottom = "
                                         "\"periodic\"\ntop = \"periodic\"\n[solver.tracer]\nbands = 1\n",
                                         grid),
                             "tracer");
    const std::vector<float> before = shown<float>(executor, *solver, "tracer");
    solver->step(20);
    EXPECT_EQ(shown<float>(executor, *solver, "tracer"), before);
  }
}

TEST(LbmSolver, DyeIsKeptToAPercentInACavity) {
  Executor executor = Executor::cpu(2);
  const auto solver =
      make(executor,
           "grid = [64, 64]\nviscosity = 0.05\nvelocity = 0.1\n[solver.boundary]\nleft = \"wall\"\nright = "
           "\"wall\"\nbottom = \"wall\"\ntop = \"moving\"\n[solver.tracer]\nbands = 4\n",
           "tracer");
  const auto amount = [&] {
    double sum = 0;
    for (const float c : shown<float>(executor, *solver, "tracer")) sum += static_cast<double>(c);
    return sum;
  };
  const double before = amount();
  solver->step(5000);
  EXPECT_NEAR(amount() / before, 1, 0.01);
}

}  // namespace
}  // namespace simreel
