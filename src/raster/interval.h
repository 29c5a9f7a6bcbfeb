#pragma once

namespace simreel {

// The smallest and the largest finite value; low > high if there is none.
struct Interval {
  double low, high;
};

// The smallest interval that has both in it.
inline Interval hull(Interval a, Interval b) {
  if (a.low > a.high) return b;
  if (b.low > b.high) return a;
  return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

}  // namespace simreel
