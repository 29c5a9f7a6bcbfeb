#include "kernels/pde/engine.h"

#include <optional>

#include "kernels/pde/compiled.h"
#include "kernels/pde/cpu.h"
#include "kernels/pde/interpreter.h"
#include "kernels/pde/sides.h"

namespace simreel {
namespace {

constexpr std::size_t row_bytes = 128;

std::size_t rounded_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

}  // namespace

PdeGrid pde_grid(int nx, int ny, int halo, std::size_t value_bytes) {
  PdeGrid grid;
  grid.nx = nx, grid.ny = ny, grid.halo = halo;
  const std::size_t step = row_bytes / value_bytes, deep = static_cast<std::size_t>(halo);
  grid.left = rounded_up(deep, step);
  grid.pitch = rounded_up(grid.left + static_cast<std::size_t>(nx) + deep, step);
  grid.whole_ny = ny;
  return grid;
}

template <class Real>
struct PdeEngine<Real>::Compiled {
  const Executor& executor;
  std::optional<PdeCpu<Real>> cpu;
  std::unique_ptr<PdeCompiled<Real>> compiled;
  std::optional<PdeInterpreter<Real>> interpreter;
  std::string why_interpreted;
};

template <class Real>
PdeEngine<Real>::PdeEngine(const Executor& executor, const PdePass& pass, PdeMachine machine)
    : compiled_(std::make_unique<Compiled>(Compiled{executor, {}, {}, {}, {}})) {
  if (machine != PdeMachine::interpreter) {
    if (executor.backend() == Backend::cpu) {
      compiled_->cpu.emplace(executor, pass);
      return;
    }
    const int rows = machine == PdeMachine::one_row     ? 1
                     : machine == PdeMachine::two_rows  ? 2
                     : machine == PdeMachine::four_rows ? 4
                                                        : 0;
    compiled_->compiled = PdeCompiled<Real>::make(executor, pass, rows, compiled_->why_interpreted);
    if (compiled_->compiled) return;
  }
  compiled_->interpreter.emplace(executor, pass);
}
template <class Real>
PdeEngine<Real>::PdeEngine(PdeEngine&&) noexcept = default;
template <class Real>
PdeEngine<Real>::~PdeEngine() = default;

template <class Real>
void PdeEngine<Real>::run(const PdeGrid& grid, const PdeRun<Real>& run) {
  if (compiled_->cpu) return compiled_->cpu->run(grid, run);
  if (compiled_->compiled) return compiled_->compiled->run(grid, run);
  compiled_->interpreter->run(grid, run);
  pde_fill_outputs(compiled_->executor, grid, run);
}

template <class Real>
const std::string& PdeEngine<Real>::why_interpreted() const {
  return compiled_->why_interpreted;
}
template <class Real>
std::string pde_why_interpreted(const PdePass& pass) {
  std::string why;
  pde_text<Real>(pass, 1, why);
  return why;
}
template std::string pde_why_interpreted<float>(const PdePass&);
template std::string pde_why_interpreted<double>(const PdePass&);

template class PdeEngine<float>;
template class PdeEngine<double>;

}  // namespace simreel
