#include "kernels/pde/cpu.h"

#include <algorithm>
#include <vector>

#include "exec/buffer.h"
#include "kernels/base/formula_value.h"
#include "kernels/pde/cell.h"
#include "kernels/pde/loops.h"
#include "kernels/pde/program.h"

namespace simreel {
namespace {

// Values of a temporary: 2 KiB, so that those of a program stay in the cache of the core that is nearest.
template <class Real>
constexpr int block = 2048 / static_cast<int>(sizeof(Real));

// Arrays beyond this size are fetched a row ahead, while the steps of this row compute: a third faster where the arrays
// of a pass do not fit the caches, and a tenth slower where they do.
constexpr std::size_t far_bytes = std::size_t{4} << 20;

template <bool to_write, class Real>
void fetch(const Real* values, int count) {
  for (int i = 0; i < count; i += 64 / static_cast<int>(sizeof(Real))) __builtin_prefetch(values + i, to_write, 2);
}

// What an operand is: values from place `index` on, which moves along the row or not.
struct Operand {
  int index = 0, offset = 0;
  bool moves = false;
};

template <class Real>
struct Step {
  PdeKind kind = PdeKind::apply;
  FormulaOp function = FormulaOp::add;
  PdeLoop<Real> loop = nullptr;
  int stream = 0;
  int operands = 0;
  Operand to, from[pde_loop_operands];
};

// A program with its operands resolved to places, of which a thread keeps pointers: rows of arrays, outputs,
// temporaries, constants, uniforms, scalars.
template <class Real>
class Stage {
 public:
  struct Row {
    int array, oy;
  };

  Stage(const PdePass& pass, const std::vector<int>& roots, bool in_place)
      : program_(pde_program(pass, roots, {true, in_place})),
        outputs_(static_cast<int>(roots.size())),
        uniforms_(pde_uniform_count(pass)) {
    for (const double value : program_.constants) constants.push_back(static_cast<Real>(value));
    for (const PdeStep& step : program_.cells) find_rows(step);
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (rows[r].array < pass.inputs && std::ranges::none_of(rows, [&](const Row& other) {
            return other.array == rows[r].array && other.oy > rows[r].oy;
          }))
        uppermost.push_back(static_cast<int>(r));
    for (const PdeStep& step : program_.row) scalar_steps.push_back(resolved(step));
    for (const PdeStep& step : program_.cells) steps.push_back(resolved(step));
  }

  int output(int number) const { return static_cast<int>(rows.size()) + number; }
  int temporary(int number) const { return output(outputs_) + number; }
  int constant(int number) const { return temporary(program_.temporaries) + number; }
  int uniform(int number) const { return constant(static_cast<int>(constants.size())) + number; }
  int scalar(int number) const { return uniform(uniforms_) + number; }
  int places() const { return scalar(program_.scalars); }
  int temporaries() const { return program_.temporaries; }
  int uniforms() const { return uniforms_; }
  int scalars() const { return program_.scalars; }
  int outputs() const { return outputs_; }

  std::vector<Real> constants;
  std::vector<Row> rows;
  std::vector<int> uppermost;  // of the rows of each input
  std::vector<Step<Real>> scalar_steps, steps;

 private:
  int row(int array, int oy) {
    const auto found = std::ranges::find_if(rows, [&](const Row& r) { return r.array == array && r.oy == oy; });
    if (found != rows.end()) return static_cast<int>(found - rows.begin());
    rows.push_back({array, oy});
    return static_cast<int>(rows.size()) - 1;
  }
  void find_rows(const PdeStep& step) {
    const int reach = pde_reach(step.kind);
    for (int oy = -reach; reach > 0 && oy <= reach; ++oy) row(step.array, oy);
    for (const PdeOperand& operand : {step.a, step.b, step.c})
      if (operand.place == PdePlace::cell) row(operand.index, operand.oy);
  }

  Operand resolved(const PdeOperand& operand) {
    switch (operand.place) {
      case PdePlace::constant: return {constant(operand.index)};
      case PdePlace::uniform: return {uniform(operand.index)};
      case PdePlace::scalar: return {scalar(operand.index)};
      case PdePlace::cell: return {row(operand.index, operand.oy), operand.ox, true};
      case PdePlace::temporary: return {temporary(operand.index)};
      case PdePlace::output: return {output(operand.index), 0, true};
      case PdePlace::none: break;
    }
    return {};
  }
  Step<Real> resolved(const PdeStep& step) {
    Step<Real> result;
    result.kind = step.kind, result.function = step.function, result.stream = step.array;
    result.to = resolved(step.to);
    int mask = 0;
    const int reach = pde_reach(step.kind);
    if (reach > 0) {
      for (int oy = -2; oy <= 2; ++oy) result.from[2 + oy] = {row(step.array, std::clamp(oy, -reach, reach)), 0, true};
      result.from[5] = resolved(step.a);
      result.operands = 6;
    } else {
      for (const PdeOperand& operand : {step.a, step.b, step.c}) {
        if (operand.place == PdePlace::none) break;
        const bool one = operand.place == PdePlace::constant || operand.place == PdePlace::uniform ||
                         operand.place == PdePlace::scalar;
        mask |= one ? 1 << result.operands : 0;
        result.from[result.operands++] = resolved(operand);
      }
    }
    if (step.kind == PdeKind::load || step.kind == PdeKind::apply || reach > 0)
      if (step.to.place != PdePlace::scalar) result.loop = pde_loop<Real>(step.kind, step.function, mask);
    return result;
  }

  PdeProgram program_;
  int outputs_ = 0, uniforms_ = 0;
};

// What a thread needs for a stage.
template <class Real>
struct Places {
  std::vector<Real*> at;  // value 0 of each
  std::vector<Real> temporaries, scalars;
};

}  // namespace

template <class Real>
struct PdeCpu<Real>::Plan {
  struct Thread {
    std::vector<Places<Real>> stages;
    std::vector<std::vector<Real>> rings;
  };

  const Executor& executor;
  int inputs;
  std::vector<int> depths;
  std::vector<Stage<Real>> stages;  // of each intermediate, of the outputs, and of outputs that may be inputs
  std::vector<Thread> threads;
  std::vector<Real> uniforms;

  Plan(const Executor& on, const PdePass& pass)
      : executor(on), inputs(pass.inputs), depths(pde_depths(pass)), threads(static_cast<std::size_t>(on.threads())) {
    for (const int node : pass.intermediates) stages.emplace_back(pass, std::vector<int>{node}, false);
    for (const bool in_place : {false, true}) stages.emplace_back(pass, pass.outputs, in_place);
  }

  int ring_rows(std::size_t number) const { return 2 * depths[number] + 1; }

  void prepare(Thread& thread, const PdeGrid& grid) {
    thread.rings.resize(depths.size());
    for (std::size_t m = 0; m < depths.size(); ++m)
      thread.rings[m].resize(grid.pitch * static_cast<std::size_t>(ring_rows(m)));
    thread.stages.resize(stages.size());
    for (std::size_t s = 0; s < stages.size(); ++s) {
      Stage<Real>& stage = stages[s];
      Places<Real>& places = thread.stages[s];
      places.at.resize(static_cast<std::size_t>(stage.places()));
      places.temporaries.resize(static_cast<std::size_t>(stage.temporaries()) * block<Real>);
      places.scalars.resize(static_cast<std::size_t>(stage.scalars()));
      const auto set = [&](int first, int count, Real* values, int apart) {
        for (int i = 0; i < count; ++i)
          places.at[static_cast<std::size_t>(first + i)] = values + std::ptrdiff_t{apart} * i;
      };
      set(stage.temporary(0), stage.temporaries(), places.temporaries.data(), block<Real>);
      set(stage.constant(0), static_cast<int>(stage.constants.size()), stage.constants.data(), 1);
      set(stage.uniform(0), stage.uniforms(), uniforms.data(), 1);
      set(stage.scalar(0), stage.scalars(), places.scalars.data(), 1);
    }
  }

  Real* ring_row(Thread& thread, const PdeGrid& grid, std::size_t number, int y) {
    const auto row = static_cast<std::size_t>(pde_wrapped(y, ring_rows(number)));
    return thread.rings[number].data() + row * grid.pitch + grid.left;
  }

  // Computes cells from <= x < to of row y of a stage, whose outputs' rows are set.
  void compute(std::size_t number, Thread& thread, const PdeGrid& grid, const PdeRun<Real>& run, int y, int from,
               int to) {
    const Stage<Real>& stage = stages[number];
    Real** const at = thread.stages[number].at.data();
    for (std::size_t r = 0; r < stage.rows.size(); ++r) {
      const auto [array, oy] = stage.rows[r];
      // Inputs are read only: `from` of a loop.
      at[r] = array < inputs ? const_cast<Real*>(run.inputs[static_cast<std::size_t>(array)]) +
                                   static_cast<std::ptrdiff_t>(grid.pitch) * (y + oy)
                             : ring_row(thread, grid, static_cast<std::size_t>(array - inputs), y + oy);
    }
    for (const Step<Real>& step : stage.scalar_steps) {
      Real* const result = at[step.to.index];
      const auto value = [&](int i) { return i < step.operands ? *at[step.from[i].index] : Real(0); };
      *result = step.kind == PdeKind::row ? static_cast<Real>(pde_row(grid, y))
                                          : formula_apply(step.function, value(0), value(1), value(2), run.seed);
    }
    const bool far = grid.memory() * sizeof(Real) > far_bytes;
    for (int x = from; x < to; x += block<Real>) {
      const int count = std::min(block<Real>, to - x);
      if (far) {
        for (const int r : stage.uppermost) fetch<false>(at[r] + grid.pitch + x, count);
        for (int o = 0; o < stage.outputs() && number >= depths.size(); ++o)
          fetch<true>(at[stage.output(o)] + grid.pitch + x, count);
      }
      for (const Step<Real>& step : stage.steps) {
        const auto pointer = [&](const Operand& o) { return at[o.index] + (o.moves ? x + o.offset : 0); };
        Real* const result = pointer(step.to);
        if (!step.loop) {
          coordinates(step, grid, run, x, y, count, result);
          continue;
        }
        const Real* operands[pde_loop_operands];
        for (int i = 0; i < pde_loop_operands; ++i) operands[i] = pointer(step.from[i]);
        step.loop(result, operands, count, run.seed);
      }
    }
  }

  static void coordinates(const Step<Real>& step, const PdeGrid& grid, const PdeRun<Real>& run, int x, int y, int count,
                          Real* to) {
    const int row = pde_row(grid, y);
    for (int i = 0; i < count; ++i) {
      const int column = pde_column(grid, x + i);
      to[i] = step.kind == PdeKind::column
                  ? static_cast<Real>(column)
                  : static_cast<Real>(pde_normal(run.seed, run.number, step.stream, column, row));
    }
  }

  void band(Thread& thread, const PdeGrid& grid, const PdeRun<Real>& run, int from, int to) {
    prepare(thread, grid);
    const bool in_place = std::ranges::any_of(
        run.outputs, [&](const Real* output) { return std::ranges::find(run.inputs, output) != run.inputs.end(); });
    const std::size_t last = depths.size() + (in_place ? 1 : 0);
    for (int y = from; y < to; ++y) {
      for (std::size_t m = 0; m < depths.size(); ++m) {
        const int depth = depths[m];
        for (int row = y == from ? y - depth : y + depth; row <= y + depth; ++row) {
          thread.stages[m].at[static_cast<std::size_t>(stages[m].output(0))] = ring_row(thread, grid, m, row);
          compute(m, thread, grid, run, row, -depth, grid.nx + depth);
        }
      }
      for (std::size_t k = 0; k < run.outputs.size(); ++k)
        thread.stages[last].at[static_cast<std::size_t>(stages[last].output(static_cast<int>(k)))] =
            run.outputs[k] + static_cast<std::ptrdiff_t>(grid.pitch) * y;
      compute(last, thread, grid, run, y, 0, grid.nx);
      for (std::size_t k = 0; k < run.outputs.size(); ++k)
        pde_fill_row(PdeFill<Real>{grid, run.sides[k], run.outputs[k]}, y);
    }
  }
};

template <class Real>
PdeCpu<Real>::PdeCpu(const Executor& executor, const PdePass& pass) : plan_(std::make_unique<Plan>(executor, pass)) {}
template <class Real>
PdeCpu<Real>::PdeCpu(PdeCpu&&) noexcept = default;
template <class Real>
PdeCpu<Real>::~PdeCpu() = default;

template <class Real>
void PdeCpu<Real>::run(const PdeGrid& grid, const PdeRun<Real>& run) {
  plan_->uniforms.resize(run.uniforms.size());
  std::ranges::transform(run.uniforms, plan_->uniforms.begin(), [](double value) { return static_cast<Real>(value); });
  // Rows of intermediates at both ends of a band are computed twice; more bands than threads even out what else the
  // cores do.
  constexpr int fewest = 32;
  const int rows = run.to - run.from, threads = plan_->executor.threads();
  if (rows <= 0) return;
  struct Context {
    Plan& plan;
    const PdeGrid& grid;
    const PdeRun<Real>& run;
    int bands;
  } const context{*plan_, grid, run, threads == 1 ? 1 : std::clamp(rows / fewest, 1, 4 * threads)};
  plan_->executor.run_tasks(
      context.bands,
      [](const void* erased, std::int64_t i, int thread) {
        const Context& c = *static_cast<const Context*>(erased);
        const auto begin = [&](std::int64_t band) {
          return c.run.from + static_cast<int>((c.run.to - c.run.from) * band / c.bands);
        };
        c.plan.band(c.plan.threads[static_cast<std::size_t>(thread)], c.grid, c.run, begin(i), begin(i + 1));
      },
      &context);
}

template class PdeCpu<float>;
template class PdeCpu<double>;

}  // namespace simreel
