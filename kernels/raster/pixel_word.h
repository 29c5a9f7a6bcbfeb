#pragma once
// A pixel as one word, red in the lowest bits. Four separate channels would prevent vectorisation on a CPU and need
// four memory accesses on a GPU.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/pixels.h"
#include "kernels/base/launch.h"

namespace simreel {

// 32 bits for a Color, 64 for a DeepColor.
template <class Pixel>
using PixelWord = std::conditional_t<std::is_same_v<Pixel, Color>, std::uint32_t, std::uint64_t>;

template <class Word>
constexpr int channel_bits = 2 * sizeof(Word);
template <class Word>
constexpr std::int32_t max_level = (1 << channel_bits<Word>)-1;

// Tells the device compiler that pixels are aligned; otherwise it accesses them byte by byte. The host compiler needs
// no alignment and does not vectorise through __builtin_assume_aligned.
#ifdef __CUDA_ARCH__
#define SIMREEL_ALIGNED(pixel, word) __builtin_assume_aligned(pixel, sizeof(word))
#else
#define SIMREEL_ALIGNED(pixel, word) pixel
#endif

template <class Pixel>
HD inline PixelWord<Pixel> load_pixel(const Pixel* pixel) {
  PixelWord<Pixel> word;
  std::memcpy(&word, SIMREEL_ALIGNED(pixel, word), sizeof word);
  return word;
}

template <class Word>
HD inline void store_pixel(void* pixel, Word word) {
  std::memcpy(SIMREEL_ALIGNED(pixel, word), &word, sizeof word);
}

#undef SIMREEL_ALIGNED

// Channel k of a pixel: 0 is red, 3 is alpha.
template <class Word>
HD inline std::int32_t channel_of(Word word, int k) {
  return static_cast<std::int32_t>(word >> channel_bits<Word> * k & max_level<Word>);
}

// A colour as a pixel of either depth.
template <class Pixel>
HD inline PixelWord<Pixel> word_of(Color color) {
  using Word = PixelWord<Pixel>;
  constexpr int bits = channel_bits<Word>;
  const Word levels = static_cast<Word>(color.r) | static_cast<Word>(color.g) << bits |
                      static_cast<Word>(color.b) << 2 * bits | static_cast<Word>(color.a) << 3 * bits;
  return levels * (max_level<Word> / 255);
}

// `front` blended over `back`, both with straight alpha (overlay.h).
template <class Word>
HD Word blend_over(Word front, Word back) {
  constexpr int bits = channel_bits<Word>;
  constexpr std::uint64_t max = static_cast<std::uint64_t>(max_level<Word>);
  const std::uint64_t a = static_cast<std::uint64_t>(channel_of(front, 3));
  const std::uint64_t below = static_cast<std::uint64_t>(channel_of(back, 3));
  if (a == 0) return back;
  if (below == max) {
    Word out = static_cast<Word>(max) << 3 * bits;
    for (int k = 0; k < 3; ++k) {
      const std::uint64_t o = static_cast<std::uint64_t>(channel_of(front, k));
      const std::uint64_t b = static_cast<std::uint64_t>(channel_of(back, k));
      out |= static_cast<Word>((o * a + b * (max - a) + max / 2) / max) << bits * k;
    }
    return out;
  }
  // The parts of the two colours, of most * most.
  const std::uint64_t part = max * a, rest = below * (max - a), alpha = part + rest;
  Word out = static_cast<Word>((alpha + max / 2) / max) << 3 * bits;
  for (int k = 0; k < 3; ++k) {
    const std::uint64_t o = static_cast<std::uint64_t>(channel_of(front, k));
    const std::uint64_t b = static_cast<std::uint64_t>(channel_of(back, k));
    out |= static_cast<Word>((o * part + b * rest + alpha / 2) / alpha) << bits * k;
  }
  return out;
}

}  // namespace simreel
