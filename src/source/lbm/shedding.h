#pragma once
// The frequency of vortex shedding of a body, from the lift on it.

#include <optional>
#include <span>

namespace simreel {

struct Sample {
  double time, value;
};

// The frequency, in periods per unit of time, of a periodic signal sampled at rising times, over the later half of the
// record. A period lasts from one upward crossing of the mean to the next; between them the signal falls well below it.
// Nullopt if the signal is not periodic:
//   - there are fewer than three periods,
//   - a period differs from the mean of all by more than a fifth,
//   - the signal swings by less than `least` to either side, half its range, or
//   - the last period swings by less than half as much as the first: an oscillation that dies away.
std::optional<double> regular_frequency(std::span<const Sample>, double least);

// Whether bodies whose widths across the flow, or lengths given for them, lie from `least` to `greatest` shed vortices
// at such a frequency in a flow of such a speed: a Strouhal number from 0.03 to 0.8. Cylinders have 0.12 to 0.3, up to
// twice that between narrow walls.
bool is_shedding_frequency(double frequency, double speed, double least, double greatest);

}  // namespace simreel
