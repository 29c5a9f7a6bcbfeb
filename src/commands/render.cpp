#include "run/loop.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "commands/profile.h"
#include "commands/progress.h"
#include "commands/scene_arguments.h"
#include "run/estimate.h"
#include "run/opening.h"
#include "run/plan.h"
#include "run/stills.h"
#include "scene/scene_text.h"
#include "sink/kinds.h"

namespace simreel {
namespace {

struct RenderArguments {
  SceneArguments scene;
  std::vector<std::string> outputs;
  ProgressArgument progress;
  int encoders = 0;
  std::string checkpoint_every = "60s";
  std::string resume;  // empty, "yes" or "auto"
  std::string frames;  // empty: as the scene says
  std::string only;    // of the figure; empty: as the scene says
  std::string at;      // stills; empty: all frames
  bool profile = false, json = false, overwrite = false, keep_checkpoint = false;
  std::string text;  // of a scene that `view` makes; empty: scene.scene is its file

  Scene load() const {
    SceneArguments all = scene;
    const bool digits = frames.find_first_not_of("0123456789") == std::string::npos;
    const bool zero = frames.find_first_not_of('0') == std::string::npos;
    if (!frames.empty() && (!digits || zero))
      throw UsageError(fmt::format("--frames {}: write a whole number, at least 1", frames));
    if (!only.empty()) all.overrides.push_back(fmt::format("figure.only={}", only));
    if (!frames.empty()) all.overrides.push_back(fmt::format("animation.frames={}", frames));
    if (text.empty()) return all.load(outputs);
    Scene made = parse_made_scene(text, "view", all.overrides, check_solver);
    complete_scene(made);
    return made;
  }
};

// What `view` says about the picture; empty: not given.
struct ViewArguments {
  std::string colormap, range, field, scale, size, slice;
};

// The two finite numbers of "640x480" or "0,1"; nullopt if the text holds something else.
std::optional<std::array<double, 2>> pair_of(std::string_view text, std::string_view separators) {
  std::array<double, 2> pair{};
  const std::size_t split = std::min(text.find_first_of(separators), text.size());
  const std::string_view parts[] = {text.substr(0, split), text.substr(std::min(split + 1, text.size()))};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string_view part = trim(parts[i]);
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), pair[i]);
    if (error != std::errc() || end != part.data() + part.size() || !std::isfinite(pair[i])) return {};
  }
  return pair;
}

std::string range_of(const std::string& text) {
  if (std::ranges::find(range_mode_names, text) != std::end(range_mode_names)) return quote(text);
  const auto pair = pair_of(text, ",");
  if (!pair || !((*pair)[0] < (*pair)[1]))
    throw UsageError(
        fmt::format("--range {}: write the ends LOW,HIGH, as in --range=-1,1, or one of {}; LOW is less than HIGH",
                    text, fmt::join(range_mode_names, ", ")));
  return fmt::format("[{}, {}]", (*pair)[0], (*pair)[1]);
}

std::string size_of(const std::string& text) {
  constexpr double least = 16, most = 16384;  // as [view] size
  const auto pair = pair_of(text, "xX,");
  if (!pair || std::ranges::any_of(
                   *pair, [](double side) { return !(side >= least && side <= most) || side != std::floor(side); }))
    throw UsageError(fmt::format("--size {}: write WIDTHxHEIGHT in pixels, each from {} to {}, as in --size 1280x720",
                                 text, least, most));
  return fmt::format("[{}, {}]", (*pair)[0], (*pair)[1]);
}

// The scene that shows a file.
std::string scene_text(const std::string& file, const ViewArguments& view) {
  std::string text = fmt::format("[solver]\nkind = \"data\"\nfiles = {}\n", quote(file));
  if (!view.slice.empty()) {
    const std::size_t equals = view.slice.find('=');
    const std::string axis = view.slice.substr(0, equals);
    if (equals == std::string::npos || (axis != "x" && axis != "y" && axis != "z"))
      throw UsageError(
          fmt::format("--slice {}: write the axis and the plane, or what is drawn of all: z=64, z=max", view.slice));
    const std::string plane = view.slice.substr(equals + 1);
    const bool number = !plane.empty() && plane.find_first_not_of("0123456789") == std::string::npos;
    text += fmt::format("slice = {{ {} = {} }}\n", axis, number ? plane : quote(plane));
  }
  text += "[view]\n";
  if (!view.field.empty()) text += fmt::format("field = {}\n", quote(view.field));
  if (!view.colormap.empty()) text += fmt::format("colormap = {}\n", quote(view.colormap));
  if (!view.scale.empty()) text += fmt::format("scale = {}\n", quote(view.scale));
  if (!view.range.empty()) text += fmt::format("range = {}\n", range_of(view.range));
  if (!view.size.empty()) text += fmt::format("size = {}\n", size_of(view.size));
  return text;
}

// How a stopped run is resumed, and what that costs where an output goes on at certain frames only.
std::string way_to_resume(const RenderResult& result, const OpenRun& open, const std::vector<std::string>& outputs) {
  if (!result.resumable) return "";
  std::string text = "; resume it with the same command and --resume";
  const Checkpoint& state = open.checkpointer->state();
  const auto saved = state.has(range_pass_block) ? state.load_value<RangePass>(range_pass_block).frames
                                                 : state.load_value<std::int64_t>(frames_block);
  if (saved >= result.frames) return text;
  for (std::size_t i = 0; i < open.sinks.size(); ++i)
    if (const std::int64_t stride = open.sinks[i]->stride(); stride > 1)
      return fmt::format(
          "{}: it goes on after {} of these frames, because {} can at multiples of {} only; a shorter "
          "output.segment loses less",
          text, saved, outputs[i], stride);
  return fmt::format("{}: it goes on after {} of these frames", text, saved);
}

int summarize(const RenderResult& result, const Scene& scene, const std::string& machine,
              const std::vector<std::string>& outputs, const std::vector<std::int64_t>& stills,
              const std::string& resume) {
  const Size size = scene.view.size;
  const auto written = stills.empty()
                           ? result.frames
                           : std::ranges::count_if(stills, [&](std::int64_t frame) { return frame < result.frames; });
  const std::string of_all = stills.empty() ? "" : fmt::format(" of {}", scene.animation.frames);
  const std::string length =
      stills.empty() ? fmt::format(", {:.2f} s of video", static_cast<double>(written) / scene.animation.fps()) : "";
  const std::string picture = fmt::format(", {} x {}{}, range [{:.4g}, {:.4g}]", size.width, size.height, length,
                                          result.range.low, result.range.high);
  if (written > 0)
    say_message(LogLevel::info,
                fmt::format("{}: {} frame{}{}{}, on {} in {:.2f} s", fmt::join(outputs, ", "), written,
                            written == 1 ? "" : "s", of_all, result.drawn ? picture : "", machine, result.seconds));
  const std::string_view kept = written > 0 ? "the files are complete up to there" : "nothing was written";
  if (!result.diverged)
    for (const std::string& finding : result.findings) say_message(LogLevel::info, finding);
  if (result.diverged) {
    say_message(LogLevel::error, fmt::format("the simulation diverged: at step {} (frame {}) {}; {}", result.steps,
                                             result.frames, result.divergence, kept));
    return static_cast<int>(ExitCode::diverged);
  }
  if (result.signal) {
    say_message(LogLevel::warning, fmt::format("ended by signal {} after {} of {} frames; {}{}", result.signal,
                                               result.frames, scene.animation.frames, kept, resume));
    return 128 + result.signal;
  }
  return static_cast<int>(ExitCode::done);
}

void tell_resumed(const OpenRun& open, const Scene& scene) {
  const Checkpoint& checkpoint = *open.resumed;
  if (checkpoint.has(range_pass_block)) {
    const auto pass = checkpoint.load_value<RangePass>(range_pass_block);
    say_message(LogLevel::info, fmt::format("resuming the search for the range of the colours after {} of {} frames",
                                            pass.frames, scene.animation.frames));
    return;
  }
  const auto frames = checkpoint.load_value<std::int64_t>(frames_block);
  const std::string& why = open.held_back_by;
  say_message(LogLevel::info, fmt::format("resuming after {} of {} frames{}", frames, scene.animation.frames,
                                          why.empty() ? "" : fmt::format(" ({})", why)));
}

void warn_of_a_long_run(const Scene& scene, const SolverPlan& plan, const Executor& executor,
                        const Rasterizer& rasterizer, const SinkNeeds& needs) {
  const Work work(scene, plan, needs.drawn(), rasterizer.range_mode());
  if (const auto warning = long_run(scene, plan, work.updates / typical_speed(scene, plan, executor),
                                    usual_speed_in_words(scene, plan, executor)))
    say_message(LogLevel::warning, *warning);
}

int run(const RenderArguments& arguments) {
  if (arguments.progress.style() == Progress::Style::json) say_in_json();
  if (!arguments.resume.empty() && arguments.overwrite)
    throw UsageError(
        "--resume and --overwrite contradict each other: --resume continues what is there, --overwrite replaces it; "
        "leave one of them out");
  if (!arguments.at.empty() && (!arguments.resume.empty() || arguments.keep_checkpoint))
    throw UsageError("--at: a run for stills keeps no checkpoint; leave --resume and --keep-checkpoint out");
  const auto interval = parse_interval(arguments.checkpoint_every);
  const CheckpointOptions checkpoints = {arguments.at.empty() ? interval : std::nullopt, arguments.keep_checkpoint};
  Scene scene = arguments.load();
  const SolverPlan plan = plan_solver(scene, arguments.scene.wanted_ranks());
  fit_to_print(scene, plan);
  const Executor executor = arguments.scene.executor();
  for (const std::string& warning : plan.warnings) say_message(LogLevel::warning, warning);
  for (const std::string& remark : plan.remarks) say_message(LogLevel::info, remark);
  const std::vector<std::string> outputs = outputs_of(arguments.outputs, scene);
  if (arguments.json && std::ranges::find(outputs, "-") != outputs.end())
    throw UsageError("--json: the standard output carries the video of -o -; give one of them another place");
  if (arguments.keep_checkpoint && !checkpoint_folder(outputs))
    throw UsageError("--keep-checkpoint: a run without a file to write, or with one to the standard output, has none");
  StreamInfo info = stream_info(scene, plan, arguments.overwrite);
  std::vector<std::int64_t> stills;
  if (!arguments.at.empty()) {
    stills = stills_at(scene, plan, arguments.at);
    check_stills(outputs, stills.size());
    info.frames = static_cast<std::int64_t>(stills.size());
  }
  info.stop_asked = [] { return interrupted() != 0; };
  info.encoders = arguments.encoders;
  info.log = say_message;
  const auto check_needs = [&](SinkNeeds needs) {
    if (checkpoints.any() && checkpoint_folder(outputs)) needs.memory_bytes += saved_bytes(scene, plan);
    check_memory(scene, plan, executor, needs);
  };
  bool resume = arguments.resume == "yes";
  if (arguments.resume == "auto") {
    const RunStage stage = find_stage(outputs, scene.output, info);
    if (stage == RunStage::complete) {
      say_message(LogLevel::info, fmt::format("{}: whole, with {} frames; nothing to do", fmt::join(outputs, ", "),
                                              scene.animation.frames));
      RenderResult whole;  // of a run that took no time
      whole.frames = scene.animation.frames;
      whole.steps = scene.animation.last_step();
      whole.sinks.resize(outputs.size());
      if (arguments.json) print_result_json(whole, scene, executor, outputs);
      return static_cast<int>(ExitCode::done);
    }
    resume = stage == RunStage::interrupted;
  }
  if (!resume) check_needs(check_sinks(outputs, scene.output, info));

  watch_interrupts();
  Rasterizer rasterizer(executor, scene.view, particle_stage(scene, plan));
  OpenRun open = (resume ? open_interrupted : open_fresh)(outputs, scene.output, info, checkpoints);
  if (open.resumed) {
    check_needs(needs_of(open.sinks));
    tell_resumed(open, scene);
  }
  warn_of_a_long_run(scene, plan, executor, rasterizer, needs_of(open.sinks));
  Progress progress(arguments.progress.style());
  RenderResult result =
      render({scene, plan, executor, rasterizer, open.sinks, [&](const RenderProgress& p) { progress.report(p); },
              interrupted, arguments.profile, open.checkpointer.get(), open.resumed, say_message, stills});
  result.warnings.insert(result.warnings.begin(), plan.warnings.begin(), plan.warnings.end());  // said before
  progress.close();
  if (arguments.profile) print_profile(result, outputs);
  if (arguments.json) print_result_json(result, scene, executor, outputs);
  if (const std::string remark = faster_codec(result, scene.view.size, executor.backend(), outputs);
      !remark.empty() && !result.signal)
    say_message(LogLevel::info, remark);
  return summarize(result, scene, arguments.scene.name_of(executor), outputs, stills,
                   way_to_resume(result, open, outputs));
}

}  // namespace

namespace {

// The options of a run, for render and view.
void add_run_options(CLI::App* command, const std::shared_ptr<RenderArguments>& arguments) {
  command
      ->add_option(
          "-o,--output", arguments->outputs,
          fmt::format("An output, may be given several times: {}; `simreel info` describes each", output_patterns()))
      ->type_name("OUT")
      ->allow_extra_args(false);
  arguments->progress.add_to(*command);
  command
      ->add_option("--encoders", arguments->encoders,
                   "Segments of a video encoded in parallel; 0: as many as cores and memory allow")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  command->add_flag("--profile", arguments->profile, "Print where the time went");
  command->add_flag("--json", arguments->json, "Print the result of the run and the times of its stages as JSON");
  command
      ->add_option("--checkpoint-every", arguments->checkpoint_every,
                   "How often to save the state beside the first output: a time (60s, 5min), a number of frames "
                   "(250frames), or off")
      ->capture_default_str();
  command
      ->add_flag("--resume{yes}", arguments->resume,
                 "Resume a run that a crash or a signal ended, or extend a complete one with --frames; --resume=auto "
                 "begins where nothing is there, and does nothing where the outputs are whole")
      ->check(CLI::IsMember({"yes", "auto"}));
  command->add_option("--frames", arguments->frames, "Number of frames, as --set animation.frames=N")->type_name("N");
  command->add_flag("--keep-checkpoint", arguments->keep_checkpoint,
                    "Keep the last state of the complete run, so that it can be extended");
  command->add_flag("--overwrite", arguments->overwrite, "Replace outputs that exist");
}

}  // namespace

void add_view(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand(
      "view",
      "Draw what another program computed: .npy, .npz, HDF5, NetCDF-4, VTK; a scene with kind = \"data\" does more");
  const auto arguments = std::make_shared<RenderArguments>();
  const auto view = std::make_shared<ViewArguments>();
  command
      ->add_option("file", arguments->scene.scene,
                   "A file, a series (run/%05d.npy, 'run/*.h5'), or an array in it (run.h5:/vorticity)")
      ->required();
  command->add_option("--colormap", view->colormap, "As [view] colormap")->type_name("NAME");
  command->add_option("--range", view->range, "The ends of the colormap, or first, global, symmetric")
      ->type_name("LOW,HIGH");
  command->add_option("--scale", view->scale, "As [view] scale")->type_name("NAME");
  command->add_option("--field", view->field, "Which of several arrays")->type_name("NAME");
  command->add_option("--slice", view->slice, "Three dimensions: a plane, or max, min, mean, sum along an axis")
      ->type_name("AXIS=PLANE");
  command->add_option("--size", view->size, "Size of the picture")->type_name("WxH");
  command->add_option("--set", arguments->scene.overrides, "Set any key of the scene: --set solver.timestep=0.1")
      ->type_name("TABLE.KEY=VALUE")
      ->allow_extra_args(false);
  arguments->scene.ExecutorArguments::add_to(*command);
  add_run_options(command, arguments);
  command->callback([arguments, view, &chosen] {
    chosen = [arguments, view] {
      arguments->text = scene_text(arguments->scene.scene, *view);
      return run(*arguments);
    };
  });
}

void add_render(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("render", "Run a scene and write what it shows");
  const auto arguments = std::make_shared<RenderArguments>();
  arguments->scene.add_to(*command);
  arguments->scene.add_label_to(*command);
  command
      ->add_option(
          "--only", arguments->only,
          "Labels without the picture (chrome), or the colour bar alone, on a transparent background; as --set "
          "figure.only=NAME")
      ->check(CLI::IsMember({"chrome", "colorbar"}));
  command
      ->add_option("--at", arguments->at,
                   "Write only the frames at these times, in the unit of the labels (0,3.2,5), or frames "
                   "(frame:0,frame:40); -o fig_%d.pdf makes a file of each")
      ->type_name("TIME,...");
  add_run_options(command, arguments);
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
