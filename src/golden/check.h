#pragma once
// What a scene shows now against what was accepted.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/metrics.h"
#include "compare/picture.h"
#include "golden/capture.h"
#include "golden/folder.h"

namespace simreel {

enum class Verdict {
  same,        // as accepted, or within the scene's tolerance
  different,   // also where an accepted file cannot be read
  missing,     // accepted files are not there
  unreadable,  // the scene is wrong
  failed,      // it could not be rendered
};

// Different or missing: what is there now is not what was accepted.
bool differs(Verdict);

struct StillCheck {
  std::int64_t frame = 0;
  std::optional<Picture> expected, actual;  // unset where there is no such file, or the run ended before the frame
  std::optional<Metrics> metrics;           // where both are there and of one size
  std::string problem;                      // empty: passes
};

struct SceneCheck {
  std::string name;
  Verdict verdict = Verdict::same;
  bool acceptable = false;              // `golden update` would make it the same
  std::string message;                  // also of a scene that is the same, where there is something to say
  std::string title, text;              // of the scene
  std::int64_t frames = 0;              // rendered
  std::int64_t accepted = 0;            // frames; 0 where the accepted hashes are missing or cannot be read
  std::vector<std::int64_t> differing;  // frames that were accepted and rendered, and whose hashes differ
  std::vector<std::int64_t> unmatched;  // frames that were only accepted or only rendered
  std::vector<StillCheck> stills;
  double seconds = 0;  // it took
};

// Without any tolerance in the scene, every frame's hash and every pixel of the stills must be as accepted; with some,
// the stills decide, and the number of frames. `for_report` asks for SSIM and FLIP of stills that differ, even where no
// tolerance needs them. Throws nothing for accepted files that are missing or damaged: that is part of the result.
SceneCheck check_capture(const GoldenFolder&, const std::string& name, const Scene&, Capture, bool for_report);

// Numbers that increase, as runs of neighbours: the first and the last of each.
struct Run {
  std::int64_t first = 0, last = 0;
};
std::vector<Run> runs_of(const std::vector<std::int64_t>& numbers);

// "3 to 7, 9", the first few runs of numbers that increase, "..." for the rest.
std::string runs_text(const std::vector<std::int64_t>& numbers);

}  // namespace simreel
