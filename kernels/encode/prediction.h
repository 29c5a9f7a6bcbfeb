#pragma once
// Prediction from the picture before (ITU-T H.264, 8.4.2.2): luma by a filter of six taps for half pixels, whose
// results are kept as planes, and the mean of two of those for quarter pixels; chroma by bilinear interpolation in
// eighths.

#include <array>

#include "kernels/encode/picture.h"

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
#include <immintrin.h>
#endif

namespace simreel::h264 {

HD inline int six_taps(int a, int b, int c, int d, int e, int f) { return a - 5 * b + 20 * c + 20 * d - 5 * e + f; }

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
// The pixels between 16 columns of results of six_taps(), rows of which are `pitch` apart, in 16 bits: with the sums a,
// b and c of rows, (a - 5 b + 20 c + 512) >> 10 is (((((a - b) >> 2) - b + c) >> 2) + c + 32) >> 6. What does not fit
// is far outside of a pixel.
inline void six_taps_of_sums(const std::int16_t* from, std::ptrdiff_t pitch, std::uint8_t* to) {
  const auto sum = [&](int i, int j) {
    const auto row = [&](int k) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + k * pitch)); };
    return _mm256_add_epi16(row(i), row(j));
  };
  const __m256i a = sum(0, 5), b = sum(1, 4), c = sum(2, 3);
  __m256i v = _mm256_sub_epi16(_mm256_srai_epi16(_mm256_sub_epi16(a, b), 2), b);
  v = _mm256_add_epi16(_mm256_srai_epi16(_mm256_adds_epi16(v, c), 2), c);
  v = _mm256_srai_epi16(_mm256_add_epi16(v, _mm256_set1_epi16(32)), 6);
  const __m128i pixels = _mm_packus_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), pixels);
}
#endif

// The reference planes of luma, from the decoded picture: `rows` rows of a column a call.
struct LumaPlanes {
  static constexpr int rows = 8;
  Picture p;

  HD void operator()(int x, int group) const {
    const int right = p.luma_width() - 1, bottom = p.luma_height() - 1;
    int column[rows + 5], across[rows + 5];
    for (int k = 0; k < rows + 5; ++k) {
      const std::uint8_t* const row =
          p.decoded + static_cast<std::ptrdiff_t>(clamp(group * rows + k - 2 - border, 0, bottom)) * p.luma_width();
      int v[6];
      for (int i = 0; i < 6; ++i) v[i] = row[clamp(x + i - 2 - border, 0, right)];
      column[k] = v[2];
      across[k] = six_taps(v[0], v[1], v[2], v[3], v[4], v[5]);
    }
    for (int k = 0; k < rows; ++k) {
      const auto down = [&](const int* v) { return six_taps(v[k], v[k + 1], v[k + 2], v[k + 3], v[k + 4], v[k + 5]); };
      std::uint8_t* const to = p.reference + static_cast<std::ptrdiff_t>(group * rows + k) * p.pitch() + x;
      to[0] = static_cast<std::uint8_t>(column[k + 2]);
      to[p.reference_plane()] = static_cast<std::uint8_t>(clip_pixel((across[k + 2] + 16) >> 5));
      to[2 * p.reference_plane()] = static_cast<std::uint8_t>(clip_pixel((down(column) + 16) >> 5));
      to[3 * p.reference_plane()] = static_cast<std::uint8_t>(clip_pixel((down(across) + 512) >> 10));
    }
  }

  // The same for x0 <= x < x1 in loops that vectorise.
  void span(int x0, int x1, int group) const {
    constexpr int longest = 256;
    const int right = p.luma_width() - 1, bottom = p.luma_height() - 1;
    for (int from = x0; from < x1; from += longest) {
      const int n = std::min(longest, x1 - from);
      std::uint8_t row[rows + 5][longest + 5];
      std::int16_t across[rows + 5][longest];
      for (int k = 0; k < rows + 5; ++k) {
        const std::uint8_t* const in =
            p.decoded + static_cast<std::ptrdiff_t>(clamp(group * rows + k - 2 - border, 0, bottom)) * p.luma_width();
        const int first = from - 2 - border;  // the column of row[k][0]
        if (first >= 0 && first + n + 4 <= right)
          std::memcpy(row[k], in + first, static_cast<std::size_t>(n) + 5);
        else
          for (int i = 0; i < n + 5; ++i) row[k][i] = in[clamp(first + i, 0, right)];
        const std::uint8_t* const r = row[k];
        for (int i = 0; i < n; ++i)
          across[k][i] = static_cast<std::int16_t>(six_taps(r[i], r[i + 1], r[i + 2], r[i + 3], r[i + 4], r[i + 5]));
      }
      for (int k = 0; k < rows; ++k) {
        std::uint8_t* const to = p.reference + static_cast<std::ptrdiff_t>(group * rows + k) * p.pitch() + from;
        std::uint8_t *const half_x = to + p.reference_plane(), *const half_y = half_x + p.reference_plane(),
                            *const both = half_y + p.reference_plane();
        std::memcpy(to, row[k + 2] + 2, static_cast<std::size_t>(n));
        SIMREEL_INDEPENDENT
        for (int i = 0; i < n; ++i) half_x[i] = static_cast<std::uint8_t>(clip_pixel((across[k + 2][i] + 16) >> 5));
        SIMREEL_INDEPENDENT
        for (int i = 0; i < n; ++i) {
          const int v = six_taps(row[k][i + 2], row[k + 1][i + 2], row[k + 2][i + 2], row[k + 3][i + 2],
                                 row[k + 4][i + 2], row[k + 5][i + 2]);
          half_y[i] = static_cast<std::uint8_t>(clip_pixel((v + 16) >> 5));
        }
        int i = 0;
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
        for (; i + 16 <= n; i += 16) six_taps_of_sums(&across[k][i], longest, both + i);
#endif
        SIMREEL_INDEPENDENT
        for (; i < n; ++i) {
          const int v = six_taps(across[k][i], across[k + 1][i], across[k + 2][i], across[k + 3][i], across[k + 4][i],
                                 across[k + 5][i]);
          both[i] = static_cast<std::uint8_t>(clip_pixel((v + 512) >> 10));
        }
      }
    }
  }
};

// The reference planes of chroma: Cb in rows 0 to height + 2 * chroma_border - 1, then Cr; four pixels a call.
struct ChromaPlanes {
  Picture p;
  static_assert(chroma_border % 4 == 0);

  HD void operator()(int four, int y) const {
    const int rows = 8 * p.height + 2 * chroma_border, plane = y / rows;
    const int width = 8 * p.width, height = 8 * p.height, x = 4 * four - chroma_border;
    const std::uint8_t* const from =
        p.decoded + p.plane_at(1 + plane) +
        static_cast<std::ptrdiff_t>(clamp(y - plane * rows - chroma_border, 0, height - 1)) * width;
    store_four(p.chroma_reference + static_cast<std::ptrdiff_t>(y) * p.chroma_pitch() + 4 * four,
               x < 0        ? 0x01010101u * from[0]
               : x >= width ? 0x01010101u * from[width - 1]
                            : load_four(from + x));
  }
};

// Where the prediction of luma by a vector lies: in one plane, or as the mean of two.
struct Taps {
  const std::uint8_t *one, *other;  // null: one only
};
struct HalfPixel {
  std::int8_t x, y;
};
struct HalfPixels {
  HalfPixel one, other;
  bool two;
};
// Those whose mean is the pixel at (dx, dy) in quarter pixels.
HD constexpr HalfPixels half_pixels_of(int dx, int dy) {
  const auto place = [](int x, int y) { return HalfPixel{static_cast<std::int8_t>(x), static_cast<std::int8_t>(y)}; };
  if (!(dx & 1) && !(dy & 1)) return {place(dx / 2, dy / 2), {}, false};
  if ((dx & 1) && (dy & 1)) return {place(1, dy == 3 ? 2 : 0), place(dx == 3 ? 2 : 0, 1), true};
  if (dx & 1) return {place(dx / 2, dy / 2), place(dx / 2 + 1, dy / 2), true};
  return {place(dx / 2, dy / 2), place(dx / 2, dy / 2 + 1), true};
}
// For the pixel at (x, y) of the picture.
HD inline Taps taps_of(const Picture& p, int x, int y, Vector v) {
  const int dx = v.x & 3, dy = v.y & 3, pitch = p.pitch();
  const std::uint8_t* const at =
      p.reference + static_cast<std::ptrdiff_t>(y + (v.y >> 2) + border) * pitch + x + (v.x >> 2) + border;
  const auto plane = [&](HalfPixel place) {
    return at + ((place.x & 1) + 2 * (place.y & 1)) * p.reference_plane() + (place.x >> 1) + (place.y >> 1) * pitch;
  };
#ifdef __CUDA_ARCH__
  const HalfPixels places = half_pixels_of(dx, dy);
#else
  static constexpr auto all = [] {
    std::array<HalfPixels, 16> table{};
    for (int k = 0; k < 16; ++k) table[static_cast<std::size_t>(k)] = half_pixels_of(k & 3, k >> 2);
    return table;
  }();
  const HalfPixels places = all[static_cast<std::size_t>(4 * dy + dx)];
#endif
  return {plane(places.one), places.two ? plane(places.other) : nullptr};
}
HD inline std::uint32_t predict_four(const Taps& taps, std::ptrdiff_t at) {
  const std::uint32_t a = load_four(taps.one + at);
  return taps.other ? average_four(a, load_four(taps.other + at)) : a;
}

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
inline __m128i sixteen(const std::uint8_t* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }
inline __m128i eight(const std::uint8_t* at) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)); }
inline __m128i predict_sixteen(const Taps& taps, std::ptrdiff_t at) {
  const __m128i one = sixteen(taps.one + at);
  return taps.other ? _mm_avg_epu8(one, sixteen(taps.other + at)) : one;
}
#endif

// Chroma from pixel (x, y) of plane 0 (Cb) or 1 (Cr) on, to the right.
struct ChromaTaps {
  const std::uint8_t *upper, *lower;
  int weight[4];

  HD ChromaTaps(const Picture& p, int plane, int x, int y, Vector v) {
    const int dx = v.x & 7, dy = v.y & 7, pitch = p.chroma_pitch();
    upper = p.chroma_reference + plane * p.chroma_plane() +
            static_cast<std::ptrdiff_t>(y + (v.y >> 3) + chroma_border) * pitch + x + (v.x >> 3) + chroma_border;
    lower = upper + pitch;
    weight[0] = (8 - dx) * (8 - dy), weight[1] = dx * (8 - dy), weight[2] = (8 - dx) * dy, weight[3] = dx * dy;
  }
  HD std::uint8_t pixel(int i) const {
    return static_cast<std::uint8_t>(
        (weight[0] * upper[i] + weight[1] * upper[i + 1] + weight[2] * lower[i] + weight[3] * lower[i + 1] + 32) >> 6);
  }
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
  // Eight pixels from `at` on.
  __m128i predict_eight(std::ptrdiff_t at) const {
    const auto sums = [&](const std::uint8_t* row, int left, int right) {
      const __m128i weights = _mm_set1_epi16(static_cast<short>(left | right << 8));
      return _mm_maddubs_epi16(_mm_unpacklo_epi8(eight(row + at), eight(row + at + 1)), weights);
    };
    const __m128i sum = _mm_add_epi16(sums(upper, weight[0], weight[1]), sums(lower, weight[2], weight[3]));
    return _mm_packus_epi16(_mm_srli_epi16(_mm_add_epi16(sum, _mm_set1_epi16(32)), 6), _mm_setzero_si128());
  }
#endif
};

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
// Sums (lower half) and differences (upper half) of pixels side by side.
inline __m256i pairs_of(__m128i pixels) {
  const __m256i signs = _mm256_inserti128_si256(_mm256_set1_epi16(static_cast<short>(0xff01)), _mm_set1_epi8(1), 0);
  return _mm256_maddubs_epi16(_mm256_broadcastsi128_si256(pixels), signs);
}
// satd_block() of the blocks of 4 x 4 in 16 columns, in pieces: the lower halves of words of 32 bits, each 8160 at
// most. d: differences of pairs_of() four rows.
inline __m256i satd_four_rows(__m256i d0, __m256i d1, __m256i d2, __m256i d3) {
  const __m256i s0 = _mm256_add_epi16(d0, d1), s1 = _mm256_sub_epi16(d0, d1), s2 = _mm256_add_epi16(d2, d3),
                s3 = _mm256_sub_epi16(d2, d3);
  // Half of |p + r| + |p - r| is the larger of |p| and |r|.
  const auto larger = [](__m256i row) {
    const __m256i x = _mm256_abs_epi16(row);
    return _mm256_max_epi16(x, _mm256_srli_epi32(x, 16));
  };
  return _mm256_add_epi16(_mm256_add_epi16(larger(_mm256_add_epi16(s0, s2)), larger(_mm256_add_epi16(s1, s3))),
                          _mm256_add_epi16(larger(_mm256_sub_epi16(s0, s2)), larger(_mm256_sub_epi16(s1, s3))));
}
inline std::uint32_t total_of(__m256i sums) {
  const __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  const __m128i quarter = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(quarter) + _mm_extract_epi32(quarter, 1));
}
#endif

// satd of a part of a macroblock, `width` (8 or 16) x `height` pixels at (x, y) inside it, against its prediction.
// `current`: the macroblock's 16 x 16 pixels of luma as words.
template <int width>
HD inline std::uint32_t satd_of(const std::uint32_t* current, const Taps& taps, int pitch, int x, int y, int height) {
  std::uint32_t sum = 0;
  for (int by = y; by < y + height; by += 4)
    for (int bx = x; bx < x + width; bx += 4) {
      std::uint32_t a[4], b[4];
      H264_UNROLL
      for (int k = 0; k < 4; ++k) {
        a[k] = current[(by + k) * 4 + bx / 4];
        b[k] = predict_four(taps, static_cast<std::ptrdiff_t>(by + k) * pitch + bx);
      }
      sum += satd_block(a, b);
    }
  return sum;
}

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
// The pixels of a macroblock, or of one of its quarters, to be compared with several predictions.
class WholePixels {
 public:
  explicit WholePixels(const std::uint32_t* current) : own_(reinterpret_cast<const std::uint8_t*>(current)) {}
  // taps: of the first pixel. A sum of `limit` or more may be any such number.
  std::uint32_t satd(const Taps& taps, std::ptrdiff_t pitch, std::uint32_t limit = ~0u) const {
    const auto difference = [&](int row) {
      return _mm256_sub_epi16(pairs_of(sixteen(own_ + 16 * row)), pairs_of(predict_sixteen(taps, row * pitch)));
    };
    const auto rows = [&](int row) {
      return satd_four_rows(difference(row), difference(row + 1), difference(row + 2), difference(row + 3));
    };
    const auto total = [](__m256i sum) { return total_of(_mm256_and_si256(sum, _mm256_set1_epi32(0xffff))); };
    const std::uint32_t half = total(_mm256_add_epi16(rows(0), rows(4)));
    return half >= limit ? half : half + total(_mm256_add_epi16(rows(8), rows(12)));
  }

 private:
  const std::uint8_t* own_;
};
class QuarterPixels {
 public:
  QuarterPixels(const std::uint32_t* current, int x, int y) {
    const auto* const own = reinterpret_cast<const std::uint8_t*>(current) + 16 * y + x;
    for (int row = 0; row < 4; ++row)
      rows_[row] = pairs_of(_mm_unpacklo_epi64(eight(own + 16 * row), eight(own + 16 * (row + 4))));
  }
  std::uint32_t satd(const Taps& taps, std::ptrdiff_t pitch) const {
    return total_of(_mm256_and_si256(pieces(taps, pitch), _mm256_set1_epi32(0xffff)));
  }
  // Of eight predictions, in 16 bits each: they are 32640 at most.
  template <class Candidate>
  __m128i eight_satds(const Candidate& taps, std::ptrdiff_t pitch) const {
    const auto two = [&](int k) {
      return _mm256_blend_epi16(pieces(taps(k), pitch), _mm256_slli_epi32(pieces(taps(k + 1), pitch), 16), 0xaa);
    };
    const auto four = [&](int k) {
      const __m256i a = two(k), b = two(k + 2);
      return _mm256_add_epi16(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    };
    const __m256i a = four(0), b = four(4);
    const __m256i sums = _mm256_add_epi16(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    return _mm_add_epi16(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  }

 private:
  // What satd() adds up, as satd_four_rows() gives it.
  __m256i pieces(const Taps& taps, std::ptrdiff_t pitch) const {
    const auto two = [&](const std::uint8_t* at) { return _mm_unpacklo_epi64(eight(at), eight(at + 4 * pitch)); };
    const auto difference = [&](int row) {
      __m128i b = two(taps.one + row * pitch);
      if (taps.other) b = _mm_avg_epu8(b, two(taps.other + row * pitch));
      return _mm256_sub_epi16(rows_[row], pairs_of(b));
    };
    return satd_four_rows(difference(0), difference(1), difference(2), difference(3));
  }

  __m256i rows_[4];  // a row and the fourth from it
};
#else
class WholePixels {
 public:
  HD explicit WholePixels(const std::uint32_t* current) : current_(current) {}
  HD std::uint32_t satd(const Taps& taps, int pitch, std::uint32_t = ~0u) const {
    return satd_of<16>(current_, taps, pitch, 0, 0, 16);
  }

 private:
  const std::uint32_t* current_;
};
class QuarterPixels {
 public:
  HD QuarterPixels(const std::uint32_t* current, int x, int y) : current_(current + 4 * y + x / 4) {}
  HD std::uint32_t satd(const Taps& taps, int pitch) const { return satd_of<8>(current_, taps, pitch, 0, 0, 8); }

 private:
  const std::uint32_t* current_;
};
#endif

}  // namespace simreel::h264
