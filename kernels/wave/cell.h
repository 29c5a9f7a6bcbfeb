#pragma once
// The wave scheme for one cell, and the continuation of a grid beyond its sides. Every variant of the step is built
// from these two, so all variants give the same bits.

#include <cmath>

#include "kernels/base/launch.h"
#include "kernels/wave/wave.h"

namespace simreel {

// Rows start at multiples of this many values, which tiles load and store at once.
inline constexpr int wave_pack = 4;

// The new increment of a cell. Opposite neighbours are added first, so that mirrored cells round alike.
template <class Real>
HD inline Real wave_increment(Real west, Real east, Real south, Real north, Real u, Real d, Real friction,
                              Real coupling) {
  const Real laplacian = std::fma(Real(-4), u, (west + east) + (south + north));
  return std::fma(coupling, laplacian, std::fma(-friction, d, d));
}

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

// The row of the whole grid that row y of a part is.
template <class Real>
HD inline int wave_row_of_whole(const WaveParams<Real>& p, int y) {
  const int row = p.y0 + y;
  return row >= 0 && row < p.whole_ny ? row : ((row % p.whole_ny) + p.whole_ny) % p.whole_ny;
}

// The number of absorbing sides of the cell at `index` of a line of n cells.
HD inline int wave_absorbing_sides(int index, int n, WaveBoundary boundary) {
  if (boundary != WaveBoundary::absorbing || n == 1) return 0;
  return (index == 0 ? 1 : 0) + (index == n - 1 ? 1 : 0);
}

template <class Real>
HD inline Real wave_signed(Real value, int sign) {
  return sign == 0 ? Real(0) : sign > 0 ? value : -value;
}

}  // namespace simreel
