#pragma once
// All pairs of two pictures, folders or videos compared, and what to say of them.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/metrics.h"
#include "compare/pairs.h"

namespace simreel {

// A pair that is not identical.
struct DifferingPair {
  std::string name;
  Metrics metrics;
  std::string exceeded;  // as `exceeds` says; empty within the tolerance
};

struct Comparison {
  std::int64_t pairs = 0, identical = 0, differing = 0;  // differing: more than the tolerance lets pass
  std::int64_t rounded = 0;                              // of the identical ones: known of 8 bits, but stored with more
  DifferingPair first;                                   // the first one over the tolerance; no name: there is none
  DifferingPair worst;  // the one of the lowest PSNR, over the tolerance if there is such; no name: all are identical
  Picture worst_expected, worst_actual;
  std::vector<DifferingPair> kept;  // every pair that is not identical, if asked for
  std::string left_over;            // as PicturePairs says
  std::vector<std::string> notes;   // as PicturePairs says
};

// Looks at the pairs one by one; holds the worst besides the current one. SSIM and FLIP are known of the worst pair;
// of the others each where the tolerance needs it, and both where `keep` is set. Throws what the pairs throw.
Comparison compare_pairs(PicturePairs&, const Tolerance&, bool keep);

}  // namespace simreel
