#include "source/pde/problem.h"

#include <algorithm>

namespace simreel {

std::shared_ptr<PdeProblem> make_problem(const PdeOptions& options, int nx, int ny, const Scene* scene, bool middle) {
  auto problem = std::make_shared<PdeProblem>();
  problem->options = options;
  problem->system = std::make_unique<PdeSystem>(problem->options, nx, ny, scene, middle);
  for (const PdeSystem::Shown& shown : problem->system->shown) {
    FieldInfo info;
    info.name = shown.name;
    if (shown.angle) info.unit = "rad", info.colormap = "phase";
    info.has_sign = shown.has_sign;
    problem->infos.push_back(info);
  }
  return problem;
}

void PdeProblem::set_step(double step) {
  timestep = step;
  scheme = make_scheme(*system, step);
  halo = scheme.deepest();
  exchange = std::max(1, scheme.reach());
  const auto look = [&](int node) {
    const PdeStage stage = make_stage(*system, 0, 0, {node});
    halo = std::max(halo, stage.deepest());
    exchange = std::max(exchange, stage.reach());
  };
  for (const PdeSystem::Shown& shown : system->shown) look(shown.node);
  for (const int node : system->measures) look(node);
}

}  // namespace simreel
