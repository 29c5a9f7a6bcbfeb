#pragma once
// The integer transforms of blocks of 4 x 4 and their quantisation (ITU-T H.264, 8.5; the forward direction is that
// whose inverse the standard defines).

#include "kernels/encode/picture.h"

namespace simreel::h264 {

// Rows and columns of even places, of odd places, and of both have scales of their own.
HD inline int scale_kind(int place) {
  const bool odd_x = place & 1, odd_y = place >> 2 & 1;
  return odd_x && odd_y ? 1 : odd_x || odd_y ? 2 : 0;
}
HD inline int forward_scale(int qp_rest, int kind) {
  static constexpr std::uint16_t scales[6][3] = {{13107, 5243, 8066}, {11916, 4660, 7490}, {10082, 4194, 6554},
                                                 {9362, 3647, 5825},  {8192, 3355, 5243},  {7282, 2893, 4559}};
  return scales[qp_rest][kind];
}
HD inline int inverse_scale(int qp_rest, int kind) {
  static constexpr std::uint8_t scales[6][3] = {{10, 16, 13}, {11, 18, 14}, {13, 20, 16},
                                                {14, 23, 18}, {16, 25, 20}, {18, 29, 23}};
  return scales[qp_rest][kind];
}

// How coefficients become levels at a QP: rounded down below 5/8 for levels of 1, which cost most, for chroma below
// 43/64, and below 35/64 for higher ones. Found by trial: at equal PSNR these take the fewest bits.
struct Quantizer {
  enum Plane { luma, chroma };
  int qp, bits;
  std::uint32_t up;  // in 64ths, what is added to levels of 1

  HD Quantizer(int qp_of_block, Plane plane) : qp(qp_of_block), bits(15 + qp / 6), up(plane == luma ? 24 : 21) {}
  HD int level(int coefficient, int kind) const { return level_of(coefficient, scaled(coefficient, kind), bits, up); }
  // Of a DC that went through a second transform.
  HD int dc_level(int coefficient) const { return level_of(coefficient, scaled(coefficient, 0), bits + 1, 24); }

  // 2^bits times the coefficient in quantisation steps, without its sign.
  HD std::uint32_t scaled(int coefficient, int kind) const {
    return static_cast<std::uint32_t>(magnitude(coefficient)) * static_cast<std::uint32_t>(forward_scale(qp % 6, kind));
  }
  // From such a number with any `shift`.
  HD static int level_of(int coefficient, std::uint32_t scaled, int shift, std::uint32_t up = 24) {
    const std::uint32_t rounding = (scaled >> (shift - 1) < 3 ? up : 29u) << (shift - 6);
    const int q = static_cast<int>((scaled + rounding) >> shift);
    return coefficient < 0 ? -q : q;
  }
};

HD inline void forward_transform(int* d) {
  H264_UNROLL
  for (int i = 0; i < 4; ++i) {
    const int a = d[4 * i] + d[4 * i + 3], b = d[4 * i + 1] + d[4 * i + 2], c = d[4 * i + 1] - d[4 * i + 2],
              e = d[4 * i] - d[4 * i + 3];
    d[4 * i] = a + b, d[4 * i + 1] = 2 * e + c, d[4 * i + 2] = a - b, d[4 * i + 3] = e - 2 * c;
  }
  H264_UNROLL
  for (int i = 0; i < 4; ++i) {
    const int a = d[i] + d[12 + i], b = d[4 + i] + d[8 + i], c = d[4 + i] - d[8 + i], e = d[i] - d[12 + i];
    d[i] = a + b, d[4 + i] = 2 * e + c, d[8 + i] = a - b, d[12 + i] = e - 2 * c;
  }
}
// Numbers of an inverse transform must not leave 16 bits, nor those that are still to be rounded (8.5.12.2, 8.5.13).
// They cannot where luma's QP is lower: the error of a pixel would have to be 256.
inline constexpr int min_wide_qp = 36;
HD inline bool leaves_16_bits(int v) { return v < -32768 || v > 32767 - 32; }

// To differences of pixels. Tells, if asked to look, whether numbers left 16 bits.
template <bool looks = false>
HD inline bool inverse_transform(int* d) {
  bool wide = false;
  const auto look = [&](int i, int step) {
    if constexpr (looks) {
      H264_UNROLL
      for (int k = 0; k < 4; ++k) wide |= leaves_16_bits(d[i + k * step]);
    }
  };
  H264_UNROLL
  for (int i = 0; i < 4; ++i) {
    look(4 * i, 1);
    const int a = d[4 * i] + d[4 * i + 2], b = d[4 * i] - d[4 * i + 2], c = (d[4 * i + 1] >> 1) - d[4 * i + 3],
              e = d[4 * i + 1] + (d[4 * i + 3] >> 1);
    d[4 * i] = a + e, d[4 * i + 1] = b + c, d[4 * i + 2] = b - c, d[4 * i + 3] = a - e;
    look(4 * i, 1);
  }
  H264_UNROLL
  for (int i = 0; i < 4; ++i) {
    const int a = d[i] + d[8 + i], b = d[i] - d[8 + i], c = (d[4 + i] >> 1) - d[12 + i],
              e = d[4 + i] + (d[12 + i] >> 1);
    d[i] = a + e, d[4 + i] = b + c, d[8 + i] = b - c, d[12 + i] = a - e;
    look(i, 4);
    H264_UNROLL
    for (int k = 0; k < 4; ++k) d[i + 4 * k] = (d[i + 4 * k] + 32) >> 6;
  }
  return wide;
}
// The second transform of the 16 DC of luma; its own inverse but for a factor.
HD inline void hadamard(int* d) {
  for (int i = 0; i < 4; ++i) {
    const int a = d[4 * i] + d[4 * i + 1], b = d[4 * i] - d[4 * i + 1], c = d[4 * i + 2] + d[4 * i + 3],
              e = d[4 * i + 2] - d[4 * i + 3];
    d[4 * i] = a + c, d[4 * i + 1] = a - c, d[4 * i + 2] = b - e, d[4 * i + 3] = b + e;
  }
  for (int i = 0; i < 4; ++i) {
    const int a = d[i] + d[4 + i], b = d[i] - d[4 + i], c = d[8 + i] + d[12 + i], e = d[8 + i] - d[12 + i];
    d[i] = a + c, d[4 + i] = a - c, d[8 + i] = b - e, d[12 + i] = b + e;
  }
}

}  // namespace simreel::h264
