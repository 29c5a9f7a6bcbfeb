#pragma once
// The deblocking filter (ITU-T H.264, 8.7), in place and after all macroblocks are decoded. A macroblock's edges need
// the left and the upper one as filtered, and its right end is needed unfiltered by none but its right neighbour, so
// macroblocks are filtered in a wave.

#include "kernels/encode/deblock_edges.h"

namespace simreel::h264 {

// The filter of strength 4. Eight pixels of luma across an edge, v[0] to v[3] before it and v[4] to v[7] behind.
HD inline void filter_strong_luma(int* v, const EdgeTest& t) {
  const int p3 = v[0], p2 = v[1], p1 = v[2], p0 = v[3], q0 = v[4], q1 = v[5], q2 = v[6], q3 = v[7];
  if (!t.apply(p1, p0, q0, q1)) return;
  const bool small = magnitude(p0 - q0) < (t.alpha >> 2) + 2;
  if (small && magnitude(p2 - p0) < t.beta) {
    v[3] = (p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3;
    v[2] = (p2 + p1 + p0 + q0 + 2) >> 2;
    v[1] = (2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3;
  } else {
    v[3] = (2 * p1 + p0 + q1 + 2) >> 2;
  }
  if (small && magnitude(q2 - q0) < t.beta) {
    v[4] = (p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3;
    v[5] = (p0 + q0 + q1 + q2 + 2) >> 2;
    v[6] = (2 * q3 + 3 * q2 + q1 + q0 + p0 + 4) >> 3;
  } else {
    v[4] = (2 * q1 + q0 + p1 + 2) >> 2;
  }
}
// Four pixels of chroma, v[0] and v[1] before the edge.
HD inline void filter_strong_chroma(int* v, const EdgeTest& t) {
  const int p1 = v[0], p0 = v[1], q0 = v[2], q1 = v[3];
  if (t.apply(p1, p0, q0, q1)) v[1] = (2 * p1 + p0 + q1 + 2) >> 2, v[2] = (2 * q1 + q0 + p1 + 2) >> 2;
}

// Filters of any strength, of the same pixels.
HD inline void filter_luma(int* v, const Thresholds& t, int strength) {
  if (strength == 4) return filter_strong_luma(v, t);
  const int p2 = v[1], p1 = v[2], p0 = v[3], q0 = v[4], q1 = v[5], q2 = v[6];
  if (strength == 0 || !t.apply(p1, p0, q0, q1)) return;
  const bool smooth_p = magnitude(p2 - p0) < t.beta, smooth_q = magnitude(q2 - q0) < t.beta;
  const int max = t.max_change(strength), limit = max + smooth_p + smooth_q;
  const int change = clamp((((q0 - p0) * 4) + (p1 - q1) + 4) >> 3, -limit, limit);
  v[3] = clip_pixel(p0 + change), v[4] = clip_pixel(q0 - change);
  if (smooth_p) v[2] = p1 + clamp((p2 + ((p0 + q0 + 1) >> 1) - 2 * p1) >> 1, -max, max);
  if (smooth_q) v[5] = q1 + clamp((q2 + ((p0 + q0 + 1) >> 1) - 2 * q1) >> 1, -max, max);
}
HD inline void filter_chroma(int* v, const Thresholds& t, int strength) {
  if (strength == 4) return filter_strong_chroma(v, t);
  const int p1 = v[0], p0 = v[1], q0 = v[2], q1 = v[3];
  if (strength == 0 || !t.apply(p1, p0, q0, q1)) return;
  const int limit = t.max_change(strength) + 1;
  const int change = clamp((((q0 - p0) * 4) + (p1 - q1) + 4) >> 3, -limit, limit);
  v[1] = clip_pixel(p0 + change), v[2] = clip_pixel(q0 - change);
}

struct Deblock {
  struct Shared {
    std::uint8_t strength[2][16];  // of vertical and horizontal edges: four edges of four blocks
  };
  Picture p;

  HD bool wanted() const { return true; }

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    const int x = i % p.width, y = i / p.width;
    std::uint32_t any = 0;
    for (int k = team.lane; k < 32; k += Team::lanes) {
      const int strength = strength_of(x, y, i, k >> 4, k >> 2 & 3, k & 3);
      s.strength[k >> 4][k & 15] = static_cast<std::uint8_t>(strength);
      any += static_cast<std::uint32_t>(strength);
    }
    any = team.sum(any);
    team.sync();
    if (any > 0) {
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
      if constexpr (Team::lanes == 1) return filter_together(s, x, y, i);
#endif
      for (int vertical = 1; vertical >= 0; --vertical) {
        const Edges edges(*this, x, y, i, vertical != 0);
        for (int line = team.lane; line < 32; line += Team::lanes)
          if (line < 16)
            edges.template luma<Team>(s.strength[vertical ? 0 : 1], line);
          else
            edges.template chroma<Team>(s.strength[vertical ? 0 : 1], line >> 3 & 1, line & 7);
        team.sync();
      }
    }
    team.sync();
  }

  // Edge `edge` of block column or row `k`; direction 0: vertical edges.
  HD int strength_of(int x, int y, int i, int direction, int edge, int k) const {
    if (edge == 0 && (direction == 0 ? x : y) == 0) return 0;
    const int bx = direction == 0 ? edge : k, by = direction == 0 ? k : edge;
    const int other = edge > 0 ? i : direction == 0 ? i - 1 : i - p.width;
    const int ox = direction == 0 ? (edge + 3) & 3 : k, oy = direction == 0 ? k : (edge + 3) & 3;
    if (p.mode[i].is_intra() || p.mode[other].is_intra()) return edge == 0 ? 4 : 3;
    if ((edge & 1) != 0 && p.mode[i].by_eight()) return 0;
    if (p.counts[i * 24 + block_at(bx, by)] != 0 || p.counts[other * 24 + block_at(ox, oy)] != 0) return 2;
    const Vector a = p.quarter[4 * i + (by >> 1) * 2 + (bx >> 1)], b = p.quarter[4 * other + (oy >> 1) * 2 + (ox >> 1)];
    return magnitude(a.x - b.x) >= 4 || magnitude(a.y - b.y) >= 4;
  }

 private:
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
  void filter_together(const Shared& s, int x, int y, int i) const {
    const auto some = [](const std::uint8_t* strength) {
      std::uint64_t halves[2];
      std::memcpy(halves, strength, sizeof halves);
      return (halves[0] | halves[1]) != 0;
    };
    const DeblockMacroblock macroblock{p, x, y};
    if (some(s.strength[0])) {
      const Edges edges(*this, x, y, i, true);
      macroblock.vertical(s.strength[0], {edges.outer, edges.inner}, {edges.chroma_outer, edges.chroma_inner});
    }
    if (some(s.strength[1])) {
      const Edges edges(*this, x, y, i, false);
      macroblock.horizontal(s.strength[1], {edges.outer, edges.inner}, {edges.chroma_outer, edges.chroma_inner});
    }
  }
#endif

  HD int qp_of(int i) const { return p.mode[i].kind == Mode::pcm ? 0 : p.qp; }

  // The four parallel edges of a macroblock. Lines cross them: rows or columns.
  struct Edges {
    const Picture& p;
    int x, y;
    bool vertical;
    Thresholds outer, inner, chroma_outer, chroma_inner;

    HD Edges(const Deblock& d, int mx, int my, int i, bool is_vertical)
        : p(d.p), x(mx), y(my), vertical(is_vertical), outer(0), inner(d.qp_of(i)), chroma_outer(0), chroma_inner(0) {
      const bool has_other = vertical ? x > 0 : y > 0;
      const int own = d.qp_of(i), other = has_other ? d.qp_of(vertical ? i - 1 : i - p.width) : own;
      outer = Thresholds((own + other + 1) >> 1);
      chroma_inner = Thresholds(chroma_qp_of(own));
      chroma_outer = Thresholds((chroma_qp_of(own) + chroma_qp_of(other) + 1) >> 1);
    }

    template <class Team>
    HD void luma(const std::uint8_t* strength, int line) const {
      const int pitch = p.luma_width();
      std::uint8_t* const at = p.decoded + static_cast<std::ptrdiff_t>(16 * y + (vertical ? line : 0)) * pitch +
                               16 * x + (vertical ? 0 : line);
      const std::ptrdiff_t step = vertical ? 1 : pitch;
      const bool has_other = vertical ? x > 0 : y > 0;
      if constexpr (Team::lanes == 1) {
        for (int edge = 0; edge < 4; ++edge) {
          const int b = strength[4 * edge + (line >> 2)];
          if (b == 0) continue;
          std::uint8_t* const q = at + 4 * edge * step;
          int v[8];
          for (int k = 0; k < 8; ++k) v[k] = q[(k - 4) * step];
          filter_luma(v, edge == 0 ? outer : inner, b);
          for (int k = 1; k < 7; ++k) q[(k - 4) * step] = static_cast<std::uint8_t>(v[k]);
        }
      } else {
        int v[20];
        H264_UNROLL
        for (int k = 0; k < 20; ++k) v[k] = k >= 4 || has_other ? at[(k - 4) * step] : 0;
        H264_UNROLL
        for (int edge = 0; edge < 4; ++edge)
          filter_luma(v + 4 * edge, edge == 0 ? outer : inner, strength[4 * edge + (line >> 2)]);
        H264_UNROLL
        for (int k = 1; k < 19; ++k)
          if (k >= 4 || has_other) at[(k - 4) * step] = static_cast<std::uint8_t>(v[k]);
      }
    }

    // Edges 0 and 2 of luma are those of chroma.
    template <class Team>
    HD void chroma(const std::uint8_t* strength, int plane, int line) const {
      const int pitch = 8 * p.width;
      std::uint8_t* const at = p.decoded + p.plane_at(1 + plane) +
                               static_cast<std::ptrdiff_t>(8 * y + (vertical ? line : 0)) * pitch + 8 * x +
                               (vertical ? 0 : line);
      const std::ptrdiff_t step = vertical ? 1 : pitch;
      H264_UNROLL
      for (int edge = 0; edge < 2; ++edge) {
        const int b = strength[8 * edge + (line >> 1)];
        if (b == 0) continue;
        std::uint8_t* const q = at + 4 * edge * step;
        int v[4] = {q[-2 * step], q[-step], q[0], q[step]};
        filter_chroma(v, edge == 0 ? chroma_outer : chroma_inner, b);
        q[-step] = static_cast<std::uint8_t>(v[1]), q[0] = static_cast<std::uint8_t>(v[2]);
      }
    }
  };
};

}  // namespace simreel::h264
