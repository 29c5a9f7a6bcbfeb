#pragma once
// The integer transform of blocks of 8 x 8 and its scales (ITU-T H.264, 8.5.13; the forward direction is that whose
// inverse the standard defines).

#include "kernels/encode/picture.h"

namespace simreel::h264 {

// The scales of one row of coefficients, or of one column: of columns 0 and 4, of odd ones, of 2 and 6.
struct Scales8 {
  int fourth, odd, second;

  HD int at(int column) const { return column & 1 ? odd : column & 2 ? second : fourth; }

  HD static Scales8 forward(int qp_rest, int row) {
    static constexpr std::uint16_t scales[6][6] = {
        {13107, 11428, 20972, 12222, 16777, 15481}, {11916, 10826, 19174, 11058, 14980, 14290},
        {10082, 8943, 15978, 9675, 12710, 11985},   {9362, 8228, 14913, 8931, 11984, 11259},
        {8192, 7346, 13159, 7740, 10486, 9777},     {7282, 6428, 11570, 6830, 9118, 8640}};
    return of(scales[qp_rest], row);
  }
  HD static Scales8 inverse(int qp_rest, int row) {
    static constexpr std::uint8_t scales[6][6] = {{20, 18, 32, 19, 25, 24}, {22, 19, 35, 21, 28, 26},
                                                  {26, 23, 42, 24, 33, 31}, {28, 25, 45, 26, 35, 33},
                                                  {32, 28, 51, 30, 40, 38}, {36, 32, 58, 34, 46, 43}};
    return of(scales[qp_rest], row);
  }

 private:
  template <class T>
  HD static Scales8 of(const T* kinds, int row) {
    if (row & 1) return {kinds[3], kinds[1], kinds[5]};
    return row & 2 ? Scales8{kinds[4], kinds[5], kinds[2]} : Scales8{kinds[0], kinds[3], kinds[4]};
  }
};

// How a level becomes a coefficient again.
struct Dequantizer8 {
  int multiply, add, shift;

  HD explicit Dequantizer8(int qp)
      : multiply(qp < 12 ? 1 : 1 << (qp / 6 - 2)), add(qp < 12 ? 2 >> (qp / 6) : 0), shift(qp < 12 ? 2 - qp / 6 : 0) {}
  HD int coefficient(int level, int scale) const { return (level * scale * multiply + add) >> shift; }
};

// The place of a coefficient in the stream, from its place in the block, row by row (8.5.7).
HD inline int stream_place8(int place) {
  static constexpr std::uint8_t order[64] = {0,  1,  5,  6,  14, 15, 27, 28, 2,  4,  7,  13, 16, 26, 29, 42,
                                             3,  8,  12, 17, 25, 30, 41, 43, 9,  11, 18, 24, 31, 40, 44, 53,
                                             10, 19, 23, 32, 39, 45, 52, 54, 20, 22, 33, 38, 46, 51, 55, 60,
                                             21, 34, 37, 47, 50, 56, 59, 61, 35, 36, 48, 49, 57, 58, 62, 63};
  return order[place];
}

// One direction of the transforms, of eight numbers `step` apart.
template <int step>
HD inline void forward_transform8(int* d) {
  const int s07 = d[0] + d[7 * step], s16 = d[step] + d[6 * step], s25 = d[2 * step] + d[5 * step],
            s34 = d[3 * step] + d[4 * step];
  const int a0 = s07 + s34, a1 = s16 + s25, a2 = s07 - s34, a3 = s16 - s25;
  const int d07 = d[0] - d[7 * step], d16 = d[step] - d[6 * step], d25 = d[2 * step] - d[5 * step],
            d34 = d[3 * step] - d[4 * step];
  const int a4 = d16 + d25 + d07 + (d07 >> 1), a5 = d07 - d34 - d25 - (d25 >> 1), a6 = d07 + d34 - d16 - (d16 >> 1),
            a7 = d16 - d25 + d34 + (d34 >> 1);
  d[0] = a0 + a1, d[step] = a4 + (a7 >> 2), d[2 * step] = a2 + (a3 >> 1), d[3 * step] = a5 + (a6 >> 2);
  d[4 * step] = a0 - a1, d[5 * step] = a6 - (a5 >> 2), d[6 * step] = (a2 >> 1) - a3, d[7 * step] = (a4 >> 2) - a7;
}
template <int step>
HD inline void inverse_transform8(int* d) {
  const int e0 = d[0] + d[4 * step], e2 = d[0] - d[4 * step], e4 = (d[2 * step] >> 1) - d[6 * step],
            e6 = d[2 * step] + (d[6 * step] >> 1);
  const int e1 = d[5 * step] - d[3 * step] - d[7 * step] - (d[7 * step] >> 1),
            e3 = d[step] + d[7 * step] - d[3 * step] - (d[3 * step] >> 1),
            e5 = d[7 * step] - d[step] + d[5 * step] + (d[5 * step] >> 1),
            e7 = d[3 * step] + d[5 * step] + d[step] + (d[step] >> 1);
  const int f0 = e0 + e6, f2 = e2 + e4, f4 = e2 - e4, f6 = e0 - e6;
  const int f1 = e1 + (e7 >> 2), f3 = e3 + (e5 >> 2), f5 = (e3 >> 2) - e5, f7 = e7 - (e1 >> 2);
  d[0] = f0 + f7, d[step] = f2 + f5, d[2 * step] = f4 + f3, d[3 * step] = f6 + f1;
  d[4 * step] = f6 - f1, d[5 * step] = f4 - f3, d[6 * step] = f2 - f5, d[7 * step] = f0 - f7;
}

}  // namespace simreel::h264
