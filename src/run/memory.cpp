#include "run/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "exec/machine.h"
#include "exec/processes.h"
#include "run/plan.h"
#include "run/ring.h"

namespace simreel {
namespace {

std::string bytes_in_words(std::size_t bytes) { return format_bytes(static_cast<double>(bytes)); }

// The memory of the host that is available, and the control group if that is what limits it.
std::string host_in_words(std::size_t available) {
  const GroupLimits group = group_limits();
  return bytes_in_words(available) + (group.available && *group.available <= available
                                          ? fmt::format(" (of {} for its control group)", bytes_in_words(*group.memory))
                                          : "");
}

// What the run takes of fields that lie on several ranks.
ViewRequirements shown_fields(const Scene& scene, const SourcePlan& plan, const SinkNeeds& sinks) {
  ViewRequirements shown;
  const DrawContext stage = draw_context(scene, plan);
  if (sinks.drawn()) shown.picture = Rasterizer::divided_size(scene.view, stage);
  shown.rows = stage.figure.covers ? 1 : static_cast<int>(stage.figure.grid[1]);  // at least
  if (shown.picture) shown.colors = Rasterizer::color_count(scene.view);
  shown.whole = sinks.state || (sinks.drawn() && !shown.picture);
  return shown;
}

// How many ranks a run needs that does not fit, for the end of a message; empty if no number is enough.
std::string way_to_divide(const SolverPlan& plan, const Executor& executor, const ViewRequirements& shown,
                          std::size_t all, std::size_t available) {
  const std::size_t own = plan.bytes(executor) + plan.shown_bytes(executor, shown);
  const int count = ranks_that_fit(plan, executor, shown, available, all - own);
  if (count < 2) return "";
  return executor.backend() == Backend::cuda
             ? fmt::format(", or divide the run among {} such GPUs, with --devices or mpirun", count)
             : fmt::format(", or divide the run among {} such hosts, with mpirun", count);
}

void check_other_ranks(const Scene& scene, const SourcePlan& plan, const std::vector<RankMemory>& ranks) {
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    const RankMemory& memory = ranks[rank];
    if (memory.with_the_first || memory.bytes <= memory.available) continue;
    scene.solver.fail(plan.size_key,
                      fmt::format("the part of {} needs {} of memory, and {} is available there; take more "
                                  "ranks, or reduce {}",
                                  Communicator::name_of(static_cast<int>(rank), memory.host),
                                  bytes_in_words(memory.bytes), bytes_in_words(memory.available), plan.size_key));
  }
}

}  // namespace

std::size_t saved_bytes(const Scene& scene, const SourcePlan& plan) {
  const DrawContext stage = draw_context(scene, plan);
  return plan.saved_bytes + ParticlePainter::trail_bytes(scene.view, stage) + Rasterizer::space_time_bytes(stage);
}

std::size_t kept_bytes(const Scene& scene, const SourcePlan& plan) {
  const std::size_t whole = saved_bytes(scene, plan);
  if (plan.bodies > 0) return whole;  // every process has all of them
  const auto all = static_cast<std::size_t>(processes().size), here = static_cast<std::size_t>(processes().local_size);
  return (whole * here + all - 1) / all;
}

RenderMemory render_memory(const Scene& scene, const SolverPlan& plan, const Executor& executor,
                           const SinkNeeds& sinks) {
  const std::size_t frames =
      FrameRing::memory_bytes(sinks.layouts, scene.view.size, sinks.state ? state_bytes(plan) : 0);
  const DrawContext stage = draw_context(scene, plan);
  const std::size_t trails = ParticlePainter::trail_bytes(scene.view, stage);
  const std::size_t model = plan.bytes(executor) + plan.shown_bytes(executor, shown_fields(scene, plan, sinks)) +
                            Rasterizer::memory_bytes(executor, scene.view, stage, sinks.converted()) +
                            (plan.grid.outlined ? FieldPainter::outline_bytes(scene.view) : 0);
  const std::size_t host = plan.made_bytes + sinks.memory_bytes;
  const bool one = executor.backend() == Backend::cpu;  // one memory
  // On a GPU every slot exists twice: the device writes one copy, the sinks read the other.
  RenderMemory memory{.executor = one ? model + frames + host : model + frames,
                      .host = one ? 0 : frames + host,
                      .trails = trails,
                      .solver = plan.bytes(executor) + plan.made_bytes,
                      .outputs = sinks.memory_bytes};
  if (!sinks.packets) return memory;
  const auto rest = [](std::size_t free, std::size_t taken) { return free - std::min(free, taken); };
  const std::size_t host_free = one ? 0 : rest(host_memory_available(), memory.host);
  memory.packets =
      plan_packets(executor, scene, *sinks.packets, rest(executor.memory_available(), memory.executor), host_free);
  memory.outputs += memory.packets.executor_bytes + memory.packets.host_bytes;
  memory.executor += memory.packets.executor_bytes + (one ? memory.packets.host_bytes : 0);
  memory.host += one ? 0 : memory.packets.host_bytes;
  return memory;
}

RenderMemory check_memory(const Scene& scene, const SolverPlan& plan, const Executor& executor,
                          const SinkNeeds& sinks) {
  // First, because ranks that are processes connect their GPUs for it, which takes memory.
  const ViewRequirements shown = shown_fields(scene, plan, sinks);
  std::vector<RankMemory> ranks = memory_of_ranks(plan, executor, shown);
  RenderMemory memory = render_memory(scene, plan, executor, sinks);
  const std::size_t available = executor.memory_available();
  const bool on_gpu = executor.backend() == Backend::cuda;
  const std::string there = on_gpu ? bytes_in_words(available) : host_in_words(available);
  if (memory.executor > available && memory.trails > memory.executor / 2)
    throw UsageError(
        "{}the paths of {} bodies for trails = {:.4g} seconds take {} of memory, and {} has {} available; reduce "
        "trails, the number of bodies or fps",
        scene.view.light.trails_position.before(), plan.bodies, scene.view.light.trails, bytes_in_words(memory.trails),
        executor.name(), there);
  if (const std::size_t rows = Rasterizer::space_time_bytes(draw_context(scene, plan));
      memory.executor > available && rows > memory.executor / 2)
    throw UsageError(
        "{}\"space_time\" in [figure] keeps the rows of {} frames, which takes {} of memory, and {} has {} available; "
        "reduce the frames in [animation]",
        scene.figure.position_of("space_time").before(), scene.animation.frames, bytes_in_words(rows), executor.name(),
        there);
  if (memory.executor > available)
    throw UsageError(
        scene.solver.position(plan.size_key).before() +
            fmt::format("the run needs {} of memory, {} of it for the {}, and {} has {} available; reduce {}the [view] "
                        "size{}{}",
                        bytes_in_words(memory.executor), bytes_in_words(plan.bytes(executor)),
                        scene.solver_kind.empty() ? "arrays" : "solver", executor.name(), there,
                        plan.size_key.empty() ? "" : fmt::format("{} or ", plan.size_key),
                        way_to_divide(plan, executor, shown, memory.executor, available), on_gpu ? ", or " : ""),
        on_gpu ? Hint::cpu : Hint::none);
  if (const std::size_t host = host_memory_available(); memory.host > host)
    throw UsageError("{}frames and encoders need {} of host memory, and {} is available; reduce the [view] size",
                     scene.before(), bytes_in_words(memory.host), host_in_words(host));
  check_other_ranks(scene, plan, ranks);
  if (!ranks.empty()) ranks[0].bytes += memory.executor - plan.bytes(executor) - plan.shown_bytes(executor, shown);
  memory.ranks = std::move(ranks);
  // Others want memory too.
  constexpr std::size_t most = std::size_t{4} << 30, share = 4;
  memory.spare = std::min(most, (available - memory.executor) / share);
  return memory;
}

}  // namespace simreel
