#include "source/lbm/shedding.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace simreel {
namespace {

constexpr std::size_t min_periods = 3;
constexpr double largest_deviation = 0.2;  // of a period from the mean of all
constexpr double min_decay = 0.5;          // least amplitude of the last period over that of the first

struct Period {
  double length, swing;
};

// Periods between upward crossings of the mean. A crossing counts once the signal has been well below the mean, so that
// ripples near it do not.
std::vector<Period> periods_of(std::span<const Sample> samples, double mean, double well_below) {
  std::vector<Period> periods;
  double start = 0, low = 0, high = 0;
  bool started = false, armed = false;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Sample &a = samples[i - 1], &b = samples[i];
    low = std::min(low, b.value);
    high = std::max(high, b.value);
    armed = armed || b.value < well_below;
    if (!armed || b.value < mean) continue;
    armed = false;
    const double crossing = b.time - (b.value - mean) / (b.value - a.value) * (b.time - a.time);
    if (started) periods.push_back({crossing - start, high - low});
    started = true;
    start = crossing;
    low = high = b.value;
  }
  return periods;
}

}  // namespace

std::optional<double> regular_frequency(std::span<const Sample> samples, double min) {
  const std::span<const Sample> late = samples.subspan(samples.size() / 2);
  if (late.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(late, {}, &Sample::value);
  if (!(high.value - low.value > 2 * min)) return std::nullopt;
  double mean = 0;
  for (const Sample& sample : late) mean += sample.value / static_cast<double>(late.size());
  const std::vector<Period> periods = periods_of(late, mean, mean - 0.25 * (mean - low.value));
  if (periods.size() < min_periods || periods.back().swing < min_decay * periods.front().swing) return std::nullopt;
  double whole = 0;
  for (const Period& period : periods) whole += period.length;
  const double average = whole / static_cast<double>(periods.size());
  for (const Period& period : periods)
    if (std::abs(period.length - average) > largest_deviation * average) return std::nullopt;
  return static_cast<double>(periods.size()) / whole;
}

LiftScale lift_scale(const LbmOptions& o, const LbmGeometry& geometry, double roundoff) {
  LiftScale scale;
  scale.along_x = o.bottom == LbmSide::inlet || o.top == LbmSide::inlet;
  scale.speed = o.has(LbmSide::inlet) ? o.speed_of_numbers() : 0;
  scale.length = o.length;
  double links = 0;  // between fluid and solid cells, about: three for each cell of an obstacle's sides
  for (const LbmBox& box : geometry.extents) {
    const double across = scale.along_x ? box.x1 - box.x0 : box.y1 - box.y0;
    if (scale.length == 0) scale.length = across;
    if (links == 0) scale.min_length = scale.greatest_length = scale.length;
    scale.min_length = std::min(scale.min_length, across);
    scale.greatest_length = std::max(scale.greatest_length, across);
    links += 3 * 2 * ((box.x1 - box.x0) + (box.y1 - box.y0));
  }
  // A link hands over twice a population, about a third of the speed, with an error that is uniform within its
  // roundoff.
  scale.rounding = 4 * 2 * roundoff * scale.speed / 3 * std::sqrt(links / 3);
  return scale;
}

bool is_shedding_frequency(double frequency, const LiftScale& scale) {
  return frequency * scale.greatest_length >= 0.03 * scale.speed && frequency * scale.min_length <= 0.8 * scale.speed;
}

std::optional<double> shedding_frequency(std::span<const Sample> lift, double drag, const LiftScale& scale) {
  const std::optional<double> frequency = regular_frequency(lift, std::max(5e-3 * std::abs(drag), scale.rounding));
  return frequency && is_shedding_frequency(*frequency, scale) ? frequency : std::nullopt;
}

}  // namespace simreel
