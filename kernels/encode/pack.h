#pragma once
// Macroblocks as records for the host's entropy coder (packed.h), and the records one after the other in the slot.

#include <bit>

#include "kernels/encode/intra4.h"
#include "kernels/encode/packed.h"
#include "kernels/encode/vectors.h"

namespace simreel::h264 {

HD inline void store_two(std::uint8_t* to, int value) {
  to[0] = static_cast<std::uint8_t>(value), to[1] = static_cast<std::uint8_t>(value >> 8);
}

// Makes the record of each macroblock in p.record, and tells which are skipped.
struct Pack {
  struct Shared {
    std::uint8_t bytes[32];  // of a block, 0 if it has no levels
  };
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    const int x = i % p.width, y = i / p.width;
    const Mode mode = p.mode[i];
    if (mode.kind == Mode::inter && mode.coded == 0 && p.quarter[4 * i] == skipped(coded_neighbours(p, x, y, -1))) {
      if (team.lane == 0) p.mode[i].kind = Mode::skip, p.record_words[i] = 0;
      return;
    }
    std::uint8_t* const to = p.record + static_cast<std::ptrdiff_t>(i) * max_record_bytes;
    if (mode.kind == Mode::pcm) {
      put_pixels(team, to, x, y);
      if (team.lane == 0) p.record_words[i] = pcm_bytes / 4;
      return;
    }
    put_motion(team, to, mode.kind, x, y);
    int bytes = motion_bytes(mode.kind);
    if (has_levels(mode)) bytes += 4 + put_levels(team, s, to + bytes, mode, i);
    if (team.lane == 0) p.record_words[i] = static_cast<std::uint32_t>(bytes + 3) / 4;
  }

 private:
  template <class Team>
  HD void put_pixels(const Team& team, std::uint8_t* to, int x, int y) const {
    for (int k = team.lane; k < pcm_bytes / 4; k += Team::lanes) {
      const int plane = k < 64 ? 0 : k < 80 ? 1 : 2, n = plane ? 8 : 16, first = plane ? 48 + 16 * plane : 0;
      const int row = 4 * (k - first) / n, column = 4 * (k - first) % n, pitch = n * p.width;
      store_four(to + 4 * k, load_four(p.source + p.plane_at(plane) + static_cast<std::ptrdiff_t>(n * y + row) * pitch +
                                       n * x + column));
    }
  }

  template <class Team>
  HD void put_motion(const Team& team, std::uint8_t* to, std::uint8_t kind, int x, int y) const {
    const int i = y * p.width + x;
    if (kind == Mode::intra4) {
      const std::uint8_t* const modes = p.block_mode + 16 * i;
      const auto code = [&](int b) -> int {
        const int expected = expected_mode(p, modes, x, y, b), own = modes[b];
        return own == expected ? expected_block_mode : own - (own > expected);
      };
      for (int k = team.lane; k < 8; k += Team::lanes)
        to[k] = static_cast<std::uint8_t>(code(2 * k) | code(2 * k + 1) << 4);
    } else if (kind != Mode::intra16) {
      const bool quarters = kind == Mode::quarters;
      for (int k = team.lane; k < (quarters ? 4 : 1); k += Team::lanes) {
        const Vector v = p.quarter[4 * i + k], from = predicted(coded_neighbours(p, x, y, quarters ? k : -1));
        store_two(to + 4 * k, v.x - from.x);
        store_two(to + 4 * k + 2, v.y - from.y);
      }
    }
  }

  // The levels of a block in the order of the stream; null if it has none.
  HD const std::int16_t* levels_of(Mode mode, int i, int k, int& count) const {
    const bool intra16 = mode.kind == Mode::intra16;
    const int b = level_block(k);
    const std::int16_t* const level = p.level + (static_cast<std::ptrdiff_t>(i) * level_blocks + b) * 16;
    bool sent;
    if (k == 0)
      sent = intra16, count = 16;
    else if (b < 16)
      sent = (mode.coded >> (b >> 2) & 1) != 0 && p.counts[24 * i + b] > 0, count = intra16 ? 15 : 16;
    else if (b >= 24)
      sent = mode.coded >> 4 != 0, count = 4;
    else
      sent = mode.coded >> 4 == 2 && p.counts[24 * i + b] > 0, count = 15;
    return sent ? level + (count == 15) : nullptr;
  }

  // Returns how many bytes the blocks take.
  template <class Team>
  HD int put_levels(const Team& team, Shared& s, std::uint8_t* to, Mode mode, int i) const {
    for (int k = team.lane; k < 32; k += Team::lanes) {
      int count = 0, bytes = 0;
      const std::int16_t* const level = k < level_blocks ? levels_of(mode, i, k, count) : nullptr;
      if (level) {
        bytes = bytes_of(level, count);
        bytes += bytes > 0 ? 2 : 0;
      }
      s.bytes[k] = static_cast<std::uint8_t>(bytes);
    }
    team.sync();
    std::uint32_t mask = 0;
    int all = 0;
    for (int k = 0; k < level_blocks; ++k) all += s.bytes[k], mask |= s.bytes[k] > 0 ? 1u << k : 0u;
    if (team.lane == 0) store_two(to, static_cast<int>(mask & 0xffff)), store_two(to + 2, static_cast<int>(mask >> 16));
    if constexpr (Team::lanes == 1) {
      for (int k = 0, at = 4; k < level_blocks; at += s.bytes[k++])
        if (s.bytes[k] > 0) put_block(to + at, mode, i, k);
    } else if (team.lane < level_blocks && s.bytes[team.lane] > 0) {
      int at = 4;
      for (int k = 0; k < team.lane; ++k) at += s.bytes[k];
      put_block(to + at, mode, i, team.lane);
    }
    team.sync();
    return all;
  }
  HD void put_block(std::uint8_t* to, Mode mode, int i, int k) const {
    int count = 0, mask = 0;
    const std::int16_t* const level = levels_of(mode, i, k, count);
    std::uint8_t* at = to + 2;
    const auto put = [&](int v) {
      if (is_long(v)) {
        *at = static_cast<std::uint8_t>(escape);
        store_two(at + 1, v);
        at += 3;
      } else {
        *at++ = static_cast<std::uint8_t>(v);
      }
    };
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
    if (!level) return;  // never: s.bytes tells; but GCC warns
    mask = static_cast<int>(kinds_of(level, count).some);
    for (auto left = static_cast<std::uint32_t>(mask); left != 0;) {
      const int j = log2_of(left);
      left ^= 1u << j;
      put(level[j]);
    }
#else
    for (int j = count - 1; j >= 0; --j) {
      if (level[j] == 0) continue;
      mask |= 1 << j;
      put(level[j]);
    }
#endif
    store_two(to, mask);
  }

  // How long the levels of a block are in its record.
  HD static int bytes_of(const std::int16_t* level, int count) {
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
    const LevelKinds kinds = kinds_of(level, count);
    return std::popcount(kinds.some) + 2 * std::popcount(kinds.large);
#else
    int bytes = 0;
    for (int j = 0; j < count; ++j) bytes += level[j] == 0 ? 0 : is_long(level[j]) ? 3 : 1;
    return bytes;
#endif
  }

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
  // A bit for each level: of those that are not zero, and of those that is_long().
  struct LevelKinds {
    std::uint32_t some, large;
  };
  // 16 are read: another block follows one whose first level is left out.
  static LevelKinds kinds_of(const std::int16_t* level, int count) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(level));
    const auto bits = [&](__m256i mask) {
      const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(mask), _mm256_extracti128_si256(mask, 1));
      return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)) & ((1u << count) - 1);
    };
    const __m256i size = _mm256_abs_epi16(v);
    return {bits(_mm256_cmpgt_epi16(size, _mm256_setzero_si256())),
            bits(_mm256_cmpgt_epi16(size, _mm256_set1_epi16(max_short)))};
  }
#endif
};

// How long the records of a row are.
struct JoinRow {
  struct Shared {};
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared&, int row) const {
    std::uint32_t words = 0;
    for (int x = team.lane; x < p.width; x += Team::lanes) words += p.record_words[row * p.width + x];
    words = team.sum(words);
    if (team.lane == 0) p.row_words[row] = words;
  }
};

// Where each record begins; the modes of a row; the head.
struct PlaceRow {
  struct Shared {
    std::uint32_t words[32];
  };
  Picture p;
  std::uint32_t* slot;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int row) const {
    constexpr std::uint32_t head = sizeof(SlotHead) / 4;
    const int first = row * p.width;
    for (int x = team.lane; x < p.width; x += Team::lanes) std::memcpy(slot + head + first + x, p.mode + first + x, 4);
    std::uint32_t before = 0;
    for (int k = team.lane; k < row; k += Team::lanes) before += p.row_words[k];
    before = team.sum(before);
    if (row == p.height - 1 && team.lane == 0) put_head(before + p.row_words[row]);
    const int each = (p.width + Team::lanes - 1) / Team::lanes, end = min_of(p.width, (team.lane + 1) * each);
    std::uint32_t own = 0;
    for (int x = team.lane * each; x < end; ++x) own += p.record_words[first + x];
    s.words[team.lane] = own;
    team.sync();
    for (int k = 0; k < team.lane; ++k) before += s.words[k];
    before += head + static_cast<std::uint32_t>(p.count());
    for (int x = team.lane * each; x < end; ++x) p.start[first + x] = before, before += p.record_words[first + x];
  }

 private:
  HD static int min_of(int a, int b) { return a < b ? a : b; }
  HD void put_head(std::uint32_t words) const {
    const SlotHead head{words,
                        static_cast<std::uint32_t>(p.width),
                        static_cast<std::uint32_t>(p.height),
                        static_cast<std::uint32_t>(p.qp),
                        p.intra ? 1u : 0u,
                        static_cast<std::uint32_t>(p.header_bits),
                        {static_cast<std::uint32_t>(p.header >> 32), static_cast<std::uint32_t>(p.header)}};
    std::memcpy(slot, &head, sizeof head);
  }
};

struct Deliver {
  struct Shared {};
  Picture p;
  std::uint32_t* slot;

  template <class Team>
  HD void operator()(const Team& team, Shared&, int i) const {
    const std::uint8_t* const from = p.record + static_cast<std::ptrdiff_t>(i) * max_record_bytes;
    for (std::uint32_t k = static_cast<std::uint32_t>(team.lane); k < p.record_words[i]; k += Team::lanes)
      slot[p.start[i] + k] = load_four(from + 4 * k);
  }
};

}  // namespace simreel::h264
