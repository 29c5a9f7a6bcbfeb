#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/pixels.h"

namespace simreel {

// As long as there is one, this thread reads images of so many pixels at most, all together; also within another one.
class ImageCount {
 public:
  explicit ImageCount(std::uint64_t max);
  ~ImageCount();
  ImageCount(const ImageCount&) = delete;

 private:
  friend std::string refusal_to_count(std::uint64_t pixels);
  const std::uint64_t max_;
  std::uint64_t pixels_ = 0;
  ImageCount* const outer_;
};

// Grey levels of a picture, 0 black to 1 white, row 0 at the top. Colours count by their luminance, and transparent
// pixels as white.
struct GreyImage {
  int width = 0, height = 0;
  std::vector<float> level;

  double at(int column, int row) const {
    return level[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)];
  }
};

// Reads a PNG, JPEG, BMP or another format of stb_image, of 8 or 16 bits, a JPEG turned as its EXIF data say. Nullopt
// with the reason if it cannot.
std::optional<GreyImage> read_grey_image(const std::string& file, std::string& reason);

// What to say of a picture that is stretched over so many cells of other proportions; empty if they are its own.
std::string stretch_in_words(const std::string& file, Size pixels, double cells_x, double cells_y);

// The pixels of a picture with 8 bits per channel: red, green, blue and alpha, row 0 at the top.
struct ColorImage {
  int width = 0, height = 0;
  std::vector<Color> pixels;  // [height][width]
};
// The same for one of these.
std::optional<ColorImage> read_color_image(const std::string& file, std::string& reason);

// How a camera was held: JPEGs say by which turn their pixels are to be shown.
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
