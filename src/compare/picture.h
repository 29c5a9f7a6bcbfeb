#pragma once
// Pictures in host memory, from PNG files and back.

#include <filesystem>
#include <string>
#include <vector>

#include "base/pixels.h"

namespace simreel {

struct Picture {
  Size size;
  std::vector<Color> pixels;  // size.width * size.height; rows from the top
  // The pixels before they were rounded, where the source has 16 bits a channel; otherwise empty.
  std::vector<DeepColor> deep = {};
  bool rounded = false;  // its source has channels of more than 8 bits

  const Color& at(int x, int y) const { return pixels[std::size_t(y) * std::size_t(size.width) + std::size_t(x)]; }
  Color& at(int x, int y) { return pixels[std::size_t(y) * std::size_t(size.width) + std::size_t(x)]; }
};

// A PNG of any kind the format knows: gray, RGB, palette, with and without alpha, 1 to 16 bits, interlaced or not.
// 16 bits are kept, and rounded to 8 beside it; gamma and colour profiles are not applied. Throws UsageError that names
// the file and the reason where it is missing, unreadable, not a PNG, damaged (checksums are verified) or cut short.
Picture read_picture(const std::filesystem::path&);

// The same of a file's bytes; `name` stands in errors.
Picture decode_png(const std::string& bytes, const std::string& name);

// All bytes of a file. Throws UsageError where there is none, it is a folder, or it cannot be read.
std::string read_file(const std::filesystem::path&);

// An RGB PNG, or RGBA where some pixel is not opaque. The bytes depend on the picture alone. Creates missing folders
// and replaces a file that is there, as a whole. Throws UsageError where the file cannot be made and RuntimeError where
// writing fails.
void write_picture(const std::filesystem::path&, const Picture&);

}  // namespace simreel
