#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace simreel
