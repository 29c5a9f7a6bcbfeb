#pragma once
// Motion vectors of a picture, each macroblock by itself. Search looks around the vectors of the picture before.
// Smooth then lets macroblocks take vectors of their neighbours, whose cost in bits is now known from the last pass.
// split.h gives the four quarters vectors of their own where that pays.

#include "kernels/encode/prediction.h"
#include "kernels/encode/vectors.h"
#include "kernels/encode/window_search.h"

namespace simreel::h264 {

inline constexpr std::uint32_t quiet_bits = 50;  // of a difference that is not worth a search

struct MotionShared {
  alignas(32) std::uint32_t current[64];     // the macroblock's luma
  alignas(32) std::uint32_t window[32 * 9];  // of the reference; 32 rows of 32 pixels, and a gap
  std::uint32_t part[32];
  Vector tried[32], best[4];
  std::uint32_t best_cost[4];
  alignas(32) std::uint32_t flat[8];  // a row of the macroblock's mean
};

template <class Team>
HD void load_current(const Picture& p, std::uint32_t* current, const Team& team, int x, int y) {
  const std::uint8_t* const from = p.source + static_cast<std::ptrdiff_t>(16 * y) * p.luma_width() + 16 * x;
  if constexpr (Team::lanes == 1) {
    for (int row = 0; row < 16; ++row)
      std::memcpy(current + 4 * row, from + static_cast<std::ptrdiff_t>(row) * p.luma_width(), 16);
  } else {
    for (int i = team.lane; i < 64; i += Team::lanes)
      current[i] = load_four(from + static_cast<std::ptrdiff_t>(i / 4) * p.luma_width() + i % 4 * 4);
  }
}

// satd of a vector for a whole macroblock.
template <class Team>
HD std::uint32_t whole_satd(const Picture& p, const MotionShared& s, const Team& team, int x, int y, Vector v) {
  const Taps taps = taps_of(p, 16 * x, 16 * y, v);
  if constexpr (Team::lanes == 1)
    return WholePixels(s.current).satd(taps, p.pitch());
  else
    return team.sum(
        team.lane < 16 ? satd_of<4>(s.current, taps, p.pitch(), 4 * (team.lane & 3), 4 * (team.lane >> 2), 4) : 0);
}

// The place of the first of eight vectors that is like the one in place `k`. They should all be there before the first
// call: a processor waits where it reads them at once behind a store to one of them.
HD inline int first_like(const Vector* vectors, int k) {
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
  // Without a loop, which would end unforeseen.
  std::int32_t word;
  std::memcpy(&word, vectors + k, sizeof word);
  const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(vectors));
  const __m256i same = _mm256_cmpeq_epi32(all, _mm256_set1_epi32(word));
  return __builtin_ctz(static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(same))));
#else
  int same = 0;
  while (!(vectors[same] == vectors[k])) ++same;
  return same;
#endif
}

// Puts that of eight vectors in the place of `best` which costs least, where it costs less than `cost`: its satd for
// the whole macroblock, and price(k, vector), which does not fall where a vector is met again.
template <class Team, class Candidate, class Price>
HD void take_best(const Picture& p, MotionShared& s, const Team& team, int x, int y, const Candidate& candidate,
                  const Price& price, Vector& best, std::uint32_t& cost) {
  if constexpr (Team::lanes == 1) {
    const WholePixels own(s.current);
    std::uint32_t satd[8];
    for (int k = 0; k < 8; ++k) s.tried[k] = candidate(k);
    for (int k = 0; k < 8; ++k) {
      const Vector v = s.tried[k];
      const int same = first_like(s.tried, k);
      // What does not pay is not summed up.
      const std::uint32_t paid = price(k, v), max = cost > paid ? cost - paid : 0;
      satd[k] = same < k ? satd[same] : own.satd(taps_of(p, 16 * x, 16 * y, v), p.pitch(), max);
      if (satd[k] < max) cost = satd[k] + paid, best = v;
    }
  } else {
    // Four lanes a vector, side by side, so that they read the same lines of memory.
    const int k = team.lane >> 2;
    const Vector v = candidate(k);
    std::uint32_t satd = satd_of<4>(s.current, taps_of(p, 16 * x, 16 * y, v), p.pitch(), 4 * (team.lane & 3), 0, 16);
    satd += team.across(satd, 1);
    satd += team.across(satd, 2);
    const std::uint32_t min = team.min((satd + price(k, v)) << 3 | static_cast<std::uint32_t>(k));
    const std::uint32_t found = team.from_lane(as_word(v), static_cast<int>(4 * (min & 7)));
    if (min >> 3 < cost) cost = min >> 3, best = as_vector(found);
  }
}

HD inline Vector limited(Vector v) {
  constexpr int max = 4 * farthest;
  return {static_cast<std::int16_t>(clamp(v.x, -max, max)), static_cast<std::int16_t>(clamp(v.y, -max, max))};
}

struct Search {
  using Shared = MotionShared;
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    const int x = i % p.width, y = i / p.width;
    load_current(p, s.current, team, x, y);
    team.sync();
    // Where it and its neighbours moved before, and that it stands still.
    const Vector own = limited(p.centre[i]);
    const auto before = [&](int dx, int dy) {
      const int nx = x + dx, ny = y + dy;
      return nx < 0 || ny < 0 || nx >= p.width || ny >= p.height ? own : limited(p.centre[ny * p.width + nx]);
    };
    const auto start = [&](int k) {
      static constexpr std::int8_t dx[8] = {0, 0, -1, 1, 0, 0, -1, 1}, dy[8] = {0, 0, 0, 0, -1, 1, -1, 1};
      return k == 1 ? Vector{0, 0} : before(dx[k], dy[k]);
    };
    const auto price = [&](int, Vector v) { return p.worth(v == Vector{0, 0} ? 2 : vector_bits(v, own)); };
    Vector best = own;
    std::uint32_t cost = ~0u;
    take_best(p, s, team, x, y, start, price, best, cost);
    if (cost > p.worth(quiet_bits)) {
      const Vector full = full_search(team, s, x, y, best);
      refine(team, s, x, y, full, best, cost);
    }
    if (team.lane == 0) p.found[i] = best;
  }

 private:
  // Bits of 4 * (k - reach): a component of a vector against the middle of the search.
  HD static std::uint32_t step_bits(int k) {
    static constexpr std::uint8_t bits[2 * reach] = {13, 11, 11, 11, 11, 9, 9, 7, 1, 7, 9, 9, 11, 11, 11, 11};
    return bits[k];
  }

  // The best vector in whole pixels around `centre`, by the sum of absolute differences.
  template <class Team>
  HD Vector full_search([[maybe_unused]] const Team& team, Shared& s, int x, int y, Vector centre) const {
    const int cx = (centre.x + 2) >> 2, cy = (centre.y + 2) >> 2, pitch = p.pitch();
    const std::uint8_t* const corner =
        p.reference + static_cast<std::ptrdiff_t>(16 * y + cy - reach + border) * pitch + 16 * x + cx - reach + border;
    const auto vector_of = [&](int k) {
      return Vector{static_cast<std::int16_t>(4 * (cx + (k & 15) - reach)),
                    static_cast<std::int16_t>(4 * (cy + (k >> 4) - reach))};
    };
    [[maybe_unused]] const auto cost_of = [&](std::uint32_t difference, int k) {
      return (difference + p.worth(step_bits(k & 15) + step_bits(k >> 4))) << 8 | static_cast<std::uint32_t>(k);
    };
    std::uint32_t best = ~0u;
#ifdef __CUDA_ARCH__
    for (int k = team.lane; k < 32 * 8; k += Team::lanes)
      s.window[(k >> 3) * 9 + (k & 7)] = load_four(corner + static_cast<std::ptrdiff_t>(k >> 3) * pitch + (k & 7) * 4);
    team.sync();
    const int dx = team.lane & 15, dy = 8 * (team.lane >> 4);
    std::uint32_t difference[8] = {};
    eight_differences(s, dx, dy, difference);
    H264_UNROLL
    for (int j = 0; j < 8; ++j) {
      const std::uint32_t cost = cost_of(difference[j], 16 * (dy + j) + dx);
      best = cost < best ? cost : best;
    }
    best = team.min(best);
    team.sync();
#elif defined(__AVX2__)
    std::uint8_t bits[2 * reach];
    for (int k = 0; k < 2 * reach; ++k) bits[k] = static_cast<std::uint8_t>(step_bits(k));
    best = WindowSearch(reinterpret_cast<const std::uint8_t*>(s.current), corner, pitch).best(p, bits);
#else
    for (int k = 0; k < 256; ++k) {
      const std::uint8_t* const other = corner + static_cast<std::ptrdiff_t>(k >> 4) * pitch + (k & 15);
      const std::uint32_t cost = cost_of(difference(reinterpret_cast<const std::uint8_t*>(s.current), other, pitch), k);
      best = cost < best ? cost : best;
    }
#endif
    return vector_of(static_cast<int>(best & 255));
  }

#ifdef __CUDA_ARCH__
  // Sums of absolute differences of eight positions below each other, from (dx, dy) in the window on. They share most
  // of their rows, which are kept in registers, row y in ring[y & 7].
  __device__ static void eight_differences(const Shared& s, int dx, int dy, std::uint32_t (&sum)[8]) {
    std::uint32_t ring[8][4];
    const auto load = [&](int y) {
      const std::uint32_t* const from = s.window + (dy + y) * 9 + (dx >> 2);
      H264_UNROLL
      for (int x = 0; x < 4; ++x) ring[y & 7][x] = __funnelshift_r(from[x], from[x + 1], (dx & 3) * 8);
    };
    H264_UNROLL
    for (int y = 0; y < 7; ++y) load(y);
    H264_UNROLL
    for (int y = 0; y < 16; ++y) {
      load(y + 7);
      H264_UNROLL
      for (int j = 0; j < 8; ++j) {
        H264_UNROLL
        for (int x = 0; x < 4; ++x) sum[j] = add_differences(s.current[4 * y + x], ring[(y + j) & 7][x], sum[j]);
      }
    }
  }
  __device__ static std::uint32_t add_differences(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(sum));
    return sum;
  }
#elif !defined(__AVX2__)
  static std::uint32_t difference(const std::uint8_t* own, const std::uint8_t* other, int pitch) {
    std::uint32_t sum = 0;
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x)
        sum +=
            static_cast<std::uint32_t>(magnitude(own[16 * y + x] - other[static_cast<std::ptrdiff_t>(y) * pitch + x]));
    return sum;
  }
#endif

  // Goes on from `full` in half, then quarter pixels; `best` and its cost change where that is better.
  template <class Team>
  HD void refine(const Team& team, Shared& s, int x, int y, Vector full, Vector& best, std::uint32_t& cost) const {
    const Vector own = limited(p.centre[y * p.width + x]);
    const auto price = [&](int, Vector v) { return p.worth(vector_bits(v, own)); };
    const std::uint32_t full_cost = whole_satd(p, s, team, x, y, full) + price(0, full);
    if (full_cost < cost) cost = full_cost, best = full;
    for (int step = 2; step >= 1; --step) {
      const Vector from = best;
      const auto around = [&](int k) {
        const int m = k < 4 ? k : k + 1;
        return Vector{static_cast<std::int16_t>(from.x + (m % 3 - 1) * step),
                      static_cast<std::int16_t>(from.y + (m / 3 - 1) * step)};
      };
      take_best(p, s, team, x, y, around, price, best, cost);
    }
  }
};

// Takes the vectors of neighbours where they cost less. `before`: what `from` was made from by such a pass, or null:
// where nothing near has changed by that, nothing will by this.
struct Smooth {
  using Shared = MotionShared;
  Picture p;
  const Vector *before, *from;
  Vector* to;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    const int x = i % p.width, y = i / p.width;
    if (before && is_settled(team, x, y)) {
      if (team.lane == 0) to[i] = from[i];
      return;
    }
    const Neighbours n = neighbours_of(p, from, x, y);
    const Vector own = from[i], pred = predicted(n), skip = skipped(n);
    const Vector right = x + 1 < p.width ? from[i + 1] : own, below = y + 1 < p.height ? from[i + p.width] : own;
    const auto candidate = [&](int k) {
      switch (k) {
        case 0: return skip;
        case 1: return pred;
        case 2: return own;
        case 3: return n.a;
        case 4: return n.b;
        case 5: return n.c;
        case 6: return right;
        default: return below;
      }
    };
    load_current(p, s.current, team, x, y);
    team.sync();
    const auto price = [&](int k, Vector v) { return p.worth(k == 0 ? 0 : 1 + vector_bits(v, pred)); };
    std::uint32_t cost = ~0u;
    Vector best = own;
    take_best(p, s, team, x, y, candidate, price, best, cost);
    if (team.lane == 0) to[i] = best, p.cost[i] = cost;
  }

 private:
  // Whether all vectors that this pass looks at are those that the last one looked at.
  template <class Team>
  HD bool is_settled(const Team& team, int x, int y) const {
    std::uint32_t changed = 0;
    for (int k = team.lane; k < 7; k += Team::lanes) {
      // Itself and, clockwise from the left, its neighbours but the two of the corners below.
      static constexpr std::int8_t dx[7] = {0, -1, -1, 0, 1, 1, 0}, dy[7] = {0, 0, -1, -1, -1, 0, 1};
      const int nx = x + dx[k], ny = y + dy[k];
      if (nx < 0 || ny < 0 || nx >= p.width || ny >= p.height) continue;
      changed += !(before[ny * p.width + nx] == from[ny * p.width + nx]);
    }
    return team.sum(changed) == 0;
  }
};

}  // namespace simreel::h264
