#include "kernels/pde/compiled.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <vector>

#include "kernels/pde/program.h"
#include "kernels/pde/ptx.h"
#include "kernels/pde/sides.h"

namespace simreel {
namespace {

// Measured: rows share what intermediates of rows above and below need, and loads of neighbours; with more values the
// registers of one row suffice.
int best_rows(const PdePass& pass) {
  if (!pass.intermediates.empty()) return pass.nodes.size() < 40 ? 4 : 1;
  return pass.outputs.size() <= 2 && pass.nodes.size() < 40 ? 2 : 1;
}

int uniforms_of(const PdePass& pass) {
  int count = 0;
  for (const PdeNode& node : pass.nodes)
    if (node.kind == PdeKind::uniform) count = std::max(count, node.index + 1);
  return count;
}

}  // namespace

template <class Real>
std::unique_ptr<PdeCompiled<Real>> PdeCompiled<Real>::make(const Executor& executor, const PdePass& pass, int rows,
                                                           std::string& why) {
  std::unique_ptr<PdeCompiled> compiled(new PdeCompiled(executor));
  compiled->rows_ = rows > 0 ? rows : best_rows(pass);
  const int uniforms = uniforms_of(pass);
  if (pass.inputs + static_cast<int>(pass.outputs.size()) > static_cast<int>(pde_pointers)) {
    why = "the equations have too many fields for a kernel";
    return nullptr;
  }
  compiled->uniforms_.resize(static_cast<std::size_t>(uniforms));
  const std::optional<std::string> kernel = pde_ptx<Real>(pass, uniforms, compiled->rows_, "pass");
  const std::optional<std::string> rest = pde_ptx<Real>(pass, uniforms, 1, "rest");
  if (!kernel || !rest) {
    why = "the equations are too long for a kernel";
    return nullptr;
  }
  compiled->module_ = DriverModule::load(executor, pde_ptx_head(pass) + *kernel + *rest, why);
  if (!compiled->module_) return nullptr;
  compiled->kernel_ = compiled->module_->kernel("pass");
  compiled->rest_ = compiled->module_->kernel("rest");
  return compiled;
}

template <class Real>
void PdeCompiled<Real>::launch(DriverModule::Kernel kernel, int rows, const PdeGrid& grid, const PdeRun<Real>& run,
                               int from, int to, int flags) {
  if (to <= from) return;
  std::vector<void*> arguments;
  const auto add = [&](const auto& value) {
    arguments.push_back(const_cast<void*>(static_cast<const void*>(&value)));  // which the driver copies
  };
  for (const Real* const& input : run.inputs) add(input);
  for (Real* const& output : run.outputs) add(output);
  for (const Real& value : uniforms_) add(value);
  add(run.seed);
  add(run.number);
  const int pitch = static_cast<int>(grid.pitch);
  for (const int* value : std::initializer_list<const int*>{&grid.nx, &grid.ny, &pitch, &from, &to, &grid.y0,
                                                            &grid.whole_ny, &grid.halo, &flags})
    add(*value);
  const auto blocks = [](int count, int of) { return static_cast<unsigned>((count + of - 1) / of); };
  module_->launch(executor_, kernel, blocks(grid.nx, pde_block_x * pde_quad), blocks(to - from, pde_block_y * rows),
                  pde_block_x, pde_block_y, arguments.data());
}

template <class Real>
void PdeCompiled<Real>::run(const PdeGrid& grid, const PdeRun<Real>& run) {
  for (std::size_t i = 0; i < uniforms_.size(); ++i) uniforms_[i] = static_cast<Real>(run.uniforms[i]);
  // The kernel copies what lies beyond periodic sides where each cell has one place to go.
  const bool columns = grid.periodic_x && grid.nx >= 2 * grid.halo;
  const bool rows = columns && grid.periodic_y && !grid.open_below && !grid.open_above && grid.ny >= 2 * grid.halo;
  const int flags = (grid.periodic_x ? pde_periodic_x : 0) | (grid.periodic_y ? pde_periodic_y : 0) |
                    (columns ? pde_fill_columns : 0) | (rows ? pde_fill_rows : 0);
  const int middle = run.from + std::max(0, run.to - run.from) / rows_ * rows_;
  launch(kernel_, rows_, grid, run, run.from, middle, flags);
  launch(rest_, 1, grid, run, middle, run.to, flags);
  if (!rows) pde_fill_outputs(executor_, grid, run, !columns);
}

template class PdeCompiled<float>;
template class PdeCompiled<double>;

}  // namespace simreel
