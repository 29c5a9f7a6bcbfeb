#pragma once
// The differences of passes, at one cell.

#include <cmath>

#include "kernels/base/launch.h"
#include "kernels/pde/pass.h"

namespace simreel {

// at(ox, oy): the value that many cells away.
template <PdeKind kind, class Real, class At>
HD inline Real pde_difference(Real factor, const At& at) {
  const Real c = at(0, 0);
  const auto across = [&] { return (at(-1, 0) + at(1, 0)) + (at(0, -1) + at(0, 1)); };
  const auto corners = [&] { return (at(-1, -1) + at(1, -1)) + (at(-1, 1) + at(1, 1)); };
  if constexpr (kind == PdeKind::laplacian) return factor * (across() - Real(4) * c);
  if constexpr (kind == PdeKind::laplacian_nine)
    return factor * std::fma(Real(-20), c, std::fma(Real(4), across(), corners()));
  if constexpr (kind == PdeKind::bilaplacian) {
    const Real far = (at(-2, 0) + at(2, 0)) + (at(0, -2) + at(0, 2));
    return factor * std::fma(Real(20), c, std::fma(Real(-8), across(), std::fma(Real(2), corners(), far)));
  }
  if constexpr (kind == PdeKind::slope_x) return factor * (at(1, 0) - at(-1, 0));
  if constexpr (kind == PdeKind::slope_y) return factor * (at(0, 1) - at(0, -1));
}

}  // namespace simreel
