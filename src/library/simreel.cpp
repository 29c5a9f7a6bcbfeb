// The public header on the run: plan, open, loop.

#include "simreel/simreel.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/processor.h"
#include "base/version.h"
#include "exec/driver.h"
#include "exec/executor.h"
#include "raster/rasterizer.h"
#include "run/loop.h"
#include "run/opening.h"
#include "run/plan.h"
#include "scene/scene.h"
#include "sink/sink.h"
#include "source/solver.h"

namespace simreel::api {
namespace {

// Errors as the public header has them.
template <class Work>
auto translated(const Work& work) {
  try {
    if (const std::string problem = processor_problem(); !problem.empty()) throw Error(problem);
    return work();
  } catch (const Error&) {
    throw;
  } catch (const simreel::UsageError& error) {
    throw UsageError(error.what());
  } catch (const std::bad_alloc&) {
    throw Error("out of memory");
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}

Log log_of(const RenderOptions& options) {
  if (!options.log) return {};
  return [&options](LogLevel level, std::string_view message) {
    constexpr Level levels[] = {Level::info, Level::warning, Level::error};
    options.log(levels[static_cast<int>(level)], message);
  };
}

Executor executor_of(const RenderOptions& options) {
  const Wanted wanted = options.device == Device::automatic ? Wanted::automatic
                        : options.device == Device::cuda    ? Wanted::cuda
                                                            : Wanted::cpu;
  return open_executor(wanted, device_or_any(wanted, options.cuda_device), options.threads, log_of(options));
}

SolverPlan plan_of(Scene& scene) {
  SolverPlan plan = plan_solver(scene);
  fit_to_print(scene, plan);
  return plan;
}

// All that is known before the first step.
struct Prepared {
  Scene scene;
  SolverPlan plan;
  Executor executor;
  std::vector<std::string> outputs;
  StreamInfo info;
  SinkNeeds needs;

  Prepared(const std::filesystem::path& file, const RenderOptions& options)
      : scene(load_complete_scene(file.string(), options.overrides)),
        plan(plan_of(scene)),
        executor(executor_of(options)),
        outputs(outputs_of(options.outputs, scene)),
        info(stream_info(scene, plan, options.overwrite)) {
    info.log = log_of(options);
    info.stop_asked = options.stop;
    needs = check_sinks(outputs, scene.output, info);
    check_memory(scene, plan, executor, needs);
  }

  std::vector<std::string> remarks() const {
    std::vector<std::string> all = plan.warnings;
    all.insert(all.end(), plan.remarks.begin(), plan.remarks.end());
    return all;
  }
};

}  // namespace

const char* version() noexcept { return simreel::version; }

RenderResult render(const std::filesystem::path& scene, const RenderOptions& options) {
  return translated([&] {
    const Prepared run(scene, options);
    for (const std::string& warning : run.plan.warnings) tell(run.info.log, LogLevel::warning, warning);
    for (const std::string& remark : run.plan.remarks) tell(run.info.log, LogLevel::info, remark);
    Rasterizer rasterizer(run.executor, run.scene.view, particle_stage(run.scene, run.plan));
    OpenRun open = open_fresh(run.outputs, run.scene.output, run.info, {});

    const auto report = [&](const RenderProgress& progress) {
      if (options.progress && progress.stage == RenderProgress::Stage::render)
        options.progress(progress.done, progress.total);
    };
    const auto stopped = [&] { return options.stop && options.stop() ? 1 : 0; };
    const simreel::RenderResult done = simreel::render({run.scene, run.plan, run.executor, rasterizer, open.sinks,
                                                        report, stopped, false, nullptr, nullptr, run.info.log});
    RenderResult result{done.frames, done.seconds, done.signal != 0, done.divergence, done.findings, run.outputs, {}};
    if (done.drawn) result.range = {done.range.low, done.range.high};
    return result;
  });
}

std::vector<std::string> check(const std::filesystem::path& scene, const RenderOptions& options) {
  return translated([&] {
    const Prepared run(scene, options);
    // Made for its mistakes: it reads the colormap and looks at the camera.
    const Rasterizer rasterizer(run.executor, run.scene.view, particle_stage(run.scene, run.plan));
    std::vector<std::string> remarks = run.remarks();
    remarks.insert(remarks.end(), run.needs.remarks.begin(), run.needs.remarks.end());
    return remarks;
  });
}

}  // namespace simreel::api
