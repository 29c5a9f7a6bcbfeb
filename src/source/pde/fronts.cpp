#include "source/pde/fronts.h"

#include <cmath>

namespace simreel {

// Of the range, within two cells: that of tanh(x / w) where w is less than about a cell. On both sides it is flat, so
// that neither noise nor ripples of the grid count.
bool ThinFronts::is_front(std::span<const double> values, std::size_t first) const {
  constexpr double high = 0.7, flat = 0.15;
  const auto rise = [&](std::size_t from, std::size_t to) { return values[to] - values[from]; };
  const double all = rise(first, first + 2);
  const bool monotone = rise(first, first + 1) * all >= 0 && rise(first + 1, first + 2) * all >= 0;
  return std::abs(all) > high * range_ && monotone && std::abs(rise(first - 1, first)) < flat * range_ &&
         std::abs(rise(first + 2, first + 3)) < flat * range_;
}

void ThinFronts::add(std::span<const double> values, std::span<const double> at_start) {
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    if (const double rise = std::abs(values[i + 1] - values[i]); std::isfinite(rise)) all_ += rise;
  for (std::size_t i = 1; i + 3 < values.size(); ++i) {
    if (!is_front(values, i)) continue;
    bool was = false;
    for (std::size_t k = i - 1; k <= i + 3; ++k) was |= std::abs(at_start[k] - at_start[i - 1]) > 0.35 * range_;
    if (!was) thin_ += std::abs(values[i + 2] - values[i]), ++count_;
    i += 2;  // the same one
  }
}

}  // namespace simreel
