#pragma once
// Macroblocks as bits (ITU-T H.264, 7.3.5). Bits are counted first, then placed, then written: contexts depend on the
// counts of levels of neighbours, which are known by then, and not on their bits.

#include "kernels/encode/intra4.h"
#include "kernels/encode/vectors.h"

namespace simreel::h264 {

// The mean number of levels of the blocks left and above (9.2.1).
HD inline int context_of(const Picture& p, int x, int y, int b) {
  int bx, by, left, above;  // column and row of the block; its neighbours
  if (b < 16) {
    bx = block_x(b), by = block_y(b);
    left = block_at((bx + 3) & 3, by), above = block_at(bx, (by + 3) & 3);
  } else {
    bx = b & 1, by = b >> 1 & 1;
    left = b ^ 1, above = b ^ 2;
  }
  const bool has_left = bx > 0 || x > 0, has_above = by > 0 || y > 0;
  const int own = y * p.width + x;
  const int a = has_left ? p.counts[(bx > 0 ? own : own - 1) * 24 + left] : 0;
  const int c = has_above ? p.counts[(by > 0 ? own : own - p.width) * 24 + above] : 0;
  return has_left && has_above ? (a + c + 1) >> 1 : a + c;
}

template <class To>
HD void put_header(const Picture& p, To& to, int x, int y, int i) {
  const Mode mode = p.mode[i];
  if (mode.kind == Mode::intra16) {
    put_golomb(to, (p.intra ? 1u : 6u) + mode.luma + 4u * (mode.coded >> 4) + (mode.coded & 15 ? 12u : 0u));
    put_golomb(to, mode.chroma);
    to.put(1, 1);  // the QP does not change
    return;
  }
  if (mode.kind == Mode::intra4) {
    put_golomb(to, p.intra ? 0 : 5);
    const std::uint8_t* const modes = p.block_mode + 16 * i;
    for (int b = 0; b < 16; ++b) {
      const int expected = expected_mode(p, modes, x, y, b), own = modes[b];
      if (own == expected)
        to.put(1, 1);
      else
        to.put(static_cast<std::uint32_t>(own - (own > expected)), 4);
    }
    put_golomb(to, mode.chroma);
    put_golomb(to, intra_pattern_number(mode.coded));
    if (mode.coded) to.put(1, 1);
    return;
  }
  const bool quarters = mode.kind == Mode::quarters;
  put_golomb(to, quarters ? 3 : 0);
  if (quarters) to.put(15, 4);  // none is split further
  for (int k = 0; k < (quarters ? 4 : 1); ++k) {
    const Vector v = p.quarter[4 * i + k], from = predicted(coded_neighbours(p, x, y, quarters ? k : -1));
    put_golomb(to, mapped(v.x - from.x));
    put_golomb(to, mapped(v.y - from.y));
  }
  put_golomb(to, pattern_number(mode.coded));
  if (mode.coded) to.put(1, 1);
}

// One of the independent parts of a macroblock that is neither skipped nor I_PCM.
template <class To>
HD void put_item(const Picture& p, To& to, int i, int item) {
  const int x = i % p.width, y = i / p.width;
  const Mode mode = p.mode[i];
  const bool intra = mode.kind == Mode::intra16;
  const std::int16_t* const level = p.level + static_cast<std::ptrdiff_t>(i) * level_blocks * 16;
  static constexpr std::int16_t none[16] = {};
  const auto block = [&](int b) { return p.counts[i * 24 + b] ? level + 16 * b : none; };
  if (item == 0) {
    put_header(p, to, x, y, i);
  } else if (item == 1) {
    if (intra) put_block(to, level + 24 * 16, 16, context_of(p, x, y, 0));
  } else if (item < 18) {
    const int b = item - 2;
    if (mode.coded >> (b >> 2) & 1) put_block(to, block(b) + intra, 16 - intra, context_of(p, x, y, b));
  } else if (item < 20) {
    if (mode.coded >> 4) put_block(to, level + (25 + item - 18) * 16, 4, -1);
  } else if (mode.coded >> 4 == 2) {
    const int b = item - 4;
    put_block(to, block(b) + 1, 15, context_of(p, x, y, b));
  }
}

HD inline std::uint32_t pcm_type(const Picture& p) { return p.intra ? 25 : 30; }

// Counts the bits of macroblocks, without the number of skipped ones before; tells which are skipped.
struct Measure {
  struct Shared {
    std::uint32_t bits[items];
  };
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    const Mode mode = p.mode[i];
    if (mode.kind == Mode::inter && mode.coded == 0 &&
        p.quarter[4 * i] == skipped(coded_neighbours(p, i % p.width, i / p.width, -1))) {
      if (team.lane == 0) p.mode[i].kind = Mode::skip, p.bits[i] = 0;
      return;
    }
    if (mode.kind == Mode::pcm) {  // up to where it aligns
      if (team.lane == 0) p.bits[i] = static_cast<std::uint32_t>(golomb_bits(pcm_type(p)));
      return;
    }
    for (int k = team.lane; k < items; k += Team::lanes) {
      BitCount to;
      put_item(p, to, i, k);
      s.bits[k] = to.bits;
    }
    team.sync();
    if (team.lane == 0) {
      std::uint32_t sum = 0;
      for (int k = 0; k < items; ++k) p.item[i * items + k] = static_cast<std::uint16_t>(sum), sum += s.bits[k];
      p.bits[i] = sum;
    }
  }
};

struct Write {
  struct Shared {};
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared&, int i) const {
    const Mode mode = p.mode[i];
    if (mode.kind == Mode::skip) return;
    if (mode.kind == Mode::pcm) return write_pcm(team, i);
    if constexpr (Team::lanes == 1) {
      BitWriter to(p.out, p.start[i]);
      for (int k = 0; k < items; ++k) put_item(p, to, i, k);
      to.flush();
    } else {
      for (int k = team.lane; k < items; k += Team::lanes) {
        BitWriter to(p.out, p.start[i] + p.item[i * items + k]);
        put_item(p, to, i, k);
        to.flush();
      }
    }
  }

 private:
  template <class Team>
  HD void write_pcm(const Team& team, int i) const {
    BitWriter type(p.out, p.start[i]);
    const std::uint32_t pixels = (p.start[i] + static_cast<std::uint32_t>(golomb_bits(pcm_type(p))) + 7) / 8 * 8;
    if (team.lane == 0) {
      put_golomb(type, pcm_type(p));
      type.flush();
    }
    const int x = i % p.width, y = i / p.width;
    for (int k = team.lane; k < 32; k += Team::lanes) {  // a row of a plane each
      const int plane = k < 16 ? 0 : k < 24 ? 1 : 2, n = plane ? 8 : 16, row = plane ? k & 7 : k, pitch = n * p.width;
      const std::uint8_t* const from =
          p.source + p.plane_at(plane) + static_cast<std::ptrdiff_t>(n * y + row) * pitch + n * x;
      BitWriter to(p.out,
                   pixels + static_cast<std::uint32_t>(8 * (plane == 0 ? 16 * row : 192 + 64 * plane + 8 * row)));
      for (int j = 0; j < n; ++j) to.put(from[j], 8);
      to.flush();
    }
  }
};

}  // namespace simreel::h264
