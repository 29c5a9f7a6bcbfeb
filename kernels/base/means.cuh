#pragma once
// The mean of a field over the cells of a pixel, from AxisSamples.

#include <algorithm>
#include <cstddef>

#include "kernels/base/axis_samples.h"
#include "kernels/base/launch.h"
#include "kernels/base/view.h"

namespace simreel {

// The general case in two stages. First, for a band of pixel rows in full grid width, the weighted sums of cells along
// y; ...
template <class Real>
struct SumColumns {
  FieldView<Real> field;
  AxisSamples rows;
  double offset;
  double* sums;
  int top;  // pixel row of the band's first

  HD double cell(int x, int y) const {
    return static_cast<double>(field.value[static_cast<std::size_t>(y) * field.pitch + static_cast<std::size_t>(x)]) -
           offset;
  }
  HD void operator()(int x, int y) const {
    const int up = rows.pixels - 1 - (top + y), first = rows.first[up], last = rows.last[up];
    double between = 0;
    for (int k = first + 1; k < last; ++k) between += cell(x, k);
    sums[static_cast<std::ptrdiff_t>(y) * field.nx + x] = weigh(x, up, between);
  }
  HD double weigh(int x, int up, double between) const {
    return cell(x, rows.first[up]) * rows.first_weight[up] + cell(x, rows.last[up]) * rows.last_weight[up] +
           between * rows.unit;
  }

  // Row by row, for the same reason as in reduce.h.
  void span(int x0, int x1, int y) const {
    constexpr int block = 512;
    const int up = rows.pixels - 1 - (top + y);
    double* const row = sums + static_cast<std::ptrdiff_t>(y) * field.nx;
    for (int left = x0; left < x1; left += block) {
      const int right = std::min(left + block, x1);
      std::fill(row + left, row + right, 0.0);
      for (int k = rows.first[up] + 1; k < rows.last[up]; ++k) {
        SIMREEL_INDEPENDENT
        for (int x = left; x < right; ++x) row[x] += cell(x, k);
      }
      SIMREEL_INDEPENDENT
      for (int x = left; x < right; ++x) row[x] = weigh(x, up, row[x]);
    }
  }
};

// ... then the weighted sums of each such row along x.
struct Summed {
  const double* sums;
  int nx;
  AxisSamples columns;
  double inverse_total;

  HD double operator()(int x, int y) const {
    const double* const row = sums + static_cast<std::ptrdiff_t>(y) * nx;
    const int first = columns.first[x], last = columns.last[x];
    double between = 0;
    for (int k = first + 1; k < last; ++k) between += row[k];
    return (row[first] * columns.first_weight[x] + row[last] * columns.last_weight[x] + between * columns.unit) *
           inverse_total;
  }
};

// Calls draw(Summed, top, height) for bands of the rows of pixels, whose sums fit into `scratch` (means_scratch_bytes).
template <class Real, class Draw>
void for_bands(const Executor& executor, const FieldView<Real>& field, const AxisSamples& columns,
               const AxisSamples& rows, double offset, void* scratch, const Draw& draw) {
  double* const sums = static_cast<double*>(scratch);
  const Summed sample{sums, field.nx, columns, 1 / (columns.total * rows.total)};
  const int band =
      static_cast<int>(means_scratch_bytes(field.nx) / sizeof(double) / static_cast<std::size_t>(field.nx));
  for (int top = 0; top < rows.pixels; top += band) {
    const int height = std::min(band, rows.pixels - top);
    parallel_for(executor, "average the field", {field.nx, height}, SumColumns<Real>{field, rows, offset, sums, top});
    draw(sample, top, height);
  }
}

// The weighted fluid cells of a pixel.
template <class Real>
struct FluidCells {
  FieldView<Real> field;
  AxisSamples columns, rows;
  double offset;

  struct Sum {
    double values = 0, weights = 0;
  };

  HD static double weight(const AxisSamples& axis, int pixel, int cell) {
    const int first = axis.first[pixel], last = axis.last[pixel];
    if (cell != first && cell != last) return axis.unit;
    return (cell == first ? axis.first_weight[pixel] : 0.0) + (cell == last ? axis.last_weight[pixel] : 0.0);
  }

  HD Sum operator()(int x, int y) const {
    const int up = rows.pixels - 1 - y;
    Sum sum;
    for (int row = rows.first[up]; row <= rows.last[up]; ++row) {
      const double row_weight = weight(rows, up, row);
      for (int column = columns.first[x]; column <= columns.last[x]; ++column) {
        const std::size_t place = static_cast<std::size_t>(row) * field.pitch + static_cast<std::size_t>(column);
        if (field.cell[place] < 0) continue;
        const double share = row_weight * weight(columns, x, column);
        sum.values += share * (static_cast<double>(field.value[place]) - offset);
        sum.weights += share;
      }
    }
    return sum;
  }
};

}  // namespace simreel
