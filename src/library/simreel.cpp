// The public header on the run: plan, open, loop.

#include "simreel/simreel.hpp"

#include <string>
#include <utility>

#include "base/version.h"
#include "exec/executor.h"
#include "library/options.h"
#include "raster/rasterizer.h"
#include "run/loop.h"
#include "run/opening.h"
#include "run/plan.h"
#include "scene/scene.h"
#include "sink/sink.h"
#include "source/solver.h"

namespace simreel::api {
namespace {

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
