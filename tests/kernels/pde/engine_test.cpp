#include "kernels/pde/engine.h"

#include "tests/support/backends.h"
#include "tests/support/pde_arrays.h"
#include "tests/support/pde_case.h"

namespace simreel::test {
namespace {

template <class Real>
class PdeEngines : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(PdeEngines, Reals);

TYPED_TEST(PdeEngines, GiveTheBitsOfPlainEvaluationForRandomPasses) {
  constexpr PdeMachine compiled[] = {PdeMachine::one_row, PdeMachine::two_rows, PdeMachine::four_rows};
  std::size_t finite = 0, all = 0;
  const std::vector<Executor> executors = test::executors();
  for (unsigned seed = 0; seed < 120; ++seed) {
    const Case<TypeParam> one(seed);
    const auto expected = one.expected();
    for (const auto& output : expected)
      for (const TypeParam value : output) ++all, finite += std::isfinite(value) ? 1 : 0;
    const int ny = one.grid.ny;
    for (const Executor& executor : executors) {
      const bool gpu = executor.backend() == Backend::cuda;
      if (gpu && seed >= 40) continue;  // the driver takes its time
      std::vector<PdeMachine> machines{PdeMachine::best};
      if (gpu || executor.threads() == 1) machines.push_back(PdeMachine::interpreter);
      if (gpu) machines.push_back(compiled[seed % 3]);
      for (const PdeMachine machine : machines) {
        PdeEngine<TypeParam> engine(executor, one.random.pass, machine);
        EXPECT_EQ(engine.why_interpreted(), "");
        for (const std::vector<int>& cuts : {std::vector<int>{0, ny}, {0, ny / 3, ny / 2, ny}})
          ASSERT_EQ(different(expected, one.computed(executor, engine, cuts)), 0u)
              << "seed " << seed << " on " << executor.name() << " by machine " << static_cast<int>(machine) << ", "
              << one.grid.nx << " x " << one.grid.ny;
      }
    }
  }
  EXPECT_GT(finite, all / 2);
}

// A slab of rows, with the rows of its neighbours beyond, gives the bits of the whole.
TYPED_TEST(PdeEngines, PartsGiveTheBitsOfTheWhole) {
  using Real = TypeParam;
  for (const Executor& executor : test::executors())
    for (unsigned seed = 0; seed < 12; ++seed) {
      const Case<Real> one(seed);
      const PdeGrid& whole = one.grid;
      PdeEngine<Real> engine(executor, one.random.pass);
      const auto expected = one.computed(executor, engine, {0, whole.ny});
      const int begin = whole.ny / 2;
      if (begin < whole.halo) continue;
      PdeGrid part = pde_grid(whole.nx, whole.ny - begin, whole.halo, sizeof(Real));
      part.periodic_x = whole.periodic_x, part.periodic_y = whole.periodic_y;
      part.y0 = begin, part.whole_ny = whole.ny;
      part.open_below = true, part.open_above = whole.periodic_y;
      const DeviceSides<Real> sides(executor, whole, one.sides);
      // All inputs with their halos, and from them those of the part.
      const int count = one.random.pass.inputs, outputs = static_cast<int>(one.random.pass.outputs.size());
      PdeArrays<Real> arrays(executor, part, count + outputs);
      const Reference<Real> reference(one.random.pass, whole, one.inputs, one.sides, one.uniforms, 5, 77);
      std::vector<int> from, to;
      for (int i = 0; i < count; ++i) {
        std::vector<Real> memory(part.memory());
        for (int y = -part.halo; y < part.ny + part.halo; ++y)
          for (int x = -part.halo; x < part.nx + part.halo; ++x)
            memory[static_cast<std::ptrdiff_t>(part.origin()) + static_cast<std::ptrdiff_t>(part.pitch) * y + x] =
                reference.beyond(one.inputs[i], x, begin + y);
        arrays.buffer(i).upload(memory.data());
        from.push_back(i);
      }
      for (int o = 0; o < outputs; ++o) {
        to.push_back(count + o);
        arrays.sides(count + o) = sides.sides;
      }
      arrays.run(engine, from, to, 0, part.ny, one.uniforms, 5, 77);
      for (int o = 0; o < outputs; ++o) {
        const std::vector<Real> memory = arrays.buffer(count + o).download();
        const int wide = whole.nx + 2 * whole.halo;
        for (int y = 0; y < part.ny + (part.open_above ? 0 : part.halo); ++y)
          for (int x = -part.halo; x < part.nx + part.halo; ++x) {
            const Real got =
                memory[static_cast<std::ptrdiff_t>(part.origin()) + static_cast<std::ptrdiff_t>(part.pitch) * y + x];
            const Real want = expected[o][(begin + y + whole.halo) * wide + x + whole.halo];
            ASSERT_TRUE(same_bits(got, want))
                << "seed " << seed << " at " << x << ", " << y << " on " << executor.name();
          }
      }
    }
}

TEST(PdeNormal, HasMeanZeroAndVarianceOneAndNewValuesEachStep) {
  PassBuilder b;
  b.pass.outputs = {b.leaf(PdeKind::normal, 0), b.leaf(PdeKind::normal, 1)};
  const Executor executor = Executor::cpu(1);
  PdeEngine<double> engine(executor, b.pass);
  const PdeGrid grid = pde_grid(300, 300, 0, sizeof(double));
  PdeArrays<double> arrays(executor, grid, 3);
  arrays.run(engine, {}, {0, 1}, 0, 300, {}, 1, 1);
  arrays.run(engine, {}, {2, 1}, 0, 300, {}, 1, 2);
  double sum = 0, squares = 0, product = 0, fourth = 0;
  for (int y = 0; y < 300; ++y)
    for (int x = 0; x < 300; ++x) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(grid.pitch) * y + x;
      const double v = arrays[0][at];
      sum += v, squares += v * v, fourth += v * v * v * v, product += v * arrays[2][at];
    }
  const double count = 90000;
  EXPECT_LT(std::fabs(sum / count), 5 / 300.0);
  EXPECT_LT(std::fabs(squares / count - 1), 5 * std::sqrt(2.0) / 300);
  EXPECT_LT(std::fabs(fourth / count - 3), 5 * std::sqrt(96.0) / 300);
  EXPECT_LT(std::fabs(product / count), 5 / 300.0);
}

// A long run of equations that amplify every difference of rounding: chaos.
TEST(PdeGpu, GivesTheBitsOfTheCpuInLongRuns) {
  SKIP_WITHOUT_GPU();
  const Executor cpu = Executor::cpu(), gpu = Executor::cuda();
  for (const PdeSystem& system : {gray_scott(), cahn_hilliard(), ginzburg_landau()}) {
    PdeGrid grid = pde_grid(300, 200, pde_reach(system.passes[0].pass), sizeof(float));
    grid.periodic_x = grid.periodic_y = true;
    std::vector<std::vector<float>> results;
    for (const Executor* executor : {&cpu, &gpu})
      for (const PdeMachine machine : {PdeMachine::best, PdeMachine::interpreter}) {
        PdeArrays<float> arrays(*executor, grid, system.arrays);
        std::vector<PdeEngine<float>> engines;
        for (const auto& step : system.passes) engines.emplace_back(*executor, step.pass, machine);
        for (int a = 0; a < system.state; ++a) {
          std::vector<float> values(grid.memory());
          std::mt19937 dice(static_cast<unsigned>(a));
          for (float& v : values) v = std::uniform_real_distribution<float>(-0.2f, 0.5f)(dice);
          arrays.buffer(a).upload(values.data());
          pde_fill_sides(*executor, grid, {}, arrays[a], 0, grid.ny);
        }
        for (int i = 0; i < 300; ++i)
          for (std::size_t p = 0; p < engines.size(); ++p)
            arrays.run(engines[p], system.passes[p].inputs, system.passes[p].outputs, 0, grid.ny);
        results.push_back(arrays.buffer(0).download());
      }
    for (std::size_t i = 1; i < results.size(); ++i)
      for (int y = -grid.halo; y < grid.ny + grid.halo; ++y)
        for (int x = -grid.halo; x < grid.nx + grid.halo; ++x) {
          const auto at = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(grid.origin()) +
                                                   static_cast<std::ptrdiff_t>(grid.pitch) * y + x);
          ASSERT_TRUE(same_bits(results[i][at], results[0][at])) << system.name << ", engine " << i;
          ASSERT_TRUE(std::isfinite(results[0][at]));
        }
  }
}

// Text for which the driver is told to optimise less.
TEST(PdeGpu, GivesTheBitsOfTheCpuForLongEquations) {
  SKIP_WITHOUT_GPU();
  PassBuilder b;
  b.pass.inputs = 1;
  const int value = b.load(0);
  int sum = value;
  for (int i = 0; i < 3000; ++i) sum = b.multiply_add(sum, b.constant(0.5 + i * 1e-5), value);
  b.pass.outputs = {sum};
  const PdeGrid grid = pde_grid(50, 40, 0, sizeof(float));
  std::vector<std::vector<float>> results;
  const Executor cpu = Executor::cpu(), gpu = Executor::cuda();
  for (const Executor* executor : {&cpu, &gpu}) {
    PdeEngine<float> engine(*executor, b.pass);
    EXPECT_EQ(engine.why_interpreted(), "");
    PdeArrays<float> arrays(*executor, grid, 2);
    std::vector<float> values(grid.memory());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.001f * static_cast<float>(i);
    arrays.buffer(0).upload(values.data());
    arrays.run(engine, {0}, {1}, 0, grid.ny);
    results.push_back(arrays.buffer(1).download());
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(PdeReach, AddsThatOfIntermediates) {
  EXPECT_EQ(pde_reach(gray_scott().passes[0].pass), 1);
  EXPECT_EQ(pde_reach(cahn_hilliard().passes[0].pass), 2);
  PassBuilder b;
  b.pass.inputs = 1;
  b.pass.intermediates = {b.difference(PdeKind::bilaplacian, 0)};
  b.pass.intermediates.push_back(b.load(1, 1, -2));
  b.pass.outputs = {b.difference(PdeKind::slope_x, 2)};
  EXPECT_EQ(pde_reach(b.pass), 5);
}

}  // namespace
}  // namespace simreel::test
