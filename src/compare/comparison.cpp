#include "compare/comparison.h"

#include <tuple>

namespace simreel {

Comparison compare_pairs(PicturePairs& pairs, const Tolerance& tolerance, bool keep) {
  Comparison result;
  const auto badness = [](const DifferingPair& pair) {
    return std::tuple(!pair.exceeded.empty(), -pair.metrics->psnr);
  };
  const PerceptualMetrics wanted = keep ? PerceptualMetrics::all() : tolerance.perceptual();
  while (pairs.next()) {
    ++result.pairs;
    if (pairs.known_equal()) {
      ++result.identical;
      continue;
    }
    DifferingPair pair{pairs.name(), {}, ""};
    std::pair<Picture, Picture> pictures;
    if (const std::optional<PairRows> rows = pairs.rows()) {
      pair.metrics = compare_rows(*rows);
      if (pair.metrics->identical) {
        ++result.identical;
        if (rows->rounded) ++result.rounded;
        continue;
      }
      if (wanted.any()) {
        pictures = pairs.pictures();
        add_perceptual(*pair.metrics, pictures.first, pictures.second, wanted);
      }
      pair.exceeded = exceeds(*pair.metrics, tolerance);
    } else {
      const auto [expected, actual] = pairs.sizes();
      pair.exceeded = different_sizes(expected, actual);
    }
    if (!pair.exceeded.empty()) ++result.differing;
    if (!pair.exceeded.empty() && result.first.name.empty()) result.first = pair;
    if (pair.metrics && (result.worst.name.empty() || badness(pair) > badness(result.worst))) {
      result.worst = pair;
      if (!wanted.any()) pictures = pairs.pictures();
      std::tie(result.worst_expected, result.worst_actual) = std::move(pictures);
    }
    if (keep) result.kept.push_back(pair);
  }
  result.left_over = pairs.left_over();
  result.notes = pairs.notes();
  if (!result.worst.name.empty()) {
    const PerceptualMetrics lacking{!wanted.ssim, !wanted.flip};
    add_perceptual(*result.worst.metrics, result.worst_expected, result.worst_actual, lacking);
  }
  return result;
}

}  // namespace simreel
