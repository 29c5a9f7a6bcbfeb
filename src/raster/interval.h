#pragma once

namespace simreel {

// The smallest and the largest finite value; low > high if there is none.
struct Interval {
  double low, high;
};

}  // namespace simreel
