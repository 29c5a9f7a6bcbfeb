#pragma once
// The mean of a field over the cells of a pixel, from AxisSamples.

#include <algorithm>
#include <cstddef>

#include "kernels/base/axis_samples.h"
#include "kernels/base/launch.h"
#include "kernels/base/view.h"

namespace simreel {

// The general case in two stages. First, for rows of pixels, the weighted sums of the cells of each column; ...
template <class Real>
struct SumColumns {
  FieldView<Real> field;
  AxisSamples rows;
  double offset;

  HD double cell(int x, int y) const {
    return static_cast<double>(field.value[static_cast<std::size_t>(y) * field.pitch + static_cast<std::size_t>(x)]) -
           offset;
  }
  // Of column x for row y of the pixels, from the top.
  HD double operator()(int x, int y) const {
    const int up = rows.pixels - 1 - y, first = rows.first[up], last = rows.last[up];
    double between = 0;
    for (int k = first + 1; k < last; ++k) between += cell(x, k);
    return weigh(x, up, between);
  }
  HD double weigh(int x, int up, double between) const {
    return cell(x, rows.first[up]) * rows.first_weight[up] + cell(x, rows.last[up]) * rows.last_weight[up] +
           between * rows.unit;
  }
};

// ... then the weighted sums of each such row along x.
struct Summed {
  const double* sums;  // of the columns of the first row of pixels
  int pitch;           // sums from one row of pixels to the next
  AxisSamples columns;
  double inverse_total;

  HD double operator()(int x, int y) const {
    const double* const row = sums + static_cast<std::ptrdiff_t>(y) * pitch;
    const int first = columns.first[x], last = columns.last[x];
    double between = 0;
    for (int k = first + 1; k < last; ++k) between += row[k];
    return (row[first] * columns.first_weight[x] + row[last] * columns.last_weight[x] + between * columns.unit) *
           inverse_total;
  }
};

namespace detail {

// The first stage for a band of rows of pixels.
template <class Real>
struct SumBand {
  SumColumns<Real> column;
  double* sums;
  int top;  // row of pixels of the band's first

  HD void operator()(int x, int y) const {
    sums[static_cast<std::ptrdiff_t>(y) * column.field.nx + x] = column(x, top + y);
  }

  // Row by row, for the same reason as in reduce.h.
  void span(int x0, int x1, int y) const {
    constexpr int block = 512;
    const int up = column.rows.pixels - 1 - (top + y);
    double* const row = sums + static_cast<std::ptrdiff_t>(y) * column.field.nx;
    for (int left = x0; left < x1; left += block) {
      const int right = std::min(left + block, x1);
      std::fill(row + left, row + right, 0.0);
      for (int k = column.rows.first[up] + 1; k < column.rows.last[up]; ++k) {
        SIMREEL_INDEPENDENT
        for (int x = left; x < right; ++x) row[x] += column.cell(x, k);
      }
      SIMREEL_INDEPENDENT
      for (int x = left; x < right; ++x) row[x] = column.weigh(x, up, row[x]);
    }
  }
};

#ifdef __CUDACC__
// On a GPU a block does both stages for a tile, some pixels of a row, with the sums in shared memory.
inline constexpr int tile_threads = 256, tile_columns = 512;

// Pixels of a tile, so that their cells lie in tile_columns columns; 0 if they would be too few.
inline int tile_pixels(int nx, int pixels) {
  const std::int64_t max = std::int64_t{tile_columns - 2} * pixels / nx;
  return max < 4 ? 0 : static_cast<int>(std::min<std::int64_t>(max, tile_threads));
}

template <class Real, class Body>
__global__ void __launch_bounds__(tile_threads)
    draw_tiles(SumColumns<Real> column, Summed sample, int width, int tiles_x, const __grid_constant__ Body body) {
  __shared__ double sums[tile_columns];
  const int left = static_cast<int>(blockIdx.x % tiles_x) * width, y = static_cast<int>(blockIdx.x / tiles_x);
  const int right = min(left + width, sample.columns.pixels), lane = static_cast<int>(threadIdx.x);
  const int first = sample.columns.first[left], end = sample.columns.last[right - 1] + 1;
  for (int x = first + lane; x < end; x += tile_threads) sums[x - first] = column(x, y);
  __syncthreads();
  if (left + lane >= right) return;
  Body drawn = body;
  drawn.sample = sample;
  drawn.sample.sums = sums - first;
  drawn.sample.pitch = 0;  // there is one row of sums
  drawn(left + lane, y);
}
#endif

}  // namespace detail

// Runs body_of(sample, top) for the pixels of a field, in bands of rows or all at once: a functor for parallel_for with
// `sample`, a Summed, as a member, for rows of pixels that are counted from `top`. `scratch`: means_scratch_bytes.
template <class Real, class BodyOf>
void for_means(const Executor& executor, const FieldView<Real>& field, const AxisSamples& columns,
               const AxisSamples& rows, double offset, void* scratch, const BodyOf& body_of) {
  double* const sums = static_cast<double*>(scratch);
  const SumColumns<Real> column{field, rows, offset};
  const Summed sample{sums, field.nx, columns, 1 / (columns.total * rows.total)};
#ifdef __CUDACC__
  if (const int width = detail::tile_pixels(field.nx, columns.pixels);
      executor.backend() == Backend::cuda && width > 0 && rows.pixels > 0) {
    const int tiles_x = (columns.pixels + width - 1) / width;
    detail::draw_tiles<<<static_cast<unsigned>(tiles_x) * static_cast<unsigned>(rows.pixels), detail::tile_threads, 0,
                         executor.stream()>>>(column, sample, width, tiles_x, body_of(sample, 0));
    return check_launch("draw the field");
  }
#endif
  const int band =
      static_cast<int>(means_scratch_bytes(field.nx) / sizeof(double) / static_cast<std::size_t>(field.nx));
  for (int top = 0; top < rows.pixels; top += band) {
    const int height = std::min(band, rows.pixels - top);
    parallel_for(executor, "average the field", {field.nx, height}, detail::SumBand<Real>{column, sums, top});
    parallel_for(executor, "draw the field", {columns.pixels, height}, body_of(sample, top));
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
    const int up = rows.pixels - 1 - y, left = columns.first[x], right = columns.last[x];
    const double left_weight = weight(columns, x, left), right_weight = weight(columns, x, right);
    Sum sum;
    for (int row = rows.first[up]; row <= rows.last[up]; ++row) {
      const double row_weight = weight(rows, up, row);
      const std::size_t start = static_cast<std::size_t>(row) * field.pitch;
      for (int column = left; column <= right; ++column) {
        const std::size_t place = start + static_cast<std::size_t>(column);
        const double share = row_weight * (column == left    ? left_weight
                                           : column == right ? right_weight
                                                             : columns.unit);
        // Values are loaded from solid cells too, so that loads need not wait for one another. Adding 0 changes no sum.
        const double part = share * (static_cast<double>(field.value[place]) - offset);
        const bool fluid = field.cell[place] >= 0;
        sum.values += fluid ? part : 0.0;
        sum.weights += fluid ? share : 0.0;
      }
    }
    return sum;
  }
};

}  // namespace simreel
