#pragma once
// A block of levels as bits (ITU-T H.264, 9.2).

#include "kernels/encode/cavlc_tables.h"
#include "kernels/encode/picture.h"

namespace simreel::h264 {

// Takes bits and only counts them.
struct BitCount {
  std::uint32_t bits = 0;

  HD void put(std::uint32_t, int count) { bits += static_cast<std::uint32_t>(count); }
};

// Puts bits into words, the most significant first, which must be zero before. Words at the ends may be shared with
// others who write at the same time. flush() at the end.
class BitWriter {
 public:
  HD BitWriter(std::uint32_t* words, std::uint32_t position) : words_(words), at_(position) {}

  // The lowest `count` bits of `value`, 0 <= count <= 32; the rest of it is zero.
  HD void put(std::uint32_t value, int count) {
    if (count == 0) return;
    const int room = 32 - static_cast<int>(at_ & 31);
    at_ += static_cast<std::uint32_t>(count);
    if (count < room) {
      held_ |= value << (room - count);
      return;
    }
    held_ |= value >> (count - room);
    merge((at_ - static_cast<std::uint32_t>(count - room) - 1) / 32);
    held_ = count == room ? 0 : value << (32 - (count - room));
  }
  HD void flush() {
    if (at_ & 31) merge(at_ / 32);
    held_ = 0;
  }
  HD std::uint32_t position() const { return at_; }

 private:
  HD void merge(std::uint32_t word) {
    if (held_ == 0) return;
#ifdef __CUDA_ARCH__
    atomicOr(words_ + word, held_);
#else
    std::atomic_ref(words_[word]).fetch_or(held_, std::memory_order_relaxed);
#endif
  }

  std::uint32_t* words_;
  std::uint32_t at_, held_ = 0;  // the bits of the current word so far
};

template <class To>
HD void put(To& to, Code code) {
  to.put(static_cast<std::uint32_t>(code.bits), code.length);
}
template <class To>
HD void put_golomb(To& to, std::uint32_t value) {
  const int length = log2_of(value + 1);
  to.put(0, length);
  to.put(value + 1, length + 1);
}

// A level as its code (9.2.2.1): a prefix of zeros and a suffix. The code is below 4126.
template <class To>
HD void put_level(To& to, std::uint32_t code, int suffix_length) {
  if (suffix_length == 0 && code < 14) return to.put(1, static_cast<int>(code) + 1);
  if (suffix_length == 0 && code < 30) return to.put(1, 15), to.put(code - 14, 4);
  if (suffix_length > 0 && code < 15u << suffix_length) {
    to.put(1, static_cast<int>(code >> suffix_length) + 1);
    return to.put(code & ((1u << suffix_length) - 1), suffix_length);
  }
  code -= suffix_length > 0 ? 15u << suffix_length : 30;
  to.put(1, 16);
  to.put(code, 12);
}

// `level`: `most` levels in zigzag order. `context`: the number of levels that the neighbours suggest; -1 for the DC of
// chroma.
template <class To>
HD void put_block(To& to, const std::int16_t* level, int most, int context) {
  int total = 0, ones = 0, last = -1;
  bool counting = true;
  for (int i = most - 1; i >= 0; --i) {
    const int v = level[i];
    if (v == 0) continue;
    if (total == 0) last = i;
    ++total;
    if (counting && ones < 3 && (v == 1 || v == -1))
      ++ones;
    else
      counting = false;
  }
  put(to, token_code(context < 0 ? 4 : context < 2 ? 0 : context < 4 ? 1 : context < 8 ? 2 : 3, total, ones));
  if (total == 0) return;
  int suffix_length = total > 10 && ones < 3 ? 1 : 0, k = 0;
  for (int i = last; i >= 0; --i) {
    const int v = level[i];
    if (v == 0) continue;
    if (k < ones) {
      to.put(v < 0, 1);
    } else {
      const int size = magnitude(v);
      int code = 2 * size - 2 + (v < 0);
      if (k == ones && ones < 3) code -= 2;
      put_level(to, static_cast<std::uint32_t>(code), suffix_length);
      if (suffix_length == 0) suffix_length = 1;
      if (size > 3 << (suffix_length - 1) && suffix_length < 6) ++suffix_length;
    }
    ++k;
  }
  int zeros = last + 1 - total;
  if (total < most) put(to, zeros_code(context < 0, total, zeros));
  int run = 0;
  for (int i = last - 1; i >= 0 && zeros > 0; --i) {
    if (level[i] == 0) {
      ++run;
    } else {
      put(to, run_code(zeros, run));
      zeros -= run;
      run = 0;
    }
  }
}

}  // namespace simreel::h264
