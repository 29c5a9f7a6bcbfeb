#include "compare/comparison.h"

#include <tuple>

namespace simreel {

Comparison compare_pairs(PicturePairs& pairs, const Tolerance& tolerance, bool keep) {
  Comparison result;
  const auto badness = [](const DifferingPair& pair) { return std::tuple(!pair.exceeded.empty(), -pair.metrics.psnr); };
  const bool perceptual = keep || tolerance.perceptual();
  while (pairs.next()) {
    ++result.pairs;
    if (pairs.known_equal()) {
      ++result.identical;
      continue;
    }
    auto [expected, actual] = pairs.pictures();
    DifferingPair pair{pairs.name(), compare_pictures(expected, actual, perceptual), ""};
    if (pair.metrics.identical) {
      ++result.identical;
      continue;
    }
    pair.exceeded = exceeds(pair.metrics, tolerance);
    if (!pair.exceeded.empty()) ++result.differing;
    if (!pair.exceeded.empty() && result.first.name.empty()) result.first = pair;
    if (result.worst.name.empty() || badness(pair) > badness(result.worst)) {
      result.worst = pair;
      result.worst_expected = std::move(expected), result.worst_actual = std::move(actual);
    }
    if (keep) result.kept.push_back(pair);
  }
  result.left_over = pairs.left_over();
  if (!result.worst.name.empty() && !perceptual) {
    result.worst.metrics = compare_pictures(result.worst_expected, result.worst_actual, true);
  }
  return result;
}

}  // namespace simreel
