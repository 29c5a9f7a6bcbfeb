#include "kernels/pde/steps.h"

#include "kernels/pde/ptx.h"
#include "tests/support/backends.h"
#include "tests/support/pde_case.h"
#include "tests/support/ptx_machine.h"

namespace simreel::test {
namespace {

// A random light pass on a grid with sides of all kinds, and a launch that takes some steps of it.
template <class Real>
struct StepsCase {
  std::vector<int> next;
  RandomPass random;
  PdeGrid grid;
  HostSides<Real> sides;
  PdeStepsShape shape;
  int launches = 2;
  std::mt19937 dice;

  explicit StepsCase(unsigned seed) : random(PassMaker(seed).make_light(next)), dice(seed + 1000) {
    grid = pde_grid(64 + below(130), 64 + below(40), std::max(1, pde_reach(random.pass)) + below(2), sizeof(Real));
    grid.periodic_x = below(2) == 0, grid.periodic_y = below(2) == 0;
    shape = {2 + below(4), 1 << below(3), 5 + below(60)};
    for (std::size_t i = 0; i < 4; ++i)
      if (below(3) != 0) sides.set(i, grid, below(3), [&] { return value(); });
  }
  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(dice); }
  Real value() { return static_cast<Real>(std::uniform_real_distribution<double>(-1.5, 1.5)(dice)); }

  int inputs() const { return random.pass.inputs; }
  std::vector<int> from() const {
    std::vector<int> arrays(static_cast<std::size_t>(inputs()));
    std::iota(arrays.begin(), arrays.end(), 0);
    return arrays;
  }
  std::vector<int> to() const {
    std::vector<int> arrays(next.size());
    std::iota(arrays.begin(), arrays.end(), inputs());
    return arrays;
  }
  static std::vector<double> uniforms(int step) { return {0.25 + step, -1.5 + 0.125 * step, 3.75 / (1 + step)}; }

  // Inputs, then outputs.
  PdeArrays<Real> arrays(const Executor& executor, const PdeSides<Real>& given) {
    PdeArrays<Real> arrays(executor, grid, inputs() + static_cast<int>(next.size()));
    for (int a = 0; a < inputs() + static_cast<int>(next.size()); ++a) arrays.sides(a) = given;
    for (int i = 0; i < inputs(); ++i) {
      std::vector<Real> memory(grid.memory(), std::numeric_limits<Real>::quiet_NaN());
      for (int y = 0; y < grid.ny; ++y)
        for (int x = 0; x < grid.nx; ++x) memory[place(x, y)] = value();
      arrays.buffer(i).upload(memory.data());
    }
    return arrays;
  }
  std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(grid.origin()) +
                                    static_cast<std::ptrdiff_t>(grid.pitch) * y + x);
  }
  bool is_state(int input) const { return std::ranges::find(next, input) != next.end(); }
  // The outputs take the places of the inputs that they are in the next step.
  void feed(const Executor& executor, PdeArrays<Real>& arrays) const {
    for (std::size_t o = 0; o < next.size(); ++o) {
      Buffer<Real>& from = arrays.buffer(inputs() + static_cast<int>(o));
      executor.copy(arrays.buffer(next[o]).data(), from.data(), from.bytes());
    }
    executor.wait();
  }

  // By `steps` at once, where `engine` runs, or one by one.
  template <class Engine>
  std::vector<std::vector<Real>> computed(const Executor& executor, Engine& engine, int steps, int launched,
                                          bool fills) {
    dice.seed(7);
    const DeviceSides<Real> on_device(executor, grid, sides);
    PdeArrays<Real> all = arrays(executor, on_device.sides);
    for (int i = 0; i < inputs(); ++i)
      if (fills || !is_state(i)) pde_fill_sides(executor, grid, on_device.sides, all[i], 0, grid.ny);
    for (int launch = 0; launch < launched; ++launch) {
      std::vector<double> given;
      for (int k = 0; k < steps; ++k)
        for (const double u : uniforms(launch * steps + k)) given.push_back(u);
      const int middle = grid.ny / 3;
      all.run(engine, from(), to(), 0, middle, given);
      all.run(engine, from(), to(), middle, grid.ny, given);
      feed(executor, all);
    }
    std::vector<std::vector<Real>> result;
    for (const int state : next) {
      const std::vector<Real> memory = all.buffer(state).download();
      result.emplace_back();
      for (int y = 0; y < grid.ny; ++y)
        for (int x = 0; x < grid.nx; ++x) result.back().push_back(memory[place(x, y)]);
    }
    return result;
  }
};

// Runs the text on the host.
template <class Real>
struct EmulatedSteps {
  PdeStepsForm form;
  int reach, rows;
  PtxMachine kernel;

  EmulatedSteps(const PdePass& pass, const std::string& text, const PdeStepsForm& given, int rows_of_a_warp)
      : form(given), reach(pde_reach(pass)), rows(rows_of_a_warp), kernel(text, "steps") {}

  void run(const PdeGrid& grid, const PdeRun<Real>& run) {
    pde_launch_steps<Real>(form, reach, PassMaker::uniforms, rows, grid, run,
                           [&](unsigned blocks_x, unsigned blocks_y, void** arguments) {
                             kernel.launch(blocks_x, blocks_y, 32, pde_warps, arguments);
                           });
  }
};

template <class Real>
class PdeStepsBits : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(PdeStepsBits, Reals);

template <class Real>
std::optional<PdeStepsForm> form_of(const StepsCase<Real>& one, const PdeStepsShape& shape) {
  PdeSides<Real> sides;
  PdeSide<Real>* const given[] = {&sides.left, &sides.right, &sides.bottom, &sides.top};
  for (std::size_t i = 0; i < 4; ++i)
    if (!one.sides.side[i].factor.empty()) given[i]->factor = one.sides.side[i].factor.data();
  return pde_steps_form<Real>(one.random.pass, one.next, one.grid, std::vector<PdeSides<Real>>(one.next.size(), sides),
                              shape);
}

TYPED_TEST(PdeStepsBits, AreThoseOfStepsOneByOne) {
  const Executor executor = Executor::cpu(1);
  int fused = 0, with_sides = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    StepsCase<TypeParam> one(seed);
    const auto form = form_of(one, one.shape);
    if (!form) continue;
    const auto text = pde_ptx_steps<TypeParam>(one.random.pass, one.next, PassMaker::uniforms, *form, "steps");
    if (!text) continue;  // it is too long
    ++fused, with_sides += form->sides ? 1 : 0;
    PdeEngine<TypeParam> single(executor, one.random.pass);
    EmulatedSteps<TypeParam> several(one.random.pass, *text, *form, one.shape.rows);
    const auto expected = one.computed(executor, single, 1, one.launches * form->steps, true);
    ASSERT_EQ(different(expected, one.computed(executor, several, form->steps, one.launches, false)), 0u)
        << "seed " << seed << ", " << one.grid.nx << " x " << one.grid.ny << ", " << form->steps << " steps of "
        << form->cells << " cells, " << one.shape.rows << " rows, sides " << form->sides;
  }
  EXPECT_GT(fused, 20);
  EXPECT_GT(with_sides, 8);
}

TYPED_TEST(PdeStepsBits, AreThoseOfTheCpuOnAGpu) {
  SKIP_WITHOUT_GPU();
  const Executor cpu = Executor::cpu(1), gpu = Executor::cuda();
  int compared = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    StepsCase<TypeParam> one(seed);
    const auto form = form_of(one, one.shape);
    if (!form) continue;
    PdeEngine<TypeParam> single(cpu, one.random.pass);
    const DeviceSides<TypeParam> sides(gpu, one.grid, one.sides);
    const auto several =
        PdeSteps<TypeParam>::make(gpu, one.random.pass, one.next, one.grid,
                                  std::vector<PdeSides<TypeParam>>(one.next.size(), sides.sides), one.shape);
    if (!several) continue;  // the text would be too long
    ++compared;
    ASSERT_EQ(different(one.computed(cpu, single, 1, one.launches * several->count(), true),
                        one.computed(gpu, *several, several->count(), one.launches, false)),
              0u)
        << "seed " << seed;
  }
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace simreel::test
