#include "kernels/encode/slice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/encode/cabac.h"
#include "kernels/encode/packed.h"

namespace simreel {
namespace {

using namespace h264;

// First contexts of the syntax elements (table 9-34).
constexpr int mb_type_i = 3, mb_skip = 11, mb_type_p = 14, mb_type_p_intra = 17, sub_mb_type = 21, mvd_x = 40,
              mvd_y = 47, mb_qp_delta = 60, chroma_mode = 64, expected_flag = 68, remaining_mode = 69,
              pattern_luma = 73, pattern_chroma = 77, block_flag = 85, magnitude_less_1 = 227;
// Those of transforms of 8 x 8.
constexpr int size_8x8 = first_8x8, significant_8x8 = first_8x8 + 402 - standard_8x8,
              last_8x8 = first_8x8 + 417 - standard_8x8, magnitude_8x8 = first_8x8 + 426 - standard_8x8;

// For each level of a block of 8 x 8 but the last: the contexts of whether it is not zero, and of whether no other
// follows (table 9-43).
constexpr auto map_8x8 = [] {
  constexpr std::uint8_t significant[63] = {
      0, 1, 2,  3,  4,  5,  5, 4, 4, 3, 3,  4,  4, 4, 5, 5,  4,  4,  4,  4, 3, 3,  6,  7, 7,  7,  8,  9,  10, 9,  8, 7,
      7, 6, 11, 12, 13, 11, 6, 7, 8, 9, 14, 10, 9, 8, 6, 11, 12, 13, 11, 6, 9, 14, 10, 9, 11, 12, 13, 11, 14, 10, 12};
  std::array<std::uint16_t, 126> contexts{};
  for (std::size_t i = 0; i < 63; ++i) {
    const int last = i == 0   ? 0
                     : i < 16 ? 1
                     : i < 32 ? 2
                     : i < 48 ? static_cast<int>(i / 8) - 1
                              : static_cast<int>(i / 4) - 7;
    contexts[2 * i] = static_cast<std::uint16_t>(significant_8x8 + significant[i]);
    contexts[2 * i + 1] = static_cast<std::uint16_t>(last_8x8 + last);
  }
  return contexts;
}();

// What coding a macroblock needs to know of the ones left and above.
struct Known {
  bool there = false;
  Mode mode{Mode::skip, 0, 0, 0};
  std::uint32_t blocks = 0;      // with levels, as in a record; all of I_PCM
  std::uint16_t motion[4][2]{};  // of quarters: magnitudes of the vectors' differences

  int luma() const { return mode.kind == Mode::skip ? 0 : mode.coded & 15; }
  int chroma() const { return mode.kind == Mode::skip ? 0 : mode.coded >> 4; }
};
// More than a macroblock comes to: 384 levels of at most 16 bins, of which none takes more than 7 bits, and 33 even
// ones.
constexpr std::size_t max_coded_bytes = 16384;

constexpr Mode all_pixels{Mode::pcm, 0, 0, 0x2f};  // what I_PCM counts as

// Kinds of blocks (table 9-42): luma DC and AC of intra 16 x 16, luma, chroma DC and AC.
enum Kind : std::uint8_t { luma_dc, luma_ac, luma_4x4, chroma_dc, chroma_ac };

class SliceCoder {
 public:
  explicit SliceCoder(const std::byte* slot) {
    std::memcpy(&head_, slot, sizeof head_);
    modes_ = reinterpret_cast<const std::uint8_t*>(slot) + sizeof head_;
    from_ = modes_ + sizeof(Mode) * head_.width * head_.height;
    above_.resize(head_.width);
  }

  CodedSlice run() {
    CodedSlice slice;
    std::vector<std::uint8_t>& bytes = slice.bytes;
    put_slice_header(bytes);
    const std::size_t header = bytes.size();
    bytes.resize(header + 2 * std::size_t{head_.words} + 2 * max_coded_bytes);
    CabacContexts states(head_.intra != 0, static_cast<int>(head_.qp));
    CabacEncoder to(states, bytes.data() + header);
    const auto written = [&] { return to.to() - bytes.data(); };
    for (std::uint32_t y = 0; y < head_.height; ++y) {
      left_ = {};
      for (std::uint32_t x = 0; x < head_.width; ++x) {
        if (bytes.size() - static_cast<std::size_t>(written()) < max_coded_bytes) {
          const std::ptrdiff_t at = written();
          bytes.resize(2 * bytes.size());
          to.move(bytes.data() + at);
        }
        const bool last = y + 1 == head_.height && x + 1 == head_.width;
        Mode mode;
        std::memcpy(&mode, modes_ + sizeof(Mode) * (y * head_.width + x), sizeof mode);
        put_macroblock(to, mode, x);
        to.put_end(last);
      }
    }
    bytes.resize(static_cast<std::size_t>(written()));
    slice.bins = to.bins();
    return slice;
  }

 private:
  void put_slice_header(std::vector<std::uint8_t>& bytes) const {
    const std::uint64_t header = std::uint64_t{head_.header[0]} << 32 | head_.header[1];
    const int count = static_cast<int>(head_.header_bits), whole = (count + 7) / 8 * 8;
    const std::uint64_t ones = (std::uint64_t{1} << (whole - count)) - 1;  // cabac_alignment_one_bit
    for (int at = whole - 8; at >= 0; at -= 8)
      bytes.push_back(static_cast<std::uint8_t>((header << (whole - count) | ones) >> at));
  }

  void put_macroblock(CabacEncoder& to, Mode mode, std::uint32_t x) {
    Known& above = above_[x];
    Known own;
    own.there = true;
    own.mode = mode;
    if (!head_.intra)
      to.put(mb_skip + (left_.there && left_.mode.kind != Mode::skip) + (above.there && above.mode.kind != Mode::skip),
             mode.kind == Mode::skip);
    if (mode.kind == Mode::pcm) {
      put_type(to, mode, above);
      to.put_pixels(from_, pcm_bytes);
      from_ += pcm_bytes;
      own.mode = all_pixels;
      own.blocks = (1u << level_blocks) - 1;
    } else if (mode.kind != Mode::skip) {
      const std::uint8_t* const record = from_;
      put_type(to, mode, above);
      if (mode.kind == Mode::intra4) put_size(to, false, above);
      put_motion(to, mode, above, own);
      from_ += motion_bytes(mode.kind);
      if (mode.kind != Mode::intra16) put_pattern(to, mode.coded, above);
      if (!mode.is_intra() && (mode.coded & 15) != 0) put_size(to, mode.by_eight(), above);
      if (has_levels(mode)) {
        to.put(mb_qp_delta, false);
        put_levels(to, above, own);
      }
      from_ = record + (from_ - record + 3) / 4 * 4;
    }
    left_ = above = own;
  }

  // Also tells I_PCM.
  void put_type(CabacEncoder& to, Mode mode, const Known& above) const {
    if (!mode.is_intra()) {
      const bool quarters = mode.kind == Mode::quarters;
      to.put(mb_type_p, false);
      to.put(mb_type_p + 1, false);
      to.put(mb_type_p + 2, quarters);
      for (int k = 0; k < (quarters ? 4 : 0); ++k) to.put(sub_mb_type, true);
      return;
    }
    const auto not_by_blocks = [](const Known& k) { return k.there && k.mode.kind != Mode::intra4; };
    const int first = head_.intra ? mb_type_i + not_by_blocks(left_) + not_by_blocks(above) : mb_type_p_intra;
    if (!head_.intra) to.put(mb_type_p, true);
    to.put(first, mode.kind != Mode::intra4);
    if (mode.kind == Mode::intra4) return;
    to.put_end(mode.kind == Mode::pcm);
    if (mode.kind == Mode::pcm) return;
    // Contexts of I slices, and what they are in P slices.
    const auto context = [&](int in_i, int in_p) { return head_.intra ? mb_type_i + in_i : mb_type_p_intra + in_p; };
    const int chroma = mode.coded >> 4;
    to.put(context(3, 1), (mode.coded & 15) != 0);
    to.put(context(4, 2), chroma != 0);
    if (chroma != 0) to.put(context(5, 2), chroma == 2);
    to.put(context(6, 3), mode.luma >> 1);
    to.put(context(7, 3), mode.luma & 1);
  }

  void put_motion(CabacEncoder& to, Mode mode, const Known& above, Known& own) const {
    if (mode.is_intra()) {
      for (int b = 0; b < (mode.kind == Mode::intra4 ? 16 : 0); ++b) {
        const int code = from_[b / 2] >> (b % 2 * 4) & 15;
        to.put(expected_flag, code == expected_block_mode);
        for (int bit = 0; bit < (code == expected_block_mode ? 0 : 3); ++bit) to.put(remaining_mode, code >> bit & 1);
      }
      const auto other = [](const Known& k) { return k.there && k.mode.is_intra() && k.mode.chroma != 0; };
      to.put(chroma_mode + other(left_) + other(above), mode.chroma != 0);
      for (int k = 1; k < 3 && mode.chroma >= k; ++k) to.put(chroma_mode + 3, mode.chroma > k);
      return;
    }
    const bool quarters = mode.kind == Mode::quarters;
    for (int k = 0; k < (quarters ? 4 : 1); ++k) {
      const std::uint16_t* const a = k & 1 ? own.motion[k - 1] : left_.motion[k + 1];
      const std::uint16_t* const b = k >= 2 ? own.motion[k - 2] : above.motion[k + 2];
      for (int axis = 0; axis < 2; ++axis) {
        const int at = 4 * k + 2 * axis, value = static_cast<std::int16_t>(from_[at] | from_[at + 1] << 8);
        put_difference(to, axis == 0 ? mvd_x : mvd_y, value, a[axis] + b[axis]);
        for (int j = k; j < (quarters ? k + 1 : 4); ++j)
          own.motion[j][axis] = static_cast<std::uint16_t>(std::abs(value));
      }
    }
  }
  // Of a vector. `beside`: the sum of the magnitudes left and above.
  static void put_difference(CabacEncoder& to, int context, int value, int beside) {
    constexpr int max_unary = 9;
    const int size = std::abs(value);
    int first = beside < 3 ? 0 : beside > 32 ? 2 : 1;
    for (int k = 0; k <= std::min(size, max_unary - 1); ++k) {
      to.put(context + first, size > k);
      first = std::min(k + 3, 6);
    }
    if (size >= max_unary) put_golomb(to, static_cast<std::uint32_t>(size - max_unary), 3);
    const bool is_negative = value < 0;
    to.put_even(is_negative, size > 0);
  }
  // Exp-Golomb code of order k (9.3.2.3).
  static void put_golomb(CabacEncoder& to, std::uint32_t value, int k) {
    const std::uint32_t above = value + (1u << k);
    const int extra = std::bit_width(above) - 1 - k;  // ones before the zero
    to.put_even((1u << (extra + 1)) - 2, extra + 1);
    to.put_even(above & ((1u << (k + extra)) - 1), k + extra);
  }

  // Whether luma has transforms of 8 x 8.
  void put_size(CabacEncoder& to, bool eight, const Known& above) const {
    to.put(size_8x8 + left_.mode.by_eight() + above.mode.by_eight(), eight);
  }

  void put_pattern(CabacEncoder& to, int coded, const Known& above) const {
    for (int quarter = 0; quarter < 4; ++quarter) {
      // Whether the quarter of `k` with this number has no levels.
      const auto empty = [](const Known& k, int at) { return k.there && !(k.luma() >> at & 1); };
      const bool a = quarter & 1 ? !(coded >> (quarter - 1) & 1) : empty(left_, quarter + 1);
      const bool b = quarter >= 2 ? !(coded >> (quarter - 2) & 1) : empty(above, quarter + 2);
      to.put(pattern_luma + a + 2 * b, coded >> quarter & 1);
    }
    const int chroma = coded >> 4;
    to.put(pattern_chroma + (left_.chroma() != 0) + 2 * (above.chroma() != 0), chroma != 0);
    if (chroma != 0) to.put(pattern_chroma + 4 + (left_.chroma() == 2) + 2 * (above.chroma() == 2), chroma == 2);
  }

  void put_levels(CabacEncoder& to, const Known& above, Known& own) {
    const bool intra16 = own.mode.kind == Mode::intra16;
    own.blocks = from_[0] | from_[1] << 8 | from_[2] << 16 | static_cast<std::uint32_t>(from_[3]) << 24;
    from_ += 4;
    // Blocks beyond the picture count as if they had levels for intra macroblocks.
    const std::uint32_t beyond = own.mode.is_intra() ? ~0u : 0;
    const std::uint64_t across = own.blocks | std::uint64_t{left_.there ? left_.blocks : beyond} << 32,
                        down = own.blocks | std::uint64_t{above.there ? above.blocks : beyond} << 32;
    const int luma = own.mode.by_eight() ? 0 : own.mode.coded & 15, chroma = own.mode.coded >> 4;
    if (own.mode.by_eight())
      for (int quarter = 0; quarter < 4; ++quarter)
        if (own.mode.coded >> quarter & 1) put_block_8x8(to, own, first_luma + 4 * quarter);
    std::uint32_t told = intra16 ? 1 : 0;
    for (int quarter = 0; quarter < 4; ++quarter)
      if (luma >> quarter & 1) told |= 15u << (first_luma + 4 * quarter);
    if (chroma > 0) told |= 3u << first_chroma_dc;
    if (chroma > 1) told |= 255u << first_chroma;
    for (; told != 0; told &= told - 1) {
      const int k = std::countr_zero(told);
      const Block& block = blocks[static_cast<std::size_t>(k)];
      const Kind kind = block.kind[intra16];
      const bool any = own.blocks >> k & 1;
      to.put(block_flag + 4 * kind + static_cast<int>((across >> block.left & 1) + 2 * (down >> block.above & 1)), any);
      if (any) put_block(to, kind);
    }
  }

  // A block, and where the flags of those left and above it lie: those of its own macroblock, then from bit 32 on those
  // of the neighbour.
  struct Block {
    std::uint8_t left, above;
    Kind kind[2];  // [1]: in intra 16 x 16
  };
  static constexpr auto blocks = [] {
    std::array<Block, level_blocks> table{};
    for (int k = 0; k < level_blocks; ++k) {
      int left = 32 + k, above = 32 + k;  // DC
      Kind kind = k == 0 ? luma_dc : chroma_dc;
      if (k >= first_luma && k < first_chroma_dc) {
        const int x = block_x(k - first_luma), y = block_y(k - first_luma);
        left = first_luma + block_at((x + 3) & 3, y) + (x > 0 ? 0 : 32);
        above = first_luma + block_at(x, (y + 3) & 3) + (y > 0 ? 0 : 32);
        kind = luma_4x4;
      } else if (k >= first_chroma) {
        const int b = k - first_chroma;
        left = first_chroma + (b ^ 1) + (b & 1 ? 0 : 32);
        above = first_chroma + (b ^ 2) + (b & 2 ? 0 : 32);
        kind = chroma_ac;
      }
      table[static_cast<std::size_t>(k)] = {
          static_cast<std::uint8_t>(left), static_cast<std::uint8_t>(above), {kind, kind == luma_4x4 ? luma_ac : kind}};
    }
    return table;
  }();

  void put_block(CabacEncoder& to, Kind kind) {
    static constexpr std::uint8_t counts[] = {16, 15, 16, 4, 15};
    static constexpr std::uint8_t maps[] = {0, 15, 29, 44, 47}, sizes[] = {0, 10, 20, 30, 39};  // table 9-40
    const std::uint32_t mask = from_[0] | static_cast<std::uint32_t>(from_[1]) << 8;
    const std::uint8_t* from = from_ + 2;
    CabacEncoder coder = to;  // in registers
    put_map(coder, mask, counts[kind], first_significant + 2 * maps[kind]);
    const int max_larger = kind == chroma_dc ? 3 : 4, context = magnitude_less_1 + sizes[kind];
    LevelState state;
    for (int left = std::popcount(mask); left > 0; --left)
      put_level(coder, next_level(from), context, max_larger, state);
    to = coder;
    from_ = from;
  }
  // The four blocks from `first` on as one of 8 x 8. All of them count as having levels from now on.
  void put_block_8x8(CabacEncoder& to, Known& own, int first) {
    std::uint32_t masks[4]{};
    const std::uint8_t* levels[4]{};
    int length = 0;
    for (int k = 0; k < 4; ++k) {
      if (!(own.blocks >> (first + k) & 1)) continue;
      masks[k] = from_[0] | static_cast<std::uint32_t>(from_[1]) << 8;
      length = 16 * k + static_cast<int>(std::bit_width(masks[k]));
      levels[k] = from_ += 2;
      for (int left = std::popcount(masks[k]); left > 0; --left) next_level(from_);
    }
    own.blocks |= 15u << first;
    CabacEncoder coder = to;                 // in registers
    for (int k = 0; 16 * k < length; ++k) {  // as in put_map()
      const int end = 2 * (std::min({length, 63, 16 * k + 16}) - 16 * k);
      const std::uint64_t some = spread(masks[k]);
      const std::uint64_t bins = length > 16 * k + 16 ? some : some | std::uint64_t{1} << (2 * (length - 16 * k) - 1);
      for (std::uint64_t sent = (0x55555555 | some << 1) & ((std::uint64_t{1} << end) - 1); sent != 0;
           sent &= sent - 1) {
        const int at = std::countr_zero(sent);
        coder.put(map_8x8[static_cast<std::size_t>(32 * k + at)], bins >> at & 1);
      }
    }
    LevelState state;
    for (int k = 3; k >= 0; --k)
      for (int left = std::popcount(masks[k]); left > 0; --left)
        put_level(coder, next_level(levels[k]), magnitude_8x8, 4, state);
    to = coder;
  }
  static int next_level(const std::uint8_t*& from) {
    const int level = (*from++ ^ 0x80) - 0x80;  // a byte with its sign
    if (level != escape) return level;
    from += 2;
    return static_cast<std::int16_t>(from[-2] | from[-1] << 8);
  }
  struct LevelState {
    int ones = 1, larger = 0;  // ones: contexts of the first bin: 0 after a larger one
  };
  static void put_level(CabacEncoder& coder, int level, int context, int max_larger, LevelState& state) {
    constexpr int max_unary = 14;
    const int size = std::abs(level) - 1;
    coder.put(context + state.ones, size > 0);
    if (size > 0) {
      const int next = context + 5 + std::min(max_larger, state.larger);
      for (int k = 1; k <= std::min(size, max_unary - 1); ++k) coder.put(next, size > k);
      if (size >= max_unary) put_golomb(coder, static_cast<std::uint32_t>(size - max_unary), 0);
      ++state.larger;
      state.ones = 0;
    } else {
      state.ones = state.ones == 0 ? 0 : std::min(4, state.ones + 1);
    }
    coder.put_even(level < 0, 1);
  }
  // Which levels are not zero. Two bins a level lie side by side in a word: whether it is not zero, and if so, whether
  // it is the last one. The words tell the bins and which of them are sent, so that no bin decides what is done next.
  static void put_map(CabacEncoder& to, std::uint32_t mask, int count, int first) {
    const int length = static_cast<int>(std::bit_width(mask)), end = 2 * std::min(length, count - 1);
    const std::uint32_t some = spread(mask);
    const std::uint32_t bins = some | 1u << (2 * length - 1);
    for (std::uint32_t sent = (0x55555555 | some << 1) & ((1u << end) - 1); sent != 0; sent &= sent - 1) {
      const int at = std::countr_zero(sent);
      to.put(first + at, bins >> at & 1);
    }
  }
  // Bit i to bit 2 i.
  static std::uint32_t spread(std::uint32_t v) {
    v = (v | v << 8) & 0x00ff00ff;
    v = (v | v << 4) & 0x0f0f0f0f;
    v = (v | v << 2) & 0x33333333;
    return (v | v << 1) & 0x55555555;
  }

  SlotHead head_;
  const std::uint8_t *modes_, *from_;  // from_: what comes next in the records
  Known left_;
  std::vector<Known> above_;
};

}  // namespace

CodedSlice code_slice(const std::byte* slot) { return SliceCoder(slot).run(); }

std::int64_t cabac_zero_words(std::int64_t bytes, std::int64_t bins, std::int64_t macroblocks) {
  // 7.4.2.10: bins <= 32 / 3 * bytes + 3072 / 32 * macroblocks. A word adds three bytes.
  const std::int64_t missing = bins - 96 * macroblocks - 32 * bytes / 3;
  return missing <= 0 ? 0 : (missing + 31) / 32;
}

}  // namespace simreel
