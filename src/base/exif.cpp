#include "base/exif.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace simreel {
namespace {

constexpr std::size_t head_bytes = std::size_t{1} << 20;  // EXIF data stands before the picture

// An unsigned number of some bytes; 0 beyond the end.
std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t count, bool big) {
  if (at > bytes.size() || bytes.size() - at < count) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + (big ? i : count - 1 - i)]);
  return value;
}

// Of a TIFF header with its first directory.
int orientation_in(std::string_view tiff) {
  const bool big = tiff.starts_with("MM");
  if (!big && !tiff.starts_with("II")) return 1;
  const std::size_t directory = number(tiff, 4, 4, big), entries = number(tiff, directory, 2, big);
  for (std::size_t i = 0; i < entries; ++i)
    if (const std::size_t entry = directory + 2 + 12 * i; number(tiff, entry, 2, big) == 0x0112) {
      const std::uint32_t value = number(tiff, entry + 8, 2, big);
      return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
  return 1;
}

}  // namespace

int exif_orientation(const std::filesystem::path& file) {
  std::string bytes(head_bytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const std::string_view head(bytes.data(), static_cast<std::size_t>(in.gcount()));
  if (!head.starts_with("\xff\xd8")) return 1;
  for (std::size_t at = 2; at + 4 <= head.size() && head[at] == '\xff';) {
    const std::string_view segment = head.substr(at + 4, number(head, at + 2, 2, true) - std::size_t{2});
    if (head[at + 1] == '\xe1' && segment.starts_with(std::string_view("Exif\0\0", 6)))
      return orientation_in(segment.substr(6));
    if (head[at + 1] == '\xda') return 1;  // pixels
    at += 2 + std::max(number(head, at + 2, 2, true), std::uint32_t{2});
  }
  return 1;
}

}  // namespace simreel
