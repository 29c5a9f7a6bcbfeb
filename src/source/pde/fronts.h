#pragma once
// Whether values rise from one level to another within so few cells that the grid, and not the equations, decides on
// the speed and the width of the front.

#include <span>
#include <vector>

namespace simreel {

// Of lines of cells, one after the other.
class ThinFronts {
 public:
  // `range`: the difference of the largest and the smallest value of all lines.
  explicit ThinFronts(double range) : range_(range) {}

  // The values of neighbouring cells, NaN in solid ones; and those at step 0, whose jumps no equation has made.
  void add(std::span<const double> values, std::span<const double> at_start);

  // Of all rises and falls, those that are fronts of at most two cells, and where none was at the start: 0 to 1.
  double share() const { return all_ > 0 ? thin_ / all_ : 0; }
  int count() const { return count_; }

 private:
  bool is_front(std::span<const double> values, std::size_t first) const;

  double range_, thin_ = 0, all_ = 0;
  int count_ = 0;
};

}  // namespace simreel
