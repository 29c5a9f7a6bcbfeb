#pragma once
// Motion vectors of a picture, each macroblock by itself. Search looks around the vectors of the picture before.
// Smooth then lets macroblocks take vectors of their neighbours, whose cost in bits is now known from the last pass.
// Split gives the four quarters vectors of their own where that pays.

#include "kernels/encode/prediction.h"
#include "kernels/encode/vectors.h"

namespace simreel::h264 {

inline constexpr std::uint32_t split_bits = 40;    // that four vectors must save
inline constexpr std::uint32_t split_least = 240;  // of a cost that four vectors may lower: below, they hardly ever do
inline constexpr std::uint32_t quiet_bits = 40;    // of a difference that is not worth a search

struct MotionShared {
  alignas(32) std::uint32_t current[64];     // the macroblock's luma
  alignas(32) std::uint32_t window[32 * 9];  // of the reference; 32 rows of 32 pixels, and a gap
  std::uint32_t part[32], satd[32];
  std::uint32_t sum[8];
  Vector tried[32], best[4];
  std::uint32_t best_cost[4];
  alignas(32) std::uint32_t flat[8];  // a row of the macroblock's mean
};

template <class Team>
HD void load_current(const Picture& p, std::uint32_t* current, const Team& team, int x, int y) {
  const std::uint8_t* const from = p.source + static_cast<std::ptrdiff_t>(16 * y) * p.luma_width() + 16 * x;
  for (int i = team.lane; i < 64; i += Team::lanes)
    current[i] = load_four(from + static_cast<std::ptrdiff_t>(i / 4) * p.luma_width() + i % 4 * 4);
}

// satd of eight vectors for a whole macroblock, into shared.sum.
template <class Team, class Candidate>
HD void eight_satds(const Picture& p, MotionShared& shared, const Team& team, int x, int y,
                    const Candidate& candidate) {
  if constexpr (Team::lanes == 1) {
    for (int i = 0; i < 8; ++i) {
      const Vector v = candidate(i);
      int same = 0;
      while (same < i && !(shared.tried[same] == v)) ++same;
      shared.tried[i] = v;
      shared.sum[i] =
          same < i ? shared.sum[same] : satd_of<16>(shared.current, taps_of(p, 16 * x, 16 * y, v), p.pitch(), 0, 0, 16);
    }
  } else {
    // Four lanes a vector, side by side, so that they read the same lines of memory.
    shared.part[team.lane] = satd_of<4>(shared.current, taps_of(p, 16 * x, 16 * y, candidate(team.lane >> 2)),
                                        p.pitch(), 4 * (team.lane & 3), 0, 16);
    team.sync();
    if (team.lane < 8) {
      const std::uint32_t* const part = shared.part + 4 * team.lane;
      shared.sum[team.lane] = part[0] + part[1] + part[2] + part[3];
    }
    team.sync();
  }
}

HD inline Vector limited(Vector v) {
  constexpr int most = 4 * farthest;
  return {static_cast<std::int16_t>(clamp(v.x, -most, most)), static_cast<std::int16_t>(clamp(v.y, -most, most))};
}

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
// Sum of magnitudes of differences of 16 x 16 pixels; rows of `b` are `pitch` bytes apart.
inline std::uint32_t sad16(const std::uint8_t* a, const std::uint8_t* b, std::ptrdiff_t pitch) {
  __m256i sum = _mm256_setzero_si256();
  for (int y = 0; y < 16; y += 2) {
    const __m256i own = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + 16 * y));
    const __m256i other =
        _mm256_inserti128_si256(_mm256_castsi128_si256(sixteen(b + y * pitch)), sixteen(b + (y + 1) * pitch), 1);
    sum = _mm256_add_epi64(sum, _mm256_sad_epu8(own, other));
  }
  return total_of(sum);
}
#endif

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
      switch (k) {
        case 0: return own;
        case 1: return Vector{0, 0};
        case 2: return before(-1, 0);
        case 3: return before(1, 0);
        case 4: return before(0, -1);
        case 5: return before(0, 1);
        case 6: return before(-1, -1);
        default: return before(1, 1);
      }
    };
    eight_satds(p, s, team, x, y, start);
    Vector best = own;
    std::uint32_t cost = ~0u;
    for (int k = 0; k < 8; ++k) {
      const Vector v = start(k);
      const std::uint32_t c = s.sum[k] + p.worth(v == Vector{0, 0} ? 2 : vector_bits(v, own));
      if (c < cost) cost = c, best = v;
    }
    team.sync();
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
  HD Vector full_search(const Team& team, Shared& s, int x, int y, Vector centre) const {
    const int cx = (centre.x + 2) >> 2, cy = (centre.y + 2) >> 2, pitch = p.pitch();
    const std::uint8_t* const corner =
        p.reference + static_cast<std::ptrdiff_t>(16 * y + cy - reach + border) * pitch + 16 * x + cx - reach + border;
    const auto vector_of = [&](int k) {
      return Vector{static_cast<std::int16_t>(4 * (cx + (k & 15) - reach)),
                    static_cast<std::int16_t>(4 * (cy + (k >> 4) - reach))};
    };
    if constexpr (Team::lanes > 1) {
      for (int k = team.lane; k < 32 * 8; k += Team::lanes)
        s.window[(k >> 3) * 9 + (k & 7)] =
            load_four(corner + static_cast<std::ptrdiff_t>(k >> 3) * pitch + (k & 7) * 4);
      team.sync();
    }
    std::uint32_t best = ~0u;
    for (int k = team.lane; k < 256; k += Team::lanes) {
      const std::uint32_t cost = (difference(team, s, corner, k) + p.worth(step_bits(k & 15) + step_bits(k >> 4)))
                                     << 8 |
                                 static_cast<std::uint32_t>(k);
      best = cost < best ? cost : best;
    }
    best = team.least(best);
    team.sync();
    return vector_of(static_cast<int>(best & 255));
  }

  template <class Team>
  HD std::uint32_t difference(const Team&, const Shared& s, [[maybe_unused]] const std::uint8_t* corner, int k) const {
    const int dx = k & 15, dy = k >> 4;
#ifdef __CUDA_ARCH__
    const int shift = (dx & 3) * 8;
    std::uint32_t sum = 0;
    for (int y = 0; y < 16; ++y) {
      const std::uint32_t* const row = s.window + (dy + y) * 9 + (dx >> 2);
      std::uint32_t low = row[0];
      for (int x = 0; x < 4; ++x) {
        const std::uint32_t high = row[x + 1];
        sum = __vsadu4(s.current[4 * y + x], __funnelshift_r(low, high, shift)) + sum;
        low = high;
      }
    }
    return sum;
#else
    const std::uint8_t* const own = reinterpret_cast<const std::uint8_t*>(s.current);
    const std::uint8_t* const other = corner + static_cast<std::ptrdiff_t>(dy) * p.pitch() + dx;
#ifdef __AVX2__
    return sad16(own, other, p.pitch());
#else
    std::uint32_t sum = 0;
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x)
        sum += static_cast<std::uint32_t>(
            magnitude(own[16 * y + x] - other[static_cast<std::ptrdiff_t>(y) * p.pitch() + x]));
    return sum;
#endif
#endif
  }

  // Goes on from `full` in half, then quarter pixels; `best` and its cost change where that is better.
  template <class Team>
  HD void refine(const Team& team, Shared& s, int x, int y, Vector full, Vector& best, std::uint32_t& cost) const {
    const Vector own = limited(p.centre[y * p.width + x]);
    for (int step = 4; step >= 1; step /= 2) {
      const Vector from = step == 4 ? full : best;
      const auto around = [&](int k) {
        if (step == 4) return from;
        const int m = k < 4 ? k : k + 1;
        return Vector{static_cast<std::int16_t>(from.x + (m % 3 - 1) * step),
                      static_cast<std::int16_t>(from.y + (m / 3 - 1) * step)};
      };
      eight_satds(p, s, team, x, y, around);
      for (int k = 0; k < 8; ++k) {
        const Vector v = around(k);
        const std::uint32_t c = s.sum[k] + p.worth(vector_bits(v, own));
        if (c < cost) cost = c, best = v;
      }
      team.sync();
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
    eight_satds(p, s, team, x, y, candidate);
    std::uint32_t cost = ~0u;
    Vector best = own;
    for (int k = 0; k < 8; ++k) {
      const Vector v = candidate(k);
      const std::uint32_t c = s.sum[k] + p.worth(k == 0 ? 0 : 1 + vector_bits(v, pred));
      if (c < cost) cost = c, best = v;
    }
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

struct Split {
  using Shared = MotionShared;
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    const int x = i % p.width, y = i / p.width;
    const Vector own = p.vector[i];
    bool split = false;
    if (p.cost[i] > p.worth(split_least)) {
      load_current(p, s.current, team, x, y);
      for (int k = team.lane; k < 4; k += Team::lanes) s.best[k] = own, s.best_cost[k] = ~0u;
      team.sync();
      for (int round = 0; round < 4; ++round) try_vectors(team, s, x, y, own, round);
      const std::uint32_t four =
          s.best_cost[0] + s.best_cost[1] + s.best_cost[2] + s.best_cost[3] + p.worth(split_bits);
      split = four < p.cost[i];
      team.sync();
      const std::uint32_t flat = flat_cost(team, s);
      if (team.lane == 0) {
        if (split) p.cost[i] = four;
        const std::uint32_t cost = split ? four : p.cost[i];
        add(p.change->macroblocks, 1);
        add(p.change->motion, cost / 16);
        add(p.change->flat, flat / 16);
      }
    }
    for (int k = team.lane; k < 4; k += Team::lanes) p.quarter[4 * i + k] = split ? s.best[k] : own;
    if (team.lane == 0) p.mode[i] = {split ? Mode::quarters : Mode::inter, 0, 0, 0};
  }

 private:
  HD static void add(std::uint32_t& to, std::uint32_t value) {
#ifdef __CUDA_ARCH__
    atomicAdd(&to, value);
#else
    std::atomic_ref(to).fetch_add(value, std::memory_order_relaxed);
#endif
  }

  // satd of the macroblock against its mean.
  template <class Team>
  HD static std::uint32_t flat_cost(const Team& team, Shared& s) {
    std::uint32_t sum = 0;
    for (int k = team.lane; k < 64; k += Team::lanes)
      for (int j = 0; j < 4; ++j) sum += static_cast<std::uint32_t>(pixel_of(s.current[k], j));
    const std::uint32_t mean = (team.sum(sum) + 128) / 256;
    for (int k = team.lane; k < 8; k += Team::lanes) s.flat[k] = 0x01010101u * mean;
    team.sync();
    const Taps row{reinterpret_cast<const std::uint8_t*>(s.flat), nullptr};
    if constexpr (Team::lanes == 1) return satd_of<16>(s.current, row, 0, 0, 0, 16);
    return team.sum(team.lane < 4 ? satd_of<16>(s.current, row, 0, 0, 4 * team.lane, 4) : 0);
  }

  // Adds satd of the vectors s.tried to s.part. Four lanes a vector, each with a block of 4 x 4 of a quarter, so that
  // two read the same lines of memory.
  template <class Team>
  HD void add_satds(const Team& team, Shared& s, int x, int y) const {
    const int block = team.lane & 3;
    for (int quarter = 0; quarter < 4; ++quarter) {
      const int k = 8 * quarter + (team.lane >> 2);
      s.satd[team.lane] = satd_of<4>(s.current, taps_of(p, 16 * x, 16 * y, s.tried[k]), p.pitch(),
                                     8 * (quarter & 1) + 4 * (block & 1), 8 * (quarter >> 1) + 4 * (block >> 1), 4);
      team.sync();
      if (block == 0)
        s.part[k] += s.satd[team.lane] + s.satd[team.lane + 1] + s.satd[team.lane + 2] + s.satd[team.lane + 3];
      team.sync();
    }
  }

  // Round 0: vectors of those beside; then around the best, in steps of a pixel, a half and a quarter.
  template <class Team>
  HD void try_vectors(const Team& team, Shared& s, int x, int y, Vector own, int round) const {
    const int step = 4 >> (round > 0 ? round - 1 : 0);
    const auto beside = [&](int nx, int ny) {
      return nx < 0 || ny < 0 || nx >= p.width || ny >= p.height ? own : p.vector[ny * p.width + nx];
    };
    for (int k = team.lane; k < 32; k += Team::lanes) {
      const int quarter = k >> 3, j = k & 7, qx = quarter & 1, qy = quarter >> 1;
      Vector v = own;
      if (round == 0) {
        const int dx = 2 * qx - 1, dy = 2 * qy - 1;
        switch (j) {
          case 1: v = beside(x + dx, y); break;
          case 2: v = beside(x, y + dy); break;
          case 3: v = beside(x + dx, y + dy); break;
          case 4: v = {0, 0}; break;
          case 5: v = beside(x - dx, y); break;
          case 6: v = beside(x, y - dy); break;
          case 7: v = p.found[y * p.width + x]; break;
          default: break;
        }
      } else {
        constexpr int most = 4 * (farthest + reach);
        const int m = j < 4 ? j : j + 1;
        const Vector from = s.best[quarter];
        v = {static_cast<std::int16_t>(clamp(from.x + (m % 3 - 1) * step, -most, most)),
             static_cast<std::int16_t>(clamp(from.y + (m / 3 - 1) * step, -most, most))};
      }
      s.tried[k] = v;
      if constexpr (Team::lanes == 1) {
        int same = 8 * quarter;
        while (!(s.tried[same] == v)) ++same;
        if (same < k) {
          s.part[k] = s.part[same];
          continue;
        }
      }
      s.part[k] = p.worth(vector_bits(v, own));
      if constexpr (Team::lanes == 1)
        s.part[k] += satd_of<8>(s.current, taps_of(p, 16 * x, 16 * y, v), p.pitch(), 8 * qx, 8 * qy, 8);
    }
    team.sync();
    if constexpr (Team::lanes > 1) add_satds(team, s, x, y);
    for (int quarter = team.lane; quarter < 4; quarter += Team::lanes)
      for (int k = 8 * quarter; k < 8 * quarter + 8; ++k)
        if (s.part[k] < s.best_cost[quarter]) s.best_cost[quarter] = s.part[k], s.best[quarter] = s.tried[k];
    team.sync();
  }
};

}  // namespace simreel::h264
