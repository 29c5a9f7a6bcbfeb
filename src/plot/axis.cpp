#include "plot/axis.h"

#include <cmath>

namespace simreel {

AxisRange range_of(Values extent, bool log) {
  using Number = std::numeric_limits<double>;
  if (log) {
    constexpr double margin = 1.2, min = 2;
    if (extent.high < extent.low * min) extent.low /= 2, extent.high *= 2;
    return {std::max(extent.low / margin, Number::denorm_min()), std::min(extent.high * margin, Number::max()),
            Curve::log, 1, 0};
  }
  constexpr double margin = 0.04, rounding = 1e-14;
  double reach = extent.high - extent.low;
  const double largest = std::max(std::fabs(extent.low), std::fabs(extent.high));
  if (!(reach > rounding * largest)) reach = largest == 0 ? 1 : largest;
  const AxisRange range{std::max(extent.low - margin * reach, -Number::max()),
                        std::min(extent.high + margin * reach, Number::max())};
  return range.has_places() ? range : AxisRange{extent.low, extent.high};  // no room for a margin among numbers
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
