#pragma once
// What the levels of a macroblock that motion predicts are worth: by how much they lower the error, and how many bits
// they take. The unit is a 1024th of the square of a quantisation step, for every QP and both transforms.

#include <bit>

#include "kernels/encode/transform.h"

namespace simreel::h264 {

// Eighths of bits that CABAC takes for levels, fitted to what it took for the scenes of docs/design/h264.md: for a
// quarter of a macroblock, for each of its blocks with levels, for each place up to the last level of a block, for a
// level, and each time that it doubles.
struct LevelBits {
  int quarter, block, place, level, doubled;
};
HD constexpr LevelBits level_bits(bool by_eight) {
  return by_eight ? LevelBits{6, 0, 3, 25, 13} : LevelBits{24, 5, 8, 18, 15};
}

// What a bit is worth where levels are weighed against none, and where the transforms are compared. Both are less than
// a bit costs in this picture, since an error that is left will be in the next pictures, too. Found by trial.
inline constexpr int kept_worth = 50, compared_worth = 45, eight_worth = 200;

// The whole part of the logarithm of v > 0, in a way that vectorises on a CPU; anything for 0.
HD inline int log2_in_loop(int v) {
#ifdef __CUDA_ARCH__
  return log2_of(static_cast<std::uint32_t>(v));
#else
  return (std::bit_cast<int>(static_cast<float>(v)) >> 23) - 127;
#endif
}

// Of `n` parts of a macroblock, each by itself.
template <int n>
struct LevelCosts {
  // Sums of squares of what is left without levels, each coefficient up to 8 steps, and with them.
  int without[n], error[n];
  int bits[n], last[n];  // last: the place of the last level

  HD void clear(int k) { without[k] = error[k] = bits[k] = last[k] = 0; }
  // `scaled`: 2^shift times the coefficient in quantisation steps, without its sign.
  template <bool by_eight>
  HD void add(int k, std::uint32_t scaled, int level, int shift) {
    constexpr LevelBits of = level_bits(by_eight);
    const int size = magnitude(level), whole = static_cast<int>(scaled >> (shift - 5)), max = whole < 255 ? whole : 255,
              rest = whole - 32 * size;
    without[k] += max * max;
    error[k] += rest * rest;
    bits[k] += size > 0 ? of.level + of.doubled * log2_in_loop(size) : 0;
  }
  // Tells the place of a level in its block.
  HD void end_at(int k, int level, int place) { last[k] = level != 0 && place > last[k] ? place : last[k]; }
  template <int m>
  HD void take(int k, const LevelCosts<m>& from, int j) {
    without[k] = from.without[j], error[k] = from.error[j], bits[k] = from.bits[j], last[k] = from.last[j];
  }
};

// Of a quarter with one of the transforms.
struct QuarterCost {
  int cost;
  bool kept;  // whether its levels are worth their bits

  // From `count` parts from `first` on, which are blocks for the transform of 4 x 4.
  template <bool by_eight, int n>
  HD static QuarterCost of(const LevelCosts<n>& parts, int first, int count) {
    constexpr LevelBits each = level_bits(by_eight);
    int without = 0, error = 0, bits = 0, last = 0;
    for (int k = first; k < first + count; ++k) {
      without += parts.without[k], error += parts.error[k];
      if (parts.bits[k] == 0) continue;
      bits += parts.bits[k];
      if (by_eight)
        last = parts.last[k] > last ? parts.last[k] : last;
      else
        bits += each.block, last += parts.last[k];
    }
    const bool any = bits > 0;
    bits += each.quarter + each.place * last;
    if (any && bits * kept_worth / 8 < without - error) return {error + bits * compared_worth / 8, true};
    return {without, false};
  }
};

}  // namespace simreel::h264
