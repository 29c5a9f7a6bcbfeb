#include "kernels/base/axis_samples.h"

#include <algorithm>
#include <cmath>

namespace simreel {

AxisPart::AxisPart(int all, double from, double count) : cells(all), parts(max_parts) {
  first = std::llround(from * parts);
  length = std::llround(count * parts);
  for (; parts > 1 && (first | length) % 2 == 0; parts /= 2) first /= 2, length /= 2;
}

void fill_axis_table(const AxisPart& part, int pixels, std::int32_t* table, bool nearest) {
  // In 1 / cell of a cell: the part begins at `begin` and pixel i at begin + i n.
  const std::int64_t m = pixels, n = part.length, cell = m * part.parts, begin = m * part.first;
  for (std::int64_t i = 0; i < m; ++i) {
    std::int64_t first, last, first_weight, last_weight;
    if (nearest) {
      first = last = (2 * (begin + i * n) + n) / (2 * cell);
      first_weight = last_weight = cell;
    } else if (cell < n) {
      // The pixel covers [from, to). Weights are doubled, so that every total is even.
      const std::int64_t from = begin + i * n, to = from + n;
      first = from / cell;
      last = (to + cell - 1) / cell - 1;
      first_weight = 2 * ((first + 1) * cell - from);
      last_weight = 2 * (to - last * cell);
    } else {
      const std::int64_t centre = 2 * (begin + i * n) + n - cell;  // from the first cell's centre, in 1 / (2 cell)
      first = centre < 0 ? 0 : centre / (2 * cell);
      last_weight = centre < 0 || first >= part.cells - 1 ? 0 : centre % (2 * cell);
      last = last_weight > 0 ? first + 1 : first;
      if (last == first) last_weight = cell;
      first_weight = 2 * cell - last_weight;
    }
    table[i] = static_cast<std::int32_t>(first);
    table[m + i] = static_cast<std::int32_t>(last);
    table[2 * m + i] = static_cast<std::int32_t>(first_weight);
    table[3 * m + i] = static_cast<std::int32_t>(last_weight);
  }
}

AxisSamples axis_samples(const AxisPart& part, int pixels, const std::int32_t* table, bool nearest) {
  const std::size_t m = table ? static_cast<std::size_t>(pixels) : 0;
  AxisSamples samples{table, table + m, table + 2 * m, table + 3 * m, pixels};
  samples.length = part.count();
  samples.average = pixels < samples.length && !nearest;
  samples.unit = 2.0 * pixels * part.parts;
  samples.total = samples.average ? 2.0 * static_cast<double>(part.length) : samples.unit;
  samples.copied = part == AxisPart(pixels);
  return samples;
}

std::size_t means_scratch_bytes(int nx) {
  constexpr std::size_t band_bytes = std::size_t{8} << 20;
  return std::max(band_bytes, static_cast<std::size_t>(nx) * sizeof(double));
}

}  // namespace simreel
