#include "base/input_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string_view>
#include <utility>

#include "base/input_file.h"
#include "base/limits.h"

namespace simreel {
namespace {

// Memory that one block of a picture may take, which stb_image does not limit: compressed data of any length may follow
// a small header.
thread_local std::size_t max_bytes = 0;
thread_local bool asked_for_more = false;
thread_local ImageCount* counting = nullptr;

void* resized(void* block, std::size_t bytes) {
  if (bytes <= max_bytes) return std::realloc(block, bytes);
  asked_for_more = true;
  return nullptr;
}

}  // namespace
}  // namespace simreel

#define STBI_MALLOC(bytes) simreel::resized(nullptr, bytes)
#define STBI_REALLOC(block, bytes) simreel::resized(block, bytes)
#define STBI_FREE(block) std::free(block)
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_FAILURE_USERMSG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace simreel {

ImageCount::ImageCount(std::uint64_t max) : max_(max), outer_(counting) { counting = this; }
ImageCount::~ImageCount() { counting = outer_; }

// Counts an image. Why it is one too many; empty: it is not.
std::string refusal_to_count(std::uint64_t pixels) {
  for (ImageCount* count = counting; count; count = count->outer_)
    if (count->pixels_ += pixels; count->pixels_ > count->max_)
      return fmt::format(
          "with this one the images have {} pixels together; the limit is {}: take smaller ones, or each only once",
          count->pixels_, count->max_);
  return "";
}

namespace {

// Why a file that stb_image does not know is none of its kinds, and a way out.
std::string words_for_unknown(const std::string& file, const std::string& words) {
  std::string head(16, '\0');
  std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  const auto is = [&](std::size_t at, std::string_view sign) { return head.compare(at, sign.size(), sign) == 0; };
  const char* const kind = is(0, "II*") || is(0, "MM") || is(0, "II+") ? "a TIFF"
                           : is(0, "RIFF") && is(8, "WEBP")            ? "a WebP"
                           : is(4, "ftypavif")                         ? "an AVIF"
                           : is(4, "ftyp")                             ? "a HEIF"
                           : is(0, "%PDF")                             ? "a PDF"
                           : is(0, "<svg") || is(0, "<?xml")           ? "an SVG"
                                                                       : nullptr;
  if (!kind) return words;
  return fmt::format("it is {}, and PNG, JPEG, BMP, GIF, TGA, PNM and PSD are read; convert it: magick {} {}", kind,
                     file, std::filesystem::path(file).replace_extension(".png").string());
}

// Calls one of stb_image's functions, with four channels.
template <class Pixel, class Load>
std::unique_ptr<Pixel, void (*)(void*)> load(const std::string& file, const Load& function, Size& size,
                                             std::string& reason) {
  std::unique_ptr<Pixel, void (*)(void*)> pixels(nullptr, stbi_image_free);
  if (reason = refusal_to_read(file); !reason.empty()) return pixels;
  int channels = 0;
  max_bytes = std::size_t{1} << 24;  // tables of a decoder
  if (stbi_info(file.c_str(), &size.width, &size.height, &channels) == 0) {
    reason = words_for_unknown(file, stbi_failure_reason());
    return pixels;
  }
  const auto count = static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  if (count > limits::image_pixels) {
    reason = fmt::format("it has {} x {} pixels; the limit is {}", size.width, size.height, limits::image_pixels);
    return pixels;
  }
  if (reason = refusal_to_count(count); !reason.empty()) return pixels;
  // No kind packs more than 8800 pixels into a byte (Deflate 1032 bytes, of a bit each); a damaged header may claim so,
  // and each pixel would cost time.
  std::error_code error;
  if (count / 8800 > std::filesystem::file_size(file, error) && !error) {
    reason = fmt::format("it has {} x {} pixels, and the file is too short for them", size.width, size.height);
    return pixels;
  }
  // Four channels of 16 bits; what is unpacked may grow to twice of what it needs, and each row has a byte more.
  max_bytes = (std::size_t{1} << 20) + 17 * count + 2 * static_cast<std::size_t>(size.height);
  asked_for_more = false;
  pixels.reset(function(file.c_str(), &size.width, &size.height, &channels, 4));
  if (!pixels) reason = asked_for_more ? "it unpacks to more than its size needs" : stbi_failure_reason();
  return pixels;
}

}  // namespace

std::optional<GreyImage> read_grey_image(const std::string& file, std::string& reason) {
  Size size;
  const auto pixels = load<stbi_us>(file, stbi_load_16, size, reason);
  if (!pixels) return {};
  GreyImage image{size.width, size.height, {}};
  const std::ptrdiff_t count = std::ptrdiff_t{size.width} * size.height;
  image.level.reserve(static_cast<std::size_t>(count));
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const stbi_us* const pixel = pixels.get() + 4 * i;
    const double opaque = (0.2126 * pixel[0] + 0.7152 * pixel[1] + 0.0722 * pixel[2]) / 65535,
                 alpha = pixel[3] / 65535.0;
    image.level.push_back(static_cast<float>(alpha * opaque + 1 - alpha));
  }
  image.level = upright(std::move(image.level), size, exif_orientation(file));
  image.width = size.width, image.height = size.height;
  return image;
}

std::string stretch_in_words(const std::string& file, Size pixels, double cells_x, double cells_y) {
  constexpr double most = 1.05;
  const double ratio = (cells_x / cells_y) / (static_cast<double>(pixels.width) / pixels.height);
  if (ratio < most && 1 / ratio < most) return "";
  const double keep_x = ratio > 1 ? cells_x / ratio : cells_x, keep_y = ratio > 1 ? cells_y : cells_y * ratio;
  return fmt::format(
      "{} has {} x {} pixels and is stretched over {:.0f} x {:.0f} cells; {:.0f} x {:.0f} would keep its proportions",
      file, pixels.width, pixels.height, cells_x, cells_y, std::max(keep_x, 1.0), std::max(keep_y, 1.0));
}

std::optional<ColorImage> read_color_image(const std::string& file, std::string& reason) {
  Size size;
  const auto pixels = load<stbi_uc>(file, stbi_load, size, reason);
  if (!pixels) return {};
  const auto* const first = reinterpret_cast<const Color*>(pixels.get());
  std::vector<Color> image = upright(std::vector<Color>(first, first + std::ptrdiff_t{size.width} * size.height), size,
                                     exif_orientation(file));
  return ColorImage{size.width, size.height, std::move(image)};
}

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
