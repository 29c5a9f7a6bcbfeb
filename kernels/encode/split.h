#pragma once
// Vectors of the four quarters of a macroblock, where they save more than they cost.

#include "kernels/encode/motion.h"

namespace simreel::h264 {

inline constexpr std::uint32_t split_bits = 56;  // that four vectors must save
inline constexpr std::uint32_t split_min = 240;  // of a cost that four vectors may lower: below, they hardly ever do

struct Split {
  using Shared = MotionShared;
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    const int x = i % p.width, y = i / p.width;
    const Vector own = p.vector[i];
    bool split = false;
    if (p.cost[i] > p.worth(split_min)) {
      load_current(p, s.current, team, x, y);
      for (int k = team.lane; k < 4; k += Team::lanes) s.best[k] = own, s.best_cost[k] = ~0u;
      team.sync();
      if constexpr (Team::lanes == 1)
        for (int quarter = 0; quarter < 4; ++quarter) try_alone(s, x, y, own, quarter);
      else
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
    if constexpr (Team::lanes == 1) return WholePixels(s.current).satd(row, 0);
    return team.sum(team.lane < 4 ? satd_of<16>(s.current, row, 0, 0, 4 * team.lane, 4) : 0);
  }

  // Adds satd of the vectors s.tried to s.part. Four lanes a vector, each with a block of 4 x 4 of a quarter, so that
  // two read the same lines of memory.
  template <class Team>
  HD void add_satds(const Team& team, Shared& s, int x, int y) const {
    const int block = team.lane & 3;
    for (int quarter = 0; quarter < 4; ++quarter) {
      const int k = 8 * quarter + (team.lane >> 2);
      std::uint32_t satd = satd_of<4>(s.current, taps_of(p, 16 * x, 16 * y, s.tried[k]), p.pitch(),
                                      8 * (quarter & 1) + 4 * (block & 1), 8 * (quarter >> 1) + 4 * (block >> 1), 4);
      satd += team.across(satd, 1);
      satd += team.across(satd, 2);
      if (block == 0) s.part[k] += satd;
    }
    team.sync();
  }

  // Of the eight vectors of a quarter, the first at 8 * quarter.
  template <class Team>
  HD static void keep_best(const Team& team, Shared& s, int k) {
    const int quarter = k >> 3;
    std::uint32_t min = s.part[k] << 3 | static_cast<std::uint32_t>(k & 7);
    for (int mask = 1; mask < 8; mask *= 2) {
      const std::uint32_t other = team.across(min, mask);
      min = other < min ? other : min;
    }
    if ((k & 7) != 0 || min >> 3 >= s.best_cost[quarter]) return;
    s.best_cost[quarter] = min >> 3, s.best[quarter] = s.tried[k + static_cast<int>(min & 7)];
  }

  // A vector of a quarter to begin with: of those beside. j: 0 to 7.
  HD Vector start(int x, int y, Vector own, int quarter, int j) const {
    const auto beside = [&](int nx, int ny) {
      return nx < 0 || ny < 0 || nx >= p.width || ny >= p.height ? own : p.vector[ny * p.width + nx];
    };
    const int dx = 2 * (quarter & 1) - 1, dy = 2 * (quarter >> 1) - 1;
    switch (j) {
      case 1: return beside(x + dx, y);
      case 2: return beside(x, y + dy);
      case 3: return beside(x + dx, y + dy);
      case 4: return {0, 0};
      case 5: return beside(x - dx, y);
      case 6: return beside(x, y - dy);
      case 7: return p.found[y * p.width + x];
      default: return own;
    }
  }
  // One around the best, in steps of a pixel, a half and a quarter.
  HD static Vector around(Vector from, int j, int step) {
    constexpr int max = 4 * (farthest + reach);
    const int m = j < 4 ? j : j + 1;
    return {static_cast<std::int16_t>(clamp(from.x + (m % 3 - 1) * step, -max, max)),
            static_cast<std::int16_t>(clamp(from.y + (m / 3 - 1) * step, -max, max))};
  }

  // Of all quarters; round 0: start(), then around().
  template <class Team>
  HD void try_vectors(const Team& team, Shared& s, int x, int y, Vector own, int round) const {
    for (int k = team.lane; k < 32; k += Team::lanes) {
      const int quarter = k >> 3, j = k & 7;
      const Vector v = round == 0 ? start(x, y, own, quarter, j) : around(s.best[quarter], j, 4 >> (round - 1));
      s.tried[k] = v;
      s.part[k] = p.worth(vector_bits(v, own));
    }
    team.sync();
    add_satds(team, s, x, y);
    for (int k = team.lane; k < 32; k += Team::lanes) keep_best(team, s, k);
    team.sync();
  }
  // The same of one quarter, by one thread.
  HD void try_alone(Shared& s, int x, int y, Vector own, int quarter) const {
    const int px = 8 * (quarter & 1), py = 8 * (quarter >> 1);
    const QuarterPixels pixels(s.current, px, py);
    Vector best = own;
    std::uint32_t cost = ~0u;
    const auto attempt = [&](Vector v) {
      const std::uint32_t price = p.worth(vector_bits(v, own));
      if (price >= cost) return;
      const std::uint32_t c = price + pixels.satd(taps_of(p, 16 * x + px, 16 * y + py, v), p.pitch());
      if (c < cost) cost = c, best = v;
    };
    for (int j = 0; j < 8; ++j) s.tried[j] = start(x, y, own, quarter, j);
    for (int j = 0; j < 8; ++j)
      if (first_like(s.tried, j) == j) attempt(s.tried[j]);
    for (int step = 4; step > 0; step /= 2) {
      const Vector from = best;
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
      // All at once, without branches that would go either way.
      alignas(16) std::uint16_t price[8];
      const auto taps = [&](int j) {
        const Vector v = around(from, j, step);
        price[j] = static_cast<std::uint16_t>(p.worth(vector_bits(v, own)));
        return taps_of(p, 16 * x + px, 16 * y + py, v);
      };
      const __m128i satds = pixels.eight_satds(taps, p.pitch());
      const __m128i costs = _mm_add_epi16(satds, _mm_load_si128(reinterpret_cast<const __m128i*>(price)));
      const __m128i min = _mm_minpos_epu16(costs);  // and the first place that has it
      const auto c = static_cast<std::uint32_t>(_mm_extract_epi16(min, 0));
      if (c < cost) cost = c, best = around(from, _mm_extract_epi16(min, 1), step);
#else
      for (int j = 0; j < 8; ++j) attempt(around(from, j, step));
#endif
    }
    s.best[quarter] = best, s.best_cost[quarter] = cost;
  }
};

}  // namespace simreel::h264
