// The public header on the run: plan, open, loop.

#include "simreel/simreel.hpp"

#include <string>
#include <utility>

#include "base/version.h"
#include "exec/executor.h"
#include "library/options.h"
#include "run/loop.h"
#include "run/prepared_run.h"
#include "scene/scene.h"
#include "source/solver.h"

namespace simreel::api {
namespace {

// Gives `work` the run that the options ask for; all that can be known before its first step is in order.
template <class Work>
auto with_run(const std::filesystem::path& file, const RenderOptions& options, const Work& work) {
  return translated([&] {
    Scene scene = load_complete_scene(file.string(), options.overrides);
    SolverPlan plan = plan_run(scene);
    const Executor executor = executor_of(options);
    PreparedRun run(std::move(scene), std::move(plan), executor,
                    {.outputs = options.outputs,
                     .overwrite = options.overwrite,
                     .stop_asked = options.stop,
                     .log = log_of(options)});
    return work(run);
  });
}

}  // namespace

const char* version() noexcept { return simreel::version; }

RenderResult render(const std::filesystem::path& scene, const RenderOptions& options) {
  return with_run(scene, options, [&](PreparedRun& run) {
    for (const std::string& warning : run.plan.texts.warnings) tell(run.info.log, LogLevel::warning, warning);
    for (const std::string& remark : run.plan.texts.remarks) tell(run.info.log, LogLevel::info, remark);
    run.open_outputs();
    const auto report = [&](const RenderProgress& progress) {
      if (options.progress && progress.stage == RenderProgress::Stage::render)
        options.progress(progress.done, progress.total);
    };
    const auto stopped = [&] { return options.stop && options.stop() ? 1 : 0; };
    const simreel::RenderResult done = simreel::render({.run = run, .report = report, .interrupted = stopped});
    RenderResult result{done.frames, done.seconds, done.signal != 0, done.divergence, done.findings, run.outputs, {}};
    if (done.drawn) result.range = {done.range.low, done.range.high};
    return result;
  });
}

std::vector<std::string> check(const std::filesystem::path& scene, const RenderOptions& options) {
  return with_run(scene, options, [&](PreparedRun& run) {
    run.rasterizer();  // for its mistakes: it reads the colormap and looks at the camera
    run.check_start();
    std::vector<std::string> remarks = run.plan.texts.warnings;
    remarks.insert(remarks.end(), run.plan.texts.remarks.begin(), run.plan.texts.remarks.end());
    remarks.insert(remarks.end(), run.needs.remarks.begin(), run.needs.remarks.end());
    return remarks;
  });
}

}  // namespace simreel::api
