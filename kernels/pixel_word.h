#pragma once
// A pixel as one 32-bit word, red in the lowest byte: four separate bytes would keep a CPU's compiler from vectorising
// and cost a GPU four accesses.

#include <cstdint>
#include <cstring>

#include "kernels/launch.h"

namespace simreel {

// The alignment to 4 that all pixels have, for the device's compiler, which would take them byte by byte. The host's
// does not vectorise what goes through __builtin_assume_aligned, and needs no alignment.
#ifdef __CUDA_ARCH__
#define SIMREEL_ALIGNED(pixel) __builtin_assume_aligned(pixel, 4)
#else
#define SIMREEL_ALIGNED(pixel) pixel
#endif

HD inline std::uint32_t load_pixel(const void* pixel) {
  std::uint32_t word;
  std::memcpy(&word, SIMREEL_ALIGNED(pixel), sizeof word);
  return word;
}

HD inline void store_pixel(void* pixel, std::uint32_t word) { std::memcpy(SIMREEL_ALIGNED(pixel), &word, sizeof word); }

#undef SIMREEL_ALIGNED

}  // namespace simreel
