#include "sink/page/compressed.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

#include "sink/picture/png_encode.h"

namespace simreel {
namespace {

std::uint32_t key_of(const Color& c) { return std::uint32_t{c.r} << 16 | std::uint32_t{c.g} << 8 | std::uint32_t{c.b}; }

std::array<int, 3> difference(const Color& a, const Color& b) {
  return {std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)};
}

// The numbers of colours, by key_of, in `palette`. The colours of a map lie along a curve; from one to the next, so
// that neighbours in the picture have numbers that differ little, each entry stands for those before and after it that
// are within `limit` levels of it. False where a byte is not enough.
bool number_along_curve(std::span<const Color> curve, int limit, std::vector<Color>& palette,
                        std::unordered_map<std::uint32_t, std::uint8_t>& numbers) {
  palette.clear();
  for (std::size_t i = 0; i < curve.size();) {
    const auto reach = [&](const Color& from, std::size_t k) {
      while (k < curve.size() && std::ranges::max(difference(from, curve[k])) <= limit) ++k;
      return k;
    };
    if (palette.size() == 256) return false;
    palette.push_back(curve[reach(curve[i], i) - 1]);
    for (const std::size_t end = reach(palette.back(), i); i < end; ++i)
      numbers[key_of(curve[i])] = static_cast<std::uint8_t>(palette.size() - 1);
  }
  return true;
}

// Empty if there are too many colours, or if the picture is so small that they would take the place that they save.
std::vector<Color> palette_of(std::span<const Color> colors, std::unordered_map<std::uint32_t, std::uint8_t>& numbers) {
  constexpr std::size_t most = 2048, small = 4096;
  constexpr int most_levels = 2;  // of 255: not visible
  if (colors.size() < small) return {};
  std::vector<Color> curve, palette;
  for (const Color& color : colors) {
    if (!numbers.try_emplace(key_of(color)).second) continue;
    if (curve.size() == most) return {};
    curve.push_back(color);
  }
  std::ranges::sort(curve, {}, key_of);
  for (std::size_t i = 1; i < curve.size(); ++i)  // the nearest comes next
    std::swap(curve[i], *std::ranges::min_element(curve.begin() + static_cast<std::ptrdiff_t>(i), curve.end(), {},
                                                  [&](const Color& color) {
                                                    const auto [r, g, b] = difference(color, curve[i - 1]);
                                                    return r * r + g * g + b * b;
                                                  }));
  for (int limit = 0; limit <= most_levels; ++limit)
    if (number_along_curve(curve, limit, palette, numbers)) return palette;
  return {};
}

}  // namespace

std::string compressed(std::string_view bytes) {
  constexpr int level = 6;  // of 12
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string out(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

PackedImage packed_image(std::span<const Color> colors, int columns) {
  PackedImage image;
  std::unordered_map<std::uint32_t, std::uint8_t> numbers;
  image.palette = palette_of(colors, numbers);
  std::string samples;
  samples.reserve(colors.size() * static_cast<std::size_t>(image.channels()));
  for (const Color& c : colors) {
    if (image.palette.empty())
      samples += {static_cast<char>(c.r), static_cast<char>(c.g), static_cast<char>(c.b)};
    else
      samples += static_cast<char>(numbers.find(key_of(c))->second);
  }
  const auto channels = static_cast<std::size_t>(image.channels());
  image.bytes = png_rows(samples, channels * static_cast<std::size_t>(columns), channels, PngEffort::small);
  return image;
}

std::string PackedImage::table() const {
  std::string text;
  for (const Color& c : palette) text += {static_cast<char>(c.r), static_cast<char>(c.g), static_cast<char>(c.b)};
  return text;
}

std::string packed_opacity(std::span<const Color> colors, int columns) {
  std::string samples;
  for (const Color& c : colors) samples += static_cast<char>(c.a);
  return png_rows(samples, static_cast<std::size_t>(columns), 1, PngEffort::small);
}

std::string packed_png(std::span<const Color> colors, Size size, const Tags& tags, double dpi) {
  if (!std::ranges::all_of(colors, [](const Color& c) { return c.a == 255; }))
    return encode_png(size, PixelLayout::rgba, reinterpret_cast<const std::byte*>(colors.data()), tags, dpi,
                      PngEffort::small);
  const PackedImage image = packed_image(colors, size.width);
  std::string file = png_head(size, PixelLayout::rgb, tags, dpi, !image.palette.empty());
  if (!image.palette.empty()) append_png_chunk(file, "PLTE", image.table());
  append_png_chunk(file, "IDAT", image.bytes);
  append_png_chunk(file, "IEND", "");
  return file;
}

}  // namespace simreel
