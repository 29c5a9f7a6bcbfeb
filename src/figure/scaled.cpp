#include "figure/scaled.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace simreel {
namespace {

// The pixels of an axis that a pixel of the other size covers, and how much of each: [first, first + parts.size()), of
// `from` in all.
struct Covered {
  int first = 0;
  std::vector<std::int64_t> parts;
};

Covered covered(int i, int from, int to) {
  const std::int64_t low = std::int64_t{i} * from, high = low + from;  // in parts of which an old pixel has `to`
  Covered result{static_cast<int>(low / to), {}};
  for (std::int64_t k = result.first; k * to < high; ++k)
    result.parts.push_back(std::min(high, (k + 1) * to) - std::max(low, k * to));
  return result;
}

}  // namespace

std::vector<Color> scaled(const std::vector<Color>& pixels, Size from, Size to) {
  std::vector<Covered> columns;
  for (int x = 0; x < to.width; ++x) columns.push_back(covered(x, from.width, to.width));
  std::vector<Color> result;
  result.reserve(static_cast<std::size_t>(to.width) * static_cast<std::size_t>(to.height));
  const std::int64_t area = std::int64_t{from.width} * from.height;
  for (int y = 0; y < to.height; ++y) {
    const Covered rows = covered(y, from.height, to.height);
    for (const Covered& across : columns) {
      std::int64_t r = 0, g = 0, b = 0, a = 0;
      for (std::size_t v = 0; v < rows.parts.size(); ++v) {
        const std::size_t row = (static_cast<std::size_t>(rows.first) + v) * static_cast<std::size_t>(from.width);
        for (std::size_t u = 0; u < across.parts.size(); ++u) {
          const Color& c = pixels[row + static_cast<std::size_t>(across.first) + u];
          const std::int64_t weight = rows.parts[v] * across.parts[u] * c.a;
          r += c.r * weight, g += c.g * weight, b += c.b * weight, a += weight;
        }
      }
      const auto mean = [](std::int64_t sum, std::int64_t by) {
        return static_cast<std::uint8_t>(by == 0 ? 0 : (sum + by / 2) / by);
      };
      result.push_back({mean(r, a), mean(g, a), mean(b, a), mean(a, area)});
    }
  }
  return result;
}

}  // namespace simreel
