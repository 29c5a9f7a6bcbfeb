#pragma once
// A figure of panels: its scenes run once for all times, and everything is put on one page.

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "exec/executor.h"
#include "figure/style.h"
#include "panels/panel.h"
#include "panels/scene_panel.h"
#include "sink/page/document.h"

namespace simreel {

// A scene reached NaN or infinity before a panel's frame.
class Diverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// The caller's `stop` said so.
struct Stopped {};

class PanelFigure {
 public:
  // Loads everything that the panels show. The file must outlive the figure. Throws UsageError, with the panel's place
  // in front: mistakes of scenes, files that cannot be read, labels that do not fit.
  explicit PanelFigure(const FigureFile&);

  // The files that the figure reads.
  std::vector<std::string> inputs() const;
  std::vector<std::string> warnings() const;  // of the plans, of files also the remarks, each text once; and of "share"
  int runs() const;                           // of scenes
  std::size_t image_bytes() const;            // of panels that are images

  // Runs the scenes, each distinct one once, and draws. `report` gets the frames that are done and all of them. Throws
  // UsageError if memory or labels do not fit, Diverged, Stopped, and what sources throw.
  PageGroup draw(const Executor&, const std::function<bool()>& stop,
                 const std::function<void(std::int64_t done, std::int64_t all)>& report);

  double pixels_per_inch() const { return file_.print.dpi; }

  // For a video (film.h). Makes what draws the panels, once, before the rest. Throws UsageError.
  void prepare(const Executor&);
  const std::vector<ScenePanel*>& scenes() const { return scenes_; }
  const std::vector<std::unique_ptr<Panel>>& panels() const { return panels_; }
  const ScenePanel& scene(std::size_t panel) const { return dynamic_cast<const ScenePanel&>(*panels_[panel]); }
  Size size() const { return {grid_.size.width, grid_.size.height + title_height()}; }
  // Of fields when all were measured, of bodies before the first is drawn.
  void share_ranges(bool bodies);
  // What the panels hold now.
  PageGroup page();
  // What lies over all of them, its images read; in a video, whoever shows it draws them.
  const std::vector<OverlayOptions>& overlays() const { return overlays_; }
  double mm_per_pixel() const { return FigureOptions::mm_per_inch / print_.dpi; }

 private:
  void check_shared() const;
  void load();
  void place();
  FittedLayout bar_layout(Size all, std::optional<Interval> range) const;
  Margins bar_margins(Size all) const;
  FigureStyle style() const;
  int title_height() const;
  Page title_page() const;
  Page overlay_page(const Executor&) const;
  Page colorbar_page() const;

  const FigureFile& file_;
  std::vector<OverlayOptions> overlays_;
  PanelPrint print_;
  std::vector<std::unique_ptr<Panel>> panels_;
  std::vector<ScenePanel*> scenes_;  // those of them
  std::vector<GridCell> cells_;
  GridPlan grid_;
  FigureOptions::Bar bar_ = FigureOptions::Bar::none;  // beside all panels
};

}  // namespace simreel
