#include "render.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <map>

#include "commands/commands.h"
#include "commands/progress.h"
#include "commands/scene_arguments.h"
#include "error.h"
#include "interrupt.h"

namespace simreel {
namespace {

struct RenderArguments {
  SceneArguments scene;
  std::vector<std::string> outputs;
  Progress::Style progress = Progress::Style::automatic;
  bool profile = false, overwrite = false;
};

void print_profile(const RenderResult& result, const std::vector<std::string>& outputs) {
  fmt::print(stderr, "{:<28}{:>10}{:>8}\n", "stage", "seconds", "share");
  std::size_t output = 0;
  for (const auto& [stage, seconds] : result.stages) {
    const bool sink = stage.starts_with("sink");
    fmt::print(stderr, "{:<28}{:>10.3f}{:>7.0f}%\n", sink ? "write " + outputs.at(output++) : stage, seconds,
               100 * seconds / result.seconds);
  }
  fmt::print(stderr, "{:<28}{:>10.3f}\n", "whole run", result.seconds);
}

int run(const RenderArguments& arguments) {
  const Scene scene = arguments.scene.load();
  const SolverPlan plan = plan_solver(scene);
  Executor executor = arguments.scene.executor();
  for (const std::string& warning : plan.warnings) spdlog::warn("{}", warning);
  const RenderMemory least = render_memory(scene, plan, executor.backend(), {});
  check_memory(scene, plan, executor, least.executor);
  Rasterizer rasterizer(executor, scene.view);

  std::vector<std::string> outputs = arguments.outputs;
  if (outputs.empty()) outputs.push_back(scene.output.path.string());
  std::vector<std::unique_ptr<Sink>> sinks =
      open_sinks(outputs, scene.output, stream_info(scene, plan, arguments.overwrite));
  check_memory(scene, plan, executor, render_memory(scene, plan, executor.backend(), wanted_layouts(sinks)).executor);

  watch_interrupts();
  Progress progress(arguments.progress, scene.animation.frames);
  const RenderResult result =
      render({scene, plan, executor, rasterizer, sinks,
              [&](std::int64_t frames, bool searching) { progress.report(frames, searching); }, interrupted, arguments.profile});
  progress.close();

  if (arguments.profile) print_profile(result, outputs);
  for (const std::string& output : outputs) {
    if (result.frames > 0)
      spdlog::info("{}: {} frame{}, {} x {}, {:.2f} s of video, on {} in {:.2f} s", output, result.frames, result.frames == 1 ? "" : "s",
                   scene.view.size.width, scene.view.size.height, static_cast<double>(result.frames) / scene.animation.fps(),
                   executor.name(), result.seconds);
  }
  for (const std::string& finding : result.findings) spdlog::info("{}", finding);
  if (result.diverged) {
    spdlog::error("the simulation diverged: at step {} (frame {}) a value is infinite or not a number; what came before it was kept",
                  result.steps, result.frames);
    return static_cast<int>(ExitCode::diverged);
  }
  if (result.signal) {
    spdlog::warn("ended by signal {} after {} of {} frames; the files are complete up to there", result.signal, result.frames,
                 scene.animation.frames);
    return 128 + result.signal;
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace

void add_render(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("render", "Run a scene and write what it shows");
  const auto arguments = std::make_shared<RenderArguments>();
  arguments->scene.add_to(*command);
  command
      ->add_option("-o,--output", arguments->outputs,
                   "Where frames go, several times if you like: x.mp4, x.mkv, x/%06d.png, x.png (last frame), x.y4m, - (y4m to stdout), "
                   "x.csv, x.hashes, null:")
      ->type_name("OUT")
      ->allow_extra_args(false);
  const std::map<std::string, Progress::Style> styles = {{"auto", Progress::Style::automatic},
                                                         {"plain", Progress::Style::plain},
                                                         {"json", Progress::Style::json},
                                                         {"none", Progress::Style::none}};
  command->add_option("--progress", arguments->progress, "How to show progress: auto, plain, json, none")
      ->transform(CLI::CheckedTransformer(styles).description(""))
      ->type_name("STYLE");
  command->add_flag("--profile", arguments->profile, "Print where the time went");
  command->add_flag("--overwrite", arguments->overwrite, "Replace outputs that exist");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
