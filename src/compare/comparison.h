#pragma once
// Compares all pairs of two pictures, folders or videos.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/metrics.h"
#include "compare/pairs.h"

namespace simreel {

// A pair that is not identical.
struct DifferingPair {
  std::string name;
  std::optional<Metrics> metrics;  // unset if the sizes differ
  std::string exceeded;            // from `exceeds`, or which sizes differ; empty within the tolerance
};

struct Comparison {
  std::int64_t pairs = 0, identical = 0, differing = 0;  // differing: beyond the tolerance
  std::int64_t rounded = 0;  // identical pairs that are stored with more than 8 bits but were compared in 8
  DifferingPair first;       // the first one beyond the tolerance; without a name if there is none
  // Of the pairs with metrics the one of lowest PSNR, beyond the tolerance if any is; without a name if there is none.
  DifferingPair worst;
  Picture worst_expected, worst_actual;
  std::vector<DifferingPair> kept;  // every pair that is not identical, if requested
  LeftOver left_over;
  std::vector<std::string> notes;  // see PicturePairs

  bool different() const { return differing > 0 || left_over.any(); }
};

// Compares the pairs one by one; memory holds the worst and the current pair. SSIM and FLIP are computed for the worst
// pair, for the others if the tolerance needs them, and for all if `keep` is set. Throws what the pairs throw.
Comparison compare_pairs(PicturePairs&, const Tolerance&, bool keep);

}  // namespace simreel
