#include "kernels/encode/slice.h"

#include <algorithm>
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
              pattern_luma = 73, pattern_chroma = 77, block_flag = 85, significant = 105, last_one = 166,
              magnitude_less_1 = 227;

// What coding a macroblock needs to know of the ones left and above.
struct Known {
  bool there = false;
  Mode mode{Mode::skip, 0, 0, 0};
  std::uint32_t blocks = 0;      // with levels, as in a record; all of I_PCM
  std::uint16_t motion[4][2]{};  // of quarters: magnitudes of the vectors' differences

  int luma() const { return mode.kind == Mode::skip ? 0 : mode.coded & 15; }
  int chroma() const { return mode.kind == Mode::skip ? 0 : mode.coded >> 4; }
};
constexpr Mode all_pixels{Mode::pcm, 0, 0, 0x2f};  // what I_PCM counts as

// Kinds of blocks (table 9-42): luma DC and AC of intra 16 x 16, luma, chroma DC and AC.
enum Kind { luma_dc, luma_ac, luma_4x4, chroma_dc, chroma_ac };

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
    slice.bytes.reserve(4 * std::size_t{head_.words} / 2 + 256);
    put_slice_header(slice.bytes);
    CabacEncoder to(slice.bytes, head_.intra != 0, static_cast<int>(head_.qp));
    for (std::uint32_t y = 0; y < head_.height; ++y) {
      left_ = {};
      for (std::uint32_t x = 0; x < head_.width; ++x) {
        const std::int64_t before = to.bits();
        const bool last = y + 1 == head_.height && x + 1 == head_.width;
        Mode mode;
        std::memcpy(&mode, modes_ + sizeof(Mode) * (y * head_.width + x), sizeof mode);
        put_macroblock(to, mode, x);
        to.put_end(last);
        slice.most_bits = std::max(slice.most_bits, to.bits() - before);
      }
    }
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
      put_motion(to, mode, above, own);
      from_ += motion_bytes(mode.kind);
      if (mode.kind != Mode::intra16) put_pattern(to, mode.coded, above);
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
    constexpr int most_unary = 9;
    const int size = std::abs(value);
    to.put(context + (beside < 3 ? 0 : beside > 32 ? 2 : 1), size > 0);
    if (size == 0) return;
    for (int k = 1; k < most_unary && size >= k; ++k) to.put(context + std::min(k + 2, 6), size > k);
    if (size >= most_unary) put_golomb(to, static_cast<std::uint32_t>(size - most_unary), 3);
    to.put_even(value < 0, 1);
  }
  // Exp-Golomb code of order k (9.3.2.3).
  static void put_golomb(CabacEncoder& to, std::uint32_t value, int k) {
    const std::uint32_t above = value + (1u << k);
    const int extra = std::bit_width(above) - 1 - k;  // ones before the zero
    to.put_even((1u << (extra + 1)) - 2, extra + 1);
    to.put_even(above & ((1u << (k + extra)) - 1), k + extra);
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
    const bool intra = own.mode.is_intra(), intra16 = own.mode.kind == Mode::intra16;
    own.blocks = from_[0] | from_[1] << 8 | from_[2] << 16 | static_cast<std::uint32_t>(from_[3]) << 24;
    from_ += 4;
    // Whether a block of a neighbour has levels; one beyond the picture counts as if for intra macroblocks.
    const auto of = [&](const Known& k, int block) {
      return k.there ? k.blocks >> block & 1 : static_cast<unsigned>(intra);
    };
    if (intra16) put_block<luma_dc>(to, own, 0, of(left_, 0), of(above, 0));
    for (int b = 0; b < 16; ++b) {
      if (!(own.mode.coded >> (b >> 2) & 1)) continue;
      const int x = block_x(b), y = block_y(b);
      const unsigned a = of(x > 0 ? own : left_, first_luma + block_at((x + 3) & 3, y));
      const unsigned c = of(y > 0 ? own : above, first_luma + block_at(x, (y + 3) & 3));
      if (intra16)
        put_block<luma_ac>(to, own, first_luma + b, a, c);
      else
        put_block<luma_4x4>(to, own, first_luma + b, a, c);
    }
    if (own.mode.coded >> 4 == 0) return;
    for (int k = first_chroma_dc; k < first_chroma; ++k) put_block<chroma_dc>(to, own, k, of(left_, k), of(above, k));
    if (own.mode.coded >> 4 == 1) return;
    for (int k = first_chroma; k < level_blocks; ++k) {
      const int b = k - first_chroma;
      put_block<chroma_ac>(to, own, k, of(b & 1 ? own : left_, first_chroma + (b ^ 1)),
                           of(b & 2 ? own : above, first_chroma + (b ^ 2)));
    }
  }

  // `a`, `b`: whether the blocks left and above have levels.
  template <Kind kind>
  void put_block(CabacEncoder& to, const Known& own, int k, unsigned a, unsigned b) {
    static constexpr int counts[] = {16, 15, 16, 4, 15};
    static constexpr int maps[] = {0, 15, 29, 44, 47}, sizes[] = {0, 10, 20, 30, 39};  // table 9-40
    const bool any = own.blocks >> k & 1;
    to.put(block_flag + 4 * kind + static_cast<int>(a + 2 * b), any);
    if (!any) return;
    const std::uint32_t mask = from_[0] | static_cast<std::uint32_t>(from_[1]) << 8;
    from_ += 2;
    const int last = std::bit_width(mask) - 1;
    for (int i = 0; i <= last && i < counts[kind] - 1; ++i) {
      const int at = maps[kind] + (kind == chroma_dc ? std::min(i, 2) : i);
      to.put(significant + at, mask >> i & 1);
      if (mask >> i & 1) to.put(last_one + at, i == last);
    }
    int ones = 0, larger = 0;
    for (int left = std::popcount(mask); left > 0; --left) {
      int level = (*from_++ ^ 0x80) - 0x80;  // a byte with its sign
      if (level == escape) level = static_cast<std::int16_t>(from_[0] | from_[1] << 8), from_ += 2;
      put_level(to, magnitude_less_1 + sizes[kind], level, kind == chroma_dc ? 3 : 4, ones, larger);
    }
  }
  static void put_level(CabacEncoder& to, int context, int level, int most_larger, int& ones, int& larger) {
    constexpr int most_unary = 14;
    const int size = std::abs(level) - 1;
    to.put(context + (larger > 0 ? 0 : std::min(4, 1 + ones)), size > 0);
    if (size > 0) {
      const int next = context + 5 + std::min(most_larger, larger);
      for (int k = 1; k < most_unary && size >= k; ++k) to.put(next, size > k);
      if (size >= most_unary) put_golomb(to, static_cast<std::uint32_t>(size - most_unary), 0);
      ++larger;
    } else {
      ++ones;
    }
    to.put_even(level < 0, 1);
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
