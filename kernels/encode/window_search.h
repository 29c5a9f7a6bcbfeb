#pragma once
// The search of all whole pixels around a centre, for CPUs with AVX2: the same vector as by comparing with every place,
// which most places need not be.

#include "kernels/encode/prediction.h"

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)

namespace simreel::h264 {

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

// Compares a macroblock with the 16 x 16 places that begin in a window of 31 x 31 pixels. The difference of two sums of
// pixels is no larger than the sum of their differences, so sums over quarters of 8 x 8 pixels tell of most places that
// they cannot be the best.
class WindowSearch {
 public:
  static constexpr int side = 2 * reach;  // places along a side

  // `current`: 16 x 16 pixels; `corner`: of the window, of which 40 pixels of each row are read.
  WindowSearch(const std::uint8_t* current, const std::uint8_t* corner, std::ptrdiff_t pitch)
      : current_(current), corner_(corner), pitch_(pitch) {
    sum_quarters();
  }

  // The place k = 16 * y + x of the least cost << 8 | k, where a place costs its differences and
  // worth(bits[x] + bits[y]).
  std::uint32_t best(const Picture& p, const std::uint8_t* bits) const {
    const auto key = [&](int k) {
      const std::uint32_t difference = sad16(current_, corner_ + (k >> 4) * pitch_ + (k & 15), pitch_);
      return (difference + p.worth(std::uint32_t{bits[k & 15]} + bits[k >> 4])) << 8 | static_cast<std::uint32_t>(k);
    };
    std::uint32_t min = key(reach * 17);
    const __m256i lambda = _mm256_set1_epi16(static_cast<short>(p.lambda)), four = _mm256_set1_epi16(4);
    const __m256i bits_x = _mm256_cvtepu8_epi16(sixteen(bits));
    for (int i = 0; i < side; ++i) {
      const int y = i & 1 ? reach - (i + 1) / 2 : reach + i / 2;  // the middle first
      const __m256i bits_here = _mm256_add_epi16(bits_x, _mm256_set1_epi16(bits[y]));
      const __m256i worth = _mm256_srli_epi16(_mm256_add_epi16(_mm256_mullo_epi16(lambda, bits_here), four), 3);
      const __m256i bound = _mm256_adds_epu16(worth, differences(y));
      const auto max = static_cast<std::uint32_t>(std::min(min >> 8, 0xffffu));
      const __m256i allowed = _mm256_set1_epi16(static_cast<short>(max));
      const __m256i maybe = _mm256_cmpeq_epi16(_mm256_min_epu16(bound, allowed), bound);
      auto left = static_cast<std::uint32_t>(_mm256_movemask_epi8(maybe)) & 0x55555555u;
      for (; left != 0; left &= left - 1) min = std::min(min, key(16 * y + (__builtin_ctz(left) >> 1)));
    }
    return min & 255;
  }

 private:
  static constexpr int rows = side + 15, quarter_rows = side + 8, stride = 32;
  static_assert(side == 16);

  static __m256i load(const std::uint16_t* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); }
  static void store(std::uint16_t* at, __m256i v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), v); }

  void sum_quarters() {
    const __m256i zero = _mm256_setzero_si256();
    alignas(32) std::uint16_t four[rows][stride];  // sums of 4 pixels of a row
    const auto two = [](const std::uint8_t* at) {
      return _mm256_inserti128_si256(_mm256_castsi128_si256(sixteen(at)), sixteen(at + 8), 1);
    };
    for (int y = 0; y < rows; ++y) {
      const std::uint8_t* const row = corner_ + y * pitch_;
      store(four[y], _mm256_mpsadbw_epu8(two(row), zero, 0));
      store(four[y] + 16, _mm256_mpsadbw_epu8(two(row + 16), zero, 0));
    }
    for (int x = 0; x <= 8; x += 8) {
      const auto across = [&](int y) { return _mm256_add_epi16(load(four[y] + x), load(four[y] + x + 4)); };
      __m256i sum = zero;
      for (int y = 0; y < 7; ++y) sum = _mm256_add_epi16(sum, across(y));
      for (int y = 0; y < quarter_rows; ++y) {
        sum = _mm256_add_epi16(sum, across(y + 7));
        store(quarter_[y] + x, sum);
        sum = _mm256_sub_epi16(sum, across(y));
      }
    }
    for (int k = 0; k < 4; ++k) {
      const std::uint8_t* const from = current_ + 128 * (k >> 1) + 8 * (k & 1);
      __m128i sum = _mm_setzero_si128();
      for (int y = 0; y < 8; y += 2)
        sum = _mm_add_epi64(sum, _mm_sad_epu8(_mm_unpacklo_epi64(eight(from + 16 * y), eight(from + 16 * y + 16)),
                                              _mm_setzero_si128()));
      own_[k] = static_cast<std::uint16_t>(_mm_cvtsi128_si32(sum) + _mm_extract_epi32(sum, 2));
    }
  }

  // At least how much the macroblock differs from the places of row `y`.
  __m256i differences(int y) const {
    __m256i sum = _mm256_setzero_si256();
    for (int k = 0; k < 4; ++k) {
      const __m256i other = load(quarter_[y + 8 * (k >> 1)] + 8 * (k & 1));
      const __m256i own = _mm256_set1_epi16(static_cast<short>(own_[k]));
      sum = _mm256_adds_epu16(sum, _mm256_abs_epi16(_mm256_sub_epi16(own, other)));
    }
    return sum;
  }

  const std::uint8_t *current_, *corner_;
  std::ptrdiff_t pitch_;
  alignas(32) std::uint16_t quarter_[quarter_rows][stride];  // sums of 8 x 8 pixels
  std::uint16_t own_[4];
};

}  // namespace simreel::h264

#endif
