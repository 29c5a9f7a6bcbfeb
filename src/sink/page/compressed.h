#pragma once
// Pictures in pages, as PDF and PostScript have them. The bytes depend on libdeflate.

#include <span>
#include <string>
#include <string_view>

#include "base/pixels.h"

namespace simreel {

std::string compressed(std::string_view bytes);  // zlib

// 8 bits per channel, each row after a 2 as the difference to the one above: predictor 15, which compresses well.
// `value(color, channel)` is in [0, 255].
template <class Value>
std::string rows_as_differences(std::span<const Color> colors, int columns, int rows, int channels, Value value) {
  const auto width = static_cast<std::size_t>(columns), count = static_cast<std::size_t>(channels);
  std::string bytes;
  for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y) {
    bytes += '\2';
    for (std::size_t i = 0; i < count * width; ++i) {
      const std::size_t here = y * width + i / count;
      const int above = y == 0 ? 0 : value(colors[here - width], i % count);
      bytes += static_cast<char>(value(colors[here], i % count) - above);
    }
  }
  return bytes;
}
inline int rgb_channel(const Color& c, std::size_t channel) {
  return channel == 0 ? int{c.r} : channel == 1 ? int{c.g} : int{c.b};
}

}  // namespace simreel
