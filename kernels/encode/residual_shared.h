#pragma once
// What is known of a macroblock while its difference from a prediction is coded, and where its blocks lie.

#include "kernels/encode/residual8.h"

namespace simreel::h264 {

struct ResidualShared {
  alignas(32) std::uint8_t predicted[384];  // luma 16 x 16, Cb 8 x 8, Cr
  alignas(32) std::int16_t level[24][16];
  std::int16_t dc_level[3][16];
  int dc[3][16];  // of the blocks of luma row by row, Cb, Cr: transformed, then dequantised
  std::uint8_t score[24], count[24];
  std::uint8_t coded;
  bool pcm;
};
struct InterShared : ResidualShared {
  LevelCosts<16> costs;  // of the blocks of luma
  Residual8Shared eight;
  QuarterCost quarter[8];  // with transforms of 4 x 4, then of 8 x 8
  bool by_eight;
};

// Where block `b` lies in the planes of a picture, and in ResidualShared::predicted.
struct BlockPlace {
  std::ptrdiff_t at;
  int pitch, predicted, predicted_pitch;
};
HD inline BlockPlace place_of(const Picture& p, int mx, int my, int b) {
  if (b < 16) {
    const int x = block_x(b) * 4, y = block_y(b) * 4;
    return {static_cast<std::ptrdiff_t>(16 * my + y) * p.luma_width() + 16 * mx + x, p.luma_width(), 16 * y + x, 16};
  }
  const int plane = (b - 16) >> 2, x = (b & 1) * 4, y = (b >> 1 & 1) * 4, pitch = 8 * p.width;
  return {p.plane_at(1 + plane) + static_cast<std::ptrdiff_t>(8 * my + y) * pitch + 8 * mx + x, pitch,
          256 + 64 * plane + 8 * y + x, 8};
}

// Levels of 1 far apart are hardly worth their bits: the score of a block says how much (as in the JM and x264). The AC
// of a plane of chroma with a lower one becomes zero.
inline constexpr int min_chroma_score = 2;

struct Score {
  std::uint8_t count = 0;  // of levels that are not zero
  int sum = 0, run = 0;
  bool large = false;

  HD void add(int level) {
    if (level == 0) {
      ++run;
      return;
    }
    ++count;
    large |= level > 1 || level < -1;
    sum += run == 0 ? 3 : run < 3 ? 2 : run < 6 ? 1 : 0;
    run = 0;
  }
  HD std::uint8_t value() const { return static_cast<std::uint8_t>(large ? 9 : sum); }
};

}  // namespace simreel::h264
