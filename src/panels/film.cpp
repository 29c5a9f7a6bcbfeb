#include "panels/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/grid_axis.h"
#include "exec/buffer.h"
#include "figure/moved.h"
#include "run/duration.h"
#include "run/memory.h"
#include "run/stills.h"
#include "sink/page/page_pixels.h"

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

// Panels whose frames one run gives.
struct FilmRun {
  std::vector<ScenePanel*> panels;
  std::unique_ptr<Source> source;
  std::int64_t at = -1;  // the frame that its panels show

  const ScenePanel& first() const { return *panels.front(); }
  // Bodies are drawn in every frame, and the first may decide about exposure and range.
  std::int64_t next(std::int64_t to) const { return at < 0 || first().shows_bodies() ? at + 1 : to; }
};

std::vector<FilmRun> film_runs(const PanelFigure& figure) {
  std::vector<FilmRun> runs;
  std::map<std::string, std::size_t> known;
  for (ScenePanel* panel : figure.scenes()) {
    const std::string key = panel->run_key() + (panel->stands() ? fmt::format("\nframe {}", panel->frame()) : "");
    const auto [found, fresh] = known.emplace(key, runs.size());
    if (fresh) runs.emplace_back();
    runs[found->second].panels.push_back(panel);
  }
  return runs;
}

// Its upper left corner: in the middle.
std::array<int, 2> page_in(Size video, Size page) {
  return {(video.width - page.width) / 2, (video.height - page.height) / 2};
}

class PanelSource final : public Source {
 public:
  PanelSource(PanelFigure& figure, const FilmClock& clock, Size size, const Executor& executor)
      : figure_(figure), clock_(clock), size_(size), executor_(executor), runs_(film_runs(figure)) {
    for (FilmRun& run : runs_) open(run);
    const bool all =
        std::ranges::any_of(figure.scenes(), [](const ScenePanel* panel) { return panel->is_ranged_by_all(); });
    to_measure_ = all ? clock.frames() : 1;
    picture_ = Buffer<Color>(executor, static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  }

  std::int64_t work_to(std::int64_t frame) const override {
    std::int64_t work = measured_ < to_measure_ ? to_measure_ - measured_ : 0;
    for (const FilmRun& run : runs_) {
      const std::int64_t to = clock_.frame_of(run.first(), frame);
      if (run.at != to) work += std::max<std::int64_t>(1, run.source->work_to(to));
    }
    return work;
  }

  void advance_towards(std::int64_t frame) override {
    if (measured_ < to_measure_) return measure();
    for (FilmRun& run : runs_) {
      const std::int64_t to = clock_.frame_of(run.first(), frame);
      if (run.at == to) continue;
      if (!reach(run, run.next(to))) return;
      if (!lost_ && (run.at == to || run.first().shows_bodies()))
        for (ScenePanel* panel : run.panels) panel->show(*run.source, run.at);
      composed_ = false;
      return;
    }
  }

  std::int64_t steps_done() const override { return leader().source->steps_done(); }
  double time() const override { return leader().source->time(); }
  std::span<const FieldInfo> fields() const override { return infos_; }
  View view(std::string_view) override { throw UsageError("a video of panels has no fields"); }

  const Color* picture() override {
    if (composed_) return picture_.data();
    const auto time_of = [&](std::size_t panel) {  // as simreel writes it into tables
      const auto shows = [&](const FilmRun& run) { return std::ranges::count(run.panels, &figure_.scene(panel)) > 0; };
      return std::ranges::find_if(runs_, shows)->source->time();
    };
    for (const auto& panel : figure_.panels()) panel->set_times(time_of);
    for (FilmRun& run : runs_)  // after a resume
      for (ScenePanel* panel : run.panels)
        if (!panel->is_shown()) panel->show_again(*run.source, run.at);
    const PageGroup group = figure_.page();
    PagePixels pixels(size_, group.background);
    const auto [x, y] = page_in(size_, group.size);
    for (Page page : group.parts) {
      move(page, x, y);
      pixels.add_picture(page);
      pixels.add_lines(page);
      pixels.add_marks(page.marks);
    }
    picture_.upload(pixels.pixels().data());
    composed_ = true;
    return picture_.data();
  }

  bool finite() override { return !lost_; }
  std::string divergence() override { return place_of(lost_->first().options()) + lost_->source->divergence(); }

  std::vector<std::string> findings() override {
    std::vector<std::string> all;
    for (FilmRun& run : runs_)
      for (const std::string& finding : run.source->findings())
        all.push_back(runs_.size() > 1 ? fmt::format("{}: {}", run.first().options().letter, finding) : finding);
    return all;
  }

  bool resumable() const override {
    return std::ranges::all_of(runs_, [](const FilmRun& run) { return run.source->resumable(); });
  }

  // Nothing of the search for ranges: it begins anew.
  void save(Checkpoint& checkpoint) const override {
    if (measured_ < to_measure_) return;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      Checkpoint own;
      runs_[i].source->save(own);
      own.save_value("frame of the panels", runs_[i].at);
      checkpoint.nest(fmt::format("scene {}/", i), std::move(own));
    }
    for (std::size_t i = 0; i < figure_.scenes().size(); ++i) {
      Checkpoint own;
      figure_.scenes()[i]->save(own);
      checkpoint.nest(fmt::format("panel {}/", i), std::move(own));
    }
  }

  void load(const Checkpoint& checkpoint) override {
    if (!checkpoint.has("scene 0/frame of the panels")) return;
    measured_ = to_measure_;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Checkpoint own = checkpoint.nested(fmt::format("scene {}/", i));
      runs_[i].source->load(own);
      runs_[i].at = own.load_value<std::int64_t>("frame of the panels");
    }
    for (std::size_t i = 0; i < figure_.scenes().size(); ++i)
      figure_.scenes()[i]->load(checkpoint.nested(fmt::format("panel {}/", i)));
  }

 private:
  void open(FilmRun& run) {
    run.source.reset();
    run.source = run.first().plan().open(executor_);
    run.source->stop_when([this] { return stop_ && stop_(); });
  }

  // A portion of the way to a frame; whether it is there.
  bool reach(FilmRun& run, std::int64_t frame) {
    if (run.source->work_to(frame) > 0) run.source->advance_towards(frame);
    if (run.source->work_to(frame) > 0) return false;
    run.at = frame;
    if (!run.source->finite()) lost_ = &run;
    return true;
  }

  // A portion of the search for the ranges of the colours: all runs once through the frames, as far as they matter.
  void measure() {
    for (FilmRun& run : runs_) {
      const bool all =
          std::ranges::any_of(run.panels, [](const ScenePanel* panel) { return panel->is_ranged_by_all(); });
      const std::int64_t to = all ? clock_.frame_of(run.first(), measured_) : 0;
      if (run.at == to) continue;
      if (!reach(run, run.next(to))) return;
      if (lost_) {  // the run itself ends there, and says why
        for (ScenePanel* panel : run.panels) panel->take_back();
        return find_ranges();
      }
      for (ScenePanel* panel : run.panels) {
        if (run.at == 0) panel->measure_first(*run.source);
        if (run.at == to && panel->is_ranged_by_all()) panel->measure(*run.source, run.at);
      }
      return;
    }
    if (++measured_ == to_measure_) find_ranges();
  }

  void find_ranges() {
    measured_ = to_measure_;
    figure_.share_ranges(true);
    figure_.share_ranges(false);
    lost_ = nullptr;
    for (FilmRun& run : runs_) {
      if (run.at > 0) open(run);
      run.at = -1;
    }
  }

  // Whose time and steps are those of the video.
  const FilmRun& leader() const {
    return *std::ranges::find_if(
        runs_, [&](const FilmRun& run) { return std::ranges::count(run.panels, &clock_.first()) > 0; });
  }

  PanelFigure& figure_;
  const FilmClock clock_;
  const Size size_;
  const Executor& executor_;
  std::vector<FilmRun> runs_;
  std::int64_t measured_ = 0, to_measure_ = 0;  // frames
  const FilmRun* lost_ = nullptr;               // whose state is not finite
  Buffer<Color> picture_;
  bool composed_ = false;
  std::array<FieldInfo, 1> infos_{FieldInfo{.name = "picture", .unit = ""}};
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

FrameFacts end_of_film(const PanelFigure& figure, const FigureFile& file, ParticleStage& stage) {
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

Film plan_film(PanelFigure& figure, const FigureFile& file, const Executor& executor) {
  figure.prepare(executor);
  const FilmClock clock(figure, file);
  const ScenePanel& first = clock.first();
  Look look;
  look.shown = FieldInfo{.name = "picture", .unit = ""};
  look.steps_per_second = 0;
  look.frames = clock.frames();
  Film film{.scene = parse_view("", ""), .plan = {}};
  Scene& scene = film.scene;
  scene.file = file.file;
  scene.text = file.text;
  scene.overrides = file.overrides;
  scene.title = file.print.title;
  scene.animation = animation_of(file, first);
  scene.output = file.output;
  scene.view.size = size_of(figure, file);
  scene.view.background = {255, 255, 255, 255};
  scene.view.range = RangeMode::first;  // not used
  scene.overlays = figure.overlays();
  scene.figure.dpi = file.print.dpi;
  scene.figure.units.step = first.scene().figure.units.step;
  complete_scene(scene, look);
  scene.animation.steps_per_frame = first.scene().animation.steps_per_frame;

  SolverPlan& plan = film.plan;
  plan.field = look.shown->name;
  plan.grid.cells = {scene.view.size.width, scene.view.size.height};
  plan.grid.axes = page_axes(figure, scene.view.size);
  plan.frame_interval = first.plan().frame_interval;
  plan.times = first.plan().times;
  plan.inputs = figure.inputs();
  plan.inputs.erase(plan.inputs.begin());  // the file itself
  const std::size_t pixels = plan.grid.cells[0] * static_cast<std::size_t>(plan.grid.cells[1]);
  std::size_t bytes = pixels * sizeof(Color);
  for (const ScenePanel* panel : figure.scenes())
    if (const AnimationOptions& own = panel->scene().animation;
        own.first > 0 || own.last || own.hold_last > 0 || own.fades())
      plan.texts.warnings.push_back(
          place_of(panel->options()) +
          "first, last, hold_last, fade_in and fade_out of its [animation] are for its own video; those of this file "
          "apply");
  for (const FilmRun& run : film_runs(figure)) {
    bytes += run.first().plan().bytes(executor);
    plan.made_bytes = std::max(plan.made_bytes, run.first().plan().made_bytes);
    for (const ScenePanel* panel : run.panels) {
      bytes += panel->memory_bytes(executor);
      plan.saved_bytes += saved_bytes(panel->scene(), panel->plan());
    }
    for (const std::string& warning : run.first().plan().texts.warnings)
      plan.texts.warnings.push_back(place_of(run.first().options()) + warning);
    if (run.first().plan().create) {
      const Scene& own = run.first().scene();
      const Work work(own, run.first().plan(), true, comes_from_all_frames(own.view.range) ? 2 : 1,
                      comes_from_all_frames(own.view.range));
      if (const auto warning =
              long_run(own, run.first().plan(), work.updates / typical_speed(own, run.first().plan(), executor),
                       usual_speed_in_words(own, run.first().plan(), executor)))
        plan.texts.warnings.push_back(place_of(run.first().options()) + *warning);
    }
  }
  plan.part_bytes = [bytes](const Executor&, int, int) { return bytes; };
  plan.open = [&figure, clock, size = scene.view.size](const Executor& on) -> std::unique_ptr<Source> {
    return std::make_unique<PanelSource>(figure, clock, size, on);
  };
  return film;
}

}  // namespace simreel
