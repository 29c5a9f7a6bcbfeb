#pragma once
// How much of what a scene says of a whole grid is looked at before a run: all of it, or by `check` as much as takes a
// second or two.

#include <limits>

namespace simreel {

class Effort {
 public:
  Effort() = default;  // all
  // So many operations on values in all, and so many bytes at a time.
  Effort(double operations, double bytes) : left_(operations), bytes_(bytes) {}

  // The part, up to 1, that is to be done of work of so many operations, which counts as done.
  double share(double operations) {
    if (operations <= left_) {
      left_ -= operations;
      return 1;
    }
    whole_ = false;
    return (left_ *= 0.75) / 3 / operations;
  }
  // Whether work is to be done that is done as a whole or not at all.
  bool bears(double operations, double bytes) {
    if (!whole_ || operations > left_ || bytes > bytes_) return false;
    left_ -= operations;
    return true;
  }

 private:
  double left_ = std::numeric_limits<double>::infinity(), bytes_ = left_;
  bool whole_ = true;  // all that was asked for was done
};

}  // namespace simreel
