#pragma once
// The keys of bodies on a CPU: those of 64 bodies side by side in vector lanes, without branches. Bits of coordinates
// are random, and a branch on each of them made the keys of random bodies a fifth of the time of their forces.

#include <algorithm>

#include "kernels/nbody/cpu.h"
#include "kernels/nbody/tasks.h"
#include "kernels/nbody/tree/tree.h"

namespace simreel {

inline constexpr std::size_t tree_key_lanes = 64;

// tree_key of `count` bodies, 64 at most.
SIMREEL_WIDER_VECTORS
inline void tree_keys_of(const Vec4<float>* body, int exponent, std::size_t count, std::uint64_t* key) {
  alignas(64) std::uint32_t x[tree_key_lanes] = {}, y[tree_key_lanes] = {}, z[tree_key_lanes] = {};
  alignas(64) std::uint32_t flip[tree_key_lanes] = {};
  const float scale = tree_power_of_two(tree_cell_levels - 1 - exponent);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = tree_cell(body[i].x, scale);
    y[i] = tree_cell(body[i].y, scale);
    z[i] = tree_cell(body[i].z, scale);
  }
  // All bits set where bit `bit` of v is.
  const auto where = [](std::uint32_t v, int bit) { return 0U - (v >> bit & 1U); };
  for (int bit = tree_cell_levels - 1; bit > 0; --bit) {
    const std::uint32_t below = (1U << bit) - 1;
    SIMREEL_INDEPENDENT
    for (std::size_t i = 0; i < tree_key_lanes; ++i) {
      std::uint32_t u = x[i] ^ (where(x[i], bit) & below);
      std::uint32_t set = where(y[i], bit), swap = (u ^ y[i]) & below & ~set;
      u ^= (below & set) | swap;
      y[i] ^= swap;
      set = where(z[i], bit);
      swap = (u ^ z[i]) & below & ~set;
      x[i] = u ^ ((below & set) | swap);
      z[i] ^= swap;
    }
  }
  SIMREEL_INDEPENDENT
  for (std::size_t i = 0; i < tree_key_lanes; ++i) {
    y[i] ^= x[i];
    z[i] ^= y[i];
  }
  for (int bit = tree_cell_levels - 1; bit > 0; --bit) {
    SIMREEL_INDEPENDENT
    for (std::size_t i = 0; i < tree_key_lanes; ++i) flip[i] ^= where(z[i], bit) & ((1U << bit) - 1);
  }
  for (std::size_t i = 0; i < count; ++i)
    key[i] = tree_spread(x[i] ^ flip[i]) << 2 | tree_spread(y[i] ^ flip[i]) << 1 | tree_spread(z[i] ^ flip[i]);
}

// TreeKeys of all bodies.
inline void tree_keys_on_cpu(const Executor& executor, const TreeArrays& tree, std::int32_t min_extent) {
  const int exponent = tree_exponent(std::max(tree.counts->extent, min_extent));
  const auto count = static_cast<std::size_t>(tree.count);
  each_on_cpu(executor, (count + tree_key_lanes - 1) / tree_key_lanes, 64, [&](std::size_t part) {
    const std::size_t from = part * tree_key_lanes, lanes = std::min(tree_key_lanes, count - from);
    for (std::size_t i = from; i < from + lanes; ++i) tree.number[i] = static_cast<std::uint32_t>(i);
    if (exponent <= tree_largest_exponent)
      tree_keys_of(tree.position + from, exponent, lanes, tree.key + from);
    else
      std::fill_n(tree.key + from, lanes, 0U);
  });
}

}  // namespace simreel
