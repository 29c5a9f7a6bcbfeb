#include "commands/scene_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "sink/kinds.h"

namespace simreel {

void SceneArguments::add_to(CLI::App& command) {
  command.add_option("scene", scene, "Scene file (TOML)")->required();
  command.add_option("--set", overrides, "Override a key of the scene: --set solver.damping=0.01")
      ->type_name("TABLE.KEY=VALUE")
      ->allow_extra_args(false);
  ExecutorArguments::add_to(command);
}

void ExecutorArguments::add_to(CLI::App& command) {
  command.add_option("--backend", backend, "Where to compute; auto takes a GPU if there is one")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--device", device, "Number of the CUDA device")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--threads", threads, "Threads of the CPU backend; 0: one per core")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
}

Executor ExecutorArguments::executor() const {
  const bool cuda = backend == "cuda" || (backend == "auto" && (device >= 0 || !cuda_devices().empty()));
  return cuda ? Executor::cuda(std::max(device, 0), threads) : Executor::cpu(threads);
}

std::vector<std::string> outputs_of(const std::vector<std::string>& given, const Scene& scene) {
  if (!given.empty()) return given;
  const std::string path = default_output(scene);
  if (std::ranges::none_of(sink_kinds(), [&](const SinkKind& kind) { return kind.accepts(path); })) {
    try {
      check_sinks({path}, scene.output, {});
    } catch (const UsageError& error) {  // says what is wrong with a name, but not its place in the scene
      throw UsageError(scene.output.position_of("path").before() + error.what());
    }
  }
  return {path};
}

RenderMemory check_memory(const Scene& scene, const SourcePlan& plan, const Executor& executor,
                          const SinkNeeds& sinks) {
  const RenderMemory memory = render_memory(scene, plan, executor, sinks);
  const auto text = [](std::size_t bytes) { return format_bytes(static_cast<double>(bytes)); };
  const std::size_t available = executor.memory_available();
  if (memory.executor > available && memory.trails > memory.executor / 2)
    throw UsageError(fmt::format(
        "{}the paths of {} bodies for trails = {:.4g} seconds take {} of memory, and {} has {} available; reduce "
        "trails, the number of bodies or fps",
        scene.view.light.trails_position.before(), plan.bodies, scene.view.light.trails, text(memory.trails),
        executor.name(), text(available)));
  if (memory.executor > available)
    scene.solver.fail(
        plan.size_key,
        fmt::format("the run needs {} of memory, {} of it for the solver, and {} has {} available; reduce {} or the "
                    "[view] size{}",
                    text(memory.executor), text(plan.bytes(executor)), executor.name(), text(available), plan.size_key,
                    executor.backend() == Backend::cuda ? ", or try --backend cpu" : ""));
  if (memory.host > host_memory_available())
    throw UsageError(
        fmt::format("{}: frames and encoders need {} of host memory, and {} is available; reduce the [view] size",
                    scene.file.string(), text(memory.host), text(host_memory_available())));
  return memory;
}

std::string format_bytes(double bytes) {
  const char* unit = "B";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB", "PiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = larger;
  }
  return fmt::format("{:.{}f} {}", bytes, *unit == 'B' ? 0 : 1, unit);
}

}  // namespace simreel
