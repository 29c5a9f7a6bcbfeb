#pragma once
// Renders a scene and captures the data of golden images: a hash of every frame and some frames as pictures.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compare/hash_list.h"
#include "compare/picture.h"
#include "golden/numbers.h"
#include "run/render_loop.h"
#include "scene/figure_file.h"

namespace simreel {

struct Capture {
  std::vector<FrameHash> hashes;           // of each rendered frame
  std::map<std::int64_t, Picture> stills;  // the frames of [golden], except those not rendered because of a divergence
  Numbers numbers;                         // the columns of [golden] csv
  std::string page;                        // of a figure of panels: its SVG; empty: of a scene
  std::size_t memory = 0;                  // bytes that the run was planned to take; 0: of a figure
  RenderResult result;
};

// Throws RuntimeError if the run does not fit into memory here, UsageError with the place if [golden] lists a frame
// that the animation does not have, a column that the scene does not have or a box beyond the picture, and what
// `render` throws.
Capture capture(const Scene&, const SolverPlan&, const Executor&, const std::function<int()>& interrupted);

// The text of a .hashes file.
std::string hashes_text(const std::vector<FrameHash>&);

// A figure of panels as a golden: a scene of one frame. Its picture is drawn by simreel itself from the page that
// x.pdf and x.svg are written from, and the text of x.svg stands for them, but for the pictures in it, whose bytes
// depend on libdeflate.
//
// What the checks of goldens look at of a scene: title, text, one frame, nothing that may differ.
Scene as_scene(const FigureFile&);

// Throws UsageError for a figure that cannot be drawn, and what scenes throw.
Capture capture_figure(const FigureFile&, const Executor&, const std::function<int()>& interrupted);

}  // namespace simreel
