#pragma once
// The wave scheme for one cell. Every variant of the step is built from this and the continuation of the grid
// (boundary.h), so all variants give the same bits.

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

// The row of the whole grid that row y of a part is.
template <class Real>
HD inline int wave_row_of_whole(const WaveParams<Real>& p, int y) {
  const int row = p.y0 + y;
  return row >= 0 && row < p.whole_ny ? row : ((row % p.whole_ny) + p.whole_ny) % p.whole_ny;
}

// The number of absorbing sides of the cell at `index` of a line of n cells.
HD inline int wave_absorbing_sides(int index, int n, WaveBoundary boundary) {
  if (!wave_absorbs(boundary) || n == 1) return 0;
  return (index == 0 ? 1 : 0) + (index == n - 1 ? 1 : 0);
}

template <class Real>
HD inline Real wave_signed(Real value, int sign) {
  return sign == 0 ? Real(0) : sign > 0 ? value : -value;
}

}  // namespace simreel
