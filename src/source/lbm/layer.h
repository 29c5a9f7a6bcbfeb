#pragma once
// The layer of raised viscosity before outlets.

#include "source/obstacles/obstacles.h"

namespace simreel {

// Marks the fluid cells of the layer as `lbm_layer` and lists them beside the edges. Does nothing without a layer.
template <class Real>
void mark_layer(LbmGeometry& geometry, const LbmParams<Real>& p) {
  if (p.layer == 0) return;
  const auto within = [&](int k, int n, LbmSide low, LbmSide high) {
    return (low == LbmSide::outlet && k < p.layer) || (high == LbmSide::outlet && k >= n - p.layer);
  };
  geometry.edge.clear();
  for (int y = 0; y < p.ny; ++y) {
    const bool row = within(y, p.ny, p.bottom, p.top);
    for (int x = 0; x < p.nx; ++x) {
      const std::size_t place = static_cast<std::size_t>(y) * p.pitch + static_cast<std::size_t>(x);
      std::int8_t& kind = geometry.cell[place];
      if (kind < 0) continue;
      if (row || within(x, p.nx, p.left, p.right)) kind = static_cast<std::int8_t>(kind | lbm_layer);
      if (kind != lbm_plain) geometry.edge.push_back(static_cast<std::uint32_t>(place));
    }
  }
}

// An upper bound of the cells that it adds to the list.
template <class Real>
std::size_t layer_cells(const LbmParams<Real>& p) {
  const auto outlets = [](LbmSide low, LbmSide high) {
    return static_cast<std::size_t>((low == LbmSide::outlet) + (high == LbmSide::outlet));
  };
  return static_cast<std::size_t>(p.layer) * (outlets(p.left, p.right) * static_cast<std::size_t>(p.ny) +
                                              outlets(p.bottom, p.top) * static_cast<std::size_t>(p.nx));
}

}  // namespace simreel
