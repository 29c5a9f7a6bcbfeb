#include "kernels/pde/interpreter.h"

#include <stdexcept>
#include <string>

#include "kernels/base/formula_value.h"
#include "kernels/base/launch.h"
#include "kernels/pde/cell.h"
#include "kernels/pde/difference.h"

namespace simreel {
namespace {

template <class Real, int temporaries>
struct Interpret {
  PdeGrid grid;
  const PdeStep* steps;
  const Real* constants;
  int count, first_x, first_y;
  int arrays;  // outputs come after them
  std::uint64_t seed, number;
  Real* pointers[pde_pointers];
  Real uniforms[pde_uniforms];

  HD void operator()(int from_x, int from_y) const {
    const int x = first_x + from_x, y = first_y + from_y;
    const std::ptrdiff_t pitch = static_cast<std::ptrdiff_t>(grid.pitch), at = pitch * y + x;
    Real held[temporaries];
    held[0] = 0;  // nvcc warns without it
    const auto value = [&](const PdeOperand& from) {
      switch (from.place) {
        case PdePlace::constant: return constants[from.index];
        case PdePlace::uniform: return uniforms[from.index];
        case PdePlace::cell: return pointers[from.index][at + pitch * from.oy + from.ox];
        case PdePlace::temporary: return held[from.index];
        case PdePlace::output: return pointers[arrays + from.index][at];
        default: return Real(0);
      }
    };
    for (int k = 0; k < count; ++k) {
      const PdeStep& step = steps[k];
      const Real a = value(step.a);
      const auto near = [&](int ox, int oy) { return pointers[step.array][at + pitch * oy + ox]; };
      Real result = a;  // of a load
      switch (step.kind) {
        case PdeKind::column: result = static_cast<Real>(pde_column(grid, x)); break;
        case PdeKind::row: result = static_cast<Real>(pde_row(grid, y)); break;
        case PdeKind::normal:
          result = static_cast<Real>(pde_normal(seed, number, step.array, pde_column(grid, x), pde_row(grid, y)));
          break;
        case PdeKind::laplacian: result = pde_difference<PdeKind::laplacian>(a, near); break;
        case PdeKind::laplacian_nine: result = pde_difference<PdeKind::laplacian_nine>(a, near); break;
        case PdeKind::bilaplacian: result = pde_difference<PdeKind::bilaplacian>(a, near); break;
        case PdeKind::slope_x: result = pde_difference<PdeKind::slope_x>(a, near); break;
        case PdeKind::slope_y: result = pde_difference<PdeKind::slope_y>(a, near); break;
        case PdeKind::apply: result = formula_apply(step.function, a, value(step.b), value(step.c), seed); break;
        default: break;
      }
      if (step.to.place == PdePlace::output)
        pointers[arrays + step.to.index][at] = result;
      else
        held[step.to.index] = result;
    }
  }
};

constexpr int few = 32, many = 256;  // temporaries

}  // namespace

template <class Real>
PdeInterpreter<Real>::PdeInterpreter(const Executor& executor, const PdePass& pass)
    : executor_(executor), depths_(pde_depths(pass)) {
  const auto add = [&](const std::vector<int>& roots) {
    const PdeProgram program = pde_program(pass, roots, {false, true});
    if (program.temporaries > many)
      throw std::runtime_error("equations need " + std::to_string(program.temporaries) +
                               " values at a time for a cell, more than a GPU has room for: compute on the CPU");
    std::vector<Real> constants;
    for (const double value : program.constants) constants.push_back(static_cast<Real>(value));
    stages_.push_back({Buffer<PdeStep>(executor, program.cells.size()), Buffer<Real>(executor, constants.size()),
                       program.temporaries});
    stages_.back().steps.upload(program.cells.data());
    stages_.back().constants.upload(constants.data());
  };
  for (const int node : pass.intermediates) add({node});
  add(pass.outputs);
}

template <class Real>
template <int temporaries>
void PdeInterpreter<Real>::launch(const Stage& stage, const PdeGrid& grid, const PdeRun<Real>& run, int outputs,
                                  Real* const* output, int beyond) {
  Interpret<Real, temporaries> body;
  body.grid = grid;
  body.steps = stage.steps.data(), body.constants = stage.constants.data();
  body.count = static_cast<int>(stage.steps.size());
  body.first_x = -beyond, body.first_y = run.from - beyond;
  body.seed = run.seed, body.number = run.number;
  std::size_t next = 0;
  for (const Real* input : run.inputs) body.pointers[next++] = const_cast<Real*>(input);  // read only
  for (Buffer<Real>& array : intermediates_) body.pointers[next++] = array.data() + grid.origin();
  body.arrays = static_cast<int>(next);
  for (int o = 0; o < outputs; ++o) body.pointers[next++] = output[o];
  for (std::size_t i = 0; i < run.uniforms.size(); ++i) body.uniforms[i] = static_cast<Real>(run.uniforms[i]);
  parallel_for(executor_, "pde_interpret", {grid.nx + 2 * beyond, run.to - run.from + 2 * beyond}, body);
}

template <class Real>
void PdeInterpreter<Real>::run(const PdeGrid& grid, const PdeRun<Real>& run) {
  if (run.inputs.size() + depths_.size() + run.outputs.size() > pde_pointers || run.uniforms.size() > pde_uniforms)
    throw std::runtime_error(
        "equations of so many fields and parameters are not computed on a GPU: compute on the CPU");
  if (run.to <= run.from) return;
  for (std::size_t m = intermediates_.size(); m < depths_.size(); ++m)
    intermediates_.emplace_back(executor_, grid.memory());
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const bool last = s == depths_.size();
    Real* const intermediate = last ? nullptr : intermediates_[s].data() + grid.origin();
    const int outputs = last ? static_cast<int>(run.outputs.size()) : 1, beyond = last ? 0 : depths_[s];
    Real* const* const output = last ? run.outputs.data() : &intermediate;
    if (stages_[s].temporaries <= few)
      launch<few>(stages_[s], grid, run, outputs, output, beyond);
    else
      launch<many>(stages_[s], grid, run, outputs, output, beyond);
  }
}

template class PdeInterpreter<float>;
template class PdeInterpreter<double>;

}  // namespace simreel
