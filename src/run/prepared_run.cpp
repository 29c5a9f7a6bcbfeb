#include "run/prepared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/input_image.h"
#include "base/limits.h"
#include "run/plan.h"
#include "run/range_pass.h"
#include "run/repeat_store.h"
#include "sink/outputs.h"

namespace simreel {

SolverPlan plan_run(Scene& scene, const Ranks& ranks) {
  const ImageCount count(limits::scene_image_pixels);
  load_overlay_images(scene.overlays);
  SolverPlan plan = plan_solver(scene, ranks);
  fit_to_print(scene, plan);
  return plan;
}

PreparedRun::PreparedRun(Scene of, SolverPlan planned, const Executor& on, const RunOptions& options)
    : scene(std::move(of)),
      plan(std::move(planned)),
      executor(on),
      outputs(outputs_of(options.outputs, scene)),
      info(stream_info(scene, plan, options.overwrite)),
      checkpoints_(options.checkpoints) {
  if (!options.stills.empty()) {
    stills = stills_at(scene, plan, options.stills);
    check_stills(outputs, stills.size());
    end = stills.back() + 1;
    info.frames = static_cast<std::int64_t>(stills.size());
  } else {
    select_frame_range();
  }
  info.stop_asked = options.stop_asked;
  info.encoders = options.encoders;
  info.log = options.log;
  if (options.resume == Resume::yes) stage = RunStage::interrupted;
  if (options.resume == Resume::automatic) stage = find_stage(outputs, scene.output, info);
  if (stage != RunStage::fresh) return;
  check_memory(check_sinks(outputs, scene.output, info));
  if (info.kept > 0) const LoopStore trial(LoopStore::file_of(outputs), info, Opening::trial);
}

PreparedRun::PreparedRun(Scene of, SolverPlan planned, const Executor& on, std::vector<std::unique_ptr<Sink>> sinks)
    : scene(std::move(of)), plan(std::move(planned)), executor(on), open{.sinks = std::move(sinks)} {
  check_memory(needs_of(open.sinks));
}

void PreparedRun::select_frame_range() {
  const AnimationOptions& animation = scene.animation;
  const auto refuse = [&](const char* key, const std::string& why) {
    throw UsageError("{}\"{}\" in [animation] {}", animation.positions.at(key).before(), key, why);
  };
  first = animation.first;
  end = animation.end();
  const bool endless = animation.frames == endless_frames;
  if (end > animation.frames)
    refuse("last", fmt::format("is {}, and there are {} frames, from 0; leave it out for the last of them", end - 1,
                               animation.frames));
  if (first >= end)
    refuse("first",
           fmt::format("is {}, and the last frame is {}; take an earlier one, or more frames", first, end - 1));
  if (std::ranges::any_of(outputs, [](const std::string& output) { return kind_of(output).shows_pictures(); })) {
    held = animation.held();
    if (animation.loop != AnimationOptions::Loop::none) plan_loop();
  }
  info.first = first;
  info.held = held;
  info.frames = endless ? endless_frames : end - first + held;
  if (animation.fade_out > 0 && endless)
    refuse("fade_out", "needs to know where the video ends; set frames, or leave it out");
  if (const double seconds = static_cast<double>(animation.pictures()) / animation.fps();
      animation.fade_in + animation.fade_out > seconds)
    refuse(animation.fade_in > 0 ? "fade_in" : "fade_out",
           fmt::format("is too long: the fades take {:.6g} s, and the video has {:.6g} s; take shorter ones, or a "
                       "longer hold_last",
                       animation.fade_in + animation.fade_out, seconds));
  for (const std::string& output : outputs) {
    const SinkKind& kind = kind_of(output);
    if (kind.content == Content::page && animation.fades())
      refuse(animation.fade_in > 0 ? "fade_in" : "fade_out",
             fmt::format("is for pictures of pixels, and {} is a page of lines; write a picture, or leave it out",
                         output));
    if (kind.content == Content::picture && !kind.numbered() && animation.fade_out > 0)
      refuse("fade_out",
             fmt::format("ends in the background, and {} shows that end; write it with --at, or leave it out", output));
  }
}

void PreparedRun::plan_loop() {
  const AnimationOptions& animation = scene.animation;
  const auto refuse = [&](const char* key, const std::string& why) {
    throw UsageError("{}\"{}\" in [animation] {}", animation.positions.at(key).before(), key, why);
  };
  if (animation.frames == endless_frames)
    refuse("loop", "needs to know where the video ends; set frames, or leave it out");
  const std::int64_t frames = end - first, overlap = animation.overlap();
  if (animation.loop == AnimationOptions::Loop::pingpong) {
    if (frames < 3)
      refuse("loop",
             fmt::format("goes forward and back over at least 3 frames, and there {}; take more, or leave it out",
                         frames == 1 ? "is one" : "are 2"));
    held = info.kept = animation.back();
    info.kept_first = first + 1;
  } else {
    const double seconds = static_cast<double>(frames) / animation.fps();
    if (overlap < 1)
      refuse("loop_fade", fmt::format("is {:.6g} s, and a frame takes {:.6g} s; take a longer one", animation.loop_fade,
                                      1 / animation.fps()));
    if (2 * overlap > frames)
      refuse("loop_fade",
             fmt::format("is too long: it takes {:.6g} s at both ends, and the frames take {:.6g} s; take a shorter "
                         "one, or more frames",
                         animation.loop_fade, seconds));
    info.kept = overlap;
    info.kept_first = first;
    first += overlap;
  }
  if (LoopStore::file_of(outputs).empty())
    refuse("loop", "keeps pictures in a file next to the first output, and no output is one; name one, as -o x.y4m");
  for (const std::string& output : outputs) {
    const SinkKind& kind = kind_of(output);
    if (kind.content == Content::page)
      refuse("loop",
             fmt::format("is for pictures of pixels, and {} is a page of lines; write it with --at, or leave it "
                         "out",
                         output));
    if (kind.content != Content::picture) continue;
    if (!kind.numbered())
      refuse("loop",
             fmt::format("ends where it began, and {} shows that end; write it with --at, or leave it out", output));
    if (scene.output.depth != OutputOptions{}.depth)
      throw UsageError(
          "{}depth = {} in [output] is not for a \"loop\" in [animation], which has 8 bits; leave one of "
          "them out",
          scene.output.position_of("depth").before(), scene.output.depth);
  }
}

void PreparedRun::check_memory(const SinkNeeds& of) {
  needs = of;
  if (info.kept > 0) needs.memory_bytes += LoopStore::memory_bytes(scene.view.size);
  if (checkpoints_.any() && checkpoint_folder(outputs)) needs.memory_bytes += kept_bytes(scene, plan);
  memory = simreel::check_memory(scene, plan, executor, needs);
}

Rasterizer& PreparedRun::rasterizer() {
  if (!rasterizer_) rasterizer_.emplace(executor, scene.view, draw_context(scene, plan));
  return *rasterizer_;
}

bool PreparedRun::has_first_pass() {
  return needs.drawn() && (comes_from_all_frames(rasterizer().range_mode()) || rasterizer().fits_all_frames());
}

// Only where every frame shows one field of one solver, and nothing that a kept frame lacks.
bool PreparedRun::keeps_frames() {
  if (!has_first_pass() || !plan.create || plan.ranks.count > 1 || plan.grid.path_bytes > 0) return false;
  if (needs.state || needs.diagnostics || !stills.empty() || checkpoints_.keep_end) return false;
  if (rasterizer().wants_hue() || rasterizer().figure_wants_vectors() || rasterizer().figure_wants_diagnostics())
    return false;
  return KeptFrames::bytes(plan, scene.animation.frames) <= memory.spare;
}

std::optional<std::string> PreparedRun::unseen_at_start() {
  constexpr std::size_t max = 1 << 20;
  if (plan.bodies == 0 || plan.bodies > max || scene.animation.start > 0 || first > 0) return {};
  const std::unique_ptr<Source> source = plan.open(executor);
  return rasterizer().unseen(source->view(plan.field), 0);
}

void PreparedRun::check_start() {
  constexpr std::size_t max = 1 << 24;
  const std::size_t cells = static_cast<std::size_t>(plan.grid.cells[0]) * static_cast<std::size_t>(plan.grid.cells[1]);
  if (plan.bodies > 0 || cells > max || !plan.create || !needs.drawn() || scene.animation.start > 0) return;
  if (scene.view.scale != Scale::log || rasterizer().range_mode() == RangeMode::fixed) return;
  if (!scene.effort->bears(1000.0 * static_cast<double>(cells), 0)) return;
  const std::unique_ptr<Source> source = plan.open(executor);
  rasterizer().set_range(rasterizer().measure(source->view(plan.field), 0));
}

void PreparedRun::open_outputs() {
  rasterizer();
  const bool resume = stage == RunStage::interrupted;
  open = (resume ? open_interrupted : open_fresh)(outputs, scene.output, info, checkpoints_);
  if (resume) check_memory(needs_of(open.sinks));
}

std::vector<std::string> picture_remarks(const PreparedRun& run) {
  const Scene& scene = run.scene;
  const SolverPlan& plan = run.plan;
  if (!run.needs.drawn() || plan.bodies > 0 || plan.grid.cells[0] == 0) return {};
  const DrawContext stage = draw_context(scene, plan);
  const FigureContext& figure = stage.figure;
  std::vector<std::string> remarks = figure.remarks;
  for (const PlannedGrid::Thing& thing : plan.grid.things) {
    const auto beside = [&](std::size_t i) {  // cells begin half a cell before their centres
      const double low = figure.first[i] - 0.5, high = low + figure.grid[i];
      const bool in_grid = thing.max[i] > -0.5 && thing.min[i] < plan.grid.cells[i] - 0.5;
      return in_grid && (thing.max[i] < low || thing.min[i] > high);
    };
    if (!beside(0) && !beside(1)) continue;
    const bool layers = plan.grid.without_layers && !scene.view.layers && !scene.view.crop;
    remarks.push_back(fmt::format(
        "{} lies outside what the picture shows, cells {:.6g} to {:.6g} along x and {:.6g} to {:.6g} along y{}",
        thing.name, figure.first[0], figure.first[0] + figure.grid[0] - 1, figure.first[1],
        figure.first[1] + figure.grid[1] - 1,
        layers ? ": it is in an absorbing layer, which damps it; layers = true in [view] shows those" : ""));
  }
  // Bars at the sides of the field.
  const auto [nx, ny] = stage.fills.value_or(figure.grid);
  const Size size = scene.view.size;
  const double wide = nx / (ny * stage.cell_aspect) * size.height / size.width, share = std::min(wide, 1 / wide);
  const double length = share * (wide > 1 ? size.height : size.width);  // of the side that the field does not fill
  constexpr double small = 0.45;
  const bool fills = figure.options.given || figure.covers || figure.options.aspect == FigureOptions::Aspect::automatic;
  if (share < small && length >= 16 && !fills && std::min(nx, ny) >= 8) {  // fewer are nearly a line
    const int even = static_cast<int>(std::lround(length / 2)) * 2;
    remarks.push_back(fmt::format(
        "the field fills {:.0f} % of the picture, and bars the rest: size = [{}, {}] in [view] has its proportions, "
        "fit = \"cover\" fills the picture with its middle",
        100 * share, wide > 1 ? size.width : even, wide > 1 ? even : size.height));
  }
  return remarks;
}

}  // namespace simreel
