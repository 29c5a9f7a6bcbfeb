#pragma once
// Pictures in pages, as PDF and PostScript have them. The bytes depend on libdeflate.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pixels.h"
#include "sink/sink.h"

namespace simreel {

std::string compressed(std::string_view bytes);  // zlib

// A picture without its opacity, as png_rows has it. Where 256 colours are within two levels of all, as those of maps
// are, a pixel is the number of one in `palette`, otherwise red, green and blue, 8 bits each.
struct PackedImage {
  std::string bytes;
  std::vector<Color> palette;  // empty: none
  int channels() const { return palette.empty() ? 3 : 1; }
  std::string table() const;  // red, green and blue of each colour of the palette
};
PackedImage packed_image(std::span<const Color>, int columns);
std::string packed_opacity(std::span<const Color>, int columns);  // the same of one channel

// A PNG of a packed picture, or of one that is not opaque as encode_png has it.
std::string packed_png(std::span<const Color>, Size, const Tags&, double dpi);

}  // namespace simreel
