#pragma once
// The cells that each pixel of a row or column shows, and with which weights. Along an axis with more pixels than cells
// values are interpolated between the nearest cell centres; along one with fewer they are averaged over the cells that
// a pixel covers, weighted by the covered part.

#include <cstddef>
#include <cstdint>

namespace simreel {

// The weights of the cells for the pixels of one axis. Pixel i is the sum
//   first_weight[i] * cell[first[i]] + unit * (the cells between) + last_weight[i] * cell[last[i]]
// divided by `total`. All weights are positive integers, so an infinite or NaN cell affects exactly the pixels that it
// is part of; a pixel of a single cell has first == last and half of `total` on each.
struct AxisSamples {
  const std::int32_t *first = nullptr, *last = nullptr, *first_weight = nullptr, *last_weight = nullptr;
  int pixels = 0;
  bool average = false;  // the axis shrinks; otherwise last <= first + 1
  double unit = 0, total = 1;
  double length = 0;    // cells under all pixels
  bool copied = false;  // pixel i shows cell i alone
};

// The part of an axis of `cells` cells that is seen, which may begin and end within a cell.
struct AxisPart {
  static constexpr int max_parts = 1 << 14;  // of a cell: so many that weights are less than 2^30

  int cells, parts = 1;            // parts of a cell: a power of two
  std::int64_t first = 0, length;  // counted in parts; inside the axis, length > 0
  AxisPart(int all = 0) : cells(all), length(all) {}
  AxisPart(int all, double from, double count);                        // in cells; rounded to 1 / max_parts of one
  double begin() const { return static_cast<double>(first) / parts; }  // in cells, as `count`
  double count() const { return static_cast<double>(length) / parts; }
  bool operator==(const AxisPart&) const = default;
};

// Number of entries of the table of an axis.
constexpr std::size_t axis_table_size(int pixels) { return 4 * static_cast<std::size_t>(pixels); }
// Fills a table in host memory. Integer arithmetic: no drift along an axis of any length. `nearest`: each pixel shows
// the cell at its centre and no other one.
void fill_axis_table(const AxisPart&, int pixels, std::int32_t* table, bool nearest = false);
// The samples of an axis whose table is at `table` in executor memory.
AxisSamples axis_samples(const AxisPart&, int pixels, const std::int32_t* table, bool nearest = false);

// Bytes of scratch memory for sums over the columns of a field of nx columns: 8 MiB up to a million columns.
std::size_t means_scratch_bytes(int nx);

}  // namespace simreel
