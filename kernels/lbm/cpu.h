#pragma once
// The step along a row of cells on a CPU: runs of plain cells are collided into buffers in the L1 cache, in vectorised
// loops.

#include <algorithm>
#include <cstring>

#include "kernels/lbm/cell.h"

#if defined(__AVX__) && defined(__F16C__)
#include <immintrin.h>
#endif

namespace simreel {

// Three rows to pull from. Each pointer is that of velocity 0 in one column; velocity i is i * plane values further.
template <class Stored>
struct LbmRows {
  const Stored *below, *here, *above;
  std::size_t plane;

  LbmRows operator+(int columns) const { return {below + columns, here + columns, above + columns, plane}; }
};

// The rows around row y at column x of a whole state, away from its sides.
template <class Real, class Stored>
LbmRows<Stored> lbm_rows(const LbmParams<Real>& p, const Stored* f, int x, int y) {
  const Stored* const here = f + lbm_place(p, x, y);
  return {here - p.pitch, here, here + p.pitch, p.plane};
}

// Distance between the planes of rows that stay in a cache and are written without a buffer, in values.
inline constexpr std::size_t lbm_near_plane = 3 * 592;

// A row to write to, in the same layout. If the output is larger than the caches, non-temporal stores avoid reading the
// lines that are overwritten; they must be followed by lbm_fence.
template <class Stored>
struct LbmRow {
  Stored* here;
  std::size_t plane;
  bool past_caches;
};

// Orders non-temporal stores: until then other threads may see them in any order.
inline void lbm_fence() {
#ifdef __AVX__
  _mm_sfence();
#endif
}

// Cells of a row that are collided at once, at most.
inline constexpr int lbm_longest_run = 256;

// What differs from cell to cell of a run in the layer, or where the force does.
template <class Real>
struct LbmOwn {
  alignas(64) Real even[lbm_longest_run], odd[lbm_longest_run], push_x[lbm_longest_run], push_y[lbm_longest_run];
};

// Collides a run of cells; `own` is null where they have the rates and the force of the whole flow. The results of
// velocity i are i * plane values after those of velocity 0; `plane` is lbm_near_plane or lbm_longest_run.
template <class Real>
void lbm_collide_run(const LbmParams<Real>&, const Real* const (&in)[9], int count, const LbmOwn<Real>* own, Real* out,
                     std::size_t plane);

template <class Real, class Stored>
class LbmCpu {
 public:
  explicit LbmCpu(const LbmParams<Real>& params) : p_(params) {}

  // Advances the cells in the columns x0 <= x < x1 of row y that are no edges by a step, and calls other(x) for all
  // others. `cell` points to column 0, `from` and `to` point to column x0; `step` is that of a pass, 0 or 1.
  template <class Other>
  void row(const std::int8_t* cell, int y, int x0, int x1, int step, const LbmRows<Stored>& from,
           const LbmRow<Stored>& to, const Other& other) const {
    for (int x = x0; x < x1;) {
      // A run ends where the next block of the buffer's length begins, so that the next run is aligned.
      const int max = std::min(x1 - x, longest - x % longest);
      const LbmRow<Stored> there{to.here + (x - x0), to.plane, to.past_caches};
      const int plain = cells_of<lbm_plain>(cell + x, max);
      const int count = plain > 0 ? plain : cells_of<lbm_layer>(cell + x, max);
      if (plain > 0)
        run(from + (x - x0), x, y, count, step, lbm_plain, there);
      else if (count > 0)
        run(from + (x - x0), x, y, count, step, lbm_layer, there);
      else
        other(x);
      x += std::max(count, 1);
    }
  }

 private:
  static constexpr int longest = lbm_longest_run;

  // The length of the run of cells of a kind at the start of the next `count` cells.
  template <std::int8_t kind>
  static int cells_of(const std::int8_t* cell, int count) {
    int n = 0;
    for (std::uint64_t eight; n + 8 <= count; n += 8) {
      std::memcpy(&eight, cell + n, 8);
      if (eight != kind * 0x0101010101010101u) break;
    }
    while (n < count && cell[n] == kind) ++n;
    return n;
  }

  void run(const LbmRows<Stored>& from, int x, int y, int count, int step, std::int8_t kind,
           const LbmRow<Stored>& to) const {
    if (kind == lbm_plain && !p_.driven) return advance(from, count, to, nullptr);
    LbmOwn<Real> own;
    for (int k = 0; k < count; ++k) {
      const LbmRates<Real> rates = lbm_rates_at(p_, kind, x + k, y);
      own.even[k] = rates.even;
      own.odd[k] = rates.odd;
    }
    if (lbm_is_forced(p_)) {
      for (int k = 0; k < count; ++k) {
        const LbmPush<Real> push = lbm_push_at(p_, lbm_place(p_, x + k, y), step + 1);
        own.push_x[k] = push.x;
        own.push_y[k] = push.y;
      }
    }
    advance(from, count, to, &own);
  }

  void advance(const LbmRows<Stored>& from, int count, const LbmRow<Stored>& to, const LbmOwn<Real>* own) const {
    const std::size_t n = from.plane;
    const Stored* const source[9] = {from.here,
                                     from.here + n - 1,
                                     from.here + 2 * n + 1,
                                     from.below + 3 * n,
                                     from.above + 4 * n,
                                     from.below + 5 * n - 1,
                                     from.above + 6 * n + 1,
                                     from.above + 7 * n - 1,
                                     from.below + 8 * n + 1};
    if constexpr (std::is_same_v<Real, Stored>) {
      if (to.plane == lbm_near_plane) return lbm_collide_run(p_, source, count, own, to.here, lbm_near_plane);
    }
    alignas(64) Real out[9 * longest];
    if constexpr (std::is_same_v<Real, Stored>) {
      lbm_collide_run(p_, source, count, own, out, longest);
    } else {
      alignas(64) Real in[9][longest];
      const Real* converted[9];
      for (int i = 0; i < 9; ++i) {
        load(source[i], count, in[i]);
        converted[i] = in[i];
      }
      lbm_collide_run(p_, converted, count, own, out, longest);
    }
    for (std::size_t i = 0; i < 9; ++i) store(out + i * longest, count, to.here + i * to.plane, to.past_caches);
  }

  static void load(const Half* from, int count, float* to) {
    int k = 0;
#if defined(__AVX__) && defined(__F16C__)
    for (; k + 8 <= count; k += 8) {
      const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k));
      _mm256_storeu_ps(to + k, _mm256_mul_ps(_mm256_cvtph_ps(halves), _mm256_set1_ps(0x1p-15f)));
    }
#endif
    for (; k < count; ++k) to[k] = lbm_load(from + k);
  }

  static void store(const float* from, int count, Half* to, bool) {
    int k = 0;
#if defined(__AVX__) && defined(__F16C__)
    for (; k + 8 <= count; k += 8) {
      const __m256 scaled = _mm256_mul_ps(_mm256_loadu_ps(from + k), _mm256_set1_ps(0x1p15f));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + k), _mm256_cvtps_ph(scaled, _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    for (; k < count; ++k) lbm_store(to + k, from[k]);
  }

  static void store(const Real* from, int count, Real* to, [[maybe_unused]] bool past_caches) {
#ifdef __AVX__
    if (past_caches) {
      constexpr int wide = 32 / static_cast<int>(sizeof(Real));
      int k = 0;
      for (; k < count && reinterpret_cast<std::uintptr_t>(to + k) % 32 != 0; ++k) to[k] = from[k];
      for (; k + wide <= count; k += wide)
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to + k),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + k)));
      for (; k < count; ++k) to[k] = from[k];
      return;
    }
#endif
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Real));
  }

  const LbmParams<Real>& p_;
};

// Whether two states exceed the caches.
template <class Real, class Stored>
bool lbm_past_caches(const LbmParams<Real>& p) {
  return 2 * lbm_values(p) * sizeof(Stored) > std::size_t{16} << 20;
}

}  // namespace simreel
