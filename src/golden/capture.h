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
#include "run/loop.h"

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

}  // namespace simreel
