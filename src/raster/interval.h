#pragma once

namespace simreel {

// The least and the greatest finite value seen; low > high where there was none.
struct Interval {
  double low, high;
};

}  // namespace simreel
