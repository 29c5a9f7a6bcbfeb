#pragma once
// Renders a scene and keeps what golden images are made of: a hash of every frame and the pictures of a few.

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "compare/hash_list.h"
#include "compare/picture.h"
#include "run/loop.h"

namespace simreel {

struct Capture {
  std::vector<FrameHash> hashes;           // of each rendered frame
  std::map<std::int64_t, Picture> stills;  // the frames of [golden]; without those that a divergence left unrendered
  RenderResult result;
};

// What a capture asks of a run beside the solver.
SinkNeeds capture_needs();

// Throws UsageError, with its place, where [golden] names a frame that the animation does not have, and what `render`
// throws.
Capture capture(const Scene&, const SolverPlan&, const Executor&, const std::function<int()>& interrupted);

// The text of a .hashes file.
std::string hashes_text(const std::vector<FrameHash>&);

}  // namespace simreel
