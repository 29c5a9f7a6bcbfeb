#include "panels/film.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/grid_axis.h"
#include "panels/runs.h"
#include "run/duration.h"
#include "run/memory.h"
#include "run/plan.h"

namespace simreel {
namespace {

// With the steps of the first scene, which give the times that texts over the page show.
AnimationOptions animation_of(const FigureFile& file, const ScenePanel& first) {
  const AnimationOptions& own = first.scene().animation;
  AnimationOptions animation = file.animation;
  animation.steps_per_frame = own.steps_per_frame;
  animation.start = own.start;
  animation.speed = own.speed;
  if (file.gives_fps)  // its times are seconds of the scene's own video
    for (auto& [time, factor] : animation.speed) time *= own.fps() / animation.fps();
  else
    animation.fps_numerator = own.fps_numerator, animation.fps_denominator = own.fps_denominator;
  return animation;
}

// Which frame each scene shows in a frame of the video.
class FilmClock {
 public:
  FilmClock(const PanelFigure& figure, const FigureFile& file) : by_time_(file.step == FigureFile::Step::time) {
    for (const ScenePanel* panel : figure.scenes())
      if (!first_ && !panel->stands()) first_ = panel;
    if (!first_)
      throw UsageError(
          "{}: no panel moves: each is an image, a plot or one \"time\" or \"frame\" of a scene; write "
          "a page, -o x.pdf, or leave that key out",
          file.file.string());
    frames_ = file.frames.value_or(0);
    if (file.duration) frames_ = std::max<std::int64_t>(animation_of(file, *first_).frames_in(*file.duration), 1);
    for (const ScenePanel* panel : figure.scenes()) {
      if (panel->stands()) continue;
      if (by_time_) time_of(*panel, 0);
      if (!file.frames && !file.duration && (!by_time_ || panel == first_))
        frames_ = std::max(frames_, frames_of(*panel));
    }
    check_growth(figure, file);
  }

  std::int64_t frames() const { return frames_; }
  const ScenePanel& first() const { return *first_; }

  std::int64_t frame_of(const ScenePanel& panel, std::int64_t frame) const {
    if (panel.stands()) return panel.frame();
    const std::int64_t last = frames_of(panel) - 1, own = std::min(frame, frames_of(*first_) - 1);
    if (!by_time_) return std::min(frame, last);
    if (&panel == first_) return own;
    const double slack = 1e-9;  // of a frame: rounding makes no time later
    const double time = time_of(*first_, own);
    const auto frames = std::views::iota(std::int64_t{1}, last + 1);
    const auto later = std::ranges::partition_point(frames, [&](std::int64_t k) {
      const double before = time_of(panel, k - 1), at = time_of(panel, k);
      return at <= time + slack * (at - before);
    });
    return static_cast<std::int64_t>(later - frames.begin());  // the frame before it
  }

 private:
  static std::int64_t frames_of(const ScenePanel& panel) { return panel.scene().animation.frames; }
  static double time_of(const ScenePanel& panel, std::int64_t frame) {
    try {
      return time_at(panel.scene(), panel.plan(), frame);
    } catch (const UsageError& error) {
      throw UsageError("{}lines that grow, and step = \"time\", need its times: {}", place_of(panel.options()),
                       error.what());
    }
  }

  // Lines that do not say whose they are need one time for all panels.
  void check_growth(const PanelFigure& figure, const FigureFile& file) const {
    for (const PanelOptions& panel : file.panels) {
      if (!panel.plot || !panel.plot->grow) continue;
      for (const PanelPlot::Line& line : panel.plot->lines) {
        const auto last = [&](std::size_t k) {
          const ScenePanel& scene = figure.scene(k);
          return time_of(scene, std::min(frames_, frames_of(scene)) - 1);
        };
        const double end = last(line.clock);
        if (by_time_ || !line.panel.empty()) continue;
        for (std::size_t i = line.clock + 1; i < file.panels.size(); ++i) {
          if (!file.panels[i].moves()) continue;
          const double other = last(i);
          if (std::abs(other - end) > 1e-9 * std::abs(end))
            throw UsageError(
                "{}the line grows with the time of a scene, and panel {} ends at {:.6g}, panel {} at {:.6g}; write the "
                "one whose scene the file is of: panel = \"{}\"",
                line.position.before(), letter_of(line.clock), end, letter_of(i), other, letter_of(i));
        }
      }
    }
  }

  bool by_time_;
  const ScenePanel* first_ = nullptr;  // that moves
  std::int64_t frames_ = 0;
};

// Where overlays lie: mm from the lower left corner of the page.
GridAxes page_axes(const PanelFigure& figure, Size video) {
  const auto [x, y] = page_in(video, figure.size());
  const double mm = figure.mm_per_pixel();
  const auto axis = [mm](int before) { return GridAxis{(0.5 - before) * mm, mm, "", ""}; };
  return {axis(x), axis(video.height - figure.size().height - y)};
}

// As the file says, or the page with even sides: videos store the colours of four pixels together.
Size size_of(const PanelFigure& figure, const FigureFile& file) {
  const Size page = figure.size();
  return file.size.value_or(Size{page.width + page.width % 2, page.height + page.height % 2});
}

}  // namespace

FrameFacts end_of_film(const PanelFigure& figure, const FigureFile& file, DrawContext& stage) {
  const FilmClock clock(figure, file);
  const ScenePanel& first = clock.first();
  stage.animation = animation_of(file, first);
  stage.animation.frames = clock.frames();
  stage.interval = first.plan().frame_interval;
  stage.figure.times = first.plan().times;
  stage.figure.options.units.step = first.scene().figure.units.step;
  FrameFacts last;
  last.frame = clock.frames() - 1;
  const std::int64_t own = clock.frame_of(first, last.frame);
  last.step = first.scene().animation.step_at(own);
  if (file.step == FigureFile::Step::time) last.time = time_at(first.scene(), first.plan(), own);
  return last;
}

Film begin_film(const FigureFile& file, const AnimationOptions& animation, std::int64_t frames, Size size,
                const std::vector<OverlayOptions>& overlays) {
  ViewDefaults look;
  look.shown = FieldInfo{.name = "picture", .unit = ""};
  look.steps_per_second = 0;
  look.frames = frames;
  Film film{.scene = parse_view("", ""), .plan = {}};
  Scene& scene = film.scene;
  scene.file = file.file;
  scene.text = file.text;
  scene.overrides = file.overrides;
  scene.title = file.print.title;
  scene.animation = animation;
  scene.output = file.output;
  scene.view.size = size;
  scene.view.range = RangeMode::first;  // not used
  scene.overlays = overlays;
  complete_scene(scene, look);
  film.plan.field = look.shown->name;
  film.plan.grid.cells = {size.width, size.height};
  return film;
}

Film plan_film(PanelFigure& figure, const FigureFile& file, const Executor& executor) {
  figure.prepare(executor);
  const FilmClock clock(figure, file);
  const ScenePanel& first = clock.first();
  Film film = begin_film(file, animation_of(file, first), clock.frames(), size_of(figure, file), figure.overlays());
  Scene& scene = film.scene;
  scene.view.background = {255, 255, 255, 255};
  scene.figure.dpi = file.print.dpi;
  scene.figure.units.step = first.scene().figure.units.step;
  scene.animation.steps_per_frame = first.scene().animation.steps_per_frame;

  SolverPlan& plan = film.plan;
  plan.grid.axes = page_axes(figure, scene.view.size);
  plan.frame_interval = first.plan().frame_interval;
  plan.times = first.plan().times;
  plan.inputs = figure.inputs();
  plan.inputs.erase(plan.inputs.begin());  // the file itself
  const std::size_t pixels = plan.grid.cells[0] * static_cast<std::size_t>(plan.grid.cells[1]);
  const std::vector<PanelRun> runs = runs_of(figure.scenes(), true);
  const std::size_t bytes = pixels * sizeof(Color) + bytes_of(runs, executor) + figure.image_bytes();
  for (const ScenePanel* panel : figure.scenes())
    if (const AnimationOptions& own = panel->scene().animation;
        own.first > 0 || own.last || own.hold_last > 0 || own.fades() || own.loop != AnimationOptions::Loop::none)
      plan.texts.warnings.push_back(
          place_of(panel->options()) +
          "first, last, loop, hold_last, fade_in and fade_out of its [animation] are for its own video; those of this "
          "file apply");
  std::ranges::move(figure.warnings(), std::back_inserter(plan.texts.warnings));
  for (const PanelRun& run : runs) {
    plan.made_bytes = std::max(plan.made_bytes, run.first().plan().made_bytes);
    for (const ScenePanel* panel : run.panels) plan.saved_bytes += saved_bytes(panel->scene(), panel->plan());
    const ScenePanel& own = run.first();
    if (const auto warning = long_run(own.scene(), own.plan(), executor, run.ranged_by_all()))
      plan.texts.warnings.push_back(place_of(own.options()) + *warning);
  }
  plan.part_bytes = [bytes](const Executor&, int, int) { return bytes; };
  const PanelClock panel_clock{&first, clock.frames(), [clock](const ScenePanel& panel, std::int64_t frame) {
                                 return clock.frame_of(panel, frame);
                               }};
  plan.open = [&figure, panel_clock, size = scene.view.size](const Executor& on) {
    return open_film(figure, on, panel_clock, size);
  };
  return film;
}

}  // namespace simreel
