#include "sink/page/compressed.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <new>

namespace simreel {
namespace {

std::string compressed(std::string_view bytes, int level) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string out(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

// Filters of PNG 1.2, 6: a byte as it is, or its difference to the same channel of the pixel at the left, or above.
enum Filter : char { none = 0, sub = 1, up = 2 };

// The first `count` of each `every` rows.
std::string filtered(std::string_view samples, std::size_t row_bytes, std::size_t channels, Filter filter,
                     std::size_t every, std::size_t count) {
  std::string out;
  for (std::size_t y = 0; y * row_bytes < samples.size(); ++y) {
    if (y % every >= count) continue;
    out += filter;
    for (std::size_t i = y * row_bytes; i < (y + 1) * row_bytes; ++i) {
      const bool has_before = filter == sub ? i >= y * row_bytes + channels : filter == up && y > 0;
      out += static_cast<char>(samples[i] - (has_before ? samples[i - (filter == sub ? channels : row_bytes)] : 0));
    }
  }
  return out;
}

// With the filter that is best for an eighth of the rows.
std::string packed(std::string_view samples, std::size_t row_bytes, std::size_t channels) {
  constexpr int level = 9;  // of 12: a fifth smaller than 6, a tenth of a second for a million bytes
  constexpr std::size_t every = 64, sample = 8;
  std::size_t least = SIZE_MAX;
  Filter best = up;
  for (const Filter filter : {up, sub, none})
    if (const std::size_t size =
            compressed(filtered(samples, row_bytes, channels, filter, every, sample), level).size();
        size < least)
      least = size, best = filter;
  return compressed(filtered(samples, row_bytes, channels, best, 1, 1), level);
}

// The colours of a picture by their values; empty if there are more than a byte can number, or if the picture is so
// small that they would take the place that they save.
std::vector<Color> palette_of(std::span<const Color> colors) {
  constexpr std::size_t most = 256, small = 4096;
  if (colors.size() < small) return {};
  const auto before = [](const Color& a, const Color& b) {
    return std::array{a.r, a.g, a.b} < std::array{b.r, b.g, b.b};
  };
  std::vector<Color> palette;
  for (const Color& color : colors) {
    const auto at = std::ranges::lower_bound(palette, color, before);
    if (at != palette.end() && !before(color, *at)) continue;
    if (palette.size() == most) return {};
    palette.insert(at, color);
  }
  return palette;
}

}  // namespace

std::string compressed(std::string_view bytes) { return compressed(bytes, 6); }

PackedImage packed_image(std::span<const Color> colors, int columns) {
  PackedImage image;
  image.palette = palette_of(colors);
  std::string samples;
  samples.reserve(colors.size() * static_cast<std::size_t>(image.channels()));
  std::array<std::uint32_t, 256> keys{};
  const auto key = [](const Color& c) {
    return std::uint32_t{c.r} << 16 | std::uint32_t{c.g} << 8 | std::uint32_t{c.b};
  };
  std::ranges::transform(image.palette, keys.begin(), key);
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(image.palette.size());
  for (const Color& c : colors) {
    if (image.palette.empty())
      samples += {static_cast<char>(c.r), static_cast<char>(c.g), static_cast<char>(c.b)};
    else
      samples += static_cast<char>(std::lower_bound(keys.begin(), end, key(c)) - keys.begin());
  }
  const auto channels = static_cast<std::size_t>(image.channels());
  image.bytes = packed(samples, channels * static_cast<std::size_t>(columns), channels);
  return image;
}

std::string packed_opacity(std::span<const Color> colors, int columns) {
  std::string samples;
  for (const Color& c : colors) samples += static_cast<char>(c.a);
  return packed(samples, static_cast<std::size_t>(columns), 1);
}

}  // namespace simreel
