#pragma once
// Luma predicted block by block of 4 x 4, each from its decoded neighbours (ITU-T H.264, 8.3.1), for pictures that are
// coded in a wave.

#include "kernels/encode/residual.h"

namespace simreel::h264 {

inline constexpr int intra4_modes = 9, intra4_dc = 2;
inline constexpr std::uint32_t intra4_bits = 10;  // of such a macroblock beyond those of its blocks

// The pixels beside a block in one row: four to the left from below, the corner, eight above. Prediction takes them as
// they are, means of two, or means of three weighted 1 2 1.
struct Beside4 {
  static constexpr int pixels = 13, mean = 3 * pixels;
  // pixel[13]; the means of i and i + 1; those around i; the mean of the nearest on both sides.
  std::uint8_t value[3 * pixels + 1];

  // Places in `value`.
  static constexpr int two(int i) { return pixels + i; }
  static constexpr int three(int i) { return 2 * pixels + i; }
};

// Where pixel (x, y) of a mode comes from: a place in Beside4::value.
constexpr int intra4_source(int mode, int x, int y) {
  switch (mode) {
    case 0: return 5 + x;
    case 1: return 3 - y;
    case 2: return Beside4::mean;
    case 3: return Beside4::three(6 + x + y);  // down left; the last repeats beyond the end
    case 4: return Beside4::three(4 + x - y);  // down right
    case 5: {                                  // vertical right
      const int z = 2 * x - y;
      return z < -1 ? Beside4::three(5 + z) : z & 1 ? Beside4::three(4 + (z + 1) / 2) : Beside4::two(4 + z / 2);
    }
    case 6: {  // horizontal down
      const int z = 2 * y - x;
      return z < -1 ? Beside4::three(3 - z) : z & 1 ? Beside4::three(4 - (z + 1) / 2) : Beside4::two(3 - z / 2);
    }
    case 7: return y & 1 ? Beside4::three(6 + x + y / 2) : Beside4::two(5 + x + y / 2);  // vertical left
    default: {                                                                           // horizontal up
      const int z = x + 2 * y;
      return z > 5 ? 0 : z & 1 ? Beside4::three(2 - z / 2) : Beside4::two(2 - z / 2);
    }
  }
}
// Of the pixels of row y, a byte each.
constexpr std::uint32_t intra4_row(int mode, int y) {
  std::uint32_t four = 0;
  for (int x = 0; x < 4; ++x) four |= static_cast<std::uint32_t>(intra4_source(mode, x, y)) << (8 * x);
  return four;
}
HD inline std::uint32_t intra4_sources(int mode, int y) {
#define INTRA4_ROWS(mode) \
  { intra4_row(mode, 0), intra4_row(mode, 1), intra4_row(mode, 2), intra4_row(mode, 3) }
  static constexpr std::uint32_t rows[intra4_modes][4] = {INTRA4_ROWS(0), INTRA4_ROWS(1), INTRA4_ROWS(2),
                                                          INTRA4_ROWS(3), INTRA4_ROWS(4), INTRA4_ROWS(5),
                                                          INTRA4_ROWS(6), INTRA4_ROWS(7), INTRA4_ROWS(8)};
#undef INTRA4_ROWS
  return rows[mode][y];
}

// Four pixels of a row of a prediction, from intra4_sources().
HD inline std::uint32_t predict_row(const Beside4& beside, std::uint32_t sources) {
  std::uint32_t four = 0;
  H264_UNROLL
  for (int x = 0; x < 4; ++x) four |= static_cast<std::uint32_t>(beside.value[sources >> (8 * x) & 255]) << (8 * x);
  return four;
}

HD inline bool intra4_possible(int mode, bool has_top, bool has_left) {
  switch (mode) {
    case 2: return true;
    case 0:
    case 3:
    case 7: return has_top;
    case 1:
    case 8: return has_left;
    default: return has_top && has_left;
  }
}

// The mode that a decoder expects for a block, from those of the blocks left and above (8.3.1.1).
HD inline int expected_mode(const Picture& p, const std::uint8_t* own_modes, int x, int y, int b) {
  const int bx = block_x(b), by = block_y(b), own = y * p.width + x;
  if ((bx == 0 && x == 0) || (by == 0 && y == 0)) return intra4_dc;
  const auto of = [&](int i, int block) {
    return p.mode[i].kind == Mode::intra4 ? static_cast<int>(p.block_mode[16 * i + block]) : intra4_dc;
  };
  const int left = bx > 0 ? own_modes[block_at(bx - 1, by)] : of(own - 1, block_at(3, by));
  const int above = by > 0 ? own_modes[block_at(bx, by - 1)] : of(own - p.width, block_at(bx, 3));
  return left < above ? left : above;
}

struct Intra4Shared {
  // The macroblock as decoded, behind a row of the pixels above and a column of those to the left. Rows have 24 bytes:
  // the pixel to the left is the fourth; of the row above the four pixels beyond the macroblock, too.
  static constexpr int pitch = 24;
  alignas(16) std::uint8_t area[17 * pitch];
  Beside4 beside;
  // Modes of blocks behind those above and to the left, DC where these have none; `outside` where nothing is.
  static constexpr std::uint8_t outside = 16;
  std::uint8_t modes[5][5];

  HD std::uint8_t& at(int x, int y) { return area[(y + 1) * pitch + x + 4]; }
  HD std::uint8_t& mode(int bx, int by) { return modes[by + 1][bx + 1]; }
  // As expected_mode().
  HD int expected(int bx, int by) {
    const int left = mode(bx - 1, by), above = mode(bx, by - 1);
    return (left | above) >= outside ? intra4_dc : left < above ? left : above;
  }
};

class Intra4 {
 public:
  // Predicts, quantises and decodes all blocks of luma of a macroblock into s and r; returns the cost.
  template <class Team>
  HD static std::uint32_t code(const Picture& p, Intra4Shared& s, ResidualShared& r, const std::uint32_t* current,
                               const Team& team, int x, int y) {
    load(p, s, team, x, y);
    team.sync();
    std::uint32_t cost = p.worth(intra4_bits);
    if constexpr (Team::lanes == 1) {
      for (int b = 0; b < 16; ++b) cost += code_block(p, s, r, current, team, x, y, b);
    } else {
      const WarpLane mine(p, team.lane);
      for (int b = 0; b < 16; ++b) cost += code_block(p, s, r, current, team, mine, x, y, b);
    }
    return cost;
  }

 private:
  template <class Team>
  HD static void load(const Picture& p, Intra4Shared& s, const Team& team, int x, int y) {
    const int pitch = p.luma_width();
    const std::uint8_t* const at = p.decoded + static_cast<std::ptrdiff_t>(16 * y) * pitch + 16 * x;
    for (int k = team.lane; k < 37; k += Team::lanes) {
      if (k < 21) {  // the corner and 20 above
        const int column = k - 1;
        const bool there = y > 0 && (column >= 0 || x > 0) && (column < 16 || x + 1 < p.width);
        s.at(column, -1) = there ? at[column - pitch] : 128;
      } else {
        const int row = k - 21;
        s.at(-1, row) = x > 0 ? at[static_cast<std::ptrdiff_t>(row) * pitch - 1] : 128;
      }
    }
    for (int k = team.lane; k < 8; k += Team::lanes) {
      const bool above = k < 4;
      const int j = k & 3, i = y * p.width + x - (above ? p.width : 1);
      std::uint8_t mode = Intra4Shared::outside;
      if (above ? y > 0 : x > 0)
        mode = p.mode[i].kind == Mode::intra4 ? p.block_mode[16 * i + (above ? block_at(j, 3) : block_at(3, j))]
                                              : static_cast<std::uint8_t>(intra4_dc);
      (above ? s.mode(j, -1) : s.mode(-1, j)) = mode;
    }
  }

  // What the blocks left of and above a block are to its prediction.
  struct Around {
    int px, py;  // of the block in its macroblock
    bool has_left, has_top, has_beyond;

    HD Around(const Picture& p, int x, int y, int bx, int by)
        : px(4 * bx),
          py(4 * by),
          has_left(bx > 0 || x > 0),
          has_top(by > 0 || y > 0),
          has_beyond(by == 0 ? y > 0 && (bx < 3 || x + 1 < p.width)
                             : bx < 3 && block_at(bx + 1, by - 1) < block_at(bx, by)) {}

    // Number k of the pixels beside.
    HD std::uint8_t pixel(Intra4Shared& s, int k) const {
      return k < 4 ? s.at(px - 1, py + 3 - k) : s.at(px + (k < 9 || has_beyond ? k - 5 : 3), py - 1);
    }
    HD std::uint8_t mean_of(int left, int top) const {
      const int sum = (has_left ? left : 0) + (has_top ? top : 0);
      return static_cast<std::uint8_t>(has_top && has_left   ? (sum + 4) >> 3
                                       : has_top || has_left ? (sum + 2) >> 2
                                                             : 128);
    }
  };

  HD static std::uint8_t mean_of_two(int a, int b) { return static_cast<std::uint8_t>((a + b + 1) >> 1); }
  HD static std::uint8_t mean_of_three(int a, int b, int c) {
    return static_cast<std::uint8_t>((a + 2 * b + c + 2) >> 2);
  }

  HD static std::uint32_t code_block(const Picture& p, Intra4Shared& s, ResidualShared& r, const std::uint32_t* current,
                                     const Thread&, int x, int y, int b) {
    const int bx = block_x(b), by = block_y(b);
    const Around around(p, x, y, bx, by);
    std::uint8_t* const value = s.beside.value;
    for (int k = 0; k < 13; ++k) value[k] = around.pixel(s, k);
    for (int k = 0; k < 13; ++k) {
      const int before = value[k > 0 ? k - 1 : 0], after = value[k < 12 ? k + 1 : 12];
      value[Beside4::two(k)] = mean_of_two(value[k], after);
      value[Beside4::three(k)] = mean_of_three(before, value[k], after);
    }
    value[Beside4::mean] =
        around.mean_of(value[0] + value[1] + value[2] + value[3], value[5] + value[6] + value[7] + value[8]);

    const int expected = s.expected(bx, by);
    std::uint32_t own[4], predicted[4], best = ~0u;
    for (int row = 0; row < 4; ++row) own[row] = current[(around.py + row) * 4 + bx];
    const auto predict = [&](int mode) {
      for (int row = 0; row < 4; ++row) predicted[row] = predict_row(s.beside, intra4_sources(mode, row));
    };
    for (int mode = 0; mode < intra4_modes; ++mode) {
      if (!intra4_possible(mode, around.has_top, around.has_left)) continue;
      predict(mode);
      const std::uint32_t cost = satd_block(own, predicted) + p.worth(mode == expected ? 1 : 4);
      const std::uint32_t all = cost << 4 | static_cast<std::uint32_t>(mode);
      best = all < best ? all : best;
    }
    const int mode = static_cast<int>(best & 15);
    predict(mode);

    int d[16];
    for (int k = 0; k < 16; ++k) d[k] = pixel_of(own[k >> 2], k & 3) - pixel_of(predicted[k >> 2], k & 3);
    forward_transform(d);
    const Quantizer q(p.qp, Quantizer::luma);
    int count = 0;
    for (int k = 0; k < 16; ++k) {
      const int place = zigzag(k), kind = scale_kind(place), v = q.level(d[place], kind);
      r.level[b][k] = static_cast<std::int16_t>(v);
      d[place] = v * inverse_scale(p.qp % 6, kind) * (1 << (p.qp / 6));
      count += v != 0;
    }
    if (count > 0) inverse_transform(d);
    for (int k = 0; k < 16; ++k)
      s.at(around.px + (k & 3), around.py + (k >> 2)) =
          static_cast<std::uint8_t>(clip_pixel(pixel_of(predicted[k >> 2], k & 3) + (count > 0 ? d[k] : 0)));
    s.mode(bx, by) = static_cast<std::uint8_t>(mode);
    r.count[b] = static_cast<std::uint8_t>(count);
    r.score[b] = 0;
    return best >> 4;
  }

  // What a lane of a warp keeps for all blocks of a macroblock: the sources of a mode, and what belongs to place
  // (lane & 3, lane / 4) of a block.
  struct WarpLane {
    std::uint32_t sources[4];
    int across[4], down[4];  // the forward transform's weights of a row, of a column
    int scale, back;         // of quantisation
    int order;               // in the stream

    HD WarpLane(const Picture& p, int lane) {
      static constexpr int weights[4][4] = {{1, 1, 1, 1}, {2, 1, -1, -2}, {1, -1, -1, 1}, {1, -2, 2, -1}};
      const int place = lane & 15, kind = scale_kind(place);
      for (int k = 0; k < 4; ++k) {
        sources[k] = intra4_sources(lane < intra4_modes ? lane : 0, k);
        across[k] = weights[place & 3][k], down[k] = weights[place >> 2][k];
      }
      scale = forward_scale(p.qp % 6, kind), back = inverse_scale(p.qp % 6, kind) * (1 << (p.qp / 6));
      order = 0;
      for (int k = 0; k < 16; ++k)
        if (zigzag(k) == place) order = k;
    }
  };

  // The same by a warp: a lane has a mode while they are compared, and a pixel or a coefficient afterwards. Lanes
  // exchange what they have by shuffles; a key picture is a chain of these blocks, so what counts is how long one
  // takes.
  HD static std::uint32_t code_block(const Picture& p, Intra4Shared& s, ResidualShared& r, const std::uint32_t* current,
                                     const Warp& team, const WarpLane& mine, int x, int y, int b) {
    const int bx = block_x(b), by = block_y(b), lane = team.lane, place = lane & 15, px = place & 3, py = place >> 2;
    const Around around(p, x, y, bx, by);
    const auto of_lane = [&](int value, int from) {
      return static_cast<int>(team.from_lane(static_cast<std::uint32_t>(value), from));
    };
    const int beside = around.pixel(s, lane < 12 ? lane : 12);
    const int before = of_lane(beside, lane > 0 ? lane - 1 : 0), after = of_lane(beside, lane < 12 ? lane + 1 : 12);
    const auto sum_of = [&](int first) {
      return static_cast<int>(team.sum(lane >= first && lane < first + 4 ? static_cast<std::uint32_t>(beside) : 0));
    };
    const std::uint8_t mean = around.mean_of(sum_of(0), sum_of(5));
    std::uint8_t* const value = s.beside.value;
    if (lane < 13) {
      value[lane] = static_cast<std::uint8_t>(beside);
      value[Beside4::two(lane)] = mean_of_two(beside, after);
      value[Beside4::three(lane)] = mean_of_three(before, beside, after);
    }
    if (lane == 0) value[Beside4::mean] = mean;
    team.sync();

    std::uint32_t own[4], predicted[4], all = ~0u;
    H264_UNROLL
    for (int row = 0; row < 4; ++row) {
      own[row] = current[(around.py + row) * 4 + bx];
      predicted[row] = predict_row(s.beside, mine.sources[row]);
    }
    if (lane < intra4_modes && intra4_possible(lane, around.has_top, around.has_left))
      all = (satd_block(own, predicted) + p.worth(lane == s.expected(bx, by) ? 1 : 4)) << 4 |
            static_cast<std::uint32_t>(lane);
    const std::uint32_t best = team.min(all);
    const int mode = static_cast<int>(best & 15);

    std::uint32_t own_row = own[0], row = team.from_lane(predicted[0], mode);
    H264_UNROLL
    for (int k = 1; k < 4; ++k) {
      const std::uint32_t other = team.from_lane(predicted[k], mode);
      if (py == k) own_row = own[k], row = other;
    }
    const int pixel = pixel_of(row, px), d = pixel_of(own_row, px) - pixel;
    int across = 0, coefficient = 0;
    H264_UNROLL
    for (int k = 0; k < 4; ++k) across += mine.across[k] * of_lane(d, 4 * py + k);
    H264_UNROLL
    for (int k = 0; k < 4; ++k) coefficient += mine.down[k] * of_lane(across, 4 * k + px);
    const Quantizer q(p.qp, Quantizer::luma);
    const int level = Quantizer::level_of(
        coefficient, static_cast<std::uint32_t>(magnitude(coefficient)) * static_cast<std::uint32_t>(mine.scale),
        q.bits, q.up);
    const auto count = static_cast<std::uint8_t>(team.sum(lane < 16 && level != 0));
    int difference = 0;
    if (count > 0) {
      const int c = level * mine.back;
      const int a =
          inverse(of_lane(c, 4 * py), of_lane(c, 4 * py + 1), of_lane(c, 4 * py + 2), of_lane(c, 4 * py + 3), px);
      difference = (inverse(of_lane(a, px), of_lane(a, 4 + px), of_lane(a, 8 + px), of_lane(a, 12 + px), py) + 32) >> 6;
    }
    if (lane < 16) {
      r.level[b][mine.order] = static_cast<std::int16_t>(level);
      s.at(around.px + px, around.py + py) = static_cast<std::uint8_t>(clip_pixel(pixel + difference));
    }
    if (lane == 0) {
      s.mode(bx, by) = static_cast<std::uint8_t>(mode);
      r.count[b] = count;
      r.score[b] = 0;
    }
    team.sync();
    return best >> 4;
  }

  // Element j of the inverse transform of a row or a column.
  HD static int inverse(int d0, int d1, int d2, int d3, int j) {
    const bool outer = j == 0 || j == 3;
    const int even = outer ? d0 + d2 : d0 - d2, odd = outer ? d1 + (d3 >> 1) : (d1 >> 1) - d3;
    return j < 2 ? even + odd : even - odd;
  }
};

}  // namespace simreel::h264
