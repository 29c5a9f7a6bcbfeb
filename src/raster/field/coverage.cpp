#include "raster/field/coverage.h"

#include <algorithm>
#include <cstddef>

namespace simreel {
namespace {

constexpr int lines = 64;  // per row of pixels

// The covered parts of one row of pixels, summed over its lines.
class RowSum {
 public:
  explicit RowSum(int width) : parts_(static_cast<std::size_t>(width) + 1), steps_(parts_.size()) {}

  // Adds a span of the row, 0 <= low < high <= width.
  void add(double low, double high) {
    const std::size_t first = static_cast<std::size_t>(low), last = static_cast<std::size_t>(high);
    if (first == last) {
      parts_[first] += high - low;
      return;
    }
    parts_[first] += static_cast<double>(first + 1) - low;
    parts_[last] += high - static_cast<double>(last);
    ++steps_[first + 1];
    --steps_[last];
  }

  // Writes the codes of the row and starts the next one.
  void write(std::uint8_t* codes) {
    int whole = 0;
    for (std::size_t x = 0; x + 1 < parts_.size(); ++x) {
      whole += steps_[x];
      const double covered = std::min((whole + parts_[x]) / lines, 1.0);
      codes[x] = static_cast<std::uint8_t>(1 + static_cast<int>(254 * covered + 0.5));
    }
    std::ranges::fill(parts_, 0.0);
    std::ranges::fill(steps_, 0);
  }

 private:
  std::vector<double> parts_;  // of pixels that a span covers in part
  std::vector<int> steps_;     // where whole pixels begin (+1) and end (-1)
};

}  // namespace

std::vector<std::uint8_t> coverage_codes(const Outline& outline, const AxisPart& columns, const AxisPart& rows,
                                         Size size) {
  const double nx = columns.count(), ny = rows.count(), left = columns.begin(), below = rows.begin();
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height), 1);
  std::vector<const Outline::Shape*> waiting, met;  // from the top; those that the current line meets
  for (const Outline::Shape& shape : outline.shapes) waiting.push_back(&shape);
  std::ranges::stable_sort(waiting, std::ranges::greater(), &Outline::Shape::bottom);
  RowSum sum(size.width);
  std::vector<Outline::Span> spans;
  for (int up = 0; up < size.height; ++up) {
    bool empty = true;
    for (int line = 0; line < lines; ++line) {
      const double at = (static_cast<double>(up) * lines + line + 0.5) / (static_cast<double>(size.height) * lines);
      const double y = below + at * ny - 0.5;
      for (; !waiting.empty() && waiting.back()->bottom <= y; waiting.pop_back()) met.push_back(waiting.back());
      std::erase_if(met, [&](const Outline::Shape* shape) { return shape->top < y; });
      spans.clear();
      for (const Outline::Shape* shape : met) shape->cut(y, spans);
      std::ranges::sort(spans, {}, &Outline::Span::low);
      double end = 0;  // of the union so far, in pixels
      for (const auto& [low, high] : spans) {
        const auto pixel = [&](double x) {
          return std::clamp((x - left + 0.5) * size.width / nx, 0.0, static_cast<double>(size.width));
        };
        const double from = std::max(pixel(low), end), to = pixel(high);
        if (!(from < to)) continue;
        sum.add(from, to);
        end = to;
        empty = false;
      }
    }
    if (empty) continue;
    sum.write(codes.data() + static_cast<std::ptrdiff_t>(size.height - 1 - up) * size.width);
  }
  return codes;
}

}  // namespace simreel
