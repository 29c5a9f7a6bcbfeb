#pragma once
// A figure of panels as a video: its scenes advance together, and each frame is their page.

#include "exec/executor.h"
#include "panels/compose.h"
#include "scene/figure_file.h"
#include "scene/scene.h"
#include "source/solver.h"

namespace simreel {

// What a run (run/prepared_run.h) needs. Figure, its file and executor must outlive it, and it is opened once.
struct Film {
  Scene scene;      // size of the picture, frames, [output]
  SolverPlan plan;  // whose source gives pictures
};

// What videos of panels and of parts have in common; the plan has no source yet.
Film begin_film(const FigureFile&, const AnimationOptions&, std::int64_t frames, Size,
                const std::vector<OverlayOptions>&);

// Throws UsageError: mistakes of colours and cameras, no panel that moves, times that a scene does not know.
Film plan_film(PanelFigure&, const FigureFile&, const Executor&);

// For overlays of the page: lets `stage` know the frames and times of the figure's video, and returns its last frame.
// Throws UsageError as plan_film.
FrameFacts end_of_film(const PanelFigure&, const FigureFile&, DrawContext& stage);

}  // namespace simreel
