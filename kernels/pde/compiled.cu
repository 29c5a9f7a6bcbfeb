#include "kernels/pde/compiled.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "kernels/pde/program.h"
#include "kernels/pde/ptx.h"
#include "kernels/pde/sides.h"

namespace simreel {
namespace {

// Measured on an H100: rows share what intermediates of rows above and below need, and otherwise nothing that the
// caches do not give as fast; one row leaves more threads.
int best_rows(const PdePass& pass) { return !pass.intermediates.empty() && pass.nodes.size() < 40 ? 4 : 1; }
// Cells of a launch below which several rows for a thread leave a GPU idle.
constexpr std::int64_t many_cells = std::int64_t{1} << 22;

}  // namespace

template <class Real>
std::optional<std::string> pde_text(const PdePass& pass, int rows, std::string& why) {
  const int uniforms = pde_uniform_count(pass);
  if (static_cast<std::size_t>(pass.inputs) + pass.outputs.size() > pde_pointers ||
      uniforms > static_cast<int>(pde_uniforms)) {
    why = "they have too many fields, or values that change in time, for a kernel";
    return {};
  }
  auto kernel = pde_ptx<Real>(pass, uniforms, rows, rows > 1 ? "rows" : "row");
  if (!kernel) why = "they are too long for a kernel";
  return kernel;
}
template std::optional<std::string> pde_text<float>(const PdePass&, int, std::string&);
template std::optional<std::string> pde_text<double>(const PdePass&, int, std::string&);

template <class Real>
std::unique_ptr<PdeCompiled<Real>> PdeCompiled<Real>::make(const Executor& executor, const PdePass& pass, int rows,
                                                           std::string& why) {
  std::unique_ptr<PdeCompiled> compiled(new PdeCompiled(executor));
  compiled->rows_ = rows > 0 ? rows : best_rows(pass);
  compiled->uniforms_ = pde_uniform_count(pass);
  const auto row = pde_text<Real>(pass, 1, why);
  if (!row) return nullptr;
  std::string text = pde_ptx_head(pass) + *row, too_long;
  if (const auto several = compiled->rows_ > 1 ? pde_text<Real>(pass, compiled->rows_, too_long) : std::nullopt)
    text += *several;
  else
    compiled->rows_ = 1;
  compiled->module_ = DriverModule::load(executor, text, why);
  if (!compiled->module_) return nullptr;
  compiled->row_ = compiled->module_->kernel("row");
  if (compiled->rows_ > 1) compiled->several_ = compiled->module_->kernel("rows");
  compiled->small_too_ = rows > 0;
  return compiled;
}

template <class Real>
void pde_launch(const Executor& executor, int rows, int uniforms, const PdeGrid& grid, const PdeRun<Real>& run,
                const std::function<void(const PdeLaunch&)>& launch) {
  // The kernel copies what lies beyond sides that repeat or mirror cells, where each cell has one place to go.
  const bool mirrors_x = std::ranges::all_of(
      run.sides, [](const PdeSides<Real>& sides) { return !sides.left.factor && !sides.right.factor; });
  const bool mirrors_y = std::ranges::all_of(
      run.sides, [](const PdeSides<Real>& sides) { return !sides.bottom.factor && !sides.top.factor; });
  const bool columns = (grid.periodic_x || mirrors_x) && grid.nx >= 2 * grid.halo;
  const bool all =
      columns && (grid.periodic_y || mirrors_y) && !grid.open_below && !grid.open_above && grid.ny >= 2 * grid.halo;
  const int flags = (grid.periodic_x ? pde_periodic_x : 0) | (grid.periodic_y ? pde_periodic_y : 0) |
                    (columns ? pde_fill_columns : 0) | (all ? pde_fill_rows : 0);
  const int pitch = static_cast<int>(grid.pitch);
  int from = run.from, to = run.from;
  PdeArguments<Real> arguments(run, uniforms);
  arguments.add(run.seed);
  arguments.add(run.number);
  for (const int* value : std::initializer_list<const int*>{&grid.nx, &grid.ny, &pitch, &from, &to, &grid.y0,
                                                            &grid.whole_ny, &grid.halo, &flags})
    arguments.add(*value);
  const unsigned blocks_x = pde_blocks(grid.nx, pde_block_x * pde_quad);
  const auto launch_until = [&](int end, bool rest) {
    const int of_a_block = pde_block_y * (rest ? 1 : rows);
    for (from = to; from < end; from = to) {
      to = from + std::min(end - from, pde_most_blocks_y * of_a_block);
      launch({rest, blocks_x, pde_blocks(to - from, of_a_block), arguments.data()});
    }
  };
  launch_until(run.from + std::max(0, run.to - run.from) / rows * rows, false);
  launch_until(run.to, true);
  if (!all) pde_fill_outputs(executor, grid, run, !columns);
}
template void pde_launch(const Executor&, int, int, const PdeGrid&, const PdeRun<float>&,
                         const std::function<void(const PdeLaunch&)>&);
template void pde_launch(const Executor&, int, int, const PdeGrid&, const PdeRun<double>&,
                         const std::function<void(const PdeLaunch&)>&);

template <class Real>
void PdeCompiled<Real>::run(const PdeGrid& grid, const PdeRun<Real>& run) {
  const bool several = several_ && (small_too_ || std::int64_t{grid.nx} * (run.to - run.from) >= many_cells);
  pde_launch<Real>(executor_, several ? rows_ : 1, uniforms_, grid, run, [&](const PdeLaunch& launch) {
    module_->launch(executor_, several && !launch.rest ? several_ : row_, launch.blocks_x, launch.blocks_y, pde_block_x,
                    pde_block_y, launch.arguments);
  });
}

template class PdeCompiled<float>;
template class PdeCompiled<double>;

}  // namespace simreel
