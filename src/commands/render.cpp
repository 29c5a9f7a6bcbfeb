#include "commands/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "commands/live.h"
#include "run/duration.h"
#include "run/plan.h"
#include "run/prepared_run.h"
#include "run/render_loop.h"
#include "scene/scene_text.h"
#include "sink/outputs.h"
#include "sink/video/video.h"

namespace simreel {
namespace {

constexpr unsigned seconds_in_step = 2;  // after a signal
constexpr int time_over = -1;            // instead of the number of a signal
constexpr int time_over_exit = 5;

// Seconds of "23h50m", "90min", "1d2h30m15s"; each unit at most once, the largest first.
double parse_time_limit(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> units = {
      {{"d", 86400}, {"h", 3600}, {"min", 60}, {"m", 60}, {"s", 1}}};
  double seconds = 0, last = std::numeric_limits<double>::infinity();
  const char *at = text.data(), *const end = at + text.size();
  while (at < end) {
    double number = 0;
    const auto [number_end, error] = std::from_chars(at, end, number, std::chars_format::fixed);
    const char* const letters_end = std::find_if(number_end, end, [](char c) { return c < 'a' || c > 'z'; });
    const std::string_view unit(number_end, static_cast<std::size_t>(letters_end - number_end));
    const auto known = std::ranges::find(units, unit, [](const auto& u) { return u.first; });
    if (error != std::errc() || known == units.end() || known->second >= last || !(number >= 0) || number > 1e6) {
      seconds = 0;
      break;
    }
    seconds += number * known->second;
    last = known->second;
    at = letters_end;
  }
  if (seconds > 0) return seconds;
  throw UsageError("--time-limit {}: write a time, as 23h50m, 90min or 30s", text);
}

// The step at which a run is resumed, if that is before its first frame.
std::optional<std::int64_t> early_step(const PreparedRun& run) {
  if (!run.open.resumed || !run.open.resumed->has(step_block)) return std::nullopt;
  const auto step = run.open.resumed->load_value<std::int64_t>(step_block);
  return step < run.scene.animation.step_at(run.first) ? std::optional(step) : std::nullopt;
}

// How a stopped run is resumed, and what that costs where an output goes on at certain frames only. `made_no_progress`:
// each start so far ended before such a frame.
std::string way_to_resume(const RenderResult& result, const OpenRun& open, const std::vector<std::string>& outputs,
                          bool made_no_progress) {
  if (!result.resumable) return "";
  const std::optional<std::int64_t> saved = open.checkpointer->saved();
  if (!saved) return "; it cannot be resumed, because no checkpoint could be written";
  std::string text = "; resume it with the same command and --resume";
  if (*saved >= result.frames) return text;
  for (std::size_t i = 0; i < open.sinks.size(); ++i)
    if (const std::int64_t stride = open.sinks[i]->traits().stride; stride > 1)
      return fmt::format("{}: it resumes after {} of these frames{}, because {} can at multiples of {} only; {}", text,
                         *saved, made_no_progress ? ", as it did this time" : "", outputs[i], stride,
                         made_no_progress ? "give it more time, or begin anew with a shorter output.segment"
                                          : "a shorter output.segment loses less");
  return fmt::format("{}: it resumes after {} of these frames", text, *saved);
}

int summarize(const RenderResult& result, const PreparedRun& run, const std::string& machine, bool made_no_progress) {
  const std::string resume = way_to_resume(result, run.open, run.outputs, made_no_progress);
  const Scene& scene = run.scene;
  const std::vector<std::int64_t>& stills = run.stills;
  const Size size = scene.view.size;
  const auto written = stills.empty()
                           ? result.frames
                           : std::ranges::count_if(stills, [&](std::int64_t frame) { return frame < result.frames; });
  const std::string of_all = stills.empty() ? "" : fmt::format(" of {}", scene.animation.frames);
  const std::string length =
      stills.empty() && written + result.held > 1
          ? fmt::format(", {:.2f} s of video", static_cast<double>(written + result.held) / scene.animation.fps())
          : "";
  const std::string range =
      scene.solver_kind.empty() ? "" : fmt::format(", range {}", range_text(result.range.low, result.range.high, 4));
  const std::string picture = fmt::format(", {} x {}{}{}", size.width, size.height, length, range);
  if (written > 0)
    say_message(LogLevel::info,
                fmt::format("{}: {} frame{}{}{}, on {} in {:.2f} s", fmt::join(run.outputs, ", "), written,
                            written == 1 ? "" : "s", of_all, result.drawn ? picture : "", machine, result.seconds));
  const std::string_view kept = written > 0 ? "the files are complete up to there" : "nothing was written";
  if (!result.diverged)
    for (const std::string& finding : result.findings) say_message(LogLevel::info, finding);
  if (result.diverged) {
    say_message(LogLevel::error, fmt::format("the simulation diverged: at step {} (frame {}) {}; {}", result.steps,
                                             result.frame, result.divergence, kept));
    return static_cast<int>(ExitCode::diverged);
  }
  if (result.signal == time_over) {
    say_message(made_no_progress ? LogLevel::error : LogLevel::warning,
                fmt::format("ended by --time-limit after {} of {} frames; {}{}", result.frames, run.end - run.first,
                            kept, resume));
    return made_no_progress ? static_cast<int>(ExitCode::failed) : time_over_exit;
  }
  if (result.signal) {
    say_message(LogLevel::warning, fmt::format("ended by signal {} after {} of {} frames; {}{}", result.signal,
                                               result.frames, run.end - run.first, kept, resume));
    return 128 + result.signal;
  }
  return static_cast<int>(ExitCode::done);
}

// What is said where a signal finds the run in work that does not end in time.
std::string forced_exit_message(bool resumable) {
  return message_line(LogLevel::warning,
                      fmt::format("ended by a signal within a step, or work before the first one, of more than {} s; "
                                  "outputs keep what is written of them as .part files{}",
                                  seconds_in_step, resumable ? "; resume it with the same command and --resume" : ""));
}

void tell_resumed(const PreparedRun& run) {
  const Checkpoint& checkpoint = *run.open.resumed;
  if (checkpoint.has(range_pass_block)) {
    const auto pass = checkpoint.load_value<RangePass>(range_pass_block);
    say_message(LogLevel::info, fmt::format("resuming the search for the range of the colours after {} of {} frames",
                                            pass.frames, run.scene.animation.frames));
    return;
  }
  const auto frames = checkpoint.load_value<std::int64_t>(frames_block);
  if (const auto step = early_step(run)) {
    say_message(LogLevel::info,
                fmt::format("resuming at step {}, before the first of {} frames", *step, run.end - run.first));
    return;
  }
  const std::string& why = run.open.resume_limited_by;
  say_message(LogLevel::info, fmt::format("resuming after {} of {} frames{}", frames, run.end - run.first,
                                          why.empty() ? "" : fmt::format(" ({})", why)));
}

// Tells why there is nothing to do. The result of the earlier run, as of one that took no time.
RenderResult earlier_result(const PreparedRun& run) {
  RenderResult result;
  result.frames = run.end - run.first;
  result.steps = run.scene.animation.step_at(run.end - 1);
  if (run.stage == RunStage::complete) {
    say_message(LogLevel::info,
                fmt::format("{}: whole, with {} frames; nothing to do", fmt::join(run.outputs, ", "), result.frames));
    return result;
  }
  const Divergence before = find_divergence(run.outputs);
  result.frame = before.frame;
  result.frames = std::max<std::int64_t>(before.frame - run.first, 0);
  result.steps = before.steps;
  result.diverged = true;
  result.divergence = before.reason;
  say_message(
      LogLevel::error,
      fmt::format("{}: this run has diverged before: at step {} (frame {}) {}; it would do so again, so nothing was "
                  "done. Change the scene and render it with --overwrite",
                  fmt::join(run.outputs, ", "), before.steps, before.frame, before.reason));
  return result;
}

// Where a video goes, and the pictures that such places show. All play H.264, which .mp4 has by default.
struct Preset {
  std::string_view name;
  int width, height, fps;
};
constexpr std::array presets = {
    Preset{"story", 1080, 1920, 30}, Preset{"square", 1080, 1080, 30},  Preset{"web", 1280, 720, 30},
    Preset{"slide", 1920, 1080, 30}, Preset{"youtube", 2560, 1440, 60}, Preset{"4k", 3840, 2160, 60},
};

std::string preset_list() {
  std::string list;
  for (const Preset& one : presets)
    list += fmt::format("{}{} ({} x {}, {} frames a second)", list.empty() ? "" : ", ", one.name, one.width, one.height,
                        one.fps);
  return list;
}

// What --preset and --size override; --set has the last word.
std::vector<std::string> shape_of(const ShapeArguments& shape, const std::vector<std::string>& set) {
  const std::string& size = shape.size;
  std::vector<std::string> overrides;
  if (!shape.preset.empty()) {
    const Preset& one = *std::ranges::find(presets, shape.preset, &Preset::name);
    overrides = {fmt::format("{}.size=[{}, {}]", shape.table, one.width, one.height),
                 fmt::format("animation.fps={}", one.fps)};
  }
  if (!size.empty()) {
    constexpr int min = 16, max = 16384;  // as [view] size
    int width = 0, height = 0, end = 0;
    const int found = std::sscanf(size.c_str(), "%d%*1[xX,]%d%n", &width, &height, &end);
    if (found != 2 || end != std::ssize(size) || std::min(width, height) < min || std::max(width, height) > max)
      throw UsageError("--size {}: write WIDTHxHEIGHT in pixels, each from {} to {}, as in --size 1280x720", size, min,
                       max);
    overrides.resize(std::max<std::size_t>(overrides.size(), 1));
    overrides[0] = fmt::format("{}.size=[{}, {}]", shape.table, width, height);
  }
  std::erase_if(overrides, [&](const std::string& own) {
    const std::string key = own.substr(0, own.find('=') + 1);
    return std::ranges::any_of(set, [&](const std::string& one) { return one.starts_with(key); });
  });
  return overrides;
}

}  // namespace

void ShapeArguments::add_to(CLI::App& command) {
  std::vector<std::string> names;
  for (const Preset& one : presets) names.emplace_back(one.name);
  command
      .add_option("--preset", preset, "Size and frames a second of a kind of video, as H.264 in .mp4: " + preset_list())
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
  add_option(command, "--size", size, "WxH",
             fmt::format("Size of the picture, 1280x720, as [{}] size = [1280, 720]", table));
  add_option(command, "--frames", frames, "N", "Number of frames, as [animation] frames = N");
}

SceneArguments ShapeArguments::applied_to(SceneArguments scene) const {
  const std::vector<std::string> shape = shape_of(*this, scene.overrides);
  scene.overrides.insert(scene.overrides.begin(), shape.begin(), shape.end());
  const bool digits = frames.find_first_not_of("0123456789") == std::string::npos;
  const bool zero = frames.find_first_not_of('0') == std::string::npos;
  if (!frames.empty() && (!digits || zero)) throw UsageError("--frames {}: write a whole number, at least 1", frames);
  if (!frames.empty()) scene.overrides.push_back(fmt::format("animation.frames={}", frames));
  return scene;
}

void ShapeArguments::say(const std::vector<std::string>& set, const Scene& scene,
                         const std::vector<std::string>& outputs) const {
  if (preset.empty()) return;
  std::vector<std::string> all = shape_of(*this, set);
  if (!scene.output.codec && std::ranges::count(outputs, ".mp4", extension_of) > 0)
    all.push_back(fmt::format("output.codec={}", default_codec()));
  if (!all.empty()) say_message(LogLevel::info, fmt::format("--preset {}: {}", preset, fmt::join(all, ", ")));
}

Scene RenderArguments::load() const {
  SceneArguments all = scene;
  if (!only.empty()) all.overrides.push_back(fmt::format("figure.only={}", only));
  all = shape.applied_to(std::move(all));
  if (text.empty()) return all.load(outputs);
  const auto made = [&](const std::vector<std::string>& overrides) {
    Scene scene = parse_made_scene(text, "view", overrides, check_solver);
    complete_scene(scene);
    return scene;
  };
  Scene shown = made(all.overrides);
  if (const std::vector<std::string> labelled = all.labelled(shown); labelled.size() > all.overrides.size())
    shown = made(labelled);
  // One frame is no video.
  OutputOptions& output = shown.output;
  if (shown.animation.frames == 1 && output.path.empty() && !output.codec) output.path = shown.resolve("view.png");
  return shown;
}

int run_planned(const RenderArguments& arguments, Scene scene, SolverPlan plan, const Executor& executor,
                const std::string& machine) {
  if (!arguments.resume.empty() && arguments.overwrite)
    throw UsageError(
        "--resume and --overwrite contradict each other: --resume continues what is there, --overwrite replaces it; "
        "leave one of them out");
  const auto interval = parse_interval(arguments.checkpoint_every);
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> deadline;
  if (!arguments.time_limit.empty())
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(parse_time_limit(arguments.time_limit)));
  const auto asked_to_end = [deadline] {
    const int signal = interrupted();
    return signal == 0 && deadline && Clock::now() >= *deadline ? time_over : signal;
  };
  if (arguments.live_any && (arguments.live.empty() || arguments.live.starts_with("unix:")))
    throw UsageError("--live-any: it opens the port of --live to other machines; write --live, or --live PORT, too");
  std::unique_ptr<Live> live;
  if (!arguments.live.empty())
    live = open_live({.where = arguments.live,
                      .any_machine = arguments.live_any,
                      .title = scene.title.empty() ? scene.file.filename().string() : scene.title,
                      .diagnostics = plan.diagnostics});
  const Log log = [&live](LogLevel level, std::string_view text) {
    say_message(level, text);
    if (live) live->note(level, text);
  };
  for (const std::string& warning : plan.texts.warnings) log(LogLevel::warning, warning);
  for (const std::string& remark : plan.texts.remarks) log(LogLevel::info, remark);
  const std::vector<std::string> outputs = outputs_of(arguments.outputs, scene);
  arguments.shape.say(arguments.scene.overrides, scene, outputs);
  if (arguments.json && std::ranges::find(outputs, "-") != outputs.end())
    throw UsageError("--json: the standard output carries the video of -o -; give one of them another place");
  if (arguments.keep_checkpoint && !checkpoint_folder(outputs))
    throw UsageError("--keep-checkpoint: a run without a file to write, or with one to the standard output, has none");
  PreparedRun run(std::move(scene), std::move(plan), executor,
                  {.outputs = outputs,
                   .overwrite = arguments.overwrite,
                   .stills = arguments.at,
                   .resume = arguments.resume == "yes"    ? Resume::yes
                             : arguments.resume == "auto" ? Resume::automatic
                                                          : Resume::no,
                   .checkpoints = {arguments.at.empty() ? interval : std::nullopt, arguments.keep_checkpoint},
                   .encoders = arguments.encoders,
                   .stop_asked = [&] { return asked_to_end() != 0; },
                   .log = log});
  if (run.stage == RunStage::complete || run.stage == RunStage::diverged) {
    RenderResult result = earlier_result(run);
    result.sinks.resize(outputs.size());
    if (arguments.json) print_result_json(result, run.scene, machine, outputs);
    return static_cast<int>(result.diverged ? ExitCode::diverged : ExitCode::done);
  }

  watch_interrupts(seconds_in_step,
                   forced_exit_message(interval && arguments.at.empty() && checkpoint_folder(outputs)));
  run.open_outputs();
  if (live) live->announce();
  if (run.open.resumed) tell_resumed(run);
  for (const std::string& remark : picture_remarks(run)) log(LogLevel::info, remark);
  const bool early = early_step(run).has_value();
  if (const auto warning = long_run(run)) log(LogLevel::warning, *warning);
  Progress progress(arguments.progress.style());
  RenderResult result = render({.run = run,
                                .report =
                                    [&](const RenderProgress& p) {
                                      progress.report(p);
                                      if (live) live->report(p);
                                    },
                                .interrupted = asked_to_end,
                                .in_step = allow_forced_exit,
                                .profile = arguments.profile,
                                .alone = true,
                                .live = live.get()});
  result.warnings.insert(result.warnings.begin(), run.plan.texts.warnings.begin(),
                         run.plan.texts.warnings.end());  // said before
  progress.close();
  if (arguments.profile) print_profile(result, outputs);
  if (arguments.json) print_result_json(result, run.scene, machine, outputs);
  if (const std::string remark = faster_codec(result, run.scene.view.size, executor.backend(), outputs);
      !remark.empty() && !result.signal)
    say_message(LogLevel::info, remark);
  const bool made_no_progress = !early && run.open.checkpointer && run.open.checkpointer->made_no_progress();
  const int code = summarize(result, run, machine, made_no_progress);
  if (live && !result.signal) live->end(result.diverged ? "diverged" : "finished");
  return code;
}

int run_render(const RenderArguments& arguments) {
  if (arguments.progress.style() == Progress::Style::json) say_in_json();
  if (!arguments.at.empty() && (!arguments.resume.empty() || arguments.keep_checkpoint))
    throw UsageError("--at: a run for stills keeps no checkpoint; leave --resume and --keep-checkpoint out");
  Scene scene = arguments.load();
  SolverPlan plan = plan_run(scene, arguments.scene.wanted_ranks());
  const Executor executor = arguments.scene.executor();
  return run_planned(arguments, std::move(scene), std::move(plan), executor, arguments.scene.name_of(executor));
}

void add_run_options(CLI::App* command, const std::shared_ptr<RenderArguments>& arguments) {
  add_option(
      *command, "-o,--output", arguments->outputs, "OUT",
      fmt::format("An output, may be given several times: {}; `simreel info` describes each", output_patterns()));
  arguments->progress.add_to(*command);
  command
      ->add_option("--encoders", arguments->encoders,
                   "Segments of a video encoded in parallel; 0: as many as cores and memory allow (h264_fast: up to 4 "
                   "on a GPU, 1 on the CPU)")
      ->check(within(0, 256))
      ->capture_default_str();
  command->add_flag("--profile", arguments->profile, "Print where the time went");
  command->add_flag("--json", arguments->json, "Print the result of the run and the times of its stages as JSON");
  command
      ->add_option("--checkpoint-every", arguments->checkpoint_every,
                   "How often to save the state next to the first output: a time (60s, 5min), a number of frames "
                   "(250frames), or off")
      ->capture_default_str();
  add_option(*command, "--time-limit", arguments->time_limit, "TIME",
             "Stop in time, write a checkpoint and exit with 5: 23h50m, 90min, 30s from the start on");
  command
      ->add_flag("--resume{yes}", arguments->resume,
                 "Resume a run that a crash or a signal ended, or extend a complete one with --frames; --resume=auto "
                 "begins where nothing is there, and does nothing where the outputs are whole")
      ->check(CLI::IsMember({"yes", "auto"}));
  command->add_flag("--overwrite", arguments->overwrite, "Replace outputs that exist");
}

void add_scene_run_options(CLI::App* command, const std::shared_ptr<RenderArguments>& arguments) {
  arguments->shape.add_to(*command);
  add_option(*command, "--live", arguments->live, "PORT",
             "Show the run on a page for a browser on this machine: at any free port, at this one, or at "
             "unix:PATH, a socket; it prints the address")
      ->expected(0, 1)
      ->default_str("0");
  command->add_flag("--live-any", arguments->live_any, "Let other machines reach the page of --live, without a tunnel");
  command->add_flag("--keep-checkpoint", arguments->keep_checkpoint,
                    "Keep the last state of the complete run, so that it can be extended");
  command
      ->add_option(
          "--only", arguments->only,
          "Labels without the picture (chrome), or the colour bar alone, on a transparent background; as --set "
          "figure.only=NAME")
      ->check(CLI::IsMember({"chrome", "colorbar"}));
  add_option(*command, "--at", arguments->at, "TIME,...",
             "Write only the frames at these times, in the unit of the labels (0,3.2,5), or frames "
             "(frame:0,frame:40); -o fig_%d.pdf makes a file of each");
}

void add_render(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("render", "Run a scene and write what it shows");
  const auto arguments = std::make_shared<RenderArguments>();
  arguments->scene.add_to(*command);
  arguments->scene.add_label_to(*command);
  add_run_options(command, arguments);
  add_scene_run_options(command, arguments);
  command->callback([arguments, &chosen] { chosen = [arguments] { return run_render(*arguments); }; });
}

}  // namespace simreel
