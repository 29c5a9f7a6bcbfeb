#include "formats/inflate.h"

#include <libdeflate.h>

#include <algorithm>
#include <new>

namespace simreel {

Inflate::Inflate(const FileBytes& file, std::uint64_t at, std::uint64_t packed) : file_(file), at_(at), left_(packed) {
  constexpr int without_header = -MAX_WBITS;
  if (inflateInit2(&stream_, without_header) != Z_OK) throw std::bad_alloc();
}

Inflate::~Inflate() { inflateEnd(&stream_); }

bool Inflate::read(std::span<std::byte> to) {
  constexpr std::size_t at_once = 1 << 20;  // within what zlib counts, and what a cache holds for the checksum
  while (!to.empty()) {
    const std::span<std::byte> part = to.first(std::min(to.size(), at_once));
    stream_.next_out = reinterpret_cast<Bytef*>(part.data());
    stream_.avail_out = static_cast<uInt>(part.size());
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, piece_.size()));
        file_.read(at_, std::span(piece_).first(count));
        at_ += count;
        left_ -= count;
        stream_.next_in = reinterpret_cast<Bytef*>(piece_.data());
        stream_.avail_in = static_cast<uInt>(count);
      }
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result != Z_OK && !(result == Z_STREAM_END && stream_.avail_out == 0)) return false;
    }
    checksum_ = libdeflate_crc32(checksum_, part.data(), part.size());
    to = to.subspan(part.size());
  }
  return true;
}

}  // namespace simreel
