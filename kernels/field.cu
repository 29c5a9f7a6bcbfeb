#include "kernels/field.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/field_color.h"
#include "kernels/field_solid.cuh"
#include "kernels/math.h"
#include "kernels/reduce.h"

namespace simreel {

Rectangle fit_field(int nx, int ny, Size canvas) {
  const std::int64_t w = canvas.width, h = canvas.height;
  Rectangle place;
  if (w * ny <= h * nx) {
    place.width = canvas.width;
    place.height = static_cast<int>(std::max<std::int64_t>(1, (2 * w * ny + nx) / (2 * std::int64_t{nx})));
  } else {
    place.width = static_cast<int>(std::max<std::int64_t>(1, (2 * h * nx + ny) / (2 * std::int64_t{ny})));
    place.height = canvas.height;
  }
  place.x = (canvas.width - place.width) / 2;
  place.y = (canvas.height - place.height) / 2;
  return place;
}

void fill_axis_table(int cells, int pixels, std::int32_t* table) {
  const std::int64_t n = cells, m = pixels;
  for (std::int64_t i = 0; i < m; ++i) {
    std::int64_t first, last, first_weight, last_weight;
    if (m < n) {
      // The pixel covers [i n, (i + 1) n), a cell [k m, (k + 1) m); weights are doubled, so that every total can be
      // halved.
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

AxisSamples axis_samples(int cells, int pixels, const std::int32_t* table) {
  const std::size_t m = static_cast<std::size_t>(pixels);
  AxisSamples samples{table,  table + m,      table + 2 * m, table + 3 * m,
                      pixels, pixels < cells, 2.0 * pixels,  2.0 * pixels};
  if (samples.average) samples.total = 2.0 * cells;
  return samples;
}

double curve_value(Curve curve, double w, double v) { return curve_at(curve, w, v); }

ColorScale color_scale(Curve curve, double linear_width, double low, double high, const Color* colors, int count) {
  ColorScale scale;
  scale.curve = curve;
  scale.linear_width = linear_width;
  scale.offset = curve == Curve::linear ? low : 0;
  scale.start = curve_value(curve, linear_width, low - scale.offset);
  // Ends too close for the curve to tell apart must not make NaN of 0 times infinity.
  const double extent = curve_value(curve, linear_width, high - scale.offset) - scale.start;
  scale.factor = std::min(1 / extent, std::numeric_limits<double>::max());
  scale.colors = colors;
  scale.count = count;
  return scale;
}

namespace {

// The four nearest cells, where no axis shrinks and cells can be numbered by an int, which vector loads need.
template <class Real>
struct Interpolated {
  FieldView<Real> field;
  AxisSamples columns, rows;
  double offset, inverse_total;

  HD double cell(int index) const { return static_cast<double>(field.value[index]) - offset; }
  HD double operator()(int x, int y) const {
    const int up = rows.pixels - 1 - y, pitch = static_cast<int>(field.pitch);
    const int lower = rows.first[up] * pitch, upper = rows.last[up] * pitch;
    const int left = columns.first[x], right = columns.last[x];
    const double left_weight = columns.first_weight[x], right_weight = columns.last_weight[x];
    const double below = cell(lower + left) * left_weight + cell(lower + right) * right_weight;
    const double above = cell(upper + left) * left_weight + cell(upper + right) * right_weight;
    return (below * rows.first_weight[up] + above * rows.last_weight[up]) * inverse_total;
  }
};

// The general way, in two stages: a band of pixel rows in full grid width, each the weighted sum of its cells up and
// down; ...
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

  // Row after row, for the same reason as in reduce.h.
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

// ... and of each such row the weighted sums along x.
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

struct Fill {
  Color* canvas;
  int width;
  std::uint32_t color;

  HD void operator()(int x, int y) const { store_pixel(canvas + static_cast<std::ptrdiff_t>(y) * width + x, color); }
};

void fill(const Executor& executor, Rectangle area, Color color, Color* canvas, Size size) {
  alignas(4) const Color aligned = color;
  Color* const corner = canvas + static_cast<std::ptrdiff_t>(area.y) * size.width + area.x;
  parallel_for(executor, "fill the background", {area.width, area.height},
               Fill{corner, size.width, load_pixel(&aligned)});
}

constexpr std::size_t band_bytes = std::size_t{8} << 20;

}  // namespace

std::size_t draw_scratch_bytes(int nx) { return std::max(band_bytes, static_cast<std::size_t>(nx) * sizeof(double)); }

template <class Real>
void draw_field(const Executor& executor, const FieldView<Real>& field, const AxisSamples& columns,
                const AxisSamples& rows, const ColorScale& scale, Rectangle place, Color background, Color* canvas,
                Size size, void* scratch) {
  const int right = place.x + place.width, bottom = place.y + place.height;
  fill(executor, {0, 0, size.width, place.y}, background, canvas, size);
  fill(executor, {0, bottom, size.width, size.height - bottom}, background, canvas, size);
  fill(executor, {0, place.y, place.x, place.height}, background, canvas, size);
  fill(executor, {right, place.y, size.width - right, place.height}, background, canvas, size);

  Color* const corner = canvas + static_cast<std::ptrdiff_t>(place.y) * size.width + place.x;
  if (field.cell)
    return draw_around_solids(executor, field, columns, rows, scale, {place.width, place.height}, corner, size.width);
  const double inverse_total = 1 / (columns.total * rows.total);
  const bool numbered = field.pitch * static_cast<std::size_t>(field.ny) <= std::numeric_limits<int>::max();
  if (!columns.average && !rows.average && numbered) {
    const Interpolated<Real> sample{field, columns, rows, scale.offset, inverse_total};
    return draw_samples(executor, sample, scale, {place.width, place.height}, corner, size.width);
  }
  double* const sums = static_cast<double*>(scratch);
  const int band = static_cast<int>(draw_scratch_bytes(field.nx) / sizeof(double) / static_cast<std::size_t>(field.nx));
  for (int top = 0; top < place.height; top += band) {
    const int height = std::min(band, place.height - top);
    parallel_for(executor, "average the field", {field.nx, height},
                 SumColumns<Real>{field, rows, scale.offset, sums, top});
    draw_samples(executor, Summed{sums, field.nx, columns, inverse_total}, scale, {place.width, height},
                 corner + static_cast<std::ptrdiff_t>(top) * size.width, size.width);
  }
}

template void draw_field(const Executor&, const FieldView<float>&, const AxisSamples&, const AxisSamples&,
                         const ColorScale&, Rectangle, Color, Color*, Size, void*);
template void draw_field(const Executor&, const FieldView<double>&, const AxisSamples&, const AxisSamples&,
                         const ColorScale&, Rectangle, Color, Color*, Size, void*);

namespace {

// Finite values as whole numbers in the same order, because compilers vectorise extremes of whole numbers only.
template <class Real>
struct Ordered {
  using Key = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  static constexpr Key greatest = std::numeric_limits<Key>::max();

  HD static Key flip(Key bits) { return bits ^ (bits >> (8 * sizeof(Key) - 1) & greatest); }
  HD static Key bits(const Real* value) {
    Key word;
    std::memcpy(&word, value, sizeof word);
    return word;
  }
  // All bits for infinities and NaN, none for the rest.
  HD static Key unusable(Key bits) {
    constexpr Key infinity = sizeof(Real) == 4 ? Key{0x7f800000} : static_cast<Key>(0x7ff0000000000000);
    return -static_cast<Key>((bits & greatest) >= infinity);
  }
};

// One value stands for `rows` rows of `run` cells, so that the scratch memory has a bound.
constexpr int most_points = 65536;
struct Blocks {
  int run, rows;
  Extent points;

  Blocks(int nx, int ny) {
    rows = (ny - 1) / most_points + 1;
    points.ny = (ny - 1) / rows + 1;
    const std::int64_t strips = detail::strips({1, points.ny}).ny;
    run = static_cast<int>(std::max<std::int64_t>(32, (nx * strips - 1) / most_points + 1));
    points.nx = (nx - 1) / run + 1;
  }
};

template <class Real>
struct FindExtremes {
  FieldView<Real> field;
  int run, rows;

  using Order = Ordered<Real>;
  using Key = typename Order::Key;
  using Value = Extremes<Key>;
  HD static Value empty() { return {Order::greatest, ~Order::greatest}; }
  HD static Value combine(const Value& a, const Value& b) {
    return {b.low < a.low ? b.low : a.low, b.high > a.high ? b.high : a.high};
  }
  HD Value operator()(int x, int y) const {
    Key low = empty().low, high = empty().high;
    const int x0 = x * run, count = (x0 + run < field.nx ? x0 + run : field.nx) - x0;
    const int y0 = y * rows, y1 = y0 + rows < field.ny ? y0 + rows : field.ny;
    for (int row = y0; row < y1; ++row) {
      const Real* const value = field.value + static_cast<std::size_t>(row) * field.pitch + x0;
      for (int k = 0; k < count; ++k) {
        const Key bits = Order::bits(value + k), key = Order::flip(bits), skip = Order::unusable(bits);
        const Key down = (key & ~skip) | (empty().low & skip), up = (key & ~skip) | (empty().high & skip);
        low = down < low ? down : low;
        high = up > high ? up : high;
      }
    }
    return {low, high};
  }
};

}  // namespace

std::size_t extremes_scratch_bytes() {
  // `reduce` keeps at most most_points + strips values, and fewer than that again of their first fold.
  const std::size_t strips = most_points / detail::strip_rows;
  return 2 * (most_points + strips) * sizeof(Extremes<double>);
}

template <class Real>
Extremes<Real> find_extremes(const Executor& executor, const FieldView<Real>& field, void* scratch) {
  using Order = Ordered<Real>;
  const Blocks blocks(field.nx, field.ny);
  const auto keys =
      reduce(executor, "find the range", blocks.points, FindExtremes<Real>{field, blocks.run, blocks.rows}, scratch);
  if (keys.low > keys.high) return {std::numeric_limits<Real>::infinity(), -std::numeric_limits<Real>::infinity()};
  const auto value = [](typename Order::Key key) {
    const typename Order::Key bits = Order::flip(key);
    Real real;
    std::memcpy(&real, &bits, sizeof real);
    return real;
  };
  return {value(keys.low), value(keys.high)};
}

template Extremes<float> find_extremes(const Executor&, const FieldView<float>&, void*);
template Extremes<double> find_extremes(const Executor&, const FieldView<double>&, void*);

}  // namespace simreel
