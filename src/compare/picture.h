#pragma once
// Pictures in host memory, read from and written to PNG files.

#include <filesystem>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/pixels.h"

namespace simreel {

struct Picture {
  Size size;
  std::vector<Color> pixels;  // size.width * size.height; rows from the top
  // The pixels before rounding, if the source has 16 bits per channel; otherwise empty.
  std::vector<DeepColor> deep = {};
  bool rounded = false;  // whether the source has channels of more than 8 bits

  const Color& at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) + static_cast<std::size_t>(x)];
  }
  Color& at(int x, int y) {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) + static_cast<std::size_t>(x)];
  }
};

// Reads a PNG of any kind: gray, RGB, palette, with and without alpha, 1 to 16 bits, interlaced or not. Keeps 16 bits
// in addition to the rounded pixels; ignores gamma and colour profiles. Throws UsageError with the file and the reason
// if it is missing, unreadable, not a PNG, damaged (checksums are verified) or truncated.
Picture read_picture(const std::filesystem::path&);

// Whether the name is that of a JPEG; such a picture is read as a video of one frame and turned as its EXIF data say.
bool is_jpeg(const std::filesystem::path&);

// The same for the bytes of a file; `name` appears in errors.
Picture decode_png(const std::string& bytes, const std::string& name);

// All bytes of a file. Throws UsageError if it does not exist, is a folder, or cannot be read.
std::string read_file(const std::filesystem::path&, std::uint64_t max = limits::picture_bytes);

// An RGB PNG, or RGBA if some pixel is not opaque. The bytes depend on the picture alone.
std::string png_bytes(const Picture&);

// Writes it. Creates missing folders and replaces an existing file atomically. Throws UsageError if the file cannot be
// created and RuntimeError if writing fails.
void write_picture(const std::filesystem::path&, const Picture&);

}  // namespace simreel
