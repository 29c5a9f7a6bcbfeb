#pragma once
// The deblocking filter for CPUs with AVX2: all lines across an edge of a macroblock at once, by the arithmetic of
// filter_luma() and filter_chroma().

#include "kernels/encode/thresholds.h"

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
#include <immintrin.h>

namespace simreel::h264 {

// A pixel of each of 16 lines, in 16 bits.
using Lines = __m256i;

namespace lines {

inline Lines all(int v) { return _mm256_set1_epi16(static_cast<short>(v)); }
inline Lines add(Lines a, Lines b) { return _mm256_add_epi16(a, b); }
inline Lines sub(Lines a, Lines b) { return _mm256_sub_epi16(a, b); }
inline Lines twice(Lines a) { return _mm256_add_epi16(a, a); }
template <int bits>
Lines shifted(Lines a) {
  return _mm256_srai_epi16(a, bits);
}
inline Lines clamped(Lines v, Lines max) {
  return _mm256_max_epi16(_mm256_min_epi16(v, max), _mm256_sub_epi16(_mm256_setzero_si256(), max));
}
inline Lines chosen(Lines mask, Lines yes, Lines no) { return _mm256_blendv_epi8(no, yes, mask); }
// Masks.
inline Lines nearer(Lines a, Lines b, Lines than) {
  return _mm256_cmpgt_epi16(than, _mm256_abs_epi16(_mm256_sub_epi16(a, b)));
}
inline Lines both(Lines a, Lines b) { return _mm256_and_si256(a, b); }
inline bool none(Lines mask) { return _mm256_testz_si256(mask, mask) != 0; }

inline Lines load(const std::uint8_t* at) {
  return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}
inline void store(std::uint8_t* at, Lines v) {  // clips to pixels
  const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(v, v), 0x88);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(at), _mm256_castsi256_si128(bytes));
}

}  // namespace lines

// The strength of each line's edge.
struct LineStrengths {
  Lines some;  // mask: not 0
  Lines max;   // Thresholds::max_change()
};

// Filters an edge: pixel k behind it of all lines is at q + k * step, those before it at q - step and so on. The
// strengths lie below 4.
template <bool luma>
void filter_weak_lines(std::uint8_t* q, std::ptrdiff_t step, const EdgeTest& t, const LineStrengths& strengths) {
  using namespace lines;
  const Lines p1 = load(q - 2 * step), p0 = load(q - step), q0 = load(q), q1 = load(q + step);
  const Lines alpha = all(t.alpha), beta = all(t.beta);
  const Lines apply =
      both(both(strengths.some, nearer(p0, q0, alpha)), both(nearer(p1, p0, beta), nearer(q1, q0, beta)));
  if (none(apply)) return;
  const Lines max = both(strengths.max, apply);
  Lines limit;
  if constexpr (luma) {
    const Lines p2 = load(q - 3 * step), q2 = load(q + 2 * step);
    const Lines smooth_p = both(apply, nearer(p2, p0, beta)), smooth_q = both(apply, nearer(q2, q0, beta));
    const Lines middle = _mm256_avg_epu16(p0, q0);
    const Lines change_p = clamped(shifted<1>(sub(add(p2, middle), twice(p1))), max),
                change_q = clamped(shifted<1>(sub(add(q2, middle), twice(q1))), max);
    store(q - 2 * step, add(p1, both(change_p, smooth_p)));
    store(q + step, add(q1, both(change_q, smooth_q)));
    limit = sub(sub(max, smooth_p), smooth_q);
  } else {
    limit = sub(max, apply);
  }
  const Lines slope = add(twice(twice(sub(q0, p0))), sub(p1, q1));
  const Lines change = clamped(shifted<3>(add(slope, all(4))), limit);
  store(q - step, add(p0, change));
  store(q, sub(q0, change));
}

// The same for strength 4.
inline void filter_strong_luma_lines(std::uint8_t* q, std::ptrdiff_t step, const EdgeTest& t) {
  using namespace lines;
  const Lines p1 = load(q - 2 * step), p0 = load(q - step), q0 = load(q), q1 = load(q + step);
  const Lines beta = all(t.beta);
  const Lines apply = both(nearer(p0, q0, all(t.alpha)), both(nearer(p1, p0, beta), nearer(q1, q0, beta)));
  if (none(apply)) return;
  const Lines small = both(apply, nearer(p0, q0, all((t.alpha >> 2) + 2))), two = all(2), four = all(4);
  // One side; a: pixels from the edge away, b: behind it.
  const auto side = [&](std::uint8_t* at, std::ptrdiff_t away, Lines a0, Lines a1, Lines b0, Lines b1) {
    const Lines a2 = load(at + 2 * away), a3 = load(at + 3 * away);
    const Lines smooth = both(small, nearer(a2, a0, beta)), sum = add(add(a0, a1), b0);
    const Lines weak = shifted<2>(add(add(twice(a1), add(a0, b1)), two));
    const Lines near = shifted<3>(add(add(add(a2, twice(sum)), b1), four));
    const Lines middle = shifted<2>(add(add(a2, sum), two));
    const Lines far = shifted<3>(add(add(twice(add(a3, a2)), add(a2, sum)), four));
    store(at, chosen(apply, chosen(smooth, near, weak), a0));
    store(at + away, chosen(smooth, middle, a1));
    store(at + 2 * away, chosen(smooth, far, a2));
  };
  side(q - step, -step, p0, p1, q0, q1);
  side(q, step, q0, q1, p0, p1);
}
inline void filter_strong_chroma_lines(std::uint8_t* q, std::ptrdiff_t step, const EdgeTest& t) {
  using namespace lines;
  const Lines p1 = load(q - 2 * step), p0 = load(q - step), q0 = load(q), q1 = load(q + step);
  const Lines beta = all(t.beta), two = all(2);
  const Lines apply = both(nearer(p0, q0, all(t.alpha)), both(nearer(p1, p0, beta), nearer(q1, q0, beta)));
  store(q - step, chosen(apply, shifted<2>(add(add(twice(p1), add(p0, q1)), two)), p0));
  store(q, chosen(apply, shifted<2>(add(add(twice(q1), add(q0, p1)), two)), q0));
}

// The four edges of luma in one direction, and the two of both planes of chroma, of a macroblock.
// `strength`: of four edges of four blocks; 4 at the first edge only, and at all of it.
struct EdgeFilter {
  Thresholds outer, inner;

  template <bool luma>
  static LineStrengths strengths(const std::uint8_t* four, const Thresholds& t) {
    // Bytes of the four numbers of 16 bits that 16 lines take.
    const __m256i order =
        luma ? _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, 4, 5, 4, 5, 4, 5, 4, 5, 6, 7, 6, 7, 6,
                                7, 6, 7)
             : _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7));
    std::int64_t some = 0, max = 0;
    for (int k = 0; k < 4; ++k) {
      if (four[k] == 0) continue;
      some |= std::int64_t{0xffff} << (16 * k);
      max |= std::int64_t{t.max_change(four[k])} << (16 * k);
    }
    return {_mm256_shuffle_epi8(_mm256_set1_epi64x(some), order), _mm256_shuffle_epi8(_mm256_set1_epi64x(max), order)};
  }
  static bool any(const std::uint8_t* four) {
    std::uint32_t word;
    std::memcpy(&word, four, 4);
    return word != 0;
  }

  // `q`: the pixel of the first line behind the first edge.
  template <bool luma>
  void filter(const std::uint8_t* strength, std::uint8_t* q, std::ptrdiff_t step) const {
    for (int edge = 0; edge < 4; edge += luma ? 1 : 2) {
      const std::uint8_t* const four = strength + 4 * edge;
      if (!any(four)) continue;
      std::uint8_t* const at = q + (luma ? 4 : 2) * edge * step;
      const Thresholds& t = edge == 0 ? outer : inner;
      if (four[0] < 4)
        filter_weak_lines<luma>(at, step, t, strengths<luma>(four, t));
      else if constexpr (luma)
        filter_strong_luma_lines(at, step, t);
      else
        filter_strong_chroma_lines(at, step, t);
    }
  }
};

// A step of transposing: the number of a byte in the eight vectors, seven bits, is rotated by one bit.
inline void shuffle(__m128i* v) {
  __m128i next[8];
  for (int i = 0; i < 4; ++i)
    next[2 * i] = _mm_unpacklo_epi8(v[i], v[i + 4]), next[2 * i + 1] = _mm_unpackhi_epi8(v[i], v[i + 4]);
  for (int i = 0; i < 8; ++i) v[i] = next[i];
}
// Columns of 16 rows of pixels as rows of 16, and back: eight or, with `few`, four. row(i): where row i begins.
template <bool few, class Row>
void transpose_in(std::uint8_t (*to)[16], const Row& row) {
  const auto load = [](const std::uint8_t* at) {
    std::int64_t v = 0;
    std::memcpy(&v, at, few ? 4 : 8);
    return _mm_cvtsi64_si128(v);
  };
  __m128i v[8];
  for (int i = 0; i < 8; ++i) v[i] = _mm_unpacklo_epi8(load(row(i)), load(row(i + 8)));
  for (int round = 0; round < 3; ++round) shuffle(v);
  for (int i = 0; i < (few ? 4 : 8); ++i) _mm_store_si128(reinterpret_cast<__m128i*>(to[i]), v[i]);
}
template <bool few, class Row>
void transpose_out(const std::uint8_t (*from)[16], const Row& row) {
  __m128i v[8] = {};
  for (int i = 0; i < (few ? 4 : 8); ++i) v[i] = _mm_load_si128(reinterpret_cast<const __m128i*>(from[i]));
  for (int round = 0; round < 3; ++round) shuffle(v);
  const auto store = [](std::uint8_t* at, std::int64_t pixels) { std::memcpy(at, &pixels, few ? 4 : 8); };
  for (int i = 0; i < 8; ++i) {
    store(row(2 * i), _mm_cvtsi128_si64(v[i]));
    store(row(2 * i + 1), _mm_extract_epi64(v[i], 1));
  }
}

// All edges of a macroblock. `strength`: of the vertical and the horizontal ones.
struct DeblockMacroblock {
  const Picture& p;
  int x, y;

  void vertical(const std::uint8_t* strength, const EdgeFilter& luma, const EdgeFilter& chroma) const {
    const bool has_left = x > 0;
    alignas(16) std::uint8_t columns[20][16];
    const int pitch = p.luma_width();
    std::uint8_t* const at = luma_at();
    const auto from = [&](int column) {
      return [=](int i) { return at + static_cast<std::ptrdiff_t>(i) * pitch + column; };
    };
    if (has_left) {
      transpose_in<false>(columns, from(-4));
      transpose_in<false>(columns + 8, from(4));
      transpose_in<true>(columns + 16, from(12));
    } else {
      transpose_in<false>(columns + 4, from(0));
      transpose_in<false>(columns + 12, from(8));
    }
    luma.filter<true>(strength, columns[4], 16);
    if (has_left) {
      transpose_out<false>(columns, from(-4));
      transpose_out<false>(columns + 8, from(4));
      transpose_out<true>(columns + 16, from(12));
    } else {
      transpose_out<false>(columns + 4, from(0));
      transpose_out<false>(columns + 12, from(8));
    }
    const int before = has_left ? 2 : 0;
    const auto row = [&, before](int i) {
      return chroma_at(i >> 3) + static_cast<std::ptrdiff_t>(i & 7) * (pitch / 2) - before;
    };
    transpose_in<false>(columns + 2 - before, row);
    chroma.filter<false>(strength, columns[2], 16);
    transpose_out<false>(columns + 2 - before, row);
  }
  void horizontal(const std::uint8_t* strength, const EdgeFilter& luma, const EdgeFilter& chroma) const {
    luma.filter<true>(strength, luma_at(), p.luma_width());
    const int first = y > 0 ? -2 : 0;
    std::uint8_t rows[10][16];
    const auto at = [&](int plane, int row) {
      return chroma_at(plane) + static_cast<std::ptrdiff_t>(row) * (p.luma_width() / 2);
    };
    for (int row = first; row < first + 8; ++row)
      for (int plane = 0; plane < 2; ++plane) std::memcpy(rows[row + 2] + 8 * plane, at(plane, row), 8);
    chroma.filter<false>(strength, rows[2], 16);
    for (int row = first; row < first + 8; ++row)
      for (int plane = 0; plane < 2; ++plane) std::memcpy(at(plane, row), rows[row + 2] + 8 * plane, 8);
  }

 private:
  std::uint8_t* luma_at() const { return p.decoded + static_cast<std::ptrdiff_t>(16 * y) * p.luma_width() + 16 * x; }
  std::uint8_t* chroma_at(int plane) const {
    return p.decoded + p.plane_at(1 + plane) + static_cast<std::ptrdiff_t>(8 * y) * (8 * p.width) + 8 * x;
  }
};

}  // namespace simreel::h264

#endif
