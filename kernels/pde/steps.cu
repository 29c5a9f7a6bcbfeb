#include "kernels/pde/steps.h"

#include <algorithm>
#include <cstdint>

#include "kernels/pde/compiled.h"
#include "kernels/pde/program.h"
#include "kernels/pde/ptx.h"
#include "kernels/pde/ptx_nodes.h"

namespace simreel {
namespace {

constexpr int deepest_reach = 2, most_steps = 6;
constexpr int least_cells = 64;      // of a grid, along x and y
constexpr int most_registers = 144;  // that keep rows, of the 255 of a thread

// Measured on an H100: 128 rows on large grids, and on small ones so few that all of the GPU has work.
int best_rows(const PdeGrid& grid, int strip) {
  constexpr std::int64_t warps = 1500;
  const std::int64_t strips = (grid.nx + strip - 1) / strip, rows = grid.whole_ny * strips / warps;
  return static_cast<int>(std::clamp<std::int64_t>((rows + 7) / 8 * 8, 8, 128));
}

bool has_costly_nodes(const PdePass& pass) {
  return std::ranges::any_of(pass.nodes, [](const PdeNode& n) {
    return n.kind == PdeKind::normal || (n.kind == PdeKind::apply && pde_function_name(n.function));
  });
}

}  // namespace

template <class Real>
std::optional<PdeStepsForm> pde_steps_form(const PdePass& pass, const std::vector<int>& next, const PdeGrid& grid,
                                           const std::vector<PdeSides<Real>>& sides, const PdeStepsShape& shape) {
  const int reach = pde_reach(pass);
  if (reach > deepest_reach || has_costly_nodes(pass) || grid.nx < least_cells || grid.whole_ny < least_cells)
    return {};
  std::vector<int> fed = next;
  std::ranges::sort(fed);
  if (fed.empty() || fed.front() < 0 || std::ranges::adjacent_find(fed) != fed.end()) return {};
  // All ranks of a grid must come to the same.
  PdeStepsForm form;
  form.sides = reach > 0 && (!grid.periodic_x || !grid.periodic_y);
  if (form.sides && !pass.intermediates.empty()) return {};
  const auto any = [&](const auto& rule) { return std::ranges::any_of(sides, rule); };
  const bool rules_x = any([](const PdeSides<Real>&side) { return side.left.factor || side.right.factor; }),
             rules_y = any([](const PdeSides<Real>&side) { return side.bottom.factor || side.top.factor; });
  form.rules = form.sides && ((!grid.periodic_x && rules_x) || (!grid.periodic_y && rules_y));
  // Warps beside a side and with coefficients take longer, which on a small grid all wait for.
  constexpr std::int64_t small = std::int64_t{1} << 20;
  const bool slow = form.sides || pass.inputs > static_cast<int>(next.size());
  if (shape.steps == 0 && slow && std::int64_t{grid.nx} * grid.whole_ny < small) return {};
  form.cells = shape.cells > 0 ? shape.cells : 4;
  form.steps = shape.steps > 0 ? shape.steps : most_steps;
  while (shape.steps == 0 && form.steps > 1 &&
         (pde_steps_registers(pass, next, form, sizeof(Real)) > most_registers || pde_strip(form, reach) < 16))
    --form.steps;
  if (form.steps < 2) return {};
  return form;
}

template <class Real>
std::unique_ptr<PdeSteps<Real>> PdeSteps<Real>::make(const Executor& executor, const PdePass& pass,
                                                     const std::vector<int>& next, const PdeGrid& grid,
                                                     const std::vector<PdeSides<Real>>& sides,
                                                     const PdeStepsShape& shape) {
  if (executor.backend() != Backend::cuda) return nullptr;
  const auto form = pde_steps_form(pass, next, grid, sides, shape);
  if (!form) return nullptr;
  // Texts that are longer are optimised less.
  constexpr std::size_t longest = 200'000;
  std::unique_ptr<PdeSteps> steps(new PdeSteps(executor));
  steps->form_ = *form;
  steps->reach_ = pde_reach(pass);
  steps->uniforms_ = pde_uniform_count(pass);
  std::string text;
  for (; steps->form_.steps > 1; --steps->form_.steps) {
    const auto kernel = pde_ptx_steps<Real>(pass, next, steps->uniforms_, steps->form_, "steps");
    if (kernel) text = pde_ptx_head(pass) + *kernel;
    if (kernel && text.size() < longest) break;
  }
  if (steps->form_.steps < 2) return nullptr;
  steps->rows_ = shape.rows > 0 ? shape.rows : best_rows(grid, pde_strip(steps->form_, steps->reach_));
  std::string why;  // single steps say it
  steps->module_ = DriverModule::load(executor, text, why);
  if (!steps->module_) return nullptr;
  steps->kernel_ = steps->module_->kernel("steps");
  return steps;
}

template <class Real>
void pde_launch_steps(const PdeStepsForm& form, int reach, int uniforms, int rows, const PdeGrid& grid,
                      const PdeRun<Real>& run,
                      const std::function<void(unsigned blocks_x, unsigned blocks_y, void** arguments)>& launch) {
  PdeArguments<Real> arguments(run, uniforms, form.steps);
  std::vector<int> strides;
  if (form.rules) {
    strides.reserve(4 * run.sides.size());
    for (const PdeSides<Real>& sides : run.sides)
      for (const PdeSide<Real>* const side : {&sides.left, &sides.right, &sides.bottom, &sides.top}) {
        strides.push_back(static_cast<int>(side->stride));
        arguments.add(side->factor);
        arguments.add(side->offset);
        arguments.add(strides.back());
      }
  }
  const int flags = (grid.periodic_x ? pde_periodic_x : 0) | (grid.periodic_y ? pde_periodic_y : 0) |
                    (grid.periodic_y && !grid.open_below ? pde_steps_wrap : 0) |
                    (!grid.periodic_y && !grid.open_below ? pde_steps_end_below : 0) |
                    (!grid.periodic_y && !grid.open_above ? pde_steps_end_above : 0);
  const int pitch = static_cast<int>(grid.pitch);
  const int of_a_warp = std::max(rows, static_cast<int>(pde_blocks(run.to - run.from, pde_most_blocks_y)));
  for (const int* const value :
       {&grid.nx, &grid.ny, &pitch, &run.from, &run.to, &grid.y0, &grid.whole_ny, &grid.halo, &of_a_warp, &flags})
    arguments.add(*value);
  const int strips = static_cast<int>(pde_blocks(grid.nx, pde_strip(form, reach)));
  launch(pde_blocks(strips, pde_warps), pde_blocks(run.to - run.from, of_a_warp), arguments.data());
}
template void pde_launch_steps(const PdeStepsForm&, int, int, int, const PdeGrid&, const PdeRun<float>&,
                               const std::function<void(unsigned, unsigned, void**)>&);
template void pde_launch_steps(const PdeStepsForm&, int, int, int, const PdeGrid&, const PdeRun<double>&,
                               const std::function<void(unsigned, unsigned, void**)>&);

template <class Real>
void PdeSteps<Real>::run(const PdeGrid& grid, const PdeRun<Real>& run) {
  pde_launch_steps<Real>(form_, reach_, uniforms_, rows_, grid, run,
                         [&](unsigned blocks_x, unsigned blocks_y, void** arguments) {
                           module_->launch(executor_, kernel_, blocks_x, blocks_y, 32, pde_warps, arguments);
                         });
}

template std::optional<PdeStepsForm> pde_steps_form(const PdePass&, const std::vector<int>&, const PdeGrid&,
                                                    const std::vector<PdeSides<float>>&, const PdeStepsShape&);
template std::optional<PdeStepsForm> pde_steps_form(const PdePass&, const std::vector<int>&, const PdeGrid&,
                                                    const std::vector<PdeSides<double>>&, const PdeStepsShape&);
template class PdeSteps<float>;
template class PdeSteps<double>;

}  // namespace simreel
