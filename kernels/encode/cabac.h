#pragma once
// The arithmetic coder of CABAC (ITU-T H.264, 9.3.4), for the host.
//
// Each bin needs the range that the bin before it left, so the time of a bin is that of the steps from one range to the
// next. These have no branches, because bins cannot be predicted well, and as few of them as possible wait for the
// range: what depends on the context alone comes from one table.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/encode/cabac_tables.h"

namespace simreel::h264 {

// Contexts of significant_coeff_flag and last_significant_coeff_flag (table 9-34). The coder keeps the two of a level
// side by side: from first_significant on, of the first level, of the second and so on.
inline constexpr int first_significant = 105, first_last = 166, maps_contexts = 61;
constexpr int place_of_context(int c) {
  if (c < first_significant || c >= first_last + maps_contexts) return c;
  return c < first_last ? first_significant + 2 * (c - first_significant)
                        : first_significant + 2 * (c - first_last) + 1;
}

// A context's state is 2 * pStateIdx + valMPS.
class CabacContexts {
 public:
  CabacContexts(bool intra, int qp) {  // of the slice
    for (int c = 0; c < contexts; ++c) {
      const std::int8_t* const start = context_start[intra ? 0 : 1][c];
      const int sum = (start[0] * qp >> 4) + start[1], state = sum < 1 ? 1 : sum > 126 ? 126 : sum;
      states[static_cast<std::size_t>(place_of_context(c))] =
          static_cast<std::uint8_t>(state <= 63 ? 2 * (63 - state) : 2 * (state - 64) + 1);
    }
  }

  std::array<std::uint8_t, contexts> states;
};

// A value of a few words: where many bins follow each other, a copy of it stays in registers.
class CabacEncoder {
 public:
  // Writes from `to` on, without looking how much room there is. The bytes before it belong to the stream. `start`
  // holds the states of the contexts from now on.
  CabacEncoder(CabacContexts& start, std::uint8_t* to) : states_(start.states.data()), to_(to) {}

  void put(int context, bool bin) {
    const Step& step = steps[2 * std::size_t{states_[context]} + bin];
    states_[context] = step.next;
    const unsigned part = range_ >> 3 & 24;  // the two bits of the range that matter, times 8
    const std::uint32_t after = (range_ & step.kept) + (step.added >> part & 255);
    const int shift = std::countl_zero(after) - 23;
    low_ = (low_ + ((range_ - after) & step.moved)) << shift;
    range_ = after << shift;
    pending_ += shift;
    ++bins_;
    if (pending_ >= 32) emit();
  }
  // The lowest `count` bits of `value`, 0 <= count <= 16, each as likely as not.
  void put_even(std::uint32_t value, int count) {
    low_ = (low_ << count) + std::uint64_t{range_} * value;
    pending_ += count;
    bins_ += count;
    if (pending_ >= 32) emit();
  }
  // end_of_slice_flag, or the bin of mb_type that tells I_PCM. After a true one all bytes are written; the last bit
  // that is not zero ends the slice.
  void put_end(bool end) {
    ++bins_;
    range_ -= 2;
    if (end) {
      low_ += range_;
      range_ = 2;
    }
    const int shift = std::countl_zero(range_) - 23;
    range_ <<= shift;
    low_ <<= shift;
    pending_ += shift;
    if (pending_ >= 32) emit();
    if (end) finish();
  }
  // Bytes as they are, after put_end(true); the coder starts anew after them.
  void put_pixels(const std::uint8_t* from, std::size_t count) { to_ = std::copy_n(from, count, to_); }

  // Where the next byte goes, and where it goes if the bytes have moved.
  std::uint8_t* to() const { return to_; }
  void move(std::uint8_t* to) { to_ = to; }

  std::int64_t bins() const { return bins_; }

 private:
  // What a bin does in a state. The less probable symbol takes the upper part of the range, `min`, and what is below
  // is added to low_; the other one leaves range - least, which is (range & 255) + (256 - least).
  struct Step {
    std::uint32_t added;  // least or 256 - least for the four parts of the range, a byte each
    std::uint16_t moved;  // bits of what is added to low_: all or none
    std::uint8_t kept;    // bits of the range that stay: none or all but the highest
    std::uint8_t next;    // state
  };
  static constexpr auto steps = [] {
    std::array<Step, 256> table{};  // by 2 * state + bin
    for (unsigned i = 0; i < 256; ++i) {
      const unsigned state = i >> 2, likely = i >> 1 & 1, bin = i & 1;
      Step& step = table[i];
      for (int k = 0; k < 4; ++k) {
        const unsigned min = min_range[state][k];
        step.added |= (bin == likely ? 256 - min : min) << (8 * k);
      }
      step.kept = bin == likely ? 255 : 0;
      step.moved = bin == likely ? 0 : 511;
      const unsigned after = bin != likely ? after_min[state] : state < 62 ? state + 1 : state;
      step.next = static_cast<std::uint8_t>(2 * after + (state == 0 ? bin : likely));
    }
    return table;
  }();

  // Moves four bytes out of low_. Its lowest 10 bits are at work; the `pending_` bits above them are complete but for a
  // carry, which may reach back into the bytes.
  void emit() {
    const int kept = 10 + pending_ - 32;
    const std::uint64_t out = low_ >> kept;
    low_ &= (std::uint64_t{1} << kept) - 1;
    pending_ -= 32;
    if (out >> 32 != 0) carry(to_);
    for (int k = 0; k < 4; ++k) to_[k] = static_cast<std::uint8_t>(out >> (24 - 8 * k));
    to_ += 4;
  }
  // Into the bytes before this one.
  [[gnu::noinline]] static void carry(std::uint8_t* byte) {
    while (++*--byte == 0) {
    }
  }
  // EncodeFlush: two bits more, of which the last is 1, then zeros up to a byte.
  void finish() {
    const int count = pending_ + 3, bytes = (count + 7) / 8;
    const std::uint64_t out = (low_ >> 7 | 1) << (8 * bytes - count);
    if (out >> (8 * bytes) != 0) carry(to_);
    for (int i = bytes - 1; i >= 0; --i) *to_++ = static_cast<std::uint8_t>(out >> (8 * i));
    low_ = 0, range_ = 510, pending_ = -1;
  }

  std::uint8_t *states_, *to_;
  std::uint64_t low_ = 0;
  std::uint32_t range_ = 510;
  int pending_ = -1;  // the first bit is not sent (9.3.4.2)
  std::int64_t bins_ = 0;
};

}  // namespace simreel::h264
