#pragma once
// Building blocks of PNG files, for stills and animated pictures.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/pixels.h"
#include "sink/origin.h"

namespace simreel {

inline constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n";
inline constexpr std::size_t png_chunk_frame = 12;  // bytes of a chunk beside its contents: length, name and checksum

std::string big_endian(std::uint64_t value, int bytes);

void append_png_chunk(std::string& file, std::string_view name, std::string_view contents);

// Signature, IHDR for a layout of encode_png, pHYs for `dpi` > 0, and each tag as an uncompressed iTXt chunk.
std::string png_head(Size, PixelLayout layout, const Tags&, double dpi = 0);

}  // namespace simreel
