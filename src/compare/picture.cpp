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
  if (kind == std::filesystem::file_type::directory)
    throw UsageError("{}: a folder where a file is expected", path.string());
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

std::string png_bytes(const Picture& picture) {
  const bool opaque = std::ranges::all_of(picture.pixels, [](const Color& c) { return c.a == 255; });
  std::vector<std::byte> bytes;
  bytes.reserve(4 * picture.pixels.size());
  for (const Color& c : picture.pixels) {
    bytes.insert(bytes.end(), {std::byte(c.r), std::byte(c.g), std::byte(c.b)});
    if (!opaque) bytes.push_back(std::byte(c.a));
  }
  return encode_png(picture.size, opaque ? PixelLayout::rgb : PixelLayout::rgba, bytes.data(), {});
}

void write_picture(const std::filesystem::path& path, const Picture& picture) {
  PartFile file(path, true);
  file.write(png_bytes(picture));
  file.commit();
}

}  // namespace simreel
