#pragma once
// PNGs whose compressed bytes stand for more than their header says, or for much.

#include <libdeflate.h>

#include "base/pixels.h"
#include "tests/support/test.h"

namespace simreel::test {

inline std::string big_endian(std::size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 255);
  return bytes;
}

inline std::string png_chunk(const std::string& type, const std::string& data) {
  const std::string whole = type + data;
  return big_endian(data.size()) + whole + big_endian(libdeflate_crc32(0, whole.data(), whole.size()));
}

inline std::string packed(const std::string& bytes) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> tool(libdeflate_alloc_compressor(1),
                                                                                      libdeflate_free_compressor);
  std::string out(libdeflate_zlib_compress_bound(tool.get(), bytes.size()), '\0');
  out.resize(libdeflate_zlib_compress(tool.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

// Grey; `bytes`: what the pixels unpack to, with a filter byte before each row.
inline std::string packed_png(Size size, int depth, const std::string& bytes, const std::string& extra = "") {
  const std::string header = big_endian(static_cast<std::size_t>(size.width)) +
                             big_endian(static_cast<std::size_t>(size.height)) + static_cast<char>(depth) +
                             std::string(4, '\0');
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + extra + png_chunk("IDAT", packed(bytes)) +
         png_chunk("IEND", "");
}

}  // namespace simreel::test
