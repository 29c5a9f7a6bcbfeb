#pragma once
// Bits of a stream, the most significant first, written by the host: parameter sets, slice headers, NAL units
// (ITU-T H.264, 7.2, 7.3.1, 9.1).

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simreel {

class BitString {
 public:
  // The lowest `count` bits of `value`, 0 <= count <= 32.
  void put(std::uint32_t value, int count) {
    for (int i = count - 1; i >= 0; --i, ++count_) {
      if (count_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | (value >> i & 1) << (7 - count_ % 8));
    }
  }
  void unsigned_golomb(std::uint32_t value) {  // ue(v), below 2^32 - 1
    const int length = std::bit_width(value + 1);
    put(0, length - 1);
    put(value + 1, length);
  }
  void signed_golomb(std::int32_t value) {  // se(v)
    unsigned_golomb(value > 0 ? 2 * static_cast<std::uint32_t>(value) - 1 : 2 * static_cast<std::uint32_t>(-value));
  }
  void end() { put(1, 1); }  // rbsp_stop_one_bit; the rest of the byte is zero anyway

  int count() const { return count_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
  int count_ = 0;
};

// Appends a NAL unit: a start code of four bytes, the header, and the payload with bytes inserted (emulation
// prevention), so that no start code occurs in it.
void append_nal_unit(std::vector<std::uint8_t>& to, std::uint8_t header, const std::uint8_t* payload, std::size_t size);

}  // namespace simreel
