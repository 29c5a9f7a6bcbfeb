#pragma once
// What lies beyond the sides of a grid of waves. All that depends on the kind of a side asks one of these functions.

#include <string_view>

#include "kernels/base/launch.h"

namespace simreel {

// The condition beyond the outermost cells.
enum class WaveBoundary {
  fixed,      // u = 0 one cell outside: waves are reflected with the opposite sign
  free,       // u_n = 0 half a cell outside: waves are reflected with the same sign
  periodic,   // the opposite side of the grid
  absorbing,  // u_t + c u_n = 0 at the outermost cells, centred in space and time (Engquist and Majda 1977, first
              // order)
};
inline constexpr std::string_view wave_boundaries[] = {"fixed", "free", "periodic", "absorbing"};

HD constexpr bool wave_wraps(WaveBoundary side) { return side == WaveBoundary::periodic; }
HD constexpr bool wave_absorbs(WaveBoundary side) { return side == WaveBoundary::absorbing; }
HD constexpr bool wave_is_walled(WaveBoundary side) { return side == WaveBoundary::fixed; }
// Whether the cell beyond a side has the value of the cell at it, in a medium; it is 0 at others that do not wrap.
HD constexpr bool wave_is_even(WaveBoundary side) { return side == WaveBoundary::free; }

// The cell 0 <= index < n whose value, times the sign, is that of cell i of the infinite line; sign 0 means that the
// value is zero. The scheme preserves this continuation bit for bit, so the halo of a tile may extend beyond the sides
// by any number of cells.
struct WaveFold {
  int index;
  int sign;
};
HD inline WaveFold wave_fold(int i, int n, WaveBoundary boundary) {
  if (i >= 0 && i < n) return {i, 1};
  const auto modulo = [](int a, int b) { return (a % b + b) % b; };
  switch (boundary) {
    case WaveBoundary::fixed: {  // odd about the cells -1 and n
      const int j = modulo(i + 1, 2 * (n + 1));
      if (j == 0 || j == n + 1) return {0, 0};
      return j <= n ? WaveFold{j - 1, 1} : WaveFold{2 * (n + 1) - j - 1, -1};
    }
    case WaveBoundary::free: {  // even about the lines half a cell outside
      const int j = modulo(i, 2 * n);
      return {j < n ? j : 2 * n - 1 - j, 1};
    }
    case WaveBoundary::periodic: return {modulo(i, n), 1};
    case WaveBoundary::absorbing: {  // even about the outermost cells
      if (n == 1) return {0, 1};
      const int j = modulo(i, 2 * (n - 1));
      return {j < n ? j : 2 * (n - 1) - j, 1};
    }
  }
  return {0, 0};
}

}  // namespace simreel
