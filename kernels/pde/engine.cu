#include "kernels/pde/engine.h"

#include <stdexcept>

#include "kernels/pde/cell.h"
#include "kernels/pde/cpu.h"

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
  PdeCpu<Real> cpu;
};

template <class Real>
PdeEngine<Real>::PdeEngine(const Executor& executor, PdePass pass, PdeMachine)
    : compiled_(std::make_unique<Compiled>(Compiled{PdeCpu<Real>(executor, pass)})) {
  if (executor.backend() == Backend::cuda) throw std::logic_error("equations on a GPU: not yet");
}
template <class Real>
PdeEngine<Real>::PdeEngine(PdeEngine&&) noexcept = default;
template <class Real>
PdeEngine<Real>::~PdeEngine() = default;

template <class Real>
void PdeEngine<Real>::run(const PdeGrid& grid, const PdeRun<Real>& run) {
  compiled_->cpu.run(grid, run);
}
template <class Real>
std::size_t PdeEngine<Real>::bytes() const {
  return compiled_->cpu.bytes();
}

template class PdeEngine<float>;
template class PdeEngine<double>;

}  // namespace simreel
