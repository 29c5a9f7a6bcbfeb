#pragma once
// One picture at work: what the kernels of the encoder read and write. Internal to the encoder, like all headers of
// this folder but h264.h.
//
// Macroblocks are 16 x 16 pixels of luma with 8 x 8 of each chroma, numbered row by row. Their blocks of 4 x 4 have the
// numbers of the standard: 0 to 15 luma, in four quarters of four, then 16 to 19 Cb and 20 to 23 Cr, row by row.

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

#include "kernels/encode/team.h"

// Keeps small arrays in the registers of a GPU's thread.
#ifdef __CUDA_ARCH__
#define H264_UNROLL _Pragma("unroll")
#else
#define H264_UNROLL
#endif

namespace simreel::h264 {

// A motion vector in quarter pixels of luma.
struct Vector {
  std::int16_t x, y;

  HD friend bool operator==(Vector a, Vector b) { return a.x == b.x && a.y == b.y; }
};
HD inline std::uint32_t as_word(Vector v) {
  return static_cast<std::uint16_t>(v.x) | static_cast<std::uint32_t>(static_cast<std::uint16_t>(v.y)) << 16;
}
HD inline Vector as_vector(std::uint32_t word) {
  return {static_cast<std::int16_t>(word & 0xffff), static_cast<std::int16_t>(word >> 16)};
}
inline constexpr std::int16_t no_motion = -32768;  // x of the vector of an intra macroblock

// The reference planes extend beyond the picture, so that vectors need no clamping: `border` pixels of luma. A search
// covers `reach` pixels around its centre, which lies at most `farthest` pixels away.
inline constexpr int border = 64, chroma_border = 32, reach = 8, farthest = 48;

// Blocks of levels of a macroblock: 24 of 4 x 4, then the DC of luma (intra 16 x 16), Cb and Cr.
inline constexpr int level_blocks = 27;

// Macroblocks along a side of so many pixels.
inline int macroblocks_along(int pixels) { return (pixels + 15) / 16; }

// How a macroblock is coded.
struct Mode {
  enum Kind : std::uint8_t { skip, inter, quarters, intra16, intra4, pcm };
  std::uint8_t kind;
  std::uint8_t luma;    // prediction of intra16: vertical, horizontal, DC, plane; others: whether by_eight()
  std::uint8_t chroma;  // of intra: DC, horizontal, vertical, plane
  std::uint8_t coded;   // coded_block_pattern: bits 0 to 3 quarters of luma, bits 4 and 5 chroma (0 none, 1 DC, 2 all)

  HD bool is_intra() const { return kind >= intra16; }
  // Whether luma has transforms of 8 x 8.
  HD bool by_eight() const { return (kind == inter || kind == quarters) && luma != 0; }
};

// How much a picture has changed since the one before: sums over the macroblocks that motion predicts badly.
struct Change {
  std::uint32_t macroblocks;  // how many
  std::uint32_t motion;       // of their costs / 16
  std::uint32_t flat;         // of what they would cost as one colour each / 16
};

struct Picture {
  int width, height;  // in macroblocks
  int qp, chroma_qp;
  std::uint32_t lambda;  // eight times the worth of a bit in units of satd
  bool intra;            // a key picture
  int color;             // of the macroblocks that may become intra in this picture first, 0 to 3

  const std::uint8_t* source;  // planes of the coded size: luma, Cb, Cr
  std::uint8_t* decoded;       // likewise: what a decoder gets
  // The picture before: luma in four planes (whole, half a pixel right, half a pixel down, both), chroma in two.
  std::uint8_t *reference, *chroma_reference;
  Vector *centre, *found, *vector;  // of each macroblock: around which to search, what was found, the best
  Vector* quarter;                  // four of each macroblock, as coded
  std::uint32_t* cost;              // of the best inter prediction
  Change* change;
  Mode* mode;
  std::uint8_t* block_mode;     // [macroblock][16] predictions of the blocks of intra4
  std::int16_t* level;          // [macroblock][level_blocks][16] in zigzag order; undefined where none is coded
  std::uint8_t* counts;         // [macroblock][24] of levels that are not zero
  std::uint32_t* edges;         // [macroblock][4] strengths for the deblocking filter on a GPU (deblock_rows.h)
  std::uint8_t* record;         // [macroblock][max_record_bytes] as packed.h tells
  std::uint32_t* record_words;  // of each macroblock
  std::uint32_t* row_words;     // of each row
  std::uint32_t* start;         // of each record in the slot, in words

  std::uint64_t header;  // of the slice
  int header_bits;

  // What so many bits are worth in units of satd.
  HD std::uint32_t worth(std::uint32_t bits) const { return (lambda * bits + 4) / 8; }
  // Whether the picture has little in common with the one before: a cut.
  HD bool is_cut() const {
    return !intra && static_cast<int>(change->macroblocks) > count() / 4 && change->motion > change->flat;
  }
  HD int luma_width() const { return 16 * width; }
  HD int luma_height() const { return 16 * height; }
  HD int count() const { return width * height; }
  HD std::ptrdiff_t luma_size() const { return static_cast<std::ptrdiff_t>(256) * count(); }
  // Where the plane 0, 1 or 2 (luma, Cb, Cr) begins in `source` and `decoded`.
  HD std::ptrdiff_t plane_at(int plane) const {
    return plane ? luma_size() + (plane - 1) * (luma_size() / 4) : std::ptrdiff_t{0};
  }
  HD int pitch() const { return 16 * width + 2 * border; }  // of reference planes
  HD std::ptrdiff_t reference_plane() const {
    return static_cast<std::ptrdiff_t>(pitch()) * (16 * height + 2 * border);
  }
  HD int chroma_pitch() const { return 8 * width + 2 * chroma_border; }
  HD std::ptrdiff_t chroma_plane() const {
    return static_cast<std::ptrdiff_t>(chroma_pitch()) * (8 * height + 2 * chroma_border);
  }
};

HD inline int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
HD inline int clip_pixel(int v) { return clamp(v, 0, 255); }
HD inline int magnitude(int v) { return v < 0 ? -v : v; }

HD inline int log2_of(std::uint32_t v) {
#ifdef __CUDA_ARCH__
  return 31 - __clz(static_cast<int>(v));
#else
  return 31 - __builtin_clz(v);
#endif
}

// Chroma gets more bits than usual: in dark, even areas coarse steps of colour show as squares.
inline constexpr int chroma_qp_offset = -3;

// The QP of chroma at a QP of luma (table 8-15).
HD inline int chroma_qp_of(int luma_qp) {
  const int qp = luma_qp + chroma_qp_offset < 0 ? 0 : luma_qp + chroma_qp_offset;
  static constexpr std::uint8_t high[] = {29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36,
                                          36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 39};
  return qp < 30 ? qp : high[qp - 30];
}

// Lengths of Exp-Golomb codes (9.1).
HD inline std::uint32_t mapped(int v) {
  return v > 0 ? 2 * static_cast<std::uint32_t>(v) - 1 : 2 * static_cast<std::uint32_t>(-v);
}
HD inline int golomb_bits(std::uint32_t v) { return 2 * log2_of(v + 1) + 1; }
HD inline std::uint32_t vector_bits(Vector a, Vector b) {
  return static_cast<std::uint32_t>(golomb_bits(mapped(a.x - b.x)) + golomb_bits(mapped(a.y - b.y)));
}

// Four pixels as a word, the first in the lowest byte. `at` may lie anywhere; on a GPU the words around it are read.
HD inline std::uint32_t load_four(const std::uint8_t* at) {
#ifdef __CUDA_ARCH__
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const std::uint32_t* const word = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{3});
  const int shift = static_cast<int>(address & 3) * 8;
  return shift ? __funnelshift_r(word[0], word[1], shift) : word[0];
#else
  std::uint32_t v;
  std::memcpy(&v, at, 4);
  return v;
#endif
}
HD inline void store_four(std::uint8_t* at, std::uint32_t v) {  // `at` is aligned
#ifdef __CUDA_ARCH__
  *reinterpret_cast<std::uint32_t*>(at) = v;
#else
  std::memcpy(at, &v, 4);
#endif
}
HD inline int pixel_of(std::uint32_t four, int i) { return static_cast<int>(four >> (8 * i) & 255); }
HD inline std::uint32_t average_four(std::uint32_t a, std::uint32_t b) {
  return (a | b) - (((a ^ b) & 0xfefefefeu) >> 1);
}

// Column and row of a luma block in its macroblock, in blocks, and back (6.4.3).
HD constexpr int block_x(int block) { return (block >> 2 & 1) * 2 + (block & 1); }
HD constexpr int block_y(int block) { return (block >> 3) * 2 + (block >> 1 & 1); }
HD constexpr int block_at(int x, int y) { return (y >> 1) * 8 + (x >> 1) * 4 + (y & 1) * 2 + (x & 1); }

// The place of a coefficient in its block of 4 x 4, row by row, from its place in the stream (8.5.6).
HD inline int zigzag(int i) {
  static constexpr std::uint8_t order[16] = {0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15};
  return order[i];
}

#ifdef __CUDA_ARCH__
// satd_block() in pairs of half-precision numbers, of which a GPU adds four times as many as integers. The integer n is
// held as n * 2^-24: up to 2047 its bits are those of the integer, and sums are exact.
__device__ inline std::uint32_t satd_in_halves(const std::uint32_t* a, const std::uint32_t* b) {
  const auto halves = [](std::uint32_t bits) {
    __half2 pair;
    memcpy(&pair, &bits, sizeof pair);
    return pair;
  };
  const auto bits_of = [](__half2 pair) {
    std::uint32_t bits;
    memcpy(&bits, &pair, sizeof bits);
    return bits;
  };
  constexpr std::uint32_t even = 0x4240, odd = 0x4341;  // of the bytes of a word, each in a half
  const __half2 signs = halves(0xbc003c00);             // 1, -1
  __half2 d[2][4];
  H264_UNROLL
  for (int y = 0; y < 4; ++y) {
    const __half2 v02 = __hsub2(halves(__byte_perm(a[y], 0, even)), halves(__byte_perm(b[y], 0, even)));
    const __half2 v13 = __hsub2(halves(__byte_perm(a[y], 0, odd)), halves(__byte_perm(b[y], 0, odd)));
    const __half2 pr = __hadd2(v02, v13), qt = __hsub2(v02, v13);
    d[0][y] = __hfma2(__high2half2(pr), signs, __low2half2(pr));
    d[1][y] = __hfma2(__high2half2(qt), signs, __low2half2(qt));
  }
  std::uint32_t sum = 0;
  H264_UNROLL
  for (auto& v : d) {
    const __half2 p = __hadd2(v[0], v[1]), q = __hsub2(v[0], v[1]), r = __hadd2(v[2], v[3]), t = __hsub2(v[2], v[3]);
    // |p + r| + |p - r| is twice the larger of |p| and |r|. p to t are at most 8 * 255.
    sum += bits_of(__hmax2(__habs2(p), __habs2(r))) + bits_of(__hmax2(__habs2(q), __habs2(t)));
  }
  return (sum & 0xffff) + (sum >> 16);
}
#endif

// Half the sum of the magnitudes of the differences of two blocks of 4 x 4 after a Hadamard transform: near to what
// coding the difference costs. The sum is even.
HD inline std::uint32_t satd_block(const std::uint32_t* a, const std::uint32_t* b) {
#ifdef __CUDA_ARCH__
  return satd_in_halves(a, b);
#else
  int d[16];
  H264_UNROLL
  for (int y = 0; y < 4; ++y) {
    int v[4];
    H264_UNROLL
    for (int x = 0; x < 4; ++x) v[x] = pixel_of(a[y], x) - pixel_of(b[y], x);
    const int p = v[0] + v[1], q = v[0] - v[1], r = v[2] + v[3], t = v[2] - v[3];
    d[4 * y] = p + r, d[4 * y + 1] = q + t, d[4 * y + 2] = p - r, d[4 * y + 3] = q - t;
  }
  int sum = 0;
  H264_UNROLL
  for (int x = 0; x < 4; ++x) {
    const int p = d[x] + d[4 + x], q = d[x] - d[4 + x], r = d[8 + x] + d[12 + x], t = d[8 + x] - d[12 + x];
    sum += magnitude(p + r) + magnitude(p - r) + magnitude(q + t) + magnitude(q - t);
  }
  return static_cast<std::uint32_t>(sum) / 2;
#endif
}

}  // namespace simreel::h264
