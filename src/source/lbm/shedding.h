#pragma once
// The frequency of vortex shedding of a body, from the lift on it.

#include <optional>
#include <span>

#include "source/lbm/options.h"

namespace simreel {

struct Sample {
  double time, value;
};

// The frequency, in periods per unit of time, of a periodic signal sampled at rising times, over the later half of the
// record. A period lasts from one upward crossing of the mean to the next; between them the signal falls well below it.
// Nullopt if the signal is not periodic:
//   - there are fewer than three periods,
//   - a period differs from the mean of all by more than a fifth,
//   - the signal swings by less than `min` to either side, half its range, or
//   - the last period swings by less than half as much as the first: an oscillation that dies away.
std::optional<double> regular_frequency(std::span<const Sample>, double min);

// What the lift on the obstacles of a flow is judged by, in lattice units.
struct LiftScale {
  bool along_x = false;  // the flow comes from below or above, so lift is along x and drag along y
  double length = 0;     // of the Strouhal number: the given one, or the width of the first obstacle across the flow
  double min_length = 0, greatest_length = 0;  // among the given one and the widths of all obstacles
  double speed = 0;                            // of the inlets; 0: there is no Strouhal number
  double rounding = 0;                         // what rounding adds to the lift, four standard deviations
};
// `roundoff` is the unit roundoff of stored populations.
LiftScale lift_scale(const LbmOptions&, const LbmGeometry&, double roundoff);

// Whether bodies of such lengths shed vortices at such a frequency: a Strouhal number from 0.03 to 0.8. Cylinders have
// 0.12 to 0.3, and up to twice that between narrow walls.
bool is_shedding_frequency(double frequency, const LiftScale&);

// Of vortices, in periods per step: the regular frequency of a lift that swings by more than 1/200 of the drag and more
// than rounding.
std::optional<double> shedding_frequency(std::span<const Sample> lift, double drag, const LiftScale&);

}  // namespace simreel
