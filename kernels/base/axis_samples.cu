#include "kernels/base/axis_samples.h"

#include <algorithm>

namespace simreel {

void fill_axis_table(int cells, int pixels, std::int32_t* table, bool nearest) {
  const std::int64_t n = cells, m = pixels;
  for (std::int64_t i = 0; i < m; ++i) {
    std::int64_t first, last, first_weight, last_weight;
    if (nearest) {
      first = last = (2 * i + 1) * n / (2 * m);
      first_weight = last_weight = m;
    } else if (m < n) {
      // The pixel covers [i n, (i + 1) n), a cell [k m, (k + 1) m). Weights are doubled, so that every total is even.
      first = i * n / m;
      last = ((i + 1) * n + m - 1) / m - 1;
      first_weight = 2 * ((first + 1) * m - i * n);
      last_weight = 2 * ((i + 1) * n - last * m);
    } else {
      const std::int64_t centre = (2 * i + 1) * n - m;  // from the first cell's centre, in 1 / (2 m) of a cell
      first = centre < 0 ? 0 : centre / (2 * m);
      last_weight = centre < 0 || first >= n - 1 ? 0 : centre % (2 * m);
      last = last_weight > 0 ? first + 1 : first;
      if (last == first) last_weight = m;
      first_weight = 2 * m - last_weight;
    }
    table[i] = static_cast<std::int32_t>(first);
    table[m + i] = static_cast<std::int32_t>(last);
    table[2 * m + i] = static_cast<std::int32_t>(first_weight);
    table[3 * m + i] = static_cast<std::int32_t>(last_weight);
  }
}

AxisSamples axis_samples(int cells, int pixels, const std::int32_t* table, bool nearest) {
  const std::size_t m = static_cast<std::size_t>(pixels);
  AxisSamples samples{table,        table + m,   table + 2 * m, table + 3 * m, pixels, pixels < cells && !nearest,
                      2.0 * pixels, 2.0 * pixels};
  if (samples.average) samples.total = 2.0 * cells;
  return samples;
}

std::size_t means_scratch_bytes(int nx) {
  constexpr std::size_t band_bytes = std::size_t{8} << 20;
  return std::max(band_bytes, static_cast<std::size_t>(nx) * sizeof(double));
}

}  // namespace simreel
