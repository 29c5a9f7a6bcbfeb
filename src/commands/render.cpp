#include "render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "commands/commands.h"
#include "commands/progress.h"
#include "commands/say.h"
#include "commands/scene_arguments.h"
#include "error.h"
#include "interrupt.h"

namespace simreel {
namespace {

struct RenderArguments {
  SceneArguments scene;
  std::vector<std::string> outputs;
  std::string progress = "auto";
  bool profile = false, overwrite = false;
};

void print_profile(const RenderResult& result, const std::vector<std::string>& outputs) {
  say(fmt::format("{:<28}{:>10}{:>8}\n", "stage", "seconds", "share"));
  const auto row = [&](const std::string& stage, double seconds) {
    say(fmt::format("{:<28}{:>10.3f}{:>7.0f}%\n", stage, seconds, 100 * seconds / result.seconds));
  };
  for (const auto& [stage, seconds] : result.stages) row(std::string(stage), seconds);
  for (std::size_t i = 0; i < outputs.size(); ++i) row("write " + outputs[i], result.sink_seconds[i]);
  row("whole run", result.seconds);
}

int summarize(const RenderResult& result, const Scene& scene, const Executor& executor,
              const std::vector<std::string>& outputs) {
  if (result.frames > 0)
    spdlog::info("{}: {} frame{}, {} x {}, {:.2f} s of video, range [{:.4g}, {:.4g}], on {} in {:.2f} s",
                 fmt::join(outputs, ", "), result.frames, result.frames == 1 ? "" : "s", scene.view.size.width,
                 scene.view.size.height, static_cast<double>(result.frames) / scene.animation.fps(), result.range.low,
                 result.range.high, executor.name(), result.seconds);
  const std::string_view kept = result.frames > 0 ? "the files are complete up to there" : "so nothing was written";
  for (const std::string& finding : result.findings) spdlog::info("{}", finding);
  if (result.diverged) {
    spdlog::error("the simulation diverged: at step {} (frame {}) a value is infinite or not a number; {}",
                  result.steps, result.frames, kept);
    return static_cast<int>(ExitCode::diverged);
  }
  if (result.signal) {
    spdlog::warn("ended by signal {} after {} of {} frames; {}", result.signal, result.frames, scene.animation.frames,
                 kept);
    return 128 + result.signal;
  }
  return static_cast<int>(ExitCode::done);
}

Progress::Style style_of(const std::string& name) {
  if (name == "plain") return Progress::Style::plain;
  if (name == "json") return Progress::Style::json;
  return name == "none" ? Progress::Style::none : Progress::Style::automatic;
}

int run(const RenderArguments& arguments) {
  const Scene scene = arguments.scene.load();
  const SolverPlan plan = plan_solver(scene);
  const Executor executor = arguments.scene.executor();
  for (const std::string& warning : plan.warnings) spdlog::warn("{}", warning);
  std::vector<std::string> outputs = arguments.outputs;
  if (outputs.empty()) outputs.push_back(scene.output.path.string());
  StreamInfo info = stream_info(scene, plan, arguments.overwrite);
  info.stop_asked = [] { return interrupted() != 0; };
  check_memory(scene, plan, executor, check_sinks(outputs, scene.output, info));

  watch_interrupts();
  Rasterizer rasterizer(executor, scene.view);
  std::vector<std::unique_ptr<Sink>> sinks = open_sinks(outputs, scene.output, info);
  Progress progress(style_of(arguments.progress));
  const RenderResult result =
      render({scene, plan, executor, rasterizer, sinks, [&](const RenderProgress& p) { progress.report(p); },
              interrupted, arguments.profile});
  progress.close();
  if (arguments.progress == "json") spdlog::set_level(spdlog::level::warn);  // a reader of JSON wants no other lines
  if (arguments.profile) print_profile(result, outputs);
  return summarize(result, scene, executor, outputs);
}

}  // namespace

void add_render(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("render", "Run a scene and write what it shows");
  const auto arguments = std::make_shared<RenderArguments>();
  arguments->scene.add_to(*command);
  command
      ->add_option("-o,--output", arguments->outputs,
                   "Where frames go, several times if you like: x.mp4, x.mkv, x/%06d.png, x.png (last frame), x.y4m, - "
                   "(y4m to stdout), "
                   "x.csv, x.hashes, null:")
      ->type_name("OUT")
      ->allow_extra_args(false);
  command->add_option("--progress", arguments->progress, "How to show progress")
      ->check(CLI::IsMember({"auto", "plain", "json", "none"}))
      ->capture_default_str();
  command->add_flag("--profile", arguments->profile, "Print where the time went");
  command->add_flag("--overwrite", arguments->overwrite, "Replace outputs that exist");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
