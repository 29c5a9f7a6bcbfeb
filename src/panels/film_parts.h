#pragma once
// Scenes one after the other in one video: [[part]] of a figure file.

#include <cstdint>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "panels/film.h"
#include "scene/figure_file.h"
#include "scene/scene.h"
#include "source/solver.h"

namespace simreel {

struct ScenePart {
  const PartOptions& options;
  std::string name;  // "fig.toml:4:1: part 2: ", to begin a message
  Scene scene;
  SolverPlan plan;
  std::int64_t start = 0, count = 0;  // its frames in the video; those of a fade belong to both parts
  std::int64_t fade = 0;              // frames of the fade from the part before

  // Of a frame of the video, in the scene.
  std::int64_t frame_of(std::int64_t frame) const { return scene.animation.first + frame - start; }
  bool shows(std::int64_t frame) const { return frame >= start && frame < start + count; }
};

// Loads and checks all parts. The file must outlive them. Throws UsageError: mistakes of scenes, other sizes or frames
// a second than the first part, fades longer than a part.
std::vector<ScenePart> load_parts(const FigureFile&);

// Their video. Parts and executor must outlive it. Throws UsageError: mistakes of colours and cameras.
Film plan_parts(const std::vector<ScenePart>&, const FigureFile&, const Executor&);

}  // namespace simreel
