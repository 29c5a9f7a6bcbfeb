// The public header on the run: plan, open, loop.

#include "simreel/simreel.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/version.h"
#include "exec/executor.h"
#include "library/options.h"
#include "run/duration.h"
#include "run/loop.h"
#include "run/prepared_run.h"
#include "scene/scene.h"
#include "scene/scene_text.h"
#include "source/solver.h"

namespace simreel::api {
namespace {

Scene load(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return load_complete_scene(file.string(), overrides);
}
Scene load(const Text& text, const std::vector<std::string>& overrides) {
  Scene scene = parse_made_scene(text.toml, text.folder / "scene", overrides, check_solver, text.name);
  complete_scene(scene);
  return scene;
}

// Gives `work` the run that the options ask for; all that can be known before its first step is in order.
template <class Work>
auto with_run(const auto& given, const RenderOptions& options, const Work& work) {
  return translated([&] {
    Scene scene = load(given, options.overrides);
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

RenderResult rendered(const auto& scene, const RenderOptions& options) {
  return with_run(scene, options, [&](PreparedRun& run) {
    for (const std::string& warning : run.plan.texts.warnings) tell(run.info.log, LogLevel::warning, warning);
    for (const std::string& remark : run.plan.texts.remarks) tell(run.info.log, LogLevel::info, remark);
    run.open_outputs();
    if (const auto warning = long_run(run)) tell(run.info.log, LogLevel::warning, *warning);
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

std::vector<std::string> checked(const auto& scene, const RenderOptions& options) {
  return with_run(scene, options, [&](PreparedRun& run) {
    run.check_start();
    std::vector<std::string> remarks = run.plan.texts.warnings;
    if (run.needs.drawn())
      if (const auto unseen = run.unseen_at_start()) remarks.push_back(*unseen);
    std::ranges::move(run.rasterizer().overlay_warnings(),
                      std::back_inserter(remarks));  // it finds mistakes of the view
    if (const auto warning = long_run(run)) remarks.push_back(*warning);
    remarks.insert(remarks.end(), run.plan.texts.remarks.begin(), run.plan.texts.remarks.end());
    remarks.insert(remarks.end(), run.needs.remarks.begin(), run.needs.remarks.end());
    return remarks;
  });
}

}  // namespace

const char* version() noexcept { return simreel::version; }

RenderResult render(const std::filesystem::path& scene, const RenderOptions& options) {
  return rendered(scene, options);
}
RenderResult render(const Text& scene, const RenderOptions& options) { return rendered(scene, options); }

std::vector<std::string> check(const std::filesystem::path& scene, const RenderOptions& options) {
  return checked(scene, options);
}
std::vector<std::string> check(const Text& scene, const RenderOptions& options) { return checked(scene, options); }

}  // namespace simreel::api
