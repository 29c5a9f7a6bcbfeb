#pragma once
// Deflated bytes of a file (RFC 1951), unpacked piece by piece: neither side is in memory as a whole.

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/file_bytes.h"

namespace simreel {

class Inflate {
 public:
  // `packed` bytes of the file from `at` on. The file must outlive it. Throws std::bad_alloc.
  Inflate(const FileBytes&, std::uint64_t at, std::uint64_t packed);
  ~Inflate();
  Inflate& operator=(Inflate&&) = delete;

  // The next bytes; false where the packed ones are damaged or end early.
  bool read(std::span<std::byte> to);
  // The CRC-32 of all bytes that were read.
  std::uint32_t checksum() const { return checksum_; }

 private:
  const FileBytes& file_;
  std::uint64_t at_, left_;  // of the packed bytes
  std::uint32_t checksum_ = 0;
  z_stream stream_ = {};
  std::array<std::byte, 1 << 16> piece_;
};

}  // namespace simreel
