#pragma once
// How fast a video of a scene goes, and which values it shows: from runs of a part of its cells.

#include <limits>
#include <string>
#include <string_view>

#include "source/pde/limit.h"

namespace simreel {

struct PdePace {
  double time = 0;     // simulated, that ten seconds of video show; 0: none was found
  std::string reason;  // for `check`: why it is so long, or why none was found
  double bears = std::numeric_limits<double>::infinity();  // the largest step that a state on the way bears
  bool both_signs = false;  // values of the field lie on both sides of 0, as far away within a factor of four
  bool drifts = false;      // they leave those of before
};

// Of the field that is shown, with the same arithmetic on every machine. `step`: of the run; `longest`: simulated time
// that can be shown, > 0.
PdePace find_pace(const PdeOptions&, const Scene&, const PdeLimit&, double step, std::string_view field,
                  double longest);

}  // namespace simreel
