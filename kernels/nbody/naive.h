#pragma once
// The plain loop over all bodies on a CPU, a body at a time: solver.kernel = "naive", with which others are compared.

#include <cstddef>
#include <cstdint>

#include "kernels/nbody/pair.h"

namespace simreel {

// The whole sum of a body, with sources from global memory.
template <class Real>
struct NbodyNaive;

template <>
struct NbodyNaive<float> {
  NbodySystem<float> system;
  std::size_t padded;

  void operator()(std::size_t i) const {
    const int tiles = static_cast<int>(padded / nbody_tile), tile = static_cast<int>(i / nbody_tile);
    const int rows_of_last = static_cast<int>((system.count - 1) % nbody_tile) / nbody_lanes + 1;
    const Vec4<float> a = system.position[i];
    Vec3<std::int64_t> total{0, 0, 0};
    bool bad = false;
    for (int j = 0; j < tiles; ++j) {
      const Vec4<float>* const sources = system.position + static_cast<std::size_t>(j) * nbody_tile;
      nbody_tile_pull(
          a, static_cast<int>(i % nbody_lanes), nbody_is_left(tile, j, tiles),
          j < tiles - 1 ? nbody_rows : rows_of_last, system.softening2, system.fixed,
          [sources](int k) { return sources[k]; }, total, bad);
    }
    system.sum[i] += total.x;
    system.sum[padded + i] += total.y;
    system.sum[2 * padded + i] += total.z;
    if (bad) nbody_raise(system.overflow);
  }
};

template <>
struct NbodyNaive<double> {
  NbodySystem<double> system;
  std::size_t padded;

  void operator()(std::size_t i) const {
    const Vec4<double> a = system.position[i];
    Vec3<double> sum{0, 0, 0};
    for (std::size_t j = 0; j < system.count; ++j) nbody_pull_double(sum, a, system.position[j], system.softening2);
    system.sum[i] = sum.x;
    system.sum[padded + i] = sum.y;
    system.sum[2 * padded + i] = sum.z;
  }
};

}  // namespace simreel
