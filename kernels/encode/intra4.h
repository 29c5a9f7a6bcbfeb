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
  std::uint8_t pixel[13], two[13], three[13];  // two[i]: of i and i + 1; three[i]: around i
  int mean;

  // Fills the means from `pixel`, whose ends repeat.
  template <class Team>
  HD void finish(const Team& team, bool has_top, bool has_left) {
    for (int i = team.lane; i < 13; i += Team::lanes) {
      const int before = pixel[i > 0 ? i - 1 : 0], own = pixel[i], after = pixel[i < 12 ? i + 1 : 12];
      two[i] = static_cast<std::uint8_t>((own + after + 1) >> 1);
      three[i] = static_cast<std::uint8_t>((before + 2 * own + after + 2) >> 2);
    }
    if (team.lane > 0) return;
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += (has_left ? pixel[i] : 0) + (has_top ? pixel[5 + i] : 0);
    mean = has_top && has_left ? (sum + 4) >> 3 : has_top || has_left ? (sum + 2) >> 2 : 128;
  }

  HD int predicted(int mode, int x, int y) const {
    switch (mode) {
      case 0: return pixel[5 + x];
      case 1: return pixel[3 - y];
      case 2: return mean;
      case 3: return three[6 + x + y];  // down left; the last repeats beyond the end
      case 4: return three[4 + x - y];  // down right
      case 5: {                         // vertical right
        const int z = 2 * x - y;
        return z < -1 ? three[5 + z] : z & 1 ? three[4 + (z + 1) / 2] : two[4 + z / 2];
      }
      case 6: {  // horizontal down
        const int z = 2 * y - x;
        return z < -1 ? three[3 - z] : z & 1 ? three[4 - (z + 1) / 2] : two[3 - z / 2];
      }
      case 7: return y & 1 ? three[6 + x + y / 2] : two[5 + x + y / 2];  // vertical left
      default: {                                                         // horizontal up
        const int z = x + 2 * y;
        return z > 5 ? pixel[0] : z & 1 ? three[2 - z / 2] : two[2 - z / 2];
      }
    }
  }
};

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
  int d[16];
  std::uint8_t mode[16];

  HD std::uint8_t& at(int x, int y) { return area[(y + 1) * pitch + x + 4]; }
};

// The forward transform of d, by 16 lanes or one.
template <class Team>
HD void forward_transform(const Team& team, int* d) {
  if constexpr (Team::lanes == 1) {
    forward_transform(d);
  } else {
    static constexpr int rows[4][4] = {{1, 1, 1, 1}, {2, 1, -1, -2}, {1, -1, -1, 1}, {1, -2, 2, -1}};
    int sum = 0;
    if (team.lane < 16)
      for (int k = 0; k < 16; ++k) sum += rows[team.lane >> 2][k >> 2] * rows[team.lane & 3][k & 3] * d[k];
    team.sync();
    if (team.lane < 16) d[team.lane] = sum;
    team.sync();
  }
}
template <class Team>
HD void inverse_transform(const Team& team, int* d) {
  if constexpr (Team::lanes == 1) {
    inverse_transform(d);
  } else {
    const auto element = [](int d0, int d1, int d2, int d3, int j) {
      const bool outer = j == 0 || j == 3;
      const int even = outer ? d0 + d2 : d0 - d2, odd = outer ? d1 + (d3 >> 1) : (d1 >> 1) - d3;
      return j < 2 ? even + odd : even - odd;
    };
    const int i = (team.lane & 15) >> 2, j = team.lane & 3;
    const int across = element(d[4 * i], d[4 * i + 1], d[4 * i + 2], d[4 * i + 3], j);
    team.sync();
    if (team.lane < 16) d[team.lane] = across;
    team.sync();
    const int down = element(d[j], d[4 + j], d[8 + j], d[12 + j], i);
    team.sync();
    if (team.lane < 16) d[team.lane] = (down + 32) >> 6;
    team.sync();
  }
}

class Intra4 {
 public:
  // Predicts, quantises and decodes all blocks of luma of a macroblock into s and r; returns the cost.
  template <class Team>
  HD static std::uint32_t code(const Picture& p, Intra4Shared& s, ResidualShared& r, const std::uint32_t* current,
                               const Team& team, int x, int y) {
    load(p, s, team, x, y);
    team.sync();
    std::uint32_t cost = p.worth(intra4_bits);
    for (int b = 0; b < 16; ++b) cost += code_block(p, s, r, current, team, x, y, b);
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
  }

  template <class Team>
  HD static std::uint32_t code_block(const Picture& p, Intra4Shared& s, ResidualShared& r, const std::uint32_t* current,
                                     const Team& team, int x, int y, int b) {
    const int bx = block_x(b), by = block_y(b), px = 4 * bx, py = 4 * by;
    const bool has_left = bx > 0 || x > 0, has_top = by > 0 || y > 0;
    const bool has_beyond =
        by == 0 ? y > 0 && (bx < 3 || x + 1 < p.width) : bx < 3 && block_at(bx + 1, by - 1) < block_at(bx, by);
    for (int k = team.lane; k < 13; k += Team::lanes)
      s.beside.pixel[k] = k < 4 ? s.at(px - 1, py + 3 - k) : s.at(px + (k < 9 || has_beyond ? k - 5 : 3), py - 1);
    team.sync();
    s.beside.finish(team, has_top, has_left);
    team.sync();

    const int expected = expected_mode(p, s.mode, x, y, b);
    std::uint32_t own[4], best = ~0u;
    for (int row = 0; row < 4; ++row) own[row] = current[(py + row) * 4 + bx];
    for (int mode = team.lane; mode < intra4_modes; mode += Team::lanes) {
      if (!intra4_possible(mode, has_top, has_left)) continue;
      std::uint32_t predicted[4];
      for (int row = 0; row < 4; ++row) {
        predicted[row] = 0;
        for (int k = 0; k < 4; ++k)
          predicted[row] |= static_cast<std::uint32_t>(s.beside.predicted(mode, k, row)) << (8 * k);
      }
      const std::uint32_t cost = satd_block(own, predicted) + p.worth(mode == expected ? 1 : 4);
      const std::uint32_t all = cost << 4 | static_cast<std::uint32_t>(mode);
      best = all < best ? all : best;
    }
    best = team.least(best);
    const int mode = static_cast<int>(best & 15);

    for (int k = team.lane; k < 16; k += Team::lanes)
      s.d[k] = pixel_of(current[(py + (k >> 2)) * 4 + bx], k & 3) - s.beside.predicted(mode, k & 3, k >> 2);
    team.sync();
    forward_transform(team, s.d);
    const Quantizer q(p.qp, Quantizer::luma);
    std::uint32_t count = 0;
    for (int k = team.lane; k < 16; k += Team::lanes) {
      const int place = zigzag(k), kind = scale_kind(place), v = q.level(s.d[place], kind);
      r.level[b][k] = static_cast<std::int16_t>(v);
      s.d[place] = v * inverse_scale(p.qp % 6, kind) * (1 << (p.qp / 6));
      count += v != 0;
    }
    count = team.sum(count);
    team.sync();
    if (count > 0) inverse_transform(team, s.d);
    for (int k = team.lane; k < 16; k += Team::lanes)
      s.at(px + (k & 3), py + (k >> 2)) =
          static_cast<std::uint8_t>(clip_pixel(s.beside.predicted(mode, k & 3, k >> 2) + (count > 0 ? s.d[k] : 0)));
    if (team.lane == 0) {
      s.mode[b] = static_cast<std::uint8_t>(mode);
      r.count[b] = static_cast<std::uint8_t>(count);
      r.score[b] = 0;
    }
    team.sync();
    return best >> 4;
  }
};

}  // namespace simreel::h264
