#pragma once
// The range of an axis of a plot.

#include <algorithm>
#include <limits>
#include <vector>

#include "figure/ticks.h"
#include "plot/plot.h"

namespace simreel {

// Of the values that a plot shows.
struct Values {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double v) { low = std::min(low, v), high = std::max(high, v); }
};

// With a margin; `log`: the values are above 0.
AxisRange range_of(Values, bool log);
AxisRange scaled(AxisRange, const SecondAxis&);

// 2 to 9 times the powers of ten on a logarithmic axis, unless there are very many.
std::vector<double> minor_places(const AxisRange&);

}  // namespace simreel
