#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/numbers.h"
#include "base/text.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "commands/json.h"
#include "commands/render.h"
#include "exec/machine.h"
#include "exec/processes.h"
#include "figure/aim.h"
#include "panels/film.h"
#include "panels/film_parts.h"
#include "run/duration.h"
#include "run/memory.h"
#include "run/plan.h"
#include "run/prepared_run.h"
#include "run/range_pass.h"
#include "run/repeat_store.h"
#include "run/trial.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;

struct CheckArguments {
  SceneArguments scene;
  ShapeArguments shape;
  std::vector<std::string> outputs;
  int encoders = 0;
  bool json = false, quick = false;
};

std::string_view name(Scale scale) { return scale_names[static_cast<std::size_t>(scale)]; }
std::string_view name(LightOptions::Splat splat) { return LightOptions::splat_names[static_cast<std::size_t>(splat)]; }
std::string_view name(RangeMode mode) { return range_mode_names[static_cast<std::size_t>(mode) - 1]; }  // not of fixed

std::string place(const std::array<double, 3>& at) {
  return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", at[0], at[1], at[2]);
}

std::string light_line(const LightOptions& light) {
  std::string line = std::string(name(light.splat));
  if (light.splat == LightOptions::Splat::gaussian)
    line += fmt::format(" of {:.3g}{}", light.radius,
                        light.radius_unit == LightOptions::RadiusUnit::world    ? ""
                        : light.radius_unit == LightOptions::RadiusUnit::points ? " pt"
                                                                                : " pixels");
  line += light.exposure  ? fmt::format(", exposure {:.4g}", *light.exposure)
          : light.follows ? ", exposure follows"
                          : ", exposure auto";
  if (light.trails > 0) line += fmt::format(", trails of {:.4g} s", light.trails);
  return line;
}

std::string camera_line(const CameraOptions& camera) {
  const CameraPose& pose = camera.pose;
  const auto choice = [](const BodyChoice& bodies) {
    using Of = BodyChoice::Of;
    return bodies.of == Of::all     ? std::string("all bodies")
           : bodies.of == Of::group ? fmt::format("group {}", bodies.number)
                                    : fmt::format("body {}", bodies.number);
  };
  std::string line =
      camera.fit
          ? fmt::format("camera fitted to {} of {}, looking along {}, ", choice(camera.fit->bodies),
                        camera.fit->first ? "the first frame" : "all frames, which a pass before the video finds",
                        place({pose.target[0] - pose.position[0], pose.target[1] - pose.position[1],
                               pose.target[2] - pose.position[2]}))
          : fmt::format("camera at {} to {}, ", place(pose.position), place(pose.target));
  if (camera.follow)
    line += fmt::format("{}{}, ", camera.fit ? "following " : "measured from ", choice(*camera.follow));
  line += camera.projection == Projection::perspective ? fmt::format("fov {:.4g}", pose.fov)
                                                       : fmt::format("extent {:.4g}", pose.extent);
  if (pose.orbit != 0) line += fmt::format(", orbit {:.4g}", pose.orbit);
  if (!camera.keys.empty()) line += fmt::format(", {} keys", camera.keys.size());
  return line;
}

// How a scene is shown: "height in glow, range "symmetric", linear"; of bodies also the light and, as a second line,
// the camera.
std::vector<std::string> look_lines(const Scene& scene, const SourcePlan& plan, RangeMode mode) {
  const ViewOptions& view = scene.view;
  const std::string range =
      mode == RangeMode::fixed ? range_text(view.low, view.high) : fmt::format("\"{}\"", name(mode));
  std::vector<std::string> lines = {
      fmt::format("{}{} in {}, range {}, {}", plan.field,
                  view.hue.empty() ? "" : fmt::format(" as brightness, the angle of {}", fmt::join(view.hue, ", ")),
                  view.colormap, range, name(view.scale))};
  if (plan.bodies == 0) {
    const DrawContext stage = draw_context(scene, plan);
    if (stage.figure.within && !stage.figure.line)
      lines.push_back(seen_in_words(stage) + (stage.figure.keys.empty() ? "" : ", by [[view.key]] in parts"));
    return lines;
  }
  lines[0] += ", " + light_line(view.light);
  lines.push_back(camera_line(scene.camera));
  return lines;
}

nlohmann::ordered_json look_json(const Scene& scene, const SourcePlan& plan, RangeMode mode) {
  const ViewOptions& view = scene.view;
  nlohmann::ordered_json look = {{"field", plan.field}, {"colormap", view.colormap}};
  if (mode == RangeMode::fixed)
    look["range"] = {view.low, view.high};
  else
    look["range"] = name(mode);
  look["scale"] = name(view.scale);
  look["steps_per_frame"] = scene.animation.steps_per_frame;
  if (plan.bodies == 0) return look;
  const LightOptions& light = view.light;
  look["light"] = {{"splat", name(light.splat)}, {"radius", light.radius}, {"trails", light.trails}};
  look["light"]["exposure"] = light.exposure ? nlohmann::ordered_json(*light.exposure)
                                             : nlohmann::ordered_json(light.follows ? "follow" : "auto");
  const CameraPose& pose = scene.camera.pose;
  look["camera"] = {{"position", pose.position}, {"target", pose.target}, {"up", pose.up},
                    {"fov", pose.fov},           {"extent", pose.extent}, {"orbit", pose.orbit}};
  return look;
}

// Of this process at its largest so far.
std::size_t resident_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<std::size_t>(used.ru_maxrss) << 10;
}

nlohmann::ordered_json json_of(const Trial& trial, const Estimate& estimate) {
  return {{"frames", trial.frames},
          {"reached", trial.reached},
          {"part", trial.part},
          {"drawn_part", trial.drawn},
          {"start_seconds", estimate.start},
          {"simulation_seconds", estimate.simulation},
          {"picture_seconds", estimate.pictures},
          {"file_seconds", estimate.files},
          {"cpu_seconds", estimate.cpu}};
}

// What was found out about a run, for both forms of the answer.
struct Findings {
  const PreparedRun& run;
  std::string machine;
  RangeMode mode;
  Work work;
  std::vector<std::string> warnings, remarks;
  double usual;  // seconds
  std::optional<Trial> trial = {};
  std::optional<Estimate> estimate = {};  // from it
  std::size_t base = resident_bytes();    // of the program
  std::size_t kept = 0;                   // for frames of a first pass

  double seconds() const { return estimate ? estimate->seconds : usual; }
  // At the peak of the run, where it has memory of its own.
  double memory() const {
    return static_cast<double>(run.memory.executor + run.memory.host + base + kept) - (estimate ? estimate->memory : 0);
  }
};

// What the solver computes.
void print_work(const Findings& found) {
  const Scene& scene = found.run.scene;
  const SolverPlan& plan = found.run.plan;
  const Work& work = found.work;
  const std::int64_t steps = scene.animation.step_at(scene.animation.end() - 1), all = scene.animation.last_step();
  const std::string_view from =
      plan.bodies > 0 && scene.camera.fits_all_frames() ? "the camera comes" : "the range comes";
  fmt::print("simulated  {} steps, time {:.6g}{}\n", steps, static_cast<double>(steps) * plan.timestep,
             work.passes > 1 && all == steps ? fmt::format("; twice, because {} from every frame", from)
             : work.steps > static_cast<double>(steps)
                 ? fmt::format("; {:.0f} in all, because {} from every frame", work.steps, from)
                 : "");
  fmt::print("work       {:.3g} {}", work.updates, updates_in_words(plan));
  if (found.trial && found.trial->step.seconds > 0)
    fmt::print(", {} here", speed_in_words(plan, plan.updates_per_step / found.trial->step.seconds));
  fmt::print("\n");
}

// How long the whole run takes, and of what that is known.
void print_time(const Findings& found) {
  const Scene& scene = found.run.scene;
  if (!found.trial && !found.run.plan.create) return;  // of reading files nothing is usual
  if (!found.trial)
    return fmt::print("time       about {} {}; a guess\n", in_words(found.seconds()),
                      usual_speed_in_words(scene, found.run.plan, found.run.executor));
  const Estimate& estimate = *found.estimate;
  const Trial& trial = *found.trial;
  std::string basis = fmt::format("a trial of {} frame{}", trial.frames, trial.frames == 1 ? "" : "s");
  if (trial.frames == 0) basis = "a trial of some steps";
  if (trial.reached < scene.animation.end() && trial.frames > 0)
    basis += fmt::format(" before frame {} of {}", trial.reached, scene.animation.end());
  if (trial.drawn < 1) basis += fmt::format(" with {:.2g} % of the pixels", 100 * trial.drawn);
  if (trial.part < 1) basis += fmt::format(" and {:.2g} % of a step", 100 * trial.part);
  const bool short_run = estimate.start > 0.05 * estimate.seconds;
  fmt::print("time       about {} on an idle machine: {}{} for the simulation, {} for pictures, {} for files\n",
             in_words(estimate.seconds), short_run ? in_words(estimate.start) + " to start, " : "",
             in_words(estimate.simulation), in_words(estimate.pictures), in_words(estimate.files));
  fmt::print("           {} of core time; from {}{}\n", in_words(estimate.cpu), basis,
             trial.drawn < 1 || trial.part < 1 ? "; the rest is a guess" : "");
}

// Of the memory, what the solver takes for each body; nullopt for a grid.
std::optional<double> bytes_per_body(const Findings& found) {
  const SolverPlan& plan = found.run.plan;
  if (plan.bodies == 0) return std::nullopt;
  return static_cast<double>(plan.bytes(found.run.executor)) / static_cast<double>(plan.bodies);
}
// Of few bodies it says nothing of more: a part of the memory does not grow with their number.
constexpr std::size_t enough_bodies = 10000;

// Of each of several ranks.
std::vector<std::size_t> rank_bytes(const RenderMemory& memory) {
  std::vector<std::size_t> list;
  for (const RankMemory& rank : memory.ranks) list.push_back(rank.bytes);
  return list;
}

void print_ranks(const RenderMemory& memory) {
  const std::vector<std::size_t> bytes = rank_bytes(memory);
  if (bytes.size() < 2) return;
  const bool one = std::ranges::all_of(memory.ranks, &RankMemory::with_the_first);
  const auto text = [](std::size_t amount) { return format_bytes(static_cast<double>(amount)); };
  const auto [min, max] = std::minmax_element(bytes.begin() + 1, bytes.end());
  const std::string low = text(*min), high = text(*max);
  fmt::print("           {}{} for rank 0, which writes, {} for each other one\n",
             one ? "of it " : "each rank has memory of its own: ", text(bytes[0]),
             low == high ? high : fmt::format("{} to {}", low, high));
}

void print_json(const Findings& found) {
  const Scene& scene = found.run.scene;
  const SolverPlan& plan = found.run.plan;
  const Work& work = found.work;
  const AnimationOptions& animation = scene.animation;
  const double video_seconds = static_cast<double>(animation.pictures()) / animation.fps();
  const std::int64_t steps = animation.step_at(animation.end() - 1);
  const double typical = typical_speed(scene, plan, found.run.executor);
  const std::optional<double> a_body = bytes_per_body(found);
  nlohmann::ordered_json result = {{"scene", scene.file.string()},
                                   {"solver", scene.solver_kind},
                                   {"summary", plan.texts.summary},
                                   {"facts", plan.texts.facts},
                                   {"warnings", found.warnings},
                                   {"solver_remarks", found.remarks},
                                   {"executor", found.machine},
                                   {"width", scene.view.size.width},
                                   {"height", scene.view.size.height},
                                   {"look", look_json(scene, plan, found.mode)},
                                   {"frames", animation.frames},
                                   {"first", animation.first},
                                   {"last", animation.end() - 1},
                                   {"pictures", animation.pictures()},
                                   {"fps", animation.fps()},
                                   {"seconds", video_seconds},
                                   {"steps", steps},
                                   {"simulated_time", static_cast<double>(steps) * plan.timestep},
                                   {"passes", work.passes},
                                   {"memory_bytes", found.run.memory.executor},
                                   {"peak_memory_bytes", found.memory()},
                                   {"host_memory_bytes", found.run.memory.host},
                                   {"solver_memory_bytes", found.run.memory.solver},
                                   {"output_memory_bytes", found.run.memory.outputs},
                                   {"rank_memory_bytes", rank_bytes(found.run.memory)},
                                   {"bytes_per_body", a_body ? nlohmann::ordered_json(*a_body) : nullptr},
                                   {"checkpoint_bytes", saved_bytes(scene, plan)},
                                   {"cell_updates", work.updates},
                                   {"usual_updates_per_second", typical},
                                   {"estimated_seconds", found.seconds()},
                                   {"trial", nullptr},
                                   {"outputs", found.run.outputs},
                                   {"output_bytes", nullptr},
                                   {"remarks", found.run.needs.remarks}};
  if (found.run.info.kept > 0) result["loop_bytes"] = LoopStore::file_bytes(found.run.info);
  if (found.trial)
    result["trial"] = json_of(*found.trial, *found.estimate), result["output_bytes"] = found.estimate->bytes;
  print_result(result);
}

// On the standard output, as text that cannot steer a terminal.
template <class... Values>
void put(fmt::format_string<Values...> form, Values&&... values) {
  std::fputs(printable(fmt::format(form, std::forward<Values>(values)...)).c_str(), stdout);
}

// What a video has in addition to the frames of its scene, each once.
std::string extra_in_words(const AnimationOptions& animation) {
  if (animation.back() > 0) return fmt::format(" and {} of them backward,", animation.back());
  if (animation.overlap() > 0)
    return fmt::format(" of which the last {0} are blended into the first {0}, which leaves {1},", animation.overlap(),
                       animation.pictures());
  return animation.held() > 0 ? fmt::format(" and the last {} times more,", animation.held()) : "";
}

void print_text(const Findings& found) {
  const Scene& scene = found.run.scene;
  const SolverPlan& plan = found.run.plan;
  const AnimationOptions& animation = scene.animation;
  const double video_seconds = static_cast<double>(animation.pictures()) / animation.fps();
  const bool drawn = found.run.needs.drawn();
  for (const std::string& warning : found.warnings) say_message(LogLevel::warning, warning);
  for (const std::string& remark : found.remarks) say_message(LogLevel::info, remark);
  put("{}: no mistakes found\n", scene.file.string());
  if (!scene.title.empty()) put("title      {}\n", scene.title);
  put("solver     {}\n", plan.texts.summary);
  for (const std::string& fact : plan.texts.facts) put("           {}\n", fact);
  if (drawn) {
    const std::vector<std::string> lines = look_lines(scene, plan, found.mode);
    put("picture    {} x {}, {}\n", scene.view.size.width, scene.view.size.height, fmt::join(lines, "\n           "));
  } else {
    put("picture    none is drawn: no output shows one\n");
  }
  const std::int64_t shown = animation.end() - animation.first;
  const auto factor_of = [](const std::array<double, 2>& point) { return point[1]; };
  put("video      {} frames{}{} at {:.6g} a second: {:.2f} s, {} step{} a frame{}\n", shown,
      shown == animation.frames
          ? ""
          : fmt::format(", {} to {} of {},", animation.first, animation.end() - 1, animation.frames),
      extra_in_words(animation), animation.fps(), video_seconds, animation.steps_per_frame,
      animation.steps_per_frame == 1 ? "" : "s",
      animation.speed.empty()
          ? ""
          : fmt::format(", times {} by speed",
                        fmt::join(told_apart(std::ranges::min(animation.speed, {}, factor_of)[1],
                                             std::ranges::max(animation.speed, {}, factor_of)[1], 4),
                                  " to ")));
  if (const StreamInfo& info = found.run.info; info.kept > 0)
    put("           the loop keeps {} pictures in {}.part until it ends, {}\n", info.kept,
        LoopStore::file_of(found.run.outputs).string(), format_bytes(static_cast<double>(LoopStore::file_bytes(info))));
  if (plan.create) print_work(found);
  print_time(found);
  const std::optional<double> a_body = bytes_per_body(found);
  put("memory     about {}; set aside are {} on {}{}{}\n", format_bytes(found.memory()),
      format_bytes(static_cast<double>(found.run.memory.executor)), found.machine,
      a_body && plan.bodies >= enough_bodies ? fmt::format(", of it {:.0f} bytes a body for the solver", *a_body) : "",
      found.run.memory.host > 0
          ? fmt::format(", and {} on the host", format_bytes(static_cast<double>(found.run.memory.host)))
          : "");
  const auto part = [](std::size_t bytes) { return format_bytes(static_cast<double>(bytes)); };
  const RenderMemory& memory = found.run.memory;
  put("           {} for the solver, {} for pictures, {} for encoders and files\n", part(memory.solver),
      part(memory.executor + memory.host - memory.solver - memory.outputs), part(memory.outputs));
  print_ranks(memory);
  if (found.run.executor.backend() == Backend::cuda && processes().size > 1)
    put("exchange   between {} processes, through host memory; on one host --devices is faster\n", processes().size);
  if (const auto checkpoints = checkpoint_folder(found.run.outputs))
    put("checkpoint {} of it; up to three of that size in {}\n",
        format_bytes(static_cast<double>(saved_bytes(scene, plan))), checkpoints->string());
  for (std::size_t i = 0; i < found.run.outputs.size(); ++i)
    put("output     {}{}\n", found.run.outputs[i],
        found.estimate && found.run.outputs[i] != "null:" ? ", about " + format_bytes(found.estimate->bytes[i]) : "");
  for (const std::string& remark : found.run.needs.remarks) put("           {}\n", remark);
}

int run(const CheckArguments& arguments) {
  Scene scene = arguments.shape.applied_to(arguments.scene).load(arguments.outputs, Effort(2e9, 400 << 20));
  SolverPlan planned = plan_run(scene, arguments.scene.wanted_ranks());
  const Executor executor = arguments.scene.executor();
  // As if --overwrite were given: an existing output is not a mistake in the scene, but worth a warning.
  PreparedRun run(std::move(scene), std::move(planned), executor,
                  {.outputs = arguments.outputs,
                   .overwrite = true,
                   .checkpoints = {CheckpointInterval()},
                   .encoders = arguments.encoders});
  arguments.shape.say(arguments.scene.overrides, run.scene, run.outputs);
  std::error_code unknown;
  for (const std::string& output : run.outputs)
    if (fs::is_regular_file(output, unknown))
      say_message(LogLevel::warning, fmt::format("{} exists; render needs --overwrite to replace it", output));
  const SolverPlan& plan = run.plan;
  const RangeMode mode = run.rasterizer().range_mode();
  Findings found{.run = run,
                 .machine = arguments.scene.name_of(executor),
                 .mode = mode,
                 .work = Work(run.scene, plan, run.needs.drawn(), run.passes(), run.has_first_pass()),
                 .warnings = plan.texts.warnings,
                 .remarks = plan.texts.remarks,
                 .usual = 0};
  if (run.keeps_frames()) found.kept = KeptFrames::bytes(plan, run.scene.animation.frames);
  found.usual = usual_seconds(run.scene, plan, executor, found.work);
  std::ranges::move(picture_remarks(run), std::back_inserter(found.remarks));
  run.check_start();
  if (run.needs.drawn())
    if (const auto unseen = run.unseen_at_start()) found.warnings.push_back(*unseen);
  std::ranges::move(run.rasterizer().overlay_warnings(), std::back_inserter(found.warnings));
  if (!arguments.quick) {
    watch_interrupts(1);  // there are temporary files
    found.trial = try_run(run, [] { return interrupted() != 0; });
    if (interrupted()) return 128 + interrupted();
    if (found.trial) found.estimate = extrapolated(*found.trial, found.work, usable_cores());
  }
  if (const auto warning = long_run(run.scene, plan, found.seconds(),
                                    found.trial ? "on this machine" : usual_speed_in_words(run.scene, plan, executor)))
    if (plan.create) found.warnings.push_back(*warning);
  if (arguments.json)
    print_json(found);
  else
    print_text(found);
  return 0;
}

std::string words_for(const PanelOptions& panel) {
  return panel.plot             ? "a plot"
         : !panel.image.empty() ? "image " + panel.image
         : !panel.data.empty()  ? "data " + panel.data
                                : "scene " + panel.scene;
}

// The video of a figure, which is noted in `result` too.
std::string video_of(const Film& film, bool has_options, nlohmann::ordered_json& result) {
  const AnimationOptions& animation = film.scene.animation;
  const double seconds = static_cast<double>(animation.pictures()) / animation.fps();
  const Size size = film.scene.view.size;
  result["pictures"] = animation.pictures(), result["fps"] = animation.fps(), result["seconds"] = seconds;
  result["width"] = size.width, result["height"] = size.height;
  return fmt::format("{} x {}, {} pictures at {:.6g} a second: {:.2f} s; simreel figure {} -o x.mp4{}", size.width,
                     size.height, animation.pictures(), animation.fps(), seconds, film.scene.file.string(),
                     has_options ? " with the same options" : "");
}

int run_parts(const CheckArguments& arguments, const ShapeArguments& shape, const FigureFile& file,
              const std::vector<std::string>& overrides) {
  const std::vector<ScenePart> parts = load_parts(file);
  const Executor executor = arguments.scene.executor();
  const Film film = plan_parts(parts, file, executor);
  shape.say({}, film.scene, {"x.mp4"});
  nlohmann::ordered_json list = nlohmann::ordered_json::array(), result = {{"figure", file.file.string()}};
  std::vector<std::string> lines;
  double seconds = 0;
  for (const ScenePart& part : parts) {
    const bool twice = comes_from_all_frames(part.scene.view.range) || part.scene.camera.fits_all_frames();
    const Work work(part.scene, part.plan, true, twice ? 2 : 1, twice);
    const double own = usual_seconds(part.scene, part.plan, executor, work);
    seconds += own;
    list.push_back({{"scene", part.options.scene}, {"first", part.start}, {"frames", part.count}, {"seconds", own}});
    lines.push_back(fmt::format("{} to {}: scene {}{}", part.start, part.start + part.count - 1, part.options.scene,
                                part.fade == 0       ? ""
                                : part.options.black ? fmt::format(", through black within {} frames", part.fade)
                                                     : fmt::format(", over {} frames from the one before", part.fade)));
  }
  const std::size_t bytes = film.plan.bytes(executor);
  result["parts"] = list, result["estimated_seconds"] = seconds, result["memory_bytes"] = bytes;
  const std::string video = video_of(film, !overrides.empty(), result);
  if (arguments.json) {
    print_result(result);
    return 0;
  }
  for (const std::string& warning : film.plan.texts.warnings) say_message(LogLevel::warning, warning);
  put("{}: a video of parts, no mistakes found\n", file.file.string());
  put("frames     {}\n", fmt::join(lines, "\n           "));
  put("video      {}\n", video);
  put("time       about {} at speeds that are usual\n", in_words(seconds));
  put("memory     {} for at most two parts at a time, without encoders\n", format_bytes(static_cast<double>(bytes)));
  return 0;
}

// Of a figure: its panels, and the video that it gives.
int run_figure(const CheckArguments& arguments) {
  const SceneArguments& scene = arguments.scene;
  if (!scene.overrides.empty() || scene.label || !arguments.outputs.empty())
    throw UsageError("{} is a figure of panels; of it `check` takes no -o, --set or --label", scene.scene);
  scene.confine.apply(fs::path(scene.scene).parent_path());
  ShapeArguments shape = arguments.shape;
  shape.table = "figure";
  const std::vector<std::string> overrides = shape.applied_to(scene).overrides;
  const FigureFile file = load_figure_file(scene.scene, overrides);
  if (!file.parts.empty()) return run_parts(arguments, shape, file, overrides);
  PanelFigure figure(file);
  const Executor executor = scene.executor();
  nlohmann::ordered_json panels = nlohmann::ordered_json::array(), result = {{"figure", scene.scene}};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < file.panels.size(); ++i) {
    panels.push_back({{"letter", letter_of(i)}, {"shows", words_for(file.panels[i])}});
    lines.push_back(fmt::format("{}: {}", letter_of(i), words_for(file.panels[i])));
  }
  result["panels"] = panels;
  std::string video = "none: no panel moves";
  if (!overrides.empty() || std::ranges::any_of(file.panels, &PanelOptions::moves)) {
    const Film film = plan_film(figure, file, executor);
    shape.say({}, film.scene, {"x.mp4"});
    video = video_of(film, !overrides.empty(), result);
  }
  if (arguments.json) {
    print_result(result);
    return 0;
  }
  put("{}: a figure, no mistakes found\n", scene.scene);
  put("panels     {}\n", fmt::join(lines, "\n           "));
  if (overrides.empty())  // those are for videos
    put("page       {} x {} pixels; simreel figure {} -o x.pdf\n", figure.size().width, figure.size().height,
        scene.scene);
  put("video      {}\n", video);
  return 0;
}

// With --json a mistake is a result, too; main prints it and gives the exit code as always.
int run_or_tell(const CheckArguments& arguments) {
  try {
    return is_figure_file(arguments.scene.scene) ? run_figure(arguments) : run(arguments);
  } catch (const UsageError& error) {
    const std::string& name = arguments.scene.scene;
    if (arguments.json) print_result({{"scene", name}, {"mistakes", mistakes_json(error, name)}});
    throw;
  }
}

}  // namespace

void add_check(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("check", "Look for mistakes in a scene and say what it would take, without running it");
  const auto arguments = std::make_shared<CheckArguments>();
  arguments->scene.add_to(*command);
  arguments->scene.add_label_to(*command);
  arguments->shape.add_to(*command);
  add_option(*command, "-o,--output", arguments->outputs, "OUT", "Outputs as for render");
  command->add_option("--encoders", arguments->encoders, "As for render")->check(within(0, 256));
  command->add_flag("--json", arguments->json, "Print JSON");
  command->add_flag("--quick", arguments->quick,
                    "Look for mistakes only: what the run takes is then a guess, and not tried with a few frames");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run_or_tell(*arguments); }; });
}

}  // namespace simreel
