#include "run/visible.h"

#include <memory>

namespace simreel {

std::optional<std::string> unseen_at_start(const Scene& scene, const SourcePlan& plan, const Executor& executor,
                                           Rasterizer& rasterizer) {
  constexpr std::size_t most = 1 << 20;
  if (plan.bodies == 0 || plan.bodies > most || scene.animation.start > 0) return {};
  const std::unique_ptr<Source> source = plan.open(executor);
  return rasterizer.unseen(source->view(plan.field), 0);
}

}  // namespace simreel
