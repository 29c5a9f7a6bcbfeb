#pragma once
// How much the scenes of a golden folder may tolerate. A pull request can widen the tolerances of its own scenes; these
// come from elsewhere.

#include <map>
#include <string>
#include <vector>

#include "scene/scene.h"

namespace simreel {

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
