#include "compare/picture.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "base/error.h"
#include "base/input_file.h"
#include "files/part_file.h"
#include "files/pattern.h"
#include "sink/picture/png_encode.h"

namespace simreel {

std::string read_file(const std::filesystem::path& path, std::uint64_t max) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) throw UsageError("{}: no such file", path.string());
  if (kind == std::filesystem::file_type::directory) {
    throw UsageError("{}: a folder where a file is expected", path.string());
  }
  if (const std::string why = refusal_to_read(path); !why.empty()) throw UsageError("{}: {}", path.string(), why);
  if (std::filesystem::file_size(path, error) > max && !error)
    throw UsageError("{}: has more than {} bytes, the limit for such a file", path.string(), max);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  for (std::array<char, 1 << 16> piece; file && !file.eof();) {
    file.read(piece.data(), piece.size());
    bytes.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof()) throw UsageError("{}: cannot be read: {}", path.string(), std::strerror(errno));
  return bytes;
}

bool is_jpeg(const std::filesystem::path& path) {
  const std::string extension = extension_of(path.string());
  return extension == ".jpg" || extension == ".jpeg";
}

Picture read_picture(const std::filesystem::path& path) { return decode_png(read_file(path), path.string()); }

void write_picture(const std::filesystem::path& path, const Picture& picture) {
  PartFile file(path, true);
  if (std::ranges::all_of(picture.pixels, [](const Color& c) { return c.a == 255; })) {
    std::vector<std::byte> rgb;
    rgb.reserve(3 * picture.pixels.size());
    for (const Color& c : picture.pixels) rgb.insert(rgb.end(), {std::byte(c.r), std::byte(c.g), std::byte(c.b)});
    file.write(encode_png(picture.size, PixelLayout::rgb, rgb.data(), {}));
  } else {
    const auto* bytes = reinterpret_cast<const std::byte*>(picture.pixels.data());
    file.write(encode_png(picture.size, PixelLayout::rgba, bytes, {}));
  }
  file.commit();
}

}  // namespace simreel
