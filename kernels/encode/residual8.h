#pragma once
// Luma of macroblocks that motion predicts, by the transform of blocks of 8 x 8. Levels lie among Picture::level as the
// stream has them: the 64 of a block, in zigzag order, follow each other in the places of its four blocks of 4 x 4.

#include "kernels/encode/level_cost.h"
#include "kernels/encode/prediction.h"
#include "kernels/encode/transform8.h"

namespace simreel::h264 {

struct Residual8Shared {
  static constexpr int pitch = 17;
  alignas(32) std::int16_t level[4][64];
  std::int32_t work[16 * pitch];  // the macroblock between the two directions of a transform
  LevelCosts<32> costs;           // of rows of eight coefficients: 16 of the left blocks, then 16 of the right ones
};

class Residual8 {
 public:
  // Takes the difference of a macroblock from `predicted`, 16 x 16 pixels, and tells whether it is too small for
  // levels: in each quarter the sum of its squares is at most that of one coefficient of 0.6 quantisation steps.
  template <class Team>
  HD static bool subtract(const Picture& p, Residual8Shared& s, const std::uint8_t* predicted, const Team& team, int x,
                          int y) {
    const std::uint8_t* const source = p.source + macroblock_at(p, x, y);
    static constexpr std::uint8_t thirds[3] = {146, 184, 232};
    const std::uint32_t max = static_cast<std::uint32_t>(thirds[p.qp % 3]) << (p.qp / 3) >> 10;
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
    if constexpr (Team::lanes == 1) return subtract_rows(s.work, source, p.luma_width(), predicted, max);
#endif
    std::uint32_t squares[4] = {};
    for (int part = team.lane; part < 32; part += Team::lanes) {  // of eight pixels side by side
      const int row = part >> 1, column = (part & 1) * 8;
      const std::uint8_t* const own = source + static_cast<std::ptrdiff_t>(row) * p.luma_width() + column;
      const std::uint8_t* const other = predicted + 16 * row + column;
      int* const to = s.work + row * pitch + column;
      if constexpr (Team::lanes == 1) {
        for (int k = 0; k < 8; ++k) to[k] = own[k] - other[k];
      } else {
        H264_UNROLL
        for (int k = 0; k < 8; k += 4) {
          const std::uint32_t a = load_four(own + k), b = load_four(other + k);
          H264_UNROLL
          for (int j = 0; j < 4; ++j) to[k + j] = pixel_of(a, j) - pixel_of(b, j);
        }
      }
      int sum = 0;
      H264_UNROLL
      for (int k = 0; k < 8; ++k) sum += to[k] * to[k];
      H264_UNROLL
      for (int quarter = 0; quarter < 4; ++quarter)
        squares[quarter] += quarter == (row >> 3 << 1 | (part & 1)) ? static_cast<std::uint32_t>(sum) : 0;
    }
    bool quiet = true;
    H264_UNROLL
    for (int quarter = 0; quarter < 4; ++quarter) quiet &= team.sum(squares[quarter]) <= max;
    team.sync();
    return quiet;
  }

  // Quantises the difference.
  template <class Team>
  HD static void quantize(const Picture& p, Residual8Shared& s, const Team& team) {
    for_columns(
        team, [&](int* column) { forward_transform8<pitch>(column); }, s);
    team.sync();

    constexpr int n = 32 / Team::lanes;  // rows a lane
    int d[8 * n], scale[3][n];
    LevelCosts<n> costs;
    load_rows<n>(s, d, team.lane);
    for (int k = 0; k < n; ++k) forward_transform8<n>(d + k);
    for (int k = 0; k < n; ++k) {
      const Scales8 scales = Scales8::forward(p.qp % 6, (team.lane + k) & 7);
      scale[0][k] = scales.at(0), scale[1][k] = scales.at(1), scale[2][k] = scales.at(2);
      costs.clear(k);
    }
    const int shift = 16 + p.qp / 6;
    H264_UNROLL
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < n; ++k) {
        int& v = d[j * n + k];
        const std::uint32_t scaled =
            static_cast<std::uint32_t>(magnitude(v)) * static_cast<std::uint32_t>(scale[j & 1 ? 1 : j & 2][k]);
        v = Quantizer::level_of(v, scaled, shift);
        costs.template add<true>(k, scaled, v, shift);
      }
    if (n > 1) std::memset(s.level, 0, sizeof s.level);
    for (int k = 0; k < n; ++k) {
      const int row = team.lane + k;
      if (n == 1 || costs.bits[k] > 0) {
        H264_UNROLL
        for (int j = 0; j < 8; ++j) {
          const int level = d[j * n + k], place = stream_place8(8 * (row & 7) + j);
          s.level[quarter_of(row)][place] = static_cast<std::int16_t>(level);
          costs.end_at(k, level, place);
        }
      }
      s.costs.take(row, costs, k);
    }
    team.sync();
  }

  // Of quarter `k`.
  HD static QuarterCost cost(const Residual8Shared& s, int k) {
    return QuarterCost::of<true>(s.costs, (k & 1) * 16 + (k >> 1) * 8, 8);
  }

  // Decodes the quarters of `coded` into the picture; the others are as predicted. False, and the picture is left as it
  // was, if decoders could not compute it in 16 bits.
  template <class Team>
  HD static bool reconstruct(const Picture& p, Residual8Shared& s, const std::uint8_t* predicted, int coded,
                             const Team& team, int x, int y) {
    const Dequantizer8 q(p.qp);
    constexpr int n = 32 / Team::lanes;
    int d[8 * n];
    for (int k = 0; k < n; ++k) {
      const int row = team.lane + k, quarter = quarter_of(row);
      const bool any = (coded >> quarter & 1) != 0;
      const Scales8 scales = Scales8::inverse(p.qp % 6, row & 7);
      H264_UNROLL
      for (int j = 0; j < 8; ++j)
        d[j * n + k] = any ? q.coefficient(s.level[quarter][stream_place8(8 * (row & 7) + j)], scales.at(j)) : 0;
    }
    const bool may_be_wide = p.qp >= min_wide_qp;
    std::uint32_t wide = 0;
    const auto look = [&](const int* v, int step, int count) {
      for (int k = 0; k < (may_be_wide ? count : 0); ++k) wide |= leaves_16_bits(v[k * step]);
    };
    look(d, 1, 8 * n);
    for (int k = 0; k < n; ++k) inverse_transform8<n>(d + k);
    look(d, 1, 8 * n);
    for (int k = 0; k < n; ++k) {
      const int row = team.lane + k, at = (row & 15) * pitch + (row >> 4) * 8;
      H264_UNROLL
      for (int j = 0; j < 8; ++j) s.work[at + j] = d[j * n + k];
    }
    team.sync();
    for_columns(
        team,
        [&](int* column) {
          inverse_transform8<pitch>(column);
          look(column, pitch, 8);
        },
        s);
    if (may_be_wide && team.sum(wide) > 0) return false;
    team.sync();
    std::uint8_t* const picture = p.decoded + macroblock_at(p, x, y);
    for (int part = team.lane; part < 16 * parts<Team>; part += Team::lanes) {
      const int row = part / parts<Team>, column = part % parts<Team> * 8;
      std::uint8_t* const to = picture + static_cast<std::ptrdiff_t>(row) * p.luma_width() + column;
      const std::uint8_t* const from = predicted + 16 * row + column;
      const int* const change = s.work + row * pitch + column;
      if constexpr (Team::lanes == 1) {
        SIMREEL_INDEPENDENT
        for (int k = 0; k < 16; ++k) to[k] = static_cast<std::uint8_t>(clip_pixel(from[k] + ((change[k] + 32) >> 6)));
      } else {
        H264_UNROLL
        for (int k = 0; k < 8; k += 4) {
          const std::uint32_t before = load_four(from + k);
          std::uint32_t four = 0;
          H264_UNROLL
          for (int j = 0; j < 4; ++j)
            four |= static_cast<std::uint32_t>(clip_pixel(pixel_of(before, j) + ((change[k + j] + 32) >> 6)))
                    << (8 * j);
          store_four(to + k, four);
        }
      }
    }
    team.sync();
    return true;
  }

 private:
  static constexpr int pitch = Residual8Shared::pitch;
  // Rows of pixels are taken at once, or on a GPU in two parts.
  template <class Team>
  static constexpr int parts = Team::lanes == 1 ? 1 : 2;

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
  // subtract() row by row.
  static bool subtract_rows(int* to, const std::uint8_t* own, std::ptrdiff_t own_pitch, const std::uint8_t* other,
                            std::uint32_t max) {
    const auto store = [](int* at, __m128i d) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), _mm256_cvtepi16_epi32(d));
    };
    __m256i larger = _mm256_setzero_si256();  // mask
    for (int half = 0; half < 2; ++half) {
      __m256i squares = _mm256_setzero_si256();  // of the left quarter, then of the right one
      for (int row = 0; row < 8; ++row, to += pitch, own += own_pitch, other += 16) {
        const __m256i d = _mm256_sub_epi16(_mm256_cvtepu8_epi16(sixteen(own)), _mm256_cvtepu8_epi16(sixteen(other)));
        store(to, _mm256_castsi256_si128(d));
        store(to + 8, _mm256_extracti128_si256(d, 1));
        squares = _mm256_add_epi32(squares, _mm256_madd_epi16(d, d));
      }
      squares = _mm256_hadd_epi32(squares, squares);
      squares = _mm256_hadd_epi32(squares, squares);
      larger = _mm256_or_si256(larger, _mm256_cmpgt_epi32(squares, _mm256_set1_epi32(static_cast<int>(max))));
    }
    return _mm256_testz_si256(larger, larger) != 0;
  }
#endif

  HD static std::ptrdiff_t macroblock_at(const Picture& p, int x, int y) {
    return static_cast<std::ptrdiff_t>(16 * y) * p.luma_width() + 16 * x;
  }
  // That a row of coefficients, as Residual8Shared numbers them, belongs to.
  HD static int quarter_of(int row) { return (row >> 3 & 1) << 1 | row >> 4; }

  // Calls body for the columns of all blocks of s.work.
  template <class Team, class Body>
  HD static void for_columns(const Team& team, const Body& body, Residual8Shared& s) {
    if constexpr (Team::lanes == 1) {
      for (int k = 0; k < 16; ++k) body(s.work + k);
      for (int k = 0; k < 16; ++k) body(s.work + 8 * pitch + k);
    } else {
      body(s.work + (team.lane >> 4) * 8 * pitch + (team.lane & 15));
    }
  }
  template <int n>
  HD static void load_rows(const Residual8Shared& s, int* d, int first) {
    for (int k = 0; k < n; ++k) {
      const int row = first + k, at = (row & 15) * pitch + (row >> 4) * 8;
      H264_UNROLL
      for (int j = 0; j < 8; ++j) d[j * n + k] = s.work[at + j];
    }
  }
};

}  // namespace simreel::h264
