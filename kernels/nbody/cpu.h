#pragma once
// Exact forces on a CPU: tiles as kernels/nbody/pair.h defines them, with vector lanes in place of a warp's lanes. A
// row of sources is stored twice in succession, so that rotating it is a load from another address.

#include <algorithm>
#include <atomic>
#include <thread>

#include "kernels/nbody/pair.h"

namespace simreel {

// Compiles a function for vectors of 16 floats as well; the version is chosen when the program starts, which is before
// ThreadSanitizer is ready.
#if defined(__x86_64__) && defined(__AVX2__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define SIMREEL_WIDER_VECTORS [[gnu::target_clones("default", "arch=x86-64-v4")]]
#else
#define SIMREEL_WIDER_VECTORS
#endif

struct CpuTile {
  float x[nbody_tile], y[nbody_tile], z[nbody_tile], mass[nbody_tile];

  explicit CpuTile(const Vec4<float>* bodies) {
    for (int i = 0; i < nbody_tile; ++i) {
      x[i] = bodies[i].x;
      y[i] = bodies[i].y;
      z[i] = bodies[i].z;
      mass[i] = bodies[i].w;
    }
  }
};

struct CpuRow {
  float x[2 * nbody_lanes], y[2 * nbody_lanes], z[2 * nbody_lanes], mass[2 * nbody_lanes];

  explicit CpuRow(const Vec4<float>* bodies) {
    for (int i = 0; i < nbody_lanes; ++i) {
      x[i] = x[nbody_lanes + i] = bodies[i].x;
      y[i] = y[nbody_lanes + i] = bodies[i].y;
      z[i] = z[nbody_lanes + i] = bodies[i].z;
      mass[i] = mass[nbody_lanes + i] = bodies[i].w;
    }
  }
};

// A number for each of two rows of a tile. Each operation is applied to both rows before the next operation, so that
// dependent instructions are further apart (1.07 times as fast).
struct TwoRows {
  float a, b;

  HD TwoRows(float first, float second) : a(first), b(second) {}
  HD explicit TwoRows(float same) : TwoRows(same, same) {}
  HD explicit TwoRows(const float* at) : TwoRows(at[0], at[nbody_lanes]) {}
};
HD inline TwoRows operator-(float x, const TwoRows& y) { return {x - y.a, x - y.b}; }
HD inline TwoRows operator*(const TwoRows& x, const TwoRows& y) { return {x.a * y.a, x.b * y.b}; }
HD inline TwoRows fma(const TwoRows& x, const TwoRows& y, const TwoRows& z) {
  return {std::fma(x.a, y.a, z.a), std::fma(x.b, y.b, z.b)};
}
HD inline TwoRows guess_inverse_root(const TwoRows& x) { return {guess_inverse_root(x.a), guess_inverse_root(x.b)}; }

// The float sums of `size` bodies.
template <int size>
struct CpuSums {
  float x[size] = {}, y[size] = {}, z[size] = {};

  void add(int i, float dx, float dy, float dz, float scale) {
    x[i] = std::fma(dx, scale, x[i]);
    y[i] = std::fma(dy, scale, y[i]);
    z[i] = std::fma(dz, scale, z[i]);
  }
};

// The integer totals of `size` bodies, before they are added to those of the system.
template <int size>
struct CpuTotals {
  std::int64_t x[size] = {}, y[size] = {}, z[size] = {};
};

// nbody_fix of many sums, times a power of two or minus one, with operations that vector units have: in double, in two
// halves of 32 bits; adding 1.5 * 2^52, which leaves no bits for a fraction, rounds the high half.
SIMREEL_WIDER_VECTORS
inline void nbody_fix_lanes(const float* sums, float factor, const NbodyFixed& fixed, std::int64_t* totals, int count,
                            bool& bad) {
  constexpr double rounder = 0x1.8p52;
  constexpr std::int64_t zero = std::bit_cast<std::int64_t>(rounder);
  const float limit = fixed.limit, scale = fixed.scale;
  int beyond = 0;
  SIMREEL_INDEPENDENT
  for (int i = 0; i < count; ++i) {
    const float sum = sums[i] * factor;
    const bool good = std::fabs(sum) <= limit;
    beyond |= good ? 0 : 1;
    const double value = static_cast<double>((good ? sum : 0.0f) * scale);
    const double high = std::fma(value, 0x1p-32, rounder);
    const double low = std::fma(high - rounder, -0x1p32, value) + rounder;
    totals[i] += ((std::bit_cast<std::int64_t>(high) - zero) << 32) + std::bit_cast<std::int64_t>(low) - zero;
  }
  if (beyond) bad = true;
}

class CpuForces {
 public:
  explicit CpuForces(const NbodySystem<float>& system)
      : system_(system),
        padded_(nbody_padded(system.count)),
        tiles_(static_cast<int>(padded_ / nbody_tile)),
        rows_of_last_(static_cast<int>((system.count - 1) % nbody_tile) / nbody_lanes + 1) {}

  int tiles() const { return tiles_; }

  // The forces, on both sides, between tile i and the tiles to the right of it at `first` <= steps < `last`.
  void both_sides(int i, int first, int last) const {
    const CpuTile targets(tile(i));
    CpuTotals<nbody_tile> totals;
    bool bad = false;
    for (int steps = first; steps < std::min(last, 1 + nbody_right_neighbours(i, tiles_)); ++steps) {
      const int j = i + steps < tiles_ ? i + steps : i + steps - tiles_;
      for (int row = 0; row < rows(j); ++row) {
        const CpuRow sources(tile(j) + row * nbody_lanes);
        CpuSums<nbody_tile> sums;
        if (steps == 0) {
          pull_left(targets, rows(i), sources, sums);
        } else {
          CpuSums<2 * nbody_lanes> back;
          pull_both_sides(targets, sources, sums, back);
          CpuTotals<nbody_lanes> pulled;
          const int first_body = j * nbody_tile + row * nbody_lanes;
          const int count = std::min(nbody_lanes, static_cast<int>(system_.count) - first_body);
          nbody_fix_lanes(back.x + nbody_lanes, -1.0f, system_.fixed, pulled.x, count, bad);
          nbody_fix_lanes(back.y + nbody_lanes, -1.0f, system_.fixed, pulled.y, count, bad);
          nbody_fix_lanes(back.z + nbody_lanes, -1.0f, system_.fixed, pulled.z, count, bad);
          add(j, row * nbody_lanes, count, pulled);
        }
        fix(i, sums, totals, bad);
      }
    }
    add(i, 0, bodies(i), totals);
    if (bad) nbody_raise(system_.overflow);
  }

  // The forces on tile i from all tiles.
  void one_side(int i) const {
    const CpuTile targets(tile(i));
    CpuTotals<nbody_tile> totals;
    bool bad = false;
    for (int j = 0; j < tiles_; ++j) {
      if (nbody_is_left(i, j, tiles_)) {
        for (int row = 0; row < rows(j); ++row) {
          CpuSums<nbody_tile> sums;
          pull_left(targets, rows(i), CpuRow(tile(j) + row * nbody_lanes), sums);
          fix(i, sums, totals, bad);
        }
      } else {
        CpuSums<nbody_tile> sums;
        pull_right(targets, rows(i), tile(j), sums);
        fix(i, sums, totals, bad);
      }
    }
    add(i, 0, bodies(i), totals);
    if (bad) nbody_raise(system_.overflow);
  }

 private:
  const Vec4<float>* tile(int i) const { return system_.position + static_cast<std::size_t>(i) * nbody_tile; }
  int rows(int i) const { return i < tiles_ - 1 ? nbody_rows : rows_of_last_; }
  int bodies(int i) const {
    return static_cast<int>(
        std::min<std::size_t>(nbody_tile, system_.count - static_cast<std::size_t>(i) * nbody_tile));
  }

  // Adds the force of source j on body i of the tile. Callers write it out four times: a loop over the rows of a tile
  // would be vectorised in place of the loop over lanes.
  void pull(const CpuTile& a, int i, const CpuRow& b, int j, CpuSums<nbody_tile>& sums) const {
    const float x = b.x[j] - a.x[i], y = b.y[j] - a.y[i], z = b.z[j] - a.z[i];
    const float s = b.mass[j] * inverse_cube(std::fma(x, x, std::fma(y, y, std::fma(z, z, system_.softening2))));
    sums.add(i, x, y, z, s);
  }
  // The same for bodies i and i + 32, and their forces on the source.
  void pull_both(const CpuTile& a, int i, const CpuRow& b, int j, CpuSums<nbody_tile>& sums, Vec3<float>& back) const {
    const TwoRows x = b.x[j] - TwoRows(a.x + i), y = b.y[j] - TwoRows(a.y + i), z = b.z[j] - TwoRows(a.z + i);
    const TwoRows strength = inverse_cube(fma(x, x, fma(y, y, fma(z, z, TwoRows(system_.softening2)))));
    const TwoRows s = TwoRows(b.mass[j]) * strength, t = TwoRows(a.mass + i) * strength;
    sums.add(i, x.a, y.a, z.a, s.a);
    sums.add(i + nbody_lanes, x.b, y.b, z.b, s.b);
    back.x = std::fma(x.b, t.b, std::fma(x.a, t.a, back.x));
    back.y = std::fma(y.b, t.b, std::fma(y.a, t.a, back.y));
    back.z = std::fma(z.b, t.b, std::fma(z.a, t.a, back.z));
  }
  static_assert(nbody_rows == 4);

  // The forces of a row of sources on the rows of the tile to its left.
  SIMREEL_WIDER_VECTORS
  void pull_left(const CpuTile& a, int target_rows, const CpuRow& b, CpuSums<nbody_tile>& sums) const {
    for (int r = 0; r < nbody_lanes; ++r)
      for (int first = 0; first < target_rows * nbody_lanes; first += nbody_lanes) {
        SIMREEL_INDEPENDENT
        for (int lane = 0; lane < nbody_lanes; ++lane) pull(a, first + lane, b, lane + r, sums);
      }
  }

  // The same for all four rows, and their forces on the sources: at the end `back` holds minus the sum of source s at
  // 32 + s.
  SIMREEL_WIDER_VECTORS
  void pull_both_sides(const CpuTile& a, const CpuRow& b, CpuSums<nbody_tile>& sums,
                       CpuSums<2 * nbody_lanes>& back) const {
    for (int r = 0; r < nbody_lanes; ++r) {
      SIMREEL_INDEPENDENT
      for (int lane = 0; lane < nbody_lanes; ++lane) {
        const int j = lane + r;
        Vec3<float> sum{back.x[j], back.y[j], back.z[j]};
        pull_both(a, lane, b, j, sums, sum);
        pull_both(a, lane + 2 * nbody_lanes, b, j, sums, sum);
        back.x[j] = sum.x;
        back.y[j] = sum.y;
        back.z[j] = sum.z;
      }
      // Source r leaves the window of the lanes at the left end and re-enters at the right end.
      back.x[r + nbody_lanes] = back.x[r];
      back.y[r + nbody_lanes] = back.y[r];
      back.z[r + nbody_lanes] = back.z[r];
    }
  }

  // The forces of a whole tile on the rows of the tile to its right.
  SIMREEL_WIDER_VECTORS
  void pull_right(const CpuTile& a, int target_rows, const Vec4<float>* sources, CpuSums<nbody_tile>& sums) const {
    const CpuRow b[nbody_rows] = {CpuRow(sources), CpuRow(sources + nbody_lanes), CpuRow(sources + 2 * nbody_lanes),
                                  CpuRow(sources + 3 * nbody_lanes)};
    for (int r = 0; r < nbody_lanes; ++r)
      for (int first = 0; first < target_rows * nbody_lanes; first += nbody_lanes) {
        SIMREEL_INDEPENDENT
        for (int lane = 0; lane < nbody_lanes; ++lane) {
          const int i = first + lane, j = lane - r + nbody_lanes;
          pull(a, i, b[0], j, sums);
          pull(a, i, b[1], j, sums);
          pull(a, i, b[2], j, sums);
          pull(a, i, b[3], j, sums);
        }
      }
  }

  void fix(int i, const CpuSums<nbody_tile>& sums, CpuTotals<nbody_tile>& totals, bool& bad) const {
    nbody_fix_lanes(sums.x, 1.0f, system_.fixed, totals.x, bodies(i), bad);
    nbody_fix_lanes(sums.y, 1.0f, system_.fixed, totals.y, bodies(i), bad);
    nbody_fix_lanes(sums.z, 1.0f, system_.fixed, totals.z, bodies(i), bad);
  }

  // Adds the totals of `count` bodies from `first` on to the sums of tile i. One thread at a time adds to a tile.
  template <int size>
  void add(int i, int first, int count, const CpuTotals<size>& totals) const {
    const std::atomic_ref lock(system_.lock[i]);
    while (lock.exchange(1, std::memory_order_acquire) != 0) std::this_thread::yield();
    std::int64_t* const sum = system_.sum + static_cast<std::size_t>(i) * nbody_tile + static_cast<std::size_t>(first);
    SIMREEL_INDEPENDENT
    for (int k = 0; k < count; ++k) {
      sum[k] += totals.x[k];
      sum[padded_ + static_cast<std::size_t>(k)] += totals.y[k];
      sum[2 * padded_ + static_cast<std::size_t>(k)] += totals.z[k];
    }
    lock.store(0, std::memory_order_release);
  }

  NbodySystem<float> system_;
  std::size_t padded_;
  int tiles_, rows_of_last_;
};

}  // namespace simreel
