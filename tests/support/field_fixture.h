#pragma once
// A field drawn by draw_field, and the value that each of its pixels should have.

#include "exec/buffer.h"
#include "kernels/raster/field.h"
#include "tests/support/test.h"

namespace simreel::test {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
constexpr Color red{255, 0, 0}, green{0, 255, 0}, magenta{255, 0, 255}, blue{0, 0, 255};

struct Look {
  Curve curve = Curve::linear;
  double low = 0, high = 1, linear_width = 0.1;
};

// 256 greys; red under the range, green over it, magenta for NaN.
inline std::vector<Color> greys() {
  std::vector<Color> colors;
  for (int i = 0; i < 256; ++i) colors.push_back({std::uint8_t(i), std::uint8_t(i), std::uint8_t(i)});
  colors.insert(colors.end(), {red, magenta, green});
  return colors;
}

// Which cells lie under the columns and rows of a place of this size, in executor memory.
struct AxisTables {
  Buffer<std::int32_t> table;
  AxisSamples columns, rows;

  AxisTables(const Executor& executor, int nx, int ny, int width, int height)
      : table(executor, axis_table_size(width) + axis_table_size(height)) {
    std::vector<std::int32_t> values(table.size());
    fill_axis_table(nx, width, values.data());
    fill_axis_table(ny, height, values.data() + axis_table_size(width));
    table.upload(values.data());
    columns = axis_samples(nx, width, table.data());
    rows = axis_samples(ny, height, table.data() + axis_table_size(width));
  }
};

// The canvas after `values` (rows upwards) were drawn into `place`; on a blue background.
template <class Pixel = Color, class Real>
std::vector<Pixel> draw(const Executor& executor, const std::vector<Real>& values, int nx, Rectangle place, Size size,
                        const Look& look = {}, const std::vector<Color>& colors = greys()) {
  const int ny = static_cast<int>(values.size()) / nx;
  const std::size_t pitch = static_cast<std::size_t>(nx) + 3;
  std::vector<Real> padded_rows(pitch * static_cast<std::size_t>(ny), Real(1e30));
  for (int y = 0; y < ny; ++y)
    std::copy_n(values.begin() + std::ptrdiff_t{y} * nx, nx,
                padded_rows.begin() + y * static_cast<std::ptrdiff_t>(pitch));
  Buffer<Real> field(executor, padded_rows);
  const AxisTables axes(executor, nx, ny, place.width, place.height);
  Buffer<Color> map(executor, colors);
  Buffer<Pixel> canvas(executor, static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  Buffer<std::byte> scratch(executor, means_scratch_bytes(nx));
  draw_field(
      executor, FieldView<Real>{field.data(), nx, ny, pitch}, axes.columns, axes.rows,
      color_scale(look.curve, look.linear_width, look.low, look.high, map.data(), static_cast<int>(colors.size()) - 3),
      place, blue, Canvas<Pixel>{canvas.data(), size, size.width}, scratch.data());
  return canvas.download();
}

template <class Pixel = Color, class Real>
std::vector<Pixel> draw(const std::vector<Real>& values, int nx, Size size, const Look& look = {},
                        const std::vector<Color>& colors = greys()) {
  return draw<Pixel>(Executor::cpu(2), values, nx, {0, 0, size.width, size.height}, size, look, colors);
}

template <class Real>
std::vector<Real> noise(int nx, int ny, double low = 0, double high = 1) {
  std::mt19937 random(3);
  std::vector<Real> values(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny));
  for (Real& value : values) value = static_cast<Real>(low + (high - low) * (random() / 4294967296.0));
  return values;
}

// The value of pixel (x, y), y upwards, by the textbook in double precision: bilinear or area average, each axis for
// itself.
struct Weight {
  int cell;
  double weight;
};
inline std::vector<Weight> reference_axis(int cells, int pixels, int i) {
  if (pixels >= cells) {
    const double at = std::clamp((i + 0.5) * cells / pixels - 0.5, 0.0, cells - 1.0);
    const int first = std::min(static_cast<int>(at), cells - 1), last = std::min(first + 1, cells - 1);
    return {{first, 1 - (at - first)}, {last, at - first}};
  }
  const double from = double(i) * cells / pixels, to = double(i + 1) * cells / pixels;
  std::vector<Weight> weights;
  for (int k = 0; k < cells; ++k)
    if (const double cover = std::min(to, k + 1.0) - std::max(from, double(k)); cover > 0)
      weights.push_back({k, cover / (to - from)});
  return weights;
}
template <class Real>
double reference(const std::vector<Real>& values, int nx, Size size, int x, int y) {
  const int ny = static_cast<int>(values.size()) / nx;
  double sum = 0;
  for (const Weight row : reference_axis(ny, size.height, y))
    for (const Weight column : reference_axis(nx, size.width, x))
      sum += row.weight * column.weight * double(values[row.cell * nx + column.cell]);
  return sum;
}

}  // namespace simreel::test
