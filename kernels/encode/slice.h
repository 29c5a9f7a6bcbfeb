#pragma once
// The entropy coder: from a picture as it crossed the bus (packed.h) to the bytes of its slice, by CABAC (ITU-T H.264,
// 7.3.4, 7.3.5, 9.3). One thread of the host; any number of pictures at once.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simreel {

struct CodedSlice {
  std::vector<std::uint8_t> bytes;  // from the slice's header to its stop bit, without emulation prevention
  std::int64_t bins = 0;            // in them, by which a decoder's work is bounded (7.4.2.10)
};

// `slot`: as the encoder has filled it.
CodedSlice code_slice(const std::byte* slot);

// How many cabac_zero_words must follow a NAL unit of `bytes` bytes with so many bins and macroblocks.
std::int64_t cabac_zero_words(std::int64_t bytes, std::int64_t bins, std::int64_t macroblocks);

}  // namespace simreel
