#pragma once
// Pictures in pages, as PDF and PostScript have them. The bytes depend on libdeflate.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pixels.h"

namespace simreel {

std::string compressed(std::string_view bytes);  // zlib

// A picture without its opacity: zlib of rows, each after the number of its filter, which is predictor 15 of PDF and
// PostScript. Of few colours a pixel is the number of one in `palette`, otherwise red, green and blue, 8 bits each.
struct PackedImage {
  std::string bytes;
  std::vector<Color> palette;  // empty: none
  int channels() const { return palette.empty() ? 3 : 1; }
};
PackedImage packed_image(std::span<const Color>, int columns);
std::string packed_opacity(std::span<const Color>, int columns);  // the same of one channel

}  // namespace simreel
