#include "kernels/encode/cabac.h"

#include "tests/support/test.h"

namespace simreel::h264 {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The encoder as the standard's flow charts tell it (ITU-T H.264, 9.3.4), bit by bit.
class Reference {
 public:
  Reference(bool intra, int qp) {
    for (int c = 0; c < contexts; ++c) {
      const auto& start = context_start[intra ? 0 : 1][c];
      const int state = std::clamp((start[0] * std::clamp(qp, 0, 51) >> 4) + start[1], 1, 126);
      likely_[c] = state > 63;
      state_[c] = state > 63 ? state - 64 : 63 - state;
    }
  }

  void put(int c, bool bin) {
    const int min = min_range[state_[c]][range_ >> 6 & 3];
    range_ -= min;
    if (bin == likely_[c]) {
      if (state_[c] < 62) ++state_[c];
    } else {
      low_ += range_;
      range_ = min;
      if (state_[c] == 0) likely_[c] = !likely_[c];
      state_[c] = after_min[state_[c]];
    }
    renormalize();
  }
  void put_even(bool bin) {
    low_ *= 2;
    if (bin) low_ += range_;
    if (low_ >= 1024) {
      put_bit(true);
      low_ -= 1024;
    } else if (low_ < 512) {
      put_bit(false);
    } else {
      low_ -= 512;
      ++outstanding_;
    }
  }
  void put_end(bool end) {
    range_ -= 2;
    if (!end) return renormalize();
    low_ += range_;
    range_ = 2;
    renormalize();
    put_bit((low_ >> 9 & 1) != 0);
    write((low_ >> 8 & 1) != 0);
    write(true);
    low_ = 0, range_ = 510, first_ = true;
    while (bits_.size() % 8 != 0) bits_.push_back(false);
  }
  void put_pixels(const Bytes& bytes) {
    for (const int byte : bytes)
      for (int k = 7; k >= 0; --k) bits_.push_back((byte >> k & 1) != 0);
  }

  int outstanding() const { return outstanding_; }
  Bytes bytes() const {
    Bytes bytes(bits_.size() / 8);
    for (std::size_t i = 0; i < bits_.size(); ++i)
      bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] | bits_[i] << (7 - i % 8));
    return bytes;
  }

 private:
  void renormalize() {
    for (; range_ < 256; range_ *= 2, low_ *= 2) {
      if (low_ < 256) {
        put_bit(false);
      } else if (low_ >= 512) {
        low_ -= 512;
        put_bit(true);
      } else {
        low_ -= 256;
        ++outstanding_;
      }
    }
  }
  void put_bit(bool bit) {
    if (!first_) write(bit);
    first_ = false;
    for (; outstanding_ > 0; --outstanding_) write(!bit);
  }
  void write(bool bit) { bits_.push_back(bit); }

  bool likely_[contexts];
  int state_[contexts], low_ = 0, range_ = 510, outstanding_ = 0;
  bool first_ = true;
  std::vector<bool> bits_;
};

// Both encoders, given the same.
class Pair {
 public:
  Pair(bool intra, int qp, std::size_t room)
      : room_(room), states_(intra, qp), coder_(states_, room_.data()), reference_(intra, qp) {}

  void put(int c, bool bin) {
    coder_.put(place_of_context(c), bin);
    reference_.put(c, bin);
    ++bins_;
  }
  void put_even(std::uint32_t value, int count) {
    coder_.put_even(value, count);
    for (int k = count - 1; k >= 0; --k) reference_.put_even((value >> k & 1) != 0);
    bins_ += count;
  }
  void put_end(bool end) {
    coder_.put_end(end);
    reference_.put_end(end);
    ++bins_;
  }
  void put_pixels(const Bytes& bytes) {
    coder_.put_pixels(bytes.data(), bytes.size());
    reference_.put_pixels(bytes);
  }
  // After put_end(true).
  void compare() const {
    EXPECT_EQ(coder_.bins(), bins_);
    EXPECT_EQ(Bytes(room_.data(), static_cast<const std::uint8_t*>(coder_.to())), reference_.bytes());
  }
  const Reference& reference() const { return reference_; }

 private:
  Bytes room_;
  CabacContexts states_;
  CabacEncoder coder_;
  Reference reference_;
  std::int64_t bins_ = 0;
};

// Contexts that slices use: bits that follow their statistics, and such that do not.
TEST(Cabac, BytesAreThoseOfTheStandardsFlowCharts) {
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    Pair pair(round % 2 == 0, below(52), 400000);
    const int one_in = 1 << below(8), few = 1 + below(contexts), bins = below(20000);
    for (int k = 0; k < bins; ++k) {
      const int what = below(64), count = below(17);
      if (what < 40)
        pair.put(below(few), below(one_in) == 0);
      else if (what < 63)
        pair.put_even(random() & ((1u << count) - 1), count);
      else if (below(8) > 0)
        pair.put_end(false);
      else {
        pair.put_end(true);
        pair.put_pixels(Bytes(static_cast<std::size_t>(below(400)), static_cast<std::uint8_t>(below(256))));
      }
    }
    pair.put_end(true);
    pair.compare();
  }
}

// Bits that a carry may still change, as many as there can be: each bin is chosen so that one more of them waits.
TEST(Cabac, CarriesReachBackAsFarAsTheyMust) {
  for (const int waiting : {31, 32, 33, 64, 1000, 20000})
    for (const bool carry : {false, true}) {
      Pair pair(true, 26, 10000);
      pair.put_even(5, 4);
      while (pair.reference().outstanding() < waiting) {
        Reference guess = pair.reference();
        guess.put_even(false);
        pair.put_even(guess.outstanding() > pair.reference().outstanding() ? 0 : 1, 1);
      }
      while (pair.reference().outstanding() > 0) pair.put_even(carry, 1);
      for (int k = 0; k < 4; ++k) pair.put_even(5, 16);
      pair.put_end(true);
      pair.compare();
    }
}

}  // namespace
}  // namespace simreel::h264
