// What ranks find out about a field together has the bits of one rank that has the whole.

#include "source/divided_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "source/solver.h"
#include "tests/support/backends.h"
#include "tests/support/field_fixture.h"

namespace simreel {
namespace {

Scene scene_of(const std::string& solver) { return parse_scene("seed = 5\n[solver]\n" + solver, "divided.toml"); }

struct Numbers {
  std::vector<double> value, weight;

  Numbers(const Executor& executor, const FieldMeans& means) {
    const std::size_t pixels = static_cast<std::size_t>(means.width) * static_cast<std::size_t>(means.height);
    value.resize(pixels);
    executor.copy(value.data(), means.value, pixels * sizeof(double));
    if (!means.weight) return;
    weight.resize(pixels);
    executor.copy(weight.data(), means.weight, pixels * sizeof(double));
  }
  bool operator==(const Numbers&) const = default;
};

constexpr double offset = -0.125;

// As one rank finds them in a view.
struct Whole {
  Numbers operator()(const Executor& executor, const View& view, Size pixels) const {
    return std::visit([&](const auto& shown) { return means(executor, shown, pixels); }, view);
  }
  template <class Real>
  static Numbers means(const Executor& executor, const FieldView<Real>& field, Size pixels) {
    const test::AxisTables axes(executor, field.nx, field.ny, pixels.width, pixels.height);
    const std::size_t count = static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height);
    Buffer<double> value(executor, count), weight(executor, count);
    Buffer<std::byte> scratch(executor, means_scratch_bytes(field.nx));
    find_means(executor, field, axes.columns, axes.rows, offset, value.data(), weight.data(), scratch.data());
    const double total = axes.columns.total * axes.rows.total;
    return {executor, {value.data(), field.cell ? weight.data() : nullptr, pixels.width, pixels.height, total}};
  }
  template <class Real>
  static Numbers means(const Executor& executor, const ParticlesView<Real>&, Size) {
    return {executor, {}};
  }
};

// Sizes of pictures whose rows of pixels have cells of one, of two and of all ranks; a rank may own none of them.
constexpr Size sizes[] = {{66, 160}, {61, 83}, {13, 31}, {40, 6}, {5, 3}, {3, 2}, {1, 1}};

void expect_same_means(const Executor& executor, const std::string& solver, const Ranks& ranks) {
  SCOPED_TRACE(fmt::format("{}{} ranks", solver, ranks.count));
  const Scene scene = scene_of(solver);
  const Executor cpu = Executor::cpu(2);
  const std::unique_ptr<Solver> alone = plan_solver(scene).create(cpu);
  const std::unique_ptr<Solver> ranked = plan_solver(scene, ranks).create(executor);
  EXPECT_EQ(alone->divided(), nullptr);
  ASSERT_NE(ranked->divided(), nullptr);
  for (const int steps : {0, 1, 30}) {
    for (Solver* solver_of : {alone.get(), ranked.get()}) solver_of->step(steps);
    for (const FieldInfo& field : alone->fields()) {
      for (const Size pixels : sizes) {
        const Numbers expected = Whole()(cpu, alone->view(field.name), pixels);
        EXPECT_TRUE(Numbers(executor, ranked->divided()->means(field.name, pixels, offset)) == expected)
            << field.name << " after " << steps << " steps, " << pixels.width << " x " << pixels.height;
      }
      std::visit(
          [&]<class Shown>(const Shown& shown) {
            if constexpr (requires { shown.cell; }) {
              Buffer<std::byte> scratch(cpu, spread_scratch_bytes(shown.nx, shown.ny));
              const auto extremes = find_extremes(cpu, shown, scratch.data());
              const Extremes<double> found = ranked->divided()->extremes(field.name);
              EXPECT_EQ(found.low, extremes.low) << field.name;
              EXPECT_EQ(found.high, extremes.high) << field.name;
              const Spread spread = find_spread(cpu, shown, scratch.data());
              const Spread of_ranks = ranked->divided()->spread(field.name);
              EXPECT_EQ(of_ranks.sum, spread.sum) << field.name;
              EXPECT_EQ(of_ranks.squares, spread.squares) << field.name;
              EXPECT_EQ(of_ranks.largest, spread.largest) << field.name;
            }
          },
          alone->view(field.name));
    }
  }
}

const std::string grid = "grid = [67, 161]\n";
const std::vector<std::string> solvers = {
    "kind = \"wave\"\n" + grid + "boundary = \"periodic\"\n[solver.rain]\nrate = 20\n",
    "kind = \"wave\"\nprecision = \"double\"\n" + grid +
        "initial = \"= sin(x / 5) * cos(y / 7)\"\n[[solver.obstacle]]\ncenter = [30, 96]\nradius = 20.5\n",
    "kind = \"lbm\"\nvelocity = 0.08\nviscosity = 0.02\n" + grid + "initial = \"taylor_green\"\n",
    "kind = \"lbm\"\nvelocity = 0.08\nviscosity = 0.02\n" + grid +
        "[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\nbottom = \"wall\"\ntop = \"slip\"\n"
        "[[solver.obstacle]]\ncenter = [20, 96.3]\nradius = 11.4\n[[solver.obstacle]]\ncenter = [40, 30]\nradius = 9\n",
};

TEST(DividedFields, HaveTheBitsOfOneRank) {
  const Executor executor = Executor::cpu(2);
  for (const std::string& solver : solvers)
    for (const int count : {2, 3, 5}) expect_same_means(executor, solver, {count});
}

TEST(DividedFields, HaveTheBitsOfOneRankOnAGpu) {
  SKIP_WITHOUT_GPU();
  const Executor executor = Executor::cuda();
  const int devices = static_cast<int>(cuda_devices().size());
  for (const std::string& solver : solvers)
    for (const int count : {2, 3}) {
      std::vector<int> on;
      for (int rank = 0; rank < count; ++rank) on.push_back(rank % devices);
      expect_same_means(executor, solver, {count, "", on});
    }
}

TEST(DividedFields, AreOfGridsOnly) {
  const Executor executor = Executor::cpu(2);
  const Scene scene = scene_of("kind = \"nbody\"\nbodies = 650\n");
  EXPECT_EQ(plan_solver(scene, {3}).create(executor)->divided(), nullptr);
}

}  // namespace
}  // namespace simreel
