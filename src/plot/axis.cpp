#include "plot/axis.h"

#include <cmath>

namespace simreel {

AxisRange range_of(Values extent, bool log) {
  if (log) {
    constexpr double margin = 1.2, min = 2;
    if (extent.high < extent.low * min) extent.low /= 2, extent.high *= 2;
    return {extent.low / margin, extent.high * margin, Curve::log, 1, 0};
  }
  double reach = extent.high - extent.low;
  if (!(reach > 0)) reach = extent.low == 0 ? 1 : std::fabs(extent.low);
  return {extent.low - 0.04 * reach, extent.high + 0.04 * reach, Curve::linear, 1, 0};
}

AxisRange scaled(AxisRange axis, const SecondAxis& second) {
  axis.low *= second.factor, axis.high *= second.factor;
  return axis;
}

std::vector<double> minor_places(const AxisRange& axis) {
  constexpr double max_decades = 8;
  std::vector<double> places;
  if (axis.curve != Curve::log || std::log10(axis.high / axis.low) > max_decades) return places;
  for (int decade = static_cast<int>(std::floor(std::log10(axis.low))); power_of_ten(decade) < axis.high; ++decade)
    for (int digit = 2; digit < 10; ++digit) {
      const double value = digit * power_of_ten(decade);
      if (value >= axis.low && value <= axis.high) places.push_back(axis.place(value));
    }
  return places;
}

}  // namespace simreel
