#pragma once
// Counter-based random numbers: a hash of (seed, stream, index), the same on every machine and in any order. The mixing
// function is that of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators",
// figure 17).

#include <cstdint>

#include "kernels/base/launch.h"

namespace simreel {

HD inline std::uint64_t mix_bits(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

HD inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return mix_bits(mix_bits(mix_bits(seed) ^ stream) ^ index);
}

// Uniform in [0, 1), a multiple of 2^-53.
HD inline double random_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(random_bits(seed, stream, index) >> 11) * 0x1p-53;
}

}  // namespace simreel
