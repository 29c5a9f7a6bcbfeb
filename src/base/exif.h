#pragma once
// How a camera was held: JPEGs say by which turn their pixels are to be shown.

#include <cstddef>
#include <filesystem>
#include <vector>

#include "base/pixels.h"

namespace simreel {

// The orientation of a JPEG's EXIF data, 1 (as stored) to 8; 1 for all other files.
int exif_orientation(const std::filesystem::path&);

// The pixels as they are to be shown, and the size that they have then.
template <class Pixel>
std::vector<Pixel> upright(std::vector<Pixel> stored, Size& size, int orientation) {
  if (orientation <= 1 || stored.empty()) return stored;
  const int w = size.width, h = size.height;
  if (orientation >= 5) size = {h, w};
  std::vector<Pixel> shown;
  shown.reserve(stored.size());
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      int column = orientation >= 5 ? y : x, row = orientation >= 5 ? x : y;
      if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) column = w - 1 - column;
      if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) row = h - 1 - row;
      shown.push_back(
          stored[static_cast<std::size_t>(row) * static_cast<std::size_t>(w) + static_cast<std::size_t>(column)]);
    }
  return shown;
}

}  // namespace simreel
