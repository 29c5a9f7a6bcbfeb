#include "panels/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "exec/buffer.h"
#include "figure/page.h"
#include "sink/page/page_pixels.h"

namespace simreel {
namespace {

// Bodies and rows over time are drawn in every frame, and the first may decide about exposure and range.
std::int64_t next_frame(const PanelRun& run, std::int64_t to) { return run.at < 0 || run.sees_all() ? run.at + 1 : to; }

class PanelSource final : public Source {
 public:
  // Of a page without a clock; its size is then of no use.
  PanelSource(PanelFigure& figure, const Executor& executor, PanelClock clock, Size size)
      : figure_(figure),
        executor_(executor),
        clock_(std::move(clock)),
        size_(size),
        runs_(runs_of(figure.scenes(), clock_.frames > 0)),
        picture_(executor, pixel_count(size)) {
    for (PanelRun& run : runs_) {
      open(run);
      if (!run.stands && run.ranged_by_all()) to_measure_ = clock_.frames;
    }
  }

  // What comes before the first frame: finds the ranges of the colours, and shows the panels that stand.
  bool prepared() const { return look_ == nullptr; }
  void prepare() {
    (this->*look_)();
    if (lost_) finish();
  }
  // Frames of the panels that stand.
  std::int64_t done() const {
    return sum([](const PanelRun& run) { return run.stands ? run.seen + 1 : 0; });
  }
  std::int64_t all() const {
    return sum([](const PanelRun& run) { return run.stands ? run.last() + 1 : 0; });
  }
  // Whose state is not finite.
  const PanelRun* lost() const { return lost_; }

  std::int64_t work_to(std::int64_t frame) const override {
    const std::int64_t before = prepared() ? 0 : 1 + all() - done() + to_measure_ - measured_;
    return before + sum([&](const PanelRun& run) {
             const std::int64_t to = run.stands ? run.at : clock_.frame_of(run.first(), frame);
             return run.at == to ? 0 : std::max<std::int64_t>(1, run.source->work_to(to));
           });
  }

  void advance_towards(std::int64_t frame) override {
    if (!prepared()) return prepare();
    composed_ = false;
    for (PanelRun& run : runs_) {
      const std::int64_t to = run.stands ? run.at : clock_.frame_of(run.first(), frame);
      if (run.at == to) continue;
      if (reach(run, next_frame(run, to)) && (run.at == to || run.sees_all()))
        for (ScenePanel* panel : run.panels) panel->show(*run.source, run.at);
      return;
    }
  }

  std::int64_t steps_done() const override { return run_of(*clock_.first).source->steps_done(); }
  double time() const override { return run_of(*clock_.first).source->time(); }
  std::span<const FieldInfo> fields() const override { return infos_; }
  View view(std::string_view) override { throw UsageError("a video of panels has no fields"); }

  const Color* picture() override {
    if (composed_) return picture_.data();
    for (PanelRun& run : runs_)  // after a resume
      for (ScenePanel* panel : run.panels) {
        if (panel->is_shown()) continue;
        while (run.source->work_to(run.at) > 0) run.source->advance_towards(run.at);  // a source that saves no state
        panel->show_again(*run.source, run.at);
      }
    // Times as simreel writes them into tables.
    const auto time_of = [&](std::size_t panel) { return run_of(figure_.scene(panel)).source->time(); };
    for (const auto& panel : figure_.panels()) panel->set_times(time_of);
    const PageGroup group = figure_.page();
    PagePixels pixels(size_, group.background);
    const auto [x, y] = page_in(size_, group.size);
    for (Page page : group.parts) {
      move(page, x, y);
      pixels.add(page);
    }
    picture_.upload(pixels.pixels().data());
    composed_ = true;
    return picture_.data();
  }

  bool finite() override { return !lost_; }
  std::string divergence() override { return place_of(lost_->first().options()) + lost_->source->divergence(); }

  std::vector<std::string> findings() override {
    std::vector<std::string> all;
    for (const PanelRun& run : runs_)
      for (const std::string& finding : run.source->findings())
        all.push_back(runs_.size() > 1 ? fmt::format("{}: {}", run.first().options().letter, finding) : finding);
    return all;
  }

  bool resumable() const override {
    return std::ranges::all_of(runs_, [](const PanelRun& run) { return run.source->resumable(); });
  }

  // Before all is prepared nothing: it begins anew.
  void save(Checkpoint& checkpoint) const override {
    if (!prepared()) return;
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
    look_ = nullptr;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Checkpoint own = checkpoint.nested(fmt::format("scene {}/", i));
      runs_[i].source->load(own);
      runs_[i].at = own.load_value<std::int64_t>("frame of the panels");
    }
    for (std::size_t i = 0; i < figure_.scenes().size(); ++i)
      figure_.scenes()[i]->load(checkpoint.nested(fmt::format("panel {}/", i)));
  }

 private:
  std::int64_t sum(const auto& of) const {
    return std::transform_reduce(runs_.begin(), runs_.end(), std::int64_t{0}, std::plus{}, of);
  }

  const PanelRun& run_of(const ScenePanel& panel) const {
    return *std::ranges::find_if(runs_,
                                 [&](const PanelRun& run) { return std::ranges::count(run.panels, &panel) > 0; });
  }

  void open(PanelRun& run) {
    run.source.reset();
    run.source = run.first().plan().open(executor_);
    run.source->stop_when([this] { return stop_ && stop_(); });
    run.at = -1;
  }

  // A portion of the way to a frame; whether it is there, and finite.
  bool reach(PanelRun& run, std::int64_t frame) {
    if (run.source->work_to(frame) > 0) run.source->advance_towards(frame);
    if (run.source->work_to(frame) > 0) return false;
    run.at = frame;
    if (!run.source->finite()) lost_ = &run;
    return !lost_;
  }

  void look_at_first() {
    for (PanelRun& run : runs_) {
      if (run.at >= 0 || !run.needs(0)) continue;
      if (reach(run, 0))
        for (ScenePanel* panel : run.panels)
          if (panel->needs(0)) panel->measure_first(*run.source);
      return;
    }
    figure_.share_ranges(true);
    look_ = &PanelSource::look_at_standing;
  }

  void look_at_standing() {
    for (PanelRun& run : runs_) {
      const std::int64_t last = run.last();
      if (!run.stands || run.seen == last) continue;
      std::int64_t next = run.seen + 1;
      // Files need not be read for frames that nobody sees; a simulation ends at the first frame that diverged.
      if (run.first().scene().solver_kind == "data")
        while (!run.needs(next)) ++next;
      if (run.at < next && !reach(run, next)) return;
      run.seen = next;
      for (ScenePanel* panel : run.panels)
        if (panel->needs(next)) panel->see(*run.source, next);
      return;
    }
    look_ = &PanelSource::measure_moving;
  }

  // Those runs of which all frames decide about the colours, once through the frames of the video.
  void measure_moving() {
    if (measured_ == to_measure_) return finish();
    for (PanelRun& run : runs_) {
      if (run.stands || !run.ranged_by_all()) continue;
      const std::int64_t to = clock_.frame_of(run.first(), measured_);
      if (run.at == to && (run.seen >= to)) continue;
      if (run.at < to && !reach(run, next_frame(run, to))) {
        if (lost_)  // the run itself ends there, and says why
          for (ScenePanel* panel : run.panels) panel->take_back();
        return;
      }
      run.seen = run.at;
      if (run.at == to)
        for (ScenePanel* panel : run.panels)
          if (panel->is_ranged_by_all()) panel->measure(*run.source, run.at);
      return;
    }
    ++measured_;
  }

  void finish() {
    look_ = nullptr;
    figure_.share_ranges(false);
    for (ScenePanel* panel : figure_.scenes()) panel->develop();
    if (lost_ && !lost_->stands) lost_ = nullptr;
    for (PanelRun& run : runs_) {
      if (run.stands) continue;
      if (run.at > 0) open(run);
      run.at = -1;
    }
  }

  PanelFigure& figure_;
  const Executor& executor_;
  const PanelClock clock_;
  const Size size_;
  std::vector<PanelRun> runs_;
  void (PanelSource::*look_)() = &PanelSource::look_at_first;  // null: all is prepared
  std::int64_t measured_ = 0, to_measure_ = 0;                 // frames of the video
  PanelRun* lost_ = nullptr;
  Buffer<Color> picture_;
  bool composed_ = false;
  std::array<FieldInfo, 1> infos_{FieldInfo{.name = "picture", .unit = ""}};
};

}  // namespace

std::int64_t PanelRun::last() const { return (*std::ranges::max_element(panels, {}, &ScenePanel::frame))->frame(); }

bool PanelRun::needs(std::int64_t frame) const {
  return std::ranges::any_of(panels, [&](const ScenePanel* panel) { return panel->needs(frame); });
}

bool PanelRun::sees_all() const { return std::ranges::any_of(panels, &ScenePanel::sees_all); }

bool PanelRun::ranged_by_all() const { return std::ranges::any_of(panels, &ScenePanel::is_ranged_by_all); }

std::vector<PanelRun> runs_of(const std::vector<ScenePanel*>& scenes, bool video) {
  std::vector<PanelRun> runs;
  std::map<std::string, std::size_t> known;
  for (ScenePanel* panel : scenes) {
    const bool stands = !video || panel->stands();
    std::string key = panel->run_key();
    if (!stands)
      key += fmt::format("\nby time {}", panel->scene().figure.units.step.value_or(0));
    else if (video)
      key += fmt::format("\nframe {}", panel->frame());
    const auto [found, fresh] = known.emplace(key, runs.size());
    if (fresh) runs.emplace_back().stands = stands;
    runs[found->second].panels.push_back(panel);
  }
  return runs;
}

std::size_t bytes_of(const std::vector<PanelRun>& runs, const Executor& executor) {
  std::size_t bytes = 0;
  for (const PanelRun& run : runs) {
    bytes += run.first().plan().bytes(executor);
    for (const ScenePanel* panel : run.panels) bytes += panel->memory_bytes(executor);
  }
  return bytes;
}

void show_page(PanelFigure& figure, const Executor& executor, const std::function<bool()>& stop,
               const std::function<void(std::int64_t, std::int64_t)>& report) {
  PanelSource source(figure, executor, {}, {});
  source.stop_when(stop);
  for (std::int64_t done = 0; !source.prepared();) {
    source.prepare();
    executor.wait();
    if (stop()) throw Stopped{};
    if (source.done() != std::exchange(done, source.done())) report(source.done(), source.all());
  }
  const PanelRun* const run = source.lost();
  if (!run) return;
  const auto panel = std::ranges::find_if(run->panels, [&](const auto* one) { return one->frame() >= run->at; });
  throw Diverged(fmt::format("{}the simulation diverged: at step {} (frame {}) {}", place_of((*panel)->options()),
                             run->source->steps_done(), run->at, run->source->divergence()));
}

std::unique_ptr<Source> open_film(PanelFigure& figure, const Executor& executor, const PanelClock& clock, Size size) {
  return std::make_unique<PanelSource>(figure, executor, clock, size);
}

std::array<int, 2> page_in(Size video, Size page) {
  return {(video.width - page.width) / 2, (video.height - page.height) / 2};
}

}  // namespace simreel
