#include "kernels/pde/engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <random>

#include "tests/support/backends.h"
#include "tests/support/pde_arrays.h"
#include "tests/support/pde_random.h"
#include "tests/support/pde_reference.h"

namespace simreel::test {
namespace {

template <class Real>
bool same_bits(Real a, Real b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

// A random pass with its grid, its arrays' values and its sides.
template <class Real>
struct Case {
  RandomPass random;
  PdeGrid grid;
  std::vector<std::vector<Real>> inputs;  // of the cells
  HostSides<Real> sides;                  // of all arrays
  std::vector<int> in_place;              // for each output the input that it overwrites, or -1
  std::vector<double> uniforms{0.25, -1.5, 3.75};

  explicit Case(unsigned seed) : random(PassMaker(seed).make()) {
    std::mt19937 dice(seed + 1000);
    const auto below = [&](int count) { return std::uniform_int_distribution<int>(0, count - 1)(dice); };
    const int reach = pde_reach(random.pass);
    grid = pde_grid(1 + below(70), 1 + below(70), reach + below(2), sizeof(Real));
    grid.periodic_x = below(2) == 0, grid.periodic_y = below(2) == 0;
    const auto value = [&] { return static_cast<Real>(std::uniform_real_distribution<double>(-1.5, 1.5)(dice)); };
    for (int i = 0; i < random.pass.inputs; ++i) {
      inputs.emplace_back(static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny));
      for (Real& v : inputs.back()) v = value();
    }
    const auto longest = static_cast<std::size_t>(std::max(grid.nx, grid.ny));
    for (auto& side : sides.side) {
      side.stride = longest;
      const int rule = below(3);  // a mirror, a value, or anything
      for (std::size_t k = 0; k < longest * static_cast<std::size_t>(grid.halo); ++k) {
        side.factor.push_back(rule == 0 ? Real(1) : rule == 1 ? Real(-1) : value());
        side.offset.push_back(rule == 0 ? Real(0) : value());
      }
    }
    in_place.assign(random.pass.outputs.size(), -1);
    std::size_t next = 0;
    for (int i = 0; i < random.pass.inputs; ++i)
      if (random.apart[static_cast<std::size_t>(i)] && next < in_place.size() && below(2) == 0) in_place[next++] = i;
  }

  // What the outputs must be, with their halos: row by row, halo columns included.
  std::vector<std::vector<Real>> expected() const {
    const Reference<Real> reference(random.pass, grid, inputs, sides, uniforms, 5, 77);
    std::vector<std::vector<Real>> result;
    for (const int output : random.pass.outputs) {
      std::vector<Real> cells;
      for (int y = 0; y < grid.ny; ++y)
        for (int x = 0; x < grid.nx; ++x) cells.push_back(reference.value(output, x, y));
      result.emplace_back();
      for (int y = -grid.halo; y < grid.ny + grid.halo; ++y)
        for (int x = -grid.halo; x < grid.nx + grid.halo; ++x) result.back().push_back(reference.beyond(cells, x, y));
    }
    return result;
  }

  // What an engine makes of them, in runs of the rows between `cuts`.
  std::vector<std::vector<Real>> computed(const Executor& executor, PdeEngine<Real>& engine,
                                          const std::vector<int>& cuts) const {
    const int count = random.pass.inputs;
    PdeArrays<Real> arrays(executor, grid, count + static_cast<int>(in_place.size()));
    const DeviceSides<Real> on_device(executor, grid, sides);
    for (int i = 0; i < count; ++i) {
      std::vector<Real> memory(grid.values());
      for (int y = 0; y < grid.ny; ++y)
        std::copy_n(
            inputs[static_cast<std::size_t>(i)].begin() + std::ptrdiff_t{y} * grid.nx, grid.nx,
            memory.begin() + static_cast<std::ptrdiff_t>(grid.origin() + grid.pitch * static_cast<std::size_t>(y)));
      arrays.buffer(i).upload(memory.data());
      pde_fill_sides(executor, grid, on_device.sides, arrays[i], 0, grid.ny);
    }
    std::vector<int> from, to;
    for (int i = 0; i < count; ++i) from.push_back(i);
    for (std::size_t o = 0; o < in_place.size(); ++o) {
      to.push_back(in_place[o] >= 0 ? in_place[o] : count + static_cast<int>(o));
      arrays.sides(to.back()) = on_device.sides;
    }
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      arrays.run(engine, from, to, cuts[i], cuts[i + 1], uniforms, 5, 77);
    std::vector<std::vector<Real>> result;
    for (const int array : to) {
      const std::vector<Real> memory = arrays.buffer(array).download();
      result.emplace_back();
      for (int y = -grid.halo; y < grid.ny + grid.halo; ++y)
        for (int x = -grid.halo; x < grid.nx + grid.halo; ++x)
          result.back().push_back(memory[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(grid.origin()) +
                                                                  static_cast<std::ptrdiff_t>(grid.pitch) * y + x)]);
    }
    return result;
  }
};

template <class Real>
std::size_t different(const std::vector<std::vector<Real>>& a, const std::vector<std::vector<Real>>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a[i].size(); ++k) count += same_bits(a[i][k], b[i][k]) ? 0 : 1;
  return count;
}

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
        std::vector<Real> memory(part.values());
        for (int y = -part.halo; y < part.ny + part.halo; ++y)
          for (int x = -part.halo; x < part.nx + part.halo; ++x)
            memory[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(part.origin()) +
                                            static_cast<std::ptrdiff_t>(part.pitch) * y + x)] =
                reference.beyond(one.inputs[static_cast<std::size_t>(i)], x, begin + y);
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
            const Real got = memory[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(part.origin()) +
                                                             static_cast<std::ptrdiff_t>(part.pitch) * y + x)];
            const Real want = expected[static_cast<std::size_t>(o)]
                                      [static_cast<std::size_t>((begin + y + whole.halo) * wide + x + whole.halo)];
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
          std::vector<float> values(grid.values());
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
