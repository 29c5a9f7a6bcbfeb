#pragma once

#include <optional>
#include <span>

namespace simreel {

// The frequency, in periods a unit of time, of a signal sampled at rising times: upward crossings of its mean over the
// later half of the record. Nothing where there are fewer than three periods or the signal stays within a thousandth of
// `scale` of its mean.
struct Sample {
  double time, value;
};
std::optional<double> dominant_frequency(std::span<const Sample>, double scale);

}  // namespace simreel
