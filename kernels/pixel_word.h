#pragma once
// A pixel as one 32-bit word, red in the lowest byte: four separate bytes would keep a CPU's compiler from vectorising
// and cost a GPU four accesses.

#include <cstdint>
#include <cstring>

#include "kernels/launch.h"

namespace simreel {

// `pixel` points to four bytes, aligned to 4.
HD inline std::uint32_t load_pixel(const void* pixel) {
  std::uint32_t word;
  std::memcpy(&word, __builtin_assume_aligned(pixel, 4), sizeof word);
  return word;
}

HD inline void store_pixel(void* pixel, std::uint32_t word) {
  std::memcpy(__builtin_assume_aligned(pixel, 4), &word, sizeof word);
}

}  // namespace simreel
