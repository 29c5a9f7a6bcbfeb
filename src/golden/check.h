#pragma once
// Compares the current frames of a scene with the accepted ones.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/metrics.h"
#include "compare/picture.h"
#include "golden/capture.h"
#include "golden/folder.h"
#include "scene/scene.h"

namespace simreel {

enum class Verdict {
  same,        // as accepted, or within the scene's tolerance
  different,   // or an accepted file cannot be read
  missing,     // accepted files do not exist
  unreadable,  // the scene has an error
  failed,      // the scene could not be rendered, or not here: too few rows for so many ranks, too little memory
};

// Whether the verdict is `different` or `missing`.
bool differs(Verdict);

struct StillCheck {
  std::int64_t frame = 0;
  std::vector<std::array<int, 4>> ignored;  // GoldenOptions::ignore
  std::optional<Picture> expected, actual;  // unset if there is no such file, or if the run ended before the frame
  std::optional<Metrics> metrics;           // set if both exist and have the same size
  std::string problem;                      // empty if the still passes
};

// The actual picture of a still that has both, with the accepted pixels where the scene ignores differences.
Picture judged(const StillCheck&);

struct SceneCheck {
  std::string name;
  Verdict verdict = Verdict::same;
  // Whether `golden update` would make it the same. Not where an accepted file is no plain file, or not of the folder.
  bool acceptable = false;
  std::string message;                  // may be set for a scene that is the same, too
  std::string title, text;              // of the scene
  std::string tolerance;                // of the scene, in words; empty if it cannot be read
  std::int64_t frames = 0;              // rendered
  std::int64_t accepted = 0;            // frames; 0 if the accepted hashes are missing or cannot be read
  std::vector<std::int64_t> differing;  // accepted and rendered frames whose hashes differ
  std::vector<std::int64_t> unmatched;  // frames that were only accepted or only rendered
  std::vector<StillCheck> stills;
  // What the scene shows instead of an accepted text, by its ending, ".golden.csv" or ".svg".
  std::vector<std::pair<std::string, std::string>> texts;
  double seconds = 0;      // duration
  std::size_t memory = 0;  // Capture::memory
};

// Without a tolerance in the scene, the hash of every frame and every pixel of the stills must be as accepted; with a
// tolerance, the stills and the number of frames decide. `for_report` computes SSIM and FLIP of stills that differ even
// if no tolerance needs them. Accepted files that are missing or damaged are reported in the result, not by an
// exception. A still that [golden] does not list is a difference, too. `set`: one of the sets of the scene.
SceneCheck check_capture(const GoldenFolder&, const std::string& set, const Scene&, Capture, bool for_report);

// Splits increasing numbers into runs of consecutive ones: the first and the last of each.
struct Run {
  std::int64_t first = 0, last = 0;
};
std::vector<Run> runs_of(const std::vector<std::int64_t>& numbers);

// "3 to 7, 9": the first few runs of increasing numbers, "..." for the rest.
std::string runs_text(const std::vector<std::int64_t>& numbers);

// What a scene shows where it does not pass, as files for whoever has no browser at hand:
// below `folder`, of each still that does not pass NAME.000005.actual.png and NAME.000005.difference.png, the latter
// where there are two pictures of one size, and NAME.actual.golden.csv or NAME.actual.svg. Throws as write_below does.
void write_artifacts(const std::filesystem::path& folder, const SceneCheck&);

// How much the scenes of a golden folder may tolerate. A pull request can widen the tolerances of its own scenes; these
// come from elsewhere.

class Ceilings {
 public:
  // "max_diff=2": keys of [golden] and the most that they may tolerate; of "ignore" that is a share of the picture, of
  // "csv" the tolerance of any column. Throws UsageError.
  explicit Ceilings(const std::vector<std::string>& given);

  // Why a scene tolerates more, or by a key that is not given; empty where it does not, and without ceilings.
  std::string excess(const Scene&) const;

 private:
  std::map<std::string, double, std::less<>> given_;
};

}  // namespace simreel
