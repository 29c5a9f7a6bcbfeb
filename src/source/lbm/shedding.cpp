#include "source/lbm/shedding.h"

#include <algorithm>
#include <cmath>

namespace simreel {

std::optional<double> dominant_frequency(std::span<const Sample> samples, double scale) {
  const std::span<const Sample> late = samples.subspan(samples.size() / 2);
  if (late.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(late, {}, &Sample::value);
  if (!(high.value - low.value > 2e-3 * std::abs(scale))) return std::nullopt;
  double mean = 0;
  for (const Sample& sample : late) mean += sample.value / static_cast<double>(late.size());
  // A crossing counts once the signal has been well below the mean, so that ripples near it do not.
  const double well_below = mean - 0.25 * (mean - low.value);
  double first = 0, last = 0;
  int crossings = 0;
  bool armed = false;
  for (std::size_t i = 1; i < late.size(); ++i) {
    armed = armed || late[i].value < well_below;
    if (!armed || late[i].value < mean) continue;
    armed = false;
    const Sample &a = late[i - 1], &b = late[i];
    last = b.time - (b.value - mean) / (b.value - a.value) * (b.time - a.time);
    if (crossings++ == 0) first = last;
  }
  if (crossings < 4) return std::nullopt;
  return (crossings - 1) / (last - first);
}

}  // namespace simreel
