#pragma once
// Pixels -> the bytes of a PNG file.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/pixels.h"
#include "sink/sink.h"

namespace simreel {

// A whole PNG file. `layout` is rgb or rgba with 8 or 16 bits per channel; each tag becomes an uncompressed iTXt chunk.
// Of the filters none, sub and up, it uses the one that compresses a sample of the rows best. The bytes depend on the
// arguments and libdeflate alone. Throws UsageError for more than 2 GiB of pixels and RuntimeError if memory runs out.
// Any thread may call it. `dpi`: pixels per inch in print, written as a pHYs chunk; 0: not written.
enum class PngEffort { fast, small };  // small: a fifth smaller in ten times as long
std::string encode_png(Size, PixelLayout layout, const std::byte* pixels, const Tags&, double dpi = 0,
                       PngEffort = PngEffort::fast);

// What an IDAT chunk holds, which is predictor 15 of PDF and PostScript, too: rows from the top, each after the number
// of its filter, compressed. `pixel_bytes`: of one pixel. Throws RuntimeError if memory runs out.
std::string png_rows(std::string_view samples, std::size_t row_bytes, std::size_t pixel_bytes, PngEffort);

// Throws UsageError, starting with `place`, if encode_png would.
void refuse_large_png(Size, PixelLayout, const std::string& place);

// Building blocks of PNG files, for animated pictures too.
inline constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n";
inline constexpr std::size_t png_chunk_frame = 12;  // bytes of a chunk beside its contents: length, name and checksum

std::string big_endian(std::uint64_t value, int bytes);

void append_png_chunk(std::string& file, std::string_view name, std::string_view contents);

// Signature, IHDR for a layout of encode_png or, if `indexed`, numbers of one byte, pHYs for `dpi` > 0, and each tag as
// an uncompressed iTXt chunk.
std::string png_head(Size, PixelLayout layout, const Tags&, double dpi = 0, bool indexed = false);

}  // namespace simreel
