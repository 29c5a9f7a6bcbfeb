#pragma once
// A panel that shows a frame of a scene or of a data file.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "exec/executor.h"
#include "figure/style.h"
#include "kernels/base/view.h"
#include "panels/grid.h"
#include "panels/panel.h"
#include "picture/rasterizer.h"
#include "run/checkpointer.h"
#include "source/solver.h"

namespace simreel {

// A copy of a field and the particles over it that outlives the source's next frame.
class Snapshot {
 public:
  // Of a field; its outline must live as long as the copy.
  Snapshot(const Executor&, const View&);
  Snapshot(const Snapshot&) = delete;

  // Bytes of executor memory that a field of so many cells takes at most, without particles.
  static std::size_t memory_bytes(std::size_t cells) { return cells * (sizeof(double) + 1); }
  const View& view() const { return view_; }

 private:
  Buffer<float> floats_;
  Buffer<double> doubles_;
  Buffer<std::int8_t> cells_;
  Buffer<PathPoint> now_, past_;
  PathsView paths_;
  View view_;
};

class ScenePanel : public Panel {
 public:
  // Throws UsageError: all mistakes of the scene, a time or frame that it does not have.
  ScenePanel(const PanelOptions&, const PanelPrint&);

  const Scene& scene() const { return scene_; }
  const SolverPlan& plan() const { return plan_; }
  std::int64_t frame() const { return frame_; }
  bool stands() const { return options_.time || options_.frame; }  // shows that frame in a whole video
  bool shows_bodies() const { return plan_.bodies > 0; }
  // Whether its picture depends on those of all frames before.
  bool sees_all() const { return shows_bodies() || scene_.figure.space_time; }
  // Equal for panels whose frames one run gives.
  const std::string& run_key() const { return run_key_; }
  DrawContext stage() const;

  // For panels that share axes or a bar: leaves the numbers of an axis out, takes the bar away.
  void drop_numbers_x();
  void drop_numbers_y();
  FigureOptions::Bar take_colorbar();

  std::optional<double> aspect() const override;
  Margins margins(Size field) override;
  // The page that `see` (bodies), `develop` (fields) or `show` made.
  Page draw(Size) override;

  // Fixes the size of the field; before the frames.
  void prepare(const Executor&, Size field);
  std::size_t memory_bytes(const Executor&) const;

  // Whether a frame must be seen: that of the panel, the first where the range or the light follows from it, all where
  // bodies leave trails.
  bool needs(std::int64_t frame) const;
  // Measures the first frame, where the range of the colours follows from it.
  void measure_first(Source&);
  // Where it follows from all frames: measures one of them.
  bool is_ranged_by_all() const;
  void measure(Source&, std::int64_t frame);
  // For a run that diverged after them: forgets the frames in which its values grew without end.
  void take_back();
  // The page of a frame of a video, of ranges that are known; bodies need every frame, in order.
  void show(Source&, std::int64_t frame);
  // The same for the frame that was the last one before `load`.
  void show_again(Source&, std::int64_t frame);
  bool is_shown() const { return !page_.marks.empty() || !page_.pixels.empty(); }
  // A frame that is needed. Fields are kept until the ranges of all panels are known; bodies are drawn.
  void see(Source&, std::int64_t frame);
  // The page of a field, if it was seen.
  void develop();

  // What later frames of a video depend on; not the page.
  void save(Checkpoint&) const;
  void load(const Checkpoint&);

  // Of the colours; nullopt before it is known.
  std::optional<Interval> range() const { return range_; }
  void set_range(Interval);
  Spread spread() const { return measured_.spread; }
  // Unless its scene gives one.
  void take_colormap(const std::string& map) {
    if (!scene_.gives("view.colormap")) scene_.view.colormap = map;
  }
  bool is_symmetric() const { return !shows_bodies() && scene_.view.range == RangeMode::symmetric; }

 private:
  void find_frame();
  void fit_figure(const PanelPrint&);
  void note_facts(Source&, std::int64_t frame);
  FigureStyle style() const { return style_of(scene_.view, scene_.figure); }
  bool is_number_x(const Mark&, const Rectangle& field) const;
  bool is_number_y(const Mark&, const Rectangle& field) const;

  Scene scene_;
  SolverPlan plan_;
  std::string run_key_;
  std::int64_t frame_ = 0;
  const Executor* executor_ = nullptr;
  std::unique_ptr<Rasterizer> rasterizer_;
  bool labels_inside_ = false;
  FigureOptions::Theme theme_{};  // of the scene itself
  bool numbers_x_ = true, numbers_y_ = true;
  std::optional<Interval> range_;
  RangePass measured_;
  std::optional<Snapshot> snapshot_;
  FrameFacts facts_;
  std::vector<double> diagnostics_;
  Page page_;
};

}  // namespace simreel
