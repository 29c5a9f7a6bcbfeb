#pragma once
// The runs of a figure's scenes: each distinct one once, for all panels that show its frames, on a page or in a video.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "exec/executor.h"
#include "panels/compose.h"
#include "panels/scene_panel.h"
#include "source/source.h"

namespace simreel {

struct PanelRun {
  std::vector<ScenePanel*> panels;
  bool stands = true;               // each panel shows its own frame
  std::unique_ptr<Source> source;   // null: not open
  std::int64_t at = -1, seen = -1;  // the frame of the source, and the last one that panels have seen while it stands

  const ScenePanel& first() const { return *panels.front(); }
  std::int64_t last() const;  // the last frame that a panel shows for itself
  bool needs(std::int64_t frame) const;
  bool sees_all() const;
  bool ranged_by_all() const;
};

// In a video, panels without "frame" and "time" move, and each other frame of a scene has a run of its own, since its
// state is saved.
std::vector<PanelRun> runs_of(const std::vector<ScenePanel*>&, bool video);

// Executor memory of runs and panels.
std::size_t bytes_of(const std::vector<PanelRun>&, const Executor&);

// Lets each panel of a figure, which is prepared, show its own frame. Throws what PanelFigure::draw does.
void show_page(PanelFigure&, const Executor&, const std::function<bool()>& stop,
               const std::function<void(std::int64_t done, std::int64_t all)>& report);

// Which frame a panel that moves shows in each frame of a video.
struct PanelClock {
  const ScenePanel* first = nullptr;  // whose steps and times are those of the video
  std::int64_t frames = 0;
  std::function<std::int64_t(const ScenePanel&, std::int64_t frame)> frame_of;
};

// The pictures of the video, each the page of its frame in the middle. The figure, whose panels are prepared, and the
// executor must outlive it.
std::unique_ptr<Source> open_film(PanelFigure&, const Executor&, const PanelClock&, Size);

// The upper left corner of a page in the middle of a video.
std::array<int, 2> page_in(Size video, Size page);

}  // namespace simreel
