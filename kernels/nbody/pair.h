#pragma once
// The force between two bodies, and the fixed order in which `exact` sums forces. Every exact kernel is built from
// these functions, so all kernels give the same bits.
//
// Each pair of tiles of 128 bodies meets once. The `left` tile is the one from which the other is reached by fewer
// steps forwards around the ring of tiles; a tile is left of itself. Bodies are numbered row * 32 + lane in their tile:
//
//   left tile                  right tile
//   row 0  0 1 2 ... l ... 31  0 1 2 ... 31    For each row of the right tile, lane l accumulates sources l, l+1, ...,
//   row 1  0 1 2 ... l ... 31  0 1 2 ... 31    l+31 (mod 32) in float, then adds the row sum as an integer: four sums.
//   row 2  0 1 2 ... l ... 31  0 1 2 ... 31    A body of the right tile in lane l accumulates lanes l, l-1, ..., l-31
//   row 3  0 1 2 ... l ... 31  0 1 2 ... 31    (mod 32) of the left tile, all four rows of each: one sum.
//
// This is the order of a warp that holds the left tile in registers while a row of the right tile rotates through its
// lanes, each body carrying its own sum along.

#include <cmath>
#include <cstdint>

#include "kernels/base/launch.h"
#include "kernels/nbody/nbody.h"

#ifndef __CUDA_ARCH__
#include <atomic>
#include <bit>
#endif

namespace simreel {

inline constexpr int nbody_lanes = 32;
inline constexpr int nbody_rows = nbody_tile / nbody_lanes;

// Approximates x^(-1/2) by halving the exponent (Lomont 2003, "Fast inverse square root", with another constant).
HD inline float guess_inverse_root(float x) {
#ifdef __CUDA_ARCH__
  return __int_as_float(0x5f372000 - (__float_as_int(x) >> 1));
#else
  return std::bit_cast<float>(0x5f372000 - (std::bit_cast<std::int32_t>(x) >> 1));
#endif
}

// x^(-3/2) for normal x below about 2^84, with a relative error of at most 1.4e-7 (rms 4e-8): the approximation y of
// x^(-1/2), then the minimax polynomial (relative error) of (1 + u)^(-3/2) in u = x y^2 - 1 on the interval of u. It
// replaces three Newton steps. A Number is a float, or several floats computed side by side.
template <class Number>
HD inline Number inverse_cube(Number x) {
  using std::fma;
  const Number y = guess_inverse_root(x);
  const Number y2 = y * y;
  const Number u = fma(x, y2, Number(-1.0f));
  Number p = fma(u, Number(-0x1.60547cp+1f), Number(0x1.3d68bcp+1f));
  p = fma(u, p, Number(-0x1.17fba6p+1f));
  p = fma(u, p, Number(0x1.dffe3ep+0f));
  p = fma(u, p, Number(-0x1.800002p+0f));
  const Number y3 = y2 * y;
  return fma(y3 * u, p, y3);
}

// x^(-1/2) for normal x, with a relative error of at most 2.3e-16: an approximation as in inverse_cube, then two
// third-order steps (Householder 1970) and a Newton step. On a CPU a square root and a division take 2.5 times as long.
HD inline double inverse_root(double x) {
#ifdef __CUDA_ARCH__
  double y = __longlong_as_double(0x5fe6eb50c7b537a9 - (__double_as_longlong(x) >> 1));
#else
  double y = std::bit_cast<double>(0x5fe6eb50c7b537a9 - (std::bit_cast<std::int64_t>(x) >> 1));
#endif
  double u = std::fma(x, y * y, -1.0);
  y = std::fma(y * u, std::fma(u, 0.375, -0.5), y);
  u = std::fma(x, y * y, -1.0);
  y = std::fma(y * u, std::fma(u, 0.375, -0.5), y);
  u = std::fma(x, y * y, -1.0);
  return std::fma(y * u, -0.5, y);
}

// The vector from body `a` to body `b`, and (distance^2 + softening^2)^(-3/2).
struct NbodyPair {
  float x, y, z, strength;
};
struct ExactStrength {
  HD static float of(float distance2) { return inverse_cube(distance2); }
};

template <class Strength>
HD inline NbodyPair nbody_pair(const Vec4<float>& a, const Vec4<float>& b, float softening2) {
  const float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
  return {x, y, z, Strength::of(std::fma(x, x, std::fma(y, y, std::fma(z, z, softening2))))};
}

HD inline void nbody_pull(Vec3<float>& sum, const NbodyPair& pair, float mass) {
  const float s = mass * pair.strength;
  sum.x = std::fma(pair.x, s, sum.x);
  sum.y = std::fma(pair.y, s, sum.y);
  sum.z = std::fma(pair.z, s, sum.z);
}

// The same in double; sums run in the order of the bodies.
HD inline double nbody_strength(double x, double y, double z, double mass, double softening2) {
  const double distance2 = std::fma(x, x, std::fma(y, y, std::fma(z, z, softening2)));
  return mass / (distance2 * std::sqrt(distance2));
}
HD inline void nbody_pull_double(Vec3<double>& sum, const Vec4<double>& a, const Vec4<double>& b, double softening2) {
  const double x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
  const double s = nbody_strength(x, y, z, b.w, softening2);
  sum.x = std::fma(x, s, sum.x);
  sum.y = std::fma(y, s, sum.y);
  sum.z = std::fma(z, s, sum.z);
}

// Sets a flag that several threads may set concurrently.
HD inline void nbody_raise(int* flag) {
#ifdef __CUDA_ARCH__
  atomicExch(flag, 1);
#else
  std::atomic_ref(*flag).store(1, std::memory_order_relaxed);
#endif
}

// A partial sum as an integer. If it is out of range, the result is 0 and `bad` is set.
HD inline std::int64_t nbody_fix(float sum, const NbodyFixed& fixed, bool& bad) {
  if (!(std::fabs(sum) <= fixed.limit)) {
    bad = true;
    sum = 0;
  }
#ifdef __CUDA_ARCH__
  return __float2ll_rn(sum * fixed.scale);
#else
  return std::llrintf(sum * fixed.scale);
#endif
}

HD inline void nbody_fix_add(Vec3<std::int64_t>& total, const Vec3<float>& sum, const NbodyFixed& fixed, bool& bad) {
  total.x += nbody_fix(sum.x, fixed, bad);
  total.y += nbody_fix(sum.y, fixed, bad);
  total.z += nbody_fix(sum.z, fixed, bad);
}

// Whether tile i is left of tile j on a ring of `tiles` tiles.
HD inline bool nbody_is_left(int i, int j, int tiles) {
  const int steps = j >= i ? j - i : j - i + tiles;
  return 2 * steps < tiles || (2 * steps == tiles && i < j) || steps == 0;
}
// The number of tiles that tile i is left of, itself excluded: those at the next steps around the ring.
HD inline int nbody_right_neighbours(int i, int tiles) {
  return (tiles - 1) / 2 + (tiles % 2 == 0 && i < tiles / 2 ? 1 : 0);
}

// Adds to `total` the force of `rows` rows of a tile on body `a`, which is in `lane` of its own tile; source(k) is body
// k of the other tile, and `left` says that `a` is in the left one.
template <class Source>
HD inline void nbody_tile_pull(const Vec4<float>& a, int lane, bool left, int rows, float softening2,
                               const NbodyFixed& fixed, const Source& source, Vec3<std::int64_t>& total, bool& bad) {
  if (left) {
    for (int row = 0; row < rows; ++row) {
      Vec3<float> sum{0, 0, 0};
      for (int r = 0; r < nbody_lanes; ++r) {
        const Vec4<float> b = source(row * nbody_lanes + ((lane + r) & (nbody_lanes - 1)));
        nbody_pull(sum, nbody_pair<ExactStrength>(a, b, softening2), b.w);
      }
      nbody_fix_add(total, sum, fixed, bad);
    }
    return;
  }
  Vec3<float> sum{0, 0, 0};
  for (int r = 0; r < nbody_lanes; ++r)
    for (int row = 0; row < nbody_rows; ++row) {
      const Vec4<float> b = source(row * nbody_lanes + ((lane - r) & (nbody_lanes - 1)));
      nbody_pull(sum, nbody_pair<ExactStrength>(a, b, softening2), b.w);
    }
  nbody_fix_add(total, sum, fixed, bad);
}

}  // namespace simreel
