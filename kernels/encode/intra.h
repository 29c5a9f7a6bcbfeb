#pragma once
// Macroblocks that are predicted from those left of and above them (ITU-T H.264, 8.3.1, 8.3.3, 8.3.4).
//
// A key picture is coded in a wave, because each macroblock needs its neighbours as decoded. Of the others a macroblock
// may become intra after all inter macroblocks are decoded, unless a neighbour has been predicted from it: the
// macroblocks of one colour of a 2 x 2 checkerboard are no neighbours, so each colour is one launch. After a cut all
// macroblocks may, in a wave again.

#include "kernels/encode/intra4.h"
#include "kernels/encode/motion.h"

namespace simreel::h264 {

inline constexpr std::uint32_t intra_bits = 16;  // that an intra macroblock must save

struct IntraShared : ResidualShared {
  alignas(32) std::uint32_t current[64];
  alignas(32) std::uint32_t tried[64];
  std::uint8_t top[3][20], left[3][20];  // the pixels beside; the corner follows those above
  Intra4Shared blocks;
};

// The mean of n pixels above, left or both; 128 where neither is there.
HD inline int mean_of(const std::uint8_t* top, const std::uint8_t* left, int n, bool has_top, bool has_left) {
  if (!has_top && !has_left) return 128;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += (has_top ? top[i] : 0) + (has_left ? left[i] : 0);
  const int bits = log2_of(static_cast<std::uint32_t>(n)) + (has_top && has_left);
  return (sum + (1 << (bits - 1))) >> bits;
}

// Prediction by a plane through the pixels beside; `half` a side: 8 for luma, 4 for chroma.
struct Plane {
  int a, b, c;

  HD static Plane through(const std::uint8_t* top, const std::uint8_t* left, int half) {
    const int corner = top[2 * half];
    int h = 0, v = 0;
    for (int i = 1; i <= half; ++i) {
      h += i * (top[half - 1 + i] - (i == half ? corner : top[half - 1 - i]));
      v += i * (left[half - 1 + i] - (i == half ? corner : left[half - 1 - i]));
    }
    const int scale = half == 8 ? 5 : 34;
    return {16 * (top[2 * half - 1] + left[2 * half - 1]), (scale * h + 32) >> 6, (scale * v + 32) >> 6};
  }
  HD int at(int x, int y, int half) const {
    return clip_pixel((a + b * (x - half + 1) + c * (y - half + 1) + 16) >> 5);
  }
};

class Intra {
 public:
  // Codes macroblock i as intra; in a picture with motion only if it costs less than p.cost[i]. `wave`: all macroblocks
  // before it are decoded, also the one above right, so that it may be coded block by block.
  template <bool wave, class Team>
  HD static void code(const Picture& p, IntraShared& s, const Team& team, int i) {
    if (!p.intra && p.cost[i] <= p.worth(intra_bits)) return;
    const int x = i % p.width, y = i / p.width;
    const bool has_top = y > 0, has_left = x > 0;
    load_current(p, s.current, team, x, y);
    load_beside(p, s, team, x, y);
    team.sync();
    std::uint32_t cost;
    const int luma = best_luma(s, team, has_top, has_left, cost);
    bool by_blocks = false;
    if constexpr (wave) {
      if (cost > p.worth(16 + intra4_bits)) {  // otherwise blocks cannot be better
        const std::uint32_t blocks = Intra4::code(p, s.blocks, s, s.current, team, x, y);
        by_blocks = blocks < cost;
        if (by_blocks) cost = blocks;
      }
    }
    if (!p.intra && cost + p.worth(intra_bits) >= p.cost[i]) return;
    const int chroma = predict_chroma(p, s, team, x, y);
    if (by_blocks) {
      keep_blocks(p, s.blocks, team, x, y);
      team.sync();
      Residual<Left::by_intra4>::code(p, s, team, i);
    } else {
      predict_luma(s, team, luma, has_top, has_left, s.predicted);
      team.sync();
      Residual<Left::by_intra16>::code(p, s, team, i);
    }
    for (int k = team.lane; k < 4; k += Team::lanes) p.quarter[4 * i + k] = {no_motion, 0};
    if (team.lane == 0) {
      p.mode[i] = {s.pcm       ? Mode::pcm
                   : by_blocks ? Mode::intra4
                               : Mode::intra16,
                   static_cast<std::uint8_t>(luma), static_cast<std::uint8_t>(chroma), s.coded};
      if (p.intra) p.vector[i] = {0, 0};
    }
  }

 private:
  // The luma that was decoded block by block becomes part of the picture.
  template <class Team>
  HD static void keep_blocks(const Picture& p, Intra4Shared& s, const Team& team, int x, int y) {
    std::uint8_t* const to = p.decoded + static_cast<std::ptrdiff_t>(16 * y) * p.luma_width() + 16 * x;
    for (int k = team.lane; k < 64; k += Team::lanes)
      store_four(to + static_cast<std::ptrdiff_t>(k >> 2) * p.luma_width() + 4 * (k & 3),
                 load_four(&s.at(4 * (k & 3), k >> 2)));
    for (int k = team.lane; k < 16; k += Team::lanes)
      p.block_mode[16 * (y * p.width + x) + k] = s.mode(block_x(k), block_y(k));
  }

  template <class Team>
  HD static void load_beside(const Picture& p, IntraShared& s, const Team& team, int x, int y) {
    for (int k = team.lane; k < 3 * 17; k += Team::lanes) {
      const int plane = k / 17, j = k % 17, n = plane ? 8 : 16, pitch = n * p.width;
      const std::uint8_t* const at = p.decoded + p.plane_at(plane) + static_cast<std::ptrdiff_t>(n * y) * pitch + n * x;
      if (j < n) {
        if (y > 0) s.top[plane][j] = at[j - pitch];
        if (x > 0) s.left[plane][j] = at[static_cast<std::ptrdiff_t>(j) * pitch - 1];
      } else if (j == n && x > 0 && y > 0) {
        s.top[plane][j] = at[-pitch - 1];
      }
    }
  }

  // Modes of luma: 0 vertical, 1 horizontal, 2 DC, 3 plane.
  HD static bool possible(int mode, bool has_top, bool has_left) {
    return mode == 2 || (mode == 0 ? has_top : mode == 1 ? has_left : has_top && has_left);
  }

  template <class Team>
  HD static void predict_luma(const IntraShared& s, const Team& team, int mode, bool has_top, bool has_left, void* to) {
    std::uint8_t* const pixels = static_cast<std::uint8_t*>(to);
    const int mean = mode == 2 ? mean_of(s.top[0], s.left[0], 16, has_top, has_left) : 0;
    const Plane plane = mode == 3 ? Plane::through(s.top[0], s.left[0], 8) : Plane{0, 0, 0};
    for (int k = team.lane; k < 64; k += Team::lanes) {
      const int px = 4 * (k & 3), py = k >> 2;
      std::uint32_t four = 0;
      for (int j = 0; j < 4; ++j) {
        const int v = mode == 0   ? s.top[0][px + j]
                      : mode == 1 ? s.left[0][py]
                      : mode == 2 ? mean
                                  : plane.at(px + j, py, 8);
        four |= static_cast<std::uint32_t>(v) << (8 * j);
      }
      store_four(pixels + 4 * k, four);
    }
  }

  template <class Team>
  HD static int best_luma(IntraShared& s, const Team& team, bool has_top, bool has_left, std::uint32_t& cost) {
    std::uint32_t best = ~0u;
    const Taps taps{reinterpret_cast<const std::uint8_t*>(s.tried), nullptr};
    for (int mode = 0; mode < 4; ++mode) {
      if (!possible(mode, has_top, has_left)) continue;
      predict_luma(s, team, mode, has_top, has_left, s.tried);
      team.sync();
      std::uint32_t sum = 0;
      if constexpr (Team::lanes == 1) {
        sum = WholePixels(s.current).satd(taps, 16);
      } else if (team.lane < 16) {
        const int block = team.lane, at = (block >> 2) * 16 + (block & 3);
        std::uint32_t a[4], b[4];
        for (int k = 0; k < 4; ++k) a[k] = s.current[at + 4 * k], b[k] = s.tried[at + 4 * k];
        sum = satd_block(a, b);
      }
      const std::uint32_t all = team.sum(sum) << 2 | static_cast<std::uint32_t>(mode);
      best = all < best ? all : best;
      team.sync();
    }
    cost = best >> 2;
    return static_cast<int>(best & 3);
  }

  // Chooses among 0 DC, 1 horizontal, 2 vertical, 3 plane by the sum of absolute differences, for both planes together.
  template <class Team>
  HD static int predict_chroma(const Picture& p, IntraShared& s, const Team& team, int x, int y) {
    const bool has_top = y > 0, has_left = x > 0;
    int mean[2][4];
    Plane through[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int c = 0; c < 2; ++c) {
      const std::uint8_t *const top = s.top[1 + c], *const left = s.left[1 + c];
      mean[c][0] = mean_of(top, left, 4, has_top, has_left);
      mean[c][1] = mean_of(top + 4, left, 4, has_top, has_left && !has_top);
      mean[c][2] = mean_of(top, left + 4, 4, has_top && !has_left, has_left);
      mean[c][3] = mean_of(top + 4, left + 4, 4, has_top, has_left);
      if (has_top && has_left) through[c] = Plane::through(top, left, 4);
    }
    const auto value = [&](int mode, int c, int px, int py) -> int {
      switch (mode) {
        case 0: return mean[c][(py >> 2) * 2 + (px >> 2)];
        case 1: return s.left[1 + c][py];
        case 2: return s.top[1 + c][px];
        default: return through[c].at(px, py, 4);
      }
    };
    std::uint32_t best = ~0u;
    for (int mode = 0; mode < 4; ++mode) {
      if (((mode == 1 || mode == 3) && !has_left) || (mode >= 2 && !has_top)) continue;
      std::uint32_t sum = 0;
      for (int k = team.lane; k < 128; k += Team::lanes) {
        const int c = k >> 6, px = k & 7, py = k >> 3 & 7;
        const std::uint8_t own =
            p.source[p.plane_at(1 + c) + static_cast<std::ptrdiff_t>(8 * y + py) * (8 * p.width) + 8 * x + px];
        sum += static_cast<std::uint32_t>(magnitude(value(mode, c, px, py) - own));
      }
      const std::uint32_t all = team.sum(sum) << 2 | static_cast<std::uint32_t>(mode);
      best = all < best ? all : best;
    }
    const int mode = static_cast<int>(best & 3);
    for (int k = team.lane; k < 128; k += Team::lanes)
      s.predicted[256 + k] = static_cast<std::uint8_t>(value(mode, k >> 6, k & 7, k >> 3 & 7));
    return mode;
  }
};

// All macroblocks of a key picture, or of one after a cut, in a wave.
struct IntraWave {
  using Shared = IntraShared;
  Picture p;

  HD bool wanted() const { return p.intra || p.is_cut(); }
  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    Intra::code<true>(p, s, team, i);
    team.sync();
  }
};

// Those of one colour of a picture with motion; i numbers them row by row.
struct IntraColor {
  using Shared = IntraShared;
  Picture p;
  int color;

  HD static int count(const Picture& p) { return (p.width + 1) / 2 * ((p.height + 1) / 2); }
  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    const int half = (p.width + 1) / 2, x = i % half * 2 + (color & 1), y = i / half * 2 + (color >> 1);
    if (x >= p.width || y >= p.height || p.is_cut()) return;
    const auto from_here = [&](int dx, int dy) {
      const int nx = x + dx, ny = y + dy;
      return nx < p.width && ny < p.height && p.mode[ny * p.width + nx].kind == Mode::intra16;
    };
    if (!from_here(1, 0) && !from_here(0, 1) && !from_here(1, 1)) Intra::code<false>(p, s, team, y * p.width + x);
  }
};

}  // namespace simreel::h264
