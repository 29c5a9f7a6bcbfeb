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

template <class Real, class Stored, LbmModel model, bool forced>
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
      const int most = std::min(x1 - x, longest - x % longest);
      const LbmRow<Stored> there{to.here + (x - x0), to.plane, to.past_caches};
      const int plain = cells_of<lbm_plain>(cell + x, most);
      const int count = plain > 0 ? plain : cells_of<lbm_layer>(cell + x, most);
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
  static constexpr int longest = 256;

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

  // What differs from cell to cell of a run in the layer, or where the force does.
  struct Own {
    alignas(64) Real even[longest], odd[longest], push_x[longest], push_y[longest];
  };

  void run(const LbmRows<Stored>& from, int x, int y, int count, int step, std::int8_t kind,
           const LbmRow<Stored>& to) const {
    if (kind == lbm_plain && !(forced && p_.driven)) return advance<false>(from, count, to, nullptr);
    Own own;
    for (int k = 0; k < count; ++k) {
      const LbmRates<Real> rates = lbm_rates_at(p_, kind, x + k, y);
      own.even[k] = rates.even;
      own.odd[k] = rates.odd;
    }
    if constexpr (forced) {
      for (int k = 0; k < count; ++k) {
        const LbmPush<Real> push = lbm_push_at(p_, lbm_place(p_, x + k, y), step + 1);
        own.push_x[k] = push.x;
        own.push_y[k] = push.y;
      }
    }
    advance<true>(from, count, to, &own);
  }

  template <bool varied>
  void advance(const LbmRows<Stored>& from, int count, const LbmRow<Stored>& to, const Own* own) const {
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
      if (to.plane == lbm_near_plane) return collide<lbm_near_plane, varied>(source, to.here, count, own);
    }
    alignas(64) Real out[9 * longest];
    if constexpr (std::is_same_v<Real, Stored>) {
      collide<longest, varied>(source, out, count, own);
    } else {
      alignas(64) Real in[9][longest];
      const Real* converted[9];
      for (int i = 0; i < 9; ++i) {
        load(source[i], count, in[i]);
        converted[i] = in[i];
      }
      collide<longest, varied>(converted, out, count, own);
    }
    for (std::size_t i = 0; i < 9; ++i) store(out + i * longest, count, to.here + i * to.plane, to.past_caches);
  }

  // The results of velocity i are i * plane values after those of velocity 0, so one address serves all.
  template <std::size_t plane, bool varied>
  void collide(const Real* const (&in)[9], Real* out, int count, [[maybe_unused]] const Own* own) const {
    const LbmParams<Real> params = p_;
    const Real *f0 = in[0], *f1 = in[1], *f2 = in[2], *f3 = in[3], *f4 = in[4], *f5 = in[5], *f6 = in[6], *f7 = in[7],
               *f8 = in[8];
    SIMREEL_INDEPENDENT
    for (int k = 0; k < count; ++k) {
      Real q[9] = {f0[k], f1[k], f2[k], f3[k], f4[k], f5[k], f6[k], f7[k], f8[k]};
      LbmRates<Real> rate = params.rates;
      LbmPush<Real> push{params.force_x, params.force_y};
      if constexpr (varied) rate = {own->even[k], own->odd[k]};
      if constexpr (varied && forced) push = {own->push_x[k], own->push_y[k]};
      lbm_collide<model, forced>(params, rate, push, q);
      out[0 * plane + k] = q[0];
      out[1 * plane + k] = q[1];
      out[2 * plane + k] = q[2];
      out[3 * plane + k] = q[3];
      out[4 * plane + k] = q[4];
      out[5 * plane + k] = q[5];
      out[6 * plane + k] = q[6];
      out[7 * plane + k] = q[7];
      out[8 * plane + k] = q[8];
    }
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
