#include "run/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "exec/processes.h"
#include "raster/color/colormap.h"
#include "run/ring.h"
#include "sink/endless.h"
#include "sink/kinds.h"
#include "sink/video/video.h"

namespace simreel {
namespace {

constexpr std::int64_t usual_frames = 10'000;  // of a run without an end: labels leave room for the numbers of so many

// Why pictures depend on the number of frames; empty if they do not.
std::string bound_to_frames(const Scene& scene, const SourcePlan& plan) {
  const bool bodies = plan.bodies > 0;
  if (comes_from_all_frames(scene.view.range) && (!bodies || scene.view.range_given))
    return "the range of the colours comes from all frames, so more frames may change it: set range in [view]";
  if (scene.figure.given && !scene.figure.time.empty())
    return "\"time\" in [figure] leaves room for the last number of the run, so more frames may move it";
  const auto& keys = scene.camera.keys;
  const bool orbits = scene.camera.pose.orbit != 0 ||
                      std::ranges::any_of(keys, [](const CameraKey& key) { return key.pose.orbit != 0; });
  if (bodies && orbits) return "\"orbit\" in [camera] is an angle over all frames, so more frames change every picture";
  return "";
}

std::string bytes_in_words(std::size_t bytes) { return format_bytes(static_cast<double>(bytes)); }

// What the run takes of fields that lie on several ranks.
ShownFields shown_fields(const Scene& scene, const SourcePlan& plan, const SinkNeeds& sinks) {
  ShownFields shown;
  if (sinks.drawn()) shown.picture = Rasterizer::divided_size(scene.view, particle_stage(scene, plan));
  if (shown.picture) shown.colors = Rasterizer::color_count(scene.view);
  shown.whole = sinks.state || (sinks.drawn() && !shown.picture);
  return shown;
}

// How many ranks a run needs that does not fit, for the end of a message; empty if no number is enough.
std::string way_to_divide(const SolverPlan& plan, const Executor& executor, const ShownFields& shown, std::size_t all,
                          std::size_t available) {
  const std::size_t own = plan.bytes(executor) + plan.shown_bytes(executor, shown);
  const int count = ranks_that_fit(plan, executor, shown, available, all - own);
  if (count < 2) return "";
  return executor.backend() == Backend::cuda
             ? fmt::format(", or divide the run among {} such GPUs, with --devices or mpirun", count)
             : fmt::format(", or divide the run among {} such hosts, with mpirun", count);
}

void check_other_ranks(const Scene& scene, const SourcePlan& plan, const std::vector<RankMemory>& ranks) {
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    const RankMemory& memory = ranks[rank];
    if (memory.with_the_first || memory.bytes <= memory.available) continue;
    scene.solver.fail(plan.size_key,
                      fmt::format("the part of {} needs {} of memory, and {} is available there; take more "
                                  "ranks, or reduce {}",
                                  Communicator::name_of(static_cast<int>(rank), memory.host),
                                  bytes_in_words(memory.bytes), bytes_in_words(memory.available), plan.size_key));
  }
}

}  // namespace

ParticleStage particle_stage(const Scene& scene, const SourcePlan& plan) {
  ParticleStage stage{
      plan.bodies,
      plan.frame_interval,
      scene.camera,
      scene.animation,
      plan.grid.cell_aspect,
      {scene.figure, plan.field, plan.unit, plan.grid.cells, plan.diagnostics, !plan.grid.vectors[0].empty()}};
  stage.figure.axes = plan.grid.axes;
  stage.figure.times = plan.times;
  stage.figure.time_unit = plan.time_unit;
  stage.figure.calendar = plan.calendar;
  stage.figure.endless = scene.animation.frames == endless_frames;
  if (stage.figure.endless) stage.animation.frames = usual_frames;
  return stage;
}

void fit_to_print(Scene& scene, const SourcePlan& plan) {
  FigureOptions& figure = scene.figure;
  if (figure.only != FigureOptions::Only::all) {  // the letters keep the colour that they have beside the picture
    if (figure.theme == FigureOptions::Theme::automatic) figure.theme = Rasterizer::theme_on(scene.view.background);
    scene.view.background.a = 0;
  }
  scene.view.size = Rasterizer::picture_size(scene.view, particle_stage(scene, plan));
}

std::string default_output(const Scene& scene) {
  if (const std::filesystem::path& path = scene.output.path; !path.empty()) {
    if (const std::string why = refusal_to_write(path); !why.empty() && path != "-" && path != "null:")
      throw UsageError(fmt::format("{}\"path\" in [output]: {}: {}; or name the output with -o",
                                   scene.output.position_of("path").before(), path.string(), why));
    return path.string();
  }
  const std::string stem = scene.file == stream_name ? "stdin" : scene.file.stem().string();
  return scene.resolve(stem + default_extension(scene.output)).string();
}

StreamInfo stream_info(const Scene& scene, const SourcePlan& plan, bool overwrite) {
  StreamInfo info;
  info.size = scene.view.size;
  info.fps_numerator = scene.animation.fps_numerator;
  info.fps_denominator = scene.animation.fps_denominator;
  info.frames = scene.animation.frames;
  info.diagnostics = plan.diagnostics;
  info.fields = plan.state_fields;
  info.state_bytes = state_bytes(plan);
  info.frame_interval = plan.frame_interval;
  info.axes = plan.grid.axes;
  info.alpha = scene.view.background.a < 255;
  if (scene.figure.has_print_size())
    info.dpi = scene.figure.width ? scene.view.size.width / *scene.figure.width * FigureOptions::mm_per_inch
                                  : scene.figure.dpi;
  info.title = scene.title;
  info.scene_text = scene.text;
  info.overrides = scene.overrides;
  info.overwrite = overwrite;
  info.bound_to_frames = bound_to_frames(scene, plan);
  if (!scene.file.empty() && scene.file != stream_name) info.inputs.push_back(scene.file.string());
  info.inputs.insert(info.inputs.end(), plan.inputs.begin(), plan.inputs.end());
  if (const std::string colormap = colormap_file(scene.view.colormap); !colormap.empty())
    info.inputs.push_back(colormap);
  return info;
}

std::size_t state_bytes(const SourcePlan& plan) {
  return plan.view_bytes * plan.state_fields.size() + plan.grid.solid_bytes;
}

std::size_t saved_bytes(const Scene& scene, const SourcePlan& plan) {
  return plan.saved_bytes + ParticlePainter::trail_bytes(scene.view, particle_stage(scene, plan));
}

std::size_t kept_bytes(const Scene& scene, const SourcePlan& plan) {
  const std::size_t whole = saved_bytes(scene, plan);
  if (plan.bodies > 0) return whole;  // every process has all of them
  const auto all = static_cast<std::size_t>(processes().size), here = static_cast<std::size_t>(processes().local_size);
  return (whole * here + all - 1) / all;
}

RenderMemory render_memory(const Scene& scene, const SolverPlan& plan, const Executor& executor,
                           const SinkNeeds& sinks) {
  const std::size_t frames =
      FrameRing::memory_bytes(sinks.layouts, scene.view.size, sinks.state ? state_bytes(plan) : 0);
  const ParticleStage stage = particle_stage(scene, plan);
  const std::size_t trails = ParticlePainter::trail_bytes(scene.view, stage);
  const std::size_t model = plan.bytes(executor) + plan.shown_bytes(executor, shown_fields(scene, plan, sinks)) +
                            Rasterizer::memory_bytes(executor, scene.view, stage, sinks.converted()) +
                            (plan.grid.outlined ? FieldPainter::outline_bytes(scene.view) : 0);
  const std::size_t host = plan.made_bytes + sinks.memory_bytes;
  const bool one = executor.backend() == Backend::cpu;  // one memory
  // On a GPU every slot exists twice: the device writes one copy, the sinks read the other.
  RenderMemory memory{one ? model + frames + host : model + frames, one ? 0 : frames + host, trails, {}, {}};
  if (!sinks.packets) return memory;
  const auto rest = [](std::size_t free, std::size_t taken) { return free - std::min(free, taken); };
  const std::size_t host_free = one ? 0 : rest(host_memory_available(), memory.host);
  memory.packets =
      plan_packets(executor, scene, *sinks.packets, rest(executor.memory_available(), memory.executor), host_free);
  memory.executor += memory.packets.executor_bytes + (one ? memory.packets.host_bytes : 0);
  memory.host += one ? 0 : memory.packets.host_bytes;
  return memory;
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

RenderMemory check_memory(const Scene& scene, const SolverPlan& plan, const Executor& executor,
                          const SinkNeeds& sinks) {
  // First, because ranks that are processes connect their GPUs for it, which takes memory.
  const ShownFields shown = shown_fields(scene, plan, sinks);
  std::vector<RankMemory> ranks = memory_of_ranks(plan, executor, shown);
  RenderMemory memory = render_memory(scene, plan, executor, sinks);
  const std::size_t available = executor.memory_available();
  if (memory.executor > available && memory.trails > memory.executor / 2)
    throw UsageError(fmt::format(
        "{}the paths of {} bodies for trails = {:.4g} seconds take {} of memory, and {} has {} available; reduce "
        "trails, the number of bodies or fps",
        scene.view.light.trails_position.before(), plan.bodies, scene.view.light.trails, bytes_in_words(memory.trails),
        executor.name(), bytes_in_words(available)));
  const bool on_gpu = executor.backend() == Backend::cuda;
  if (memory.executor > available)
    throw UsageError(
        scene.solver.position(plan.size_key).before() +
            fmt::format("the run needs {} of memory, {} of it for the {}, and {} has {} available; reduce {}the [view] "
                        "size{}{}",
                        bytes_in_words(memory.executor), bytes_in_words(plan.bytes(executor)),
                        scene.solver_kind.empty() ? "arrays" : "solver", executor.name(), bytes_in_words(available),
                        plan.size_key.empty() ? "" : fmt::format("{} or ", plan.size_key),
                        way_to_divide(plan, executor, shown, memory.executor, available), on_gpu ? ", or " : ""),
        on_gpu ? WayOut::cpu : WayOut::none);
  if (memory.host > host_memory_available())
    throw UsageError(
        fmt::format("{}frames and encoders need {} of host memory, and {} is available; reduce the [view] size",
                    scene.before(), bytes_in_words(memory.host), bytes_in_words(host_memory_available())));
  check_other_ranks(scene, plan, ranks);
  if (!ranks.empty()) ranks[0].bytes += memory.executor - plan.bytes(executor) - plan.shown_bytes(executor, shown);
  memory.ranks = std::move(ranks);
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
