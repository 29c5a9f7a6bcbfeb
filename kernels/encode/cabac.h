#pragma once
// The arithmetic coder of CABAC (ITU-T H.264, 9.3.4), for the host.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/encode/cabac_tables.h"

namespace simreel::h264 {

class CabacEncoder {
 public:
  // Appends to `bytes`, whose last byte is complete. `qp`: of the slice.
  CabacEncoder(std::vector<std::uint8_t>& bytes, bool intra, int qp) : bytes_(bytes) {
    for (int c = 0; c < contexts; ++c) {
      const std::int8_t* const start = context_start[intra ? 0 : 1][c];
      const int sum = (start[0] * qp >> 4) + start[1], state = sum < 1 ? 1 : sum > 126 ? 126 : sum;
      states_[c] = static_cast<std::uint16_t>(state <= 63 ? 2 * (63 - state) : 2 * (state - 64) + 1);
    }
  }

  void put(int context, bool bin) {
    const unsigned state = states_[context];
    const std::uint32_t least = least_range[state >> 1][range_ >> 6 & 3];
    const bool likely = (state & 1) == static_cast<unsigned>(bin);
    const std::uint32_t most = range_ - least;
    low_ += likely ? 0 : most;
    range_ = likely ? most : least;
    states_[context] = next[state][bin];
    shift(std::countl_zero(range_) - 23);
    ++bins_;
  }
  // The lowest `count` bits of `value`, 0 <= count <= 16, each as likely as not.
  void put_even(std::uint32_t value, int count) {
    low_ = (low_ << count) + std::uint64_t{range_} * value;
    pending_ += count;
    bins_ += count;
    if (pending_ >= 32) emit();
  }
  // end_of_slice_flag, or the bin of mb_type that tells I_PCM. After a true one, bytes() are complete; the last bit
  // that is not zero ends the slice.
  void put_end(bool end) {
    ++bins_;
    range_ -= 2;
    if (end) {
      low_ += range_;
      range_ = 2;
    }
    shift(std::countl_zero(range_) - 23);
    if (end) finish();
  }
  // Bytes as they are, after put_end(true); the coder starts anew behind them.
  void put_pixels(const std::uint8_t* from, std::size_t count) { bytes_.insert(bytes_.end(), from, from + count); }

  std::int64_t bins() const { return bins_; }
  std::int64_t bits() const { return 8 * static_cast<std::int64_t>(bytes_.size()) + pending_; }  // to within a few

 private:
  static constexpr auto next = [] {
    std::array<std::array<std::uint16_t, 2>, 128> table{};
    for (unsigned s = 0; s < 128; ++s) {
      const unsigned state = s >> 1, likely = s & 1;
      table[s][likely] = static_cast<std::uint16_t>(2 * (state < 62 ? state + 1 : state) + likely);
      table[s][1 - likely] = static_cast<std::uint16_t>(2u * after_least[state] + (state == 0 ? 1 - likely : likely));
    }
    return table;
  }();

  void shift(int count) {
    range_ <<= count;
    low_ <<= count;
    pending_ += count;
    if (pending_ >= 32) emit();
  }
  // Moves four bytes out of low_. Its lowest 10 bits are at work; the `pending_` bits above them are complete but for a
  // carry, which may reach back into the bytes.
  void emit() {
    const int kept = 10 + pending_ - 32;
    const std::uint64_t out = low_ >> kept;
    low_ &= (std::uint64_t{1} << kept) - 1;
    pending_ -= 32;
    carry(out >> 32 != 0);
    for (int at = 24; at >= 0; at -= 8) bytes_.push_back(static_cast<std::uint8_t>(out >> at));
  }
  void carry(bool any) {
    for (std::size_t i = bytes_.size(); any; --i) any = ++bytes_[i - 1] == 0;
  }
  // EncodeFlush: two bits more, of which the last is 1, then zeros up to a byte.
  void finish() {
    const int count = pending_ + 3, bytes = (count + 7) / 8;
    const std::uint64_t out = (low_ >> 7 | 1) << (8 * bytes - count);
    carry(out >> (8 * bytes) != 0);
    for (int i = bytes - 1; i >= 0; --i) bytes_.push_back(static_cast<std::uint8_t>(out >> (8 * i)));
    low_ = 0, range_ = 510, pending_ = -1;
  }

  std::vector<std::uint8_t>& bytes_;
  std::uint64_t low_ = 0;
  std::uint32_t range_ = 510;
  int pending_ = -1;  // the first bit is not sent (9.3.4.2)
  std::int64_t bins_ = 0;
  std::uint16_t states_[contexts];  // 2 * state + the more probable symbol
};

}  // namespace simreel::h264
