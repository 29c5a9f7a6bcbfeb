#pragma once
// From a prediction to levels and to the picture that a decoder gets.

#include "kernels/encode/packed.h"
#include "kernels/encode/residual_shared.h"

namespace simreel::h264 {

// A macroblock may have 3200 bits (A.3.1). How many it gets depends on the states of contexts, which are not known
// here, so one that is estimated at this many is sent as it is (I_PCM): block_bits for each block and 3 + 2 log2(level)
// for each level, about what the code needs once it has adapted.
inline constexpr std::uint32_t pcm_from_bits = 2700, block_bits = 8;

// By what the difference is left; of intra 4 x 4 luma is coded already (intra4.h).
enum class Left { by_motion, by_intra16, by_intra4 };

template <Left left>
class Residual {
  static constexpr bool intra16 = left == Left::by_intra16, intra4 = left == Left::by_intra4;
  static constexpr bool intra = left != Left::by_motion;

 public:
  // Codes the difference of macroblock i from s.predicted: levels, counts, and the decoded picture; s.coded and s.pcm
  // tell how.
  template <class Shared, class Team>
  HD static void code(const Picture& p, Shared& s, const Team& team, int i) {
    const int x = i % p.width, y = i / p.width;
    bool has_luma = !intra4;  // to quantise
    if constexpr (!intra) has_luma = !Residual8::subtract(p, s.eight, s.predicted, team, x, y);
    if constexpr (Team::lanes == 1) {
      if (has_luma) quantize_together<0, 16>(p, s, x, y);
      quantize_together<16, 8>(p, s, x, y);
    } else {
      if (team.lane < 24 && (team.lane >= 16 || has_luma)) quantize(p, s, x, y, team.lane);
    }
    if constexpr (!intra) {
      if (has_luma) {
        Residual8::quantize(p, s.eight, team);
        choose_transform(s, team);
      } else {
        for (int b = team.lane; b < 16; b += Team::lanes) s.count[b] = 0;
        if (team.lane == 0) s.by_eight = false;
      }
    }
    team.sync();
    for (int plane = team.lane; plane < 3; plane += Team::lanes)
      if (plane > 0)
        chroma_dc(p, s, plane);
      else if (intra16)
        luma_dc(p, s);
    team.sync();
    if (team.lane == 0) s.coded = static_cast<std::uint8_t>(pattern(s));
    team.sync();
    const bool pcm = needs_pcm(s, team);
    if (team.lane == 0) s.pcm = pcm;
    team.sync();
    int first = 0;
    if constexpr (!intra) {
      if (s.by_eight && !s.pcm) {
        if (!Residual8::reconstruct(p, s.eight, s.predicted, s.coded, team, x, y)) become_pcm(s, team);
        for (int b = team.lane; b < 16 && !s.pcm; b += Team::lanes) {
          const int any = s.coded >> (b >> 2) & 1;  // in its quarter: what a decoder knows
          p.counts[i * 24 + b] = static_cast<std::uint8_t>(any);
          if (any) store_levels(p, s, b, i);
        }
        first = s.pcm ? 0 : 16;
      }
    }
    std::uint32_t wide = 0;
    for (int b = first + team.lane; b < 24; b += Team::lanes) wide += !reconstruct(p, s, x, y, b, i);
    if (p.qp >= min_wide_qp && team.sum(wide) > 0) {
      become_pcm(s, team);
      for (int b = team.lane; b < 24; b += Team::lanes) reconstruct(p, s, x, y, b, i);
    }
    for (int plane = team.lane; plane < 3; plane += Team::lanes) {
      if (plane == 0 ? !intra16 : !(s.coded >> 4)) continue;
      std::int16_t* const to = p.level + (static_cast<std::ptrdiff_t>(i) * level_blocks + 24 + plane) * 16;
      for (int k = 0; k < 16; ++k) to[k] = s.dc_level[plane][k];
    }
    team.sync();
  }

 private:
  // Chroma, and luma of intra 16 x 16, send their DC apart.
  HD static bool dc_apart(int b) { return b >= 16 || intra16; }

  template <class Shared>
  HD static void quantize(const Picture& p, Shared& s, int x, int y, int b) {
    const BlockPlace place = place_of(p, x, y, b);
    const Quantizer q = b < 16 ? Quantizer(p.qp, Quantizer::luma) : Quantizer(p.chroma_qp, Quantizer::chroma);
    int d[16];
    H264_UNROLL
    for (int row = 0; row < 4; ++row) {
      const std::uint32_t own = load_four(p.source + place.at + static_cast<std::ptrdiff_t>(row) * place.pitch);
      const std::uint32_t other = load_four(s.predicted + place.predicted + row * place.predicted_pitch);
      H264_UNROLL
      for (int k = 0; k < 4; ++k) d[4 * row + k] = pixel_of(own, k) - pixel_of(other, k);
    }
    forward_transform(d);
    if (dc_apart(b)) {
      (b < 16 ? s.dc[0][block_y(b) * 4 + block_x(b)] : s.dc[1 + ((b - 16) >> 2)][b & 3]) = d[0];
      d[0] = 0;
    }
    Score score;
    LevelCosts<1> costs;
    costs.clear(0);
    H264_UNROLL
    for (int k = 0; k < 16; ++k) {
      const int kind = scale_kind(zigzag(k)), v = q.level(d[zigzag(k)], kind);
      if constexpr (!intra)
        costs.template add<false>(0, q.scaled(d[zigzag(k)], kind), v, q.bits), costs.end_at(0, v, k);
      s.level[b][k] = static_cast<std::int16_t>(v);
      if (k > 0 || !dc_apart(b)) score.add(v);
    }
    s.score[b] = score.value();
    s.count[b] = score.count;
    if constexpr (!intra)
      if (b < 16) s.costs.take(b, costs, 0);
  }

  // The same for `n` blocks from `first` on, in loops over blocks that vectorise.
  template <int first, int n, class Shared>
  HD static void quantize_together(const Picture& p, Shared& s, int x, int y) {
    constexpr bool has_costs = !intra && first == 0;
    LevelCosts<n> costs;
    alignas(32) std::int16_t d[16][n], level[16][n];
    for (int b = 0; b < n; ++b) {
      const BlockPlace place = place_of(p, x, y, first + b);
      for (int row = 0; row < 4; ++row) {
        const std::uint8_t* const own = p.source + place.at + static_cast<std::ptrdiff_t>(row) * place.pitch;
        const std::uint8_t* const other = s.predicted + place.predicted + row * place.predicted_pitch;
        for (int k = 0; k < 4; ++k) d[4 * row + k][b] = static_cast<std::int16_t>(own[k] - other[k]);
      }
    }
    const auto butterfly = [](std::int16_t* r0, std::int16_t* r1, std::int16_t* r2, std::int16_t* r3) {
      for (int b = 0; b < n; ++b) {
        const auto i0 = r0[b], i1 = r1[b], i2 = r2[b], i3 = r3[b];
        const auto sum = static_cast<std::int16_t>(i0 + i3), inner = static_cast<std::int16_t>(i1 + i2);
        const auto outer = static_cast<std::int16_t>(i0 - i3), difference = static_cast<std::int16_t>(i1 - i2);
        r0[b] = static_cast<std::int16_t>(sum + inner), r1[b] = static_cast<std::int16_t>(2 * outer + difference);
        r2[b] = static_cast<std::int16_t>(sum - inner), r3[b] = static_cast<std::int16_t>(outer - 2 * difference);
      }
    };
    for (int i = 0; i < 4; ++i) butterfly(d[4 * i], d[4 * i + 1], d[4 * i + 2], d[4 * i + 3]);
    for (int i = 0; i < 4; ++i) butterfly(d[i], d[4 + i], d[8 + i], d[12 + i]);
    if (dc_apart(first))
      for (int b = 0; b < n; ++b) {
        (first == 0 ? s.dc[0][block_y(b) * 4 + block_x(b)] : s.dc[1 + (b >> 2)][b & 3]) = d[0][b];
        d[0][b] = 0;
      }
    const Quantizer q = first == 0 ? Quantizer(p.qp, Quantizer::luma) : Quantizer(p.chroma_qp, Quantizer::chroma);
    alignas(32) std::int16_t count[n] = {};
    for (int b = 0; b < n; ++b) costs.clear(b);
    for (int k = 0; k < 16; ++k) {
      const int place = zigzag(k), kind = scale_kind(place);
      std::uint32_t scaled[n];
      int v[n];
      for (int b = 0; b < n; ++b) {
        scaled[b] = q.scaled(d[place][b], kind);
        v[b] = Quantizer::level_of(d[place][b], scaled[b], q.bits, q.up);
      }
      for (int b = 0; b < n; ++b) {
        level[k][b] = static_cast<std::int16_t>(v[b]);
        count[b] = static_cast<std::int16_t>(count[b] + (level[k][b] != 0));
      }
      if constexpr (has_costs)
        for (int b = 0; b < n; ++b) costs.template add<false>(b, scaled[b], v[b], q.bits), costs.end_at(b, v[b], k);
    }
    std::uint32_t coded = 0;
    for (int b = 0; b < n; ++b) {
      s.count[first + b] = static_cast<std::uint8_t>(count[b]);
      s.score[first + b] = 0;
      coded |= (count[b] != 0 ? 1u : 0u) << b;
    }
    for (; coded != 0; coded &= coded - 1) {
      const int b = std::countr_zero(coded);
      for (int k = 0; k < 16; ++k) s.level[first + b][k] = level[k][b];
      if (first < 16) continue;
      Score score;  // not used for luma
      for (int k = 1; k < 16; ++k) score.add(level[k][b]);
      s.score[first + b] = score.value();
    }
    if constexpr (has_costs) s.costs = costs;
  }

  HD static void luma_dc(const Picture& p, ResidualShared& s) {
    const Quantizer q(p.qp, Quantizer::luma);
    int d[16];
    for (int k = 0; k < 16; ++k) d[k] = s.dc[0][k];
    hadamard(d);
    int back[16];
    for (int k = 0; k < 16; ++k) {
      const int v = q.dc_level((d[zigzag(k)] + 1) >> 1);
      s.dc_level[0][k] = static_cast<std::int16_t>(v);
      back[zigzag(k)] = v;
    }
    hadamard(back);
    const int scale = 16 * inverse_scale(p.qp % 6, 0), shift = p.qp / 6;
    for (int k = 0; k < 16; ++k)
      s.dc[0][k] =
          shift >= 6 ? back[k] * scale * (1 << (shift - 6)) : (back[k] * scale + (1 << (5 - shift))) >> (6 - shift);
  }

  HD static void chroma_dc(const Picture& p, ResidualShared& s, int plane) {
    int score = 0;
    for (int k = 0; k < 4; ++k) score += s.score[12 + 4 * plane + k];
    if (score < min_chroma_score)
      for (int k = 0; k < 4; ++k) s.count[12 + 4 * plane + k] = 0;
    const Quantizer q(p.chroma_qp, Quantizer::chroma);
    const int a = s.dc[plane][0], b = s.dc[plane][1], c = s.dc[plane][2], e = s.dc[plane][3];
    const int l0 = q.dc_level(a + b + c + e), l1 = q.dc_level(a - b + c - e), l2 = q.dc_level(a + b - c - e),
              l3 = q.dc_level(a - b - c + e);
    s.dc_level[plane][0] = static_cast<std::int16_t>(l0), s.dc_level[plane][1] = static_cast<std::int16_t>(l1);
    s.dc_level[plane][2] = static_cast<std::int16_t>(l2), s.dc_level[plane][3] = static_cast<std::int16_t>(l3);
    const int scale = 16 * inverse_scale(p.chroma_qp % 6, 0) * (1 << (p.chroma_qp / 6));
    s.dc[plane][0] = ((l0 + l1 + l2 + l3) * scale) >> 5, s.dc[plane][1] = ((l0 - l1 + l2 - l3) * scale) >> 5;
    s.dc[plane][2] = ((l0 + l1 - l2 - l3) * scale) >> 5, s.dc[plane][3] = ((l0 - l1 - l2 + l3) * scale) >> 5;
  }

  // Takes the transform that costs less for luma; quarters that are not worth their bits become zero.
  template <class Team>
  HD static void choose_transform(InterShared& s, const Team& team) {
    team.sync();
    for (int k = team.lane; k < 8; k += Team::lanes)
      s.quarter[k] = k < 4 ? QuarterCost::of<false>(s.costs, 4 * k, 4) : Residual8::cost(s.eight, k - 4);
    team.sync();
    const QuarterCost *const four = s.quarter, *const eight = four + 4;
    int saved = eight_worth, any = 0;
    for (int k = 0; k < 4; ++k) saved += four[k].cost - eight[k].cost, any |= eight[k].kept;
    const bool by_eight = any && saved >= 0;
    const QuarterCost* const taken = by_eight ? eight : four;
    for (int b = team.lane; b < 16; b += Team::lanes) {
      if (by_eight) {
        copy_levels(s.level[b], s.eight.level[b >> 2] + 16 * (b & 3));
        std::uint8_t count = 0;
        for (int k = 0; k < 16; ++k) count += s.level[b][k] != 0;
        s.count[b] = count;
      }
      if (!taken[b >> 2].kept) s.count[b] = 0;
    }
    if (team.lane == 0) s.by_eight = by_eight;
  }

  // The coded block pattern.
  HD static int pattern(ResidualShared& s) {
    int luma = 0;
    if (intra16) {
      for (int b = 0; b < 16; ++b)
        if (s.count[b] > 0) luma = 15;
    } else {
      for (int b = 0; b < 16; ++b)
        if (s.count[b] > 0) luma |= 1 << (b >> 2);
    }
    int ac = 0, dc = 0;
    for (int b = 16; b < 24; ++b) ac |= s.count[b];
    for (int k = 0; k < 4; ++k) dc |= s.dc_level[1][k] | s.dc_level[2][k];
    return luma | (ac != 0 ? 32 : dc != 0 ? 16 : 0);
  }

  // Whether the macroblock could have more than the bits that are allowed, or than fit into a record.
  template <class Team>
  HD static bool needs_pcm(const ResidualShared& s, const Team& team) {
    constexpr std::uint32_t longest_level = 33, blocks = 27 * block_bits;
    std::uint32_t count = 40;  // of the DCs
    for (int b = 0; b < 24; ++b) count += s.count[b];
    if (count * longest_level + blocks < pcm_from_bits) return false;
    std::uint32_t bits = 0, bytes = 0;
    const auto add = [&](const std::int16_t* level, int first, int end) {
      bits += block_bits, bytes += 2;
      for (int k = first; k < end; ++k) {
        if (level[k] == 0) continue;
        bits += 3 + 2 * static_cast<std::uint32_t>(log2_of(static_cast<std::uint32_t>(magnitude(level[k]))));
        bytes += is_long(level[k]) ? 3 : 1;
      }
    };
    for (int b = team.lane; b < 24; b += Team::lanes)
      if (s.count[b] > 0) add(s.level[b], dc_apart(b), 16);
    for (int plane = team.lane; plane < 3; plane += Team::lanes)
      if (plane > 0 || intra16) add(s.dc_level[plane], 0, plane > 0 ? 4 : 16);
    constexpr std::uint32_t motion = 16 + 4 + 3;  // bytes of vectors, of the word of blocks, of filling up
    return team.sum(bits) > pcm_from_bits || team.sum(bytes) + motion > max_record_bytes;
  }

  template <class Team>
  HD static void become_pcm(ResidualShared& s, const Team& team) {
    team.sync();
    if (team.lane == 0) s.pcm = true;
    team.sync();
  }

  // False, and nothing is done, if decoders could not compute it in 16 bits.
  HD static bool reconstruct(const Picture& p, ResidualShared& s, int x, int y, int b, int i) {
    const BlockPlace place = place_of(p, x, y, b);
    std::uint8_t* const to = p.decoded + place.at;
    p.counts[i * 24 + b] = s.pcm ? 16 : s.count[b];
    if (s.pcm) {
      const std::uint8_t* const from = p.source + place.at;
      for (int row = 0; row < 4; ++row) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(row) * place.pitch;
        store_four(to + at, load_four(from + at));
      }
      return true;
    }
    const bool coded = s.count[b] > 0, decoded = intra4 && b < 16, narrow = b >= 16 || p.qp < min_wide_qp;
    if (coded) store_levels(p, s, b, i);
    if (decoded && (narrow || !coded)) return true;
    int dc = 0;
    if (b < 16 && intra16) dc = s.dc[0][block_y(b) * 4 + block_x(b)];
    if (b >= 16 && s.coded >> 4) dc = s.dc[1 + ((b - 16) >> 2)][b & 3];
    if (!coded && dc == 0) {
      for (int row = 0; row < 4; ++row)
        store_four(to + static_cast<std::ptrdiff_t>(row) * place.pitch,
                   load_four(s.predicted + place.predicted + row * place.predicted_pitch));
      return true;
    }
    const int qp = b < 16 ? p.qp : p.chroma_qp, factor = 1 << (qp / 6);
    int d[16];
    H264_UNROLL
    for (int k = 0; k < 16; ++k) {
      d[zigzag(k)] = coded ? s.level[b][k] * inverse_scale(qp % 6, scale_kind(zigzag(k))) * factor : 0;
    }
    if (dc_apart(b)) d[0] = dc;
    if (narrow ? inverse_transform(d) : inverse_transform<true>(d)) return false;
    if (decoded) return true;
    H264_UNROLL
    for (int row = 0; row < 4; ++row) {
      const std::uint32_t predicted = load_four(s.predicted + place.predicted + row * place.predicted_pitch);
      std::uint32_t four = 0;
      H264_UNROLL
      for (int k = 0; k < 4; ++k)
        four |= static_cast<std::uint32_t>(clip_pixel(pixel_of(predicted, k) + d[4 * row + k])) << (8 * k);
      store_four(to + static_cast<std::ptrdiff_t>(row) * place.pitch, four);
    }
    return true;
  }

  HD static void store_levels(const Picture& p, const ResidualShared& s, int b, int i) {
    copy_levels(p.level + (static_cast<std::ptrdiff_t>(i) * level_blocks + b) * 16, s.level[b]);
  }
  // Those of a block, 16 numbers at addresses that are multiples of 32.
  HD static void copy_levels(std::int16_t* to, const std::int16_t* from) {
#ifdef __CUDA_ARCH__
    const uint4* const words = reinterpret_cast<const uint4*>(from);
    uint4* const out = reinterpret_cast<uint4*>(to);
    out[0] = words[0], out[1] = words[1];
#else
    std::memcpy(to, from, 16 * sizeof *to);
#endif
  }
};

}  // namespace simreel::h264
