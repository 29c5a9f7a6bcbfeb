#include "kernels/raster/field.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/base/reduce.h"
#include "kernels/raster/field_draw.cuh"

namespace simreel {

Rectangle fit_field(int nx, int ny, Size canvas, double cell_aspect) {
  const std::int64_t w = canvas.width, h = canvas.height;
  Rectangle place;
  if (cell_aspect != 1) {
    const double aspect = ny * cell_aspect / nx;  // height by width
    const auto pixels = [](double exact, int most) { return std::clamp(static_cast<int>(exact + 0.5), 1, most); };
    const bool narrow = canvas.width * aspect > canvas.height;
    place.width = narrow ? pixels(canvas.height / aspect, canvas.width) : canvas.width;
    place.height = narrow ? canvas.height : pixels(canvas.width * aspect, canvas.height);
  } else if (w * ny <= h * nx) {
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
  // If the curve maps both ends to the same value, 0 times infinity must not give NaN.
  const double extent = curve_value(curve, linear_width, high - scale.offset) - scale.start;
  scale.factor = std::min(1 / extent, std::numeric_limits<double>::max());
  scale.colors = colors;
  scale.count = count;
  return scale;
}

std::size_t draw_scratch_bytes(int nx) {
  constexpr std::size_t band_bytes = std::size_t{8} << 20;
  return std::max(band_bytes, static_cast<std::size_t>(nx) * sizeof(double));
}

template void draw_field(const Executor&, const FieldView<float>&, const AxisSamples&, const AxisSamples&,
                         const ColorScale&, Rectangle, Color, const Canvas<Color>&, void*, ShapedSolids);
template void draw_field(const Executor&, const FieldView<double>&, const AxisSamples&, const AxisSamples&,
                         const ColorScale&, Rectangle, Color, const Canvas<Color>&, void*, ShapedSolids);

namespace {

// Finite values as integers in the same order, because compilers vectorise only integer extremes.
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
  // All bits set for infinities and NaN, none for finite values.
  HD static Key unusable(Key bits) {
    constexpr Key infinity = sizeof(Real) == 4 ? Key{0x7f800000} : static_cast<Key>(0x7ff0000000000000);
    return -static_cast<Key>((bits & greatest) >= infinity);
  }
};

// One value per `rows` rows of `run` cells, which bounds the scratch memory.
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
      const std::size_t start = static_cast<std::size_t>(row) * field.pitch + static_cast<std::size_t>(x0);
      const Real* const value = field.value + start;
      const std::int8_t* const cell = field.cell ? field.cell + start : nullptr;
      for (int k = 0; k < count; ++k) {
        const Key solid = cell ? -static_cast<Key>(cell[k] < 0) : Key{0};
        const Key bits = Order::bits(value + k), key = Order::flip(bits), skip = Order::unusable(bits) | solid;
        const Key down = (key & ~skip) | (empty().low & skip), up = (key & ~skip) | (empty().high & skip);
        low = down < low ? down : low;
        high = up > high ? up : high;
      }
    }
    return {low, high};
  }
};

template <class Real>
struct FindSpread {
  FieldView<Real> field;
  int run, rows;

  using Value = Spread;
  HD static Value empty() { return {}; }
  HD static Value combine(const Value& a, const Value& b) { return Spread::combine(a, b); }
  HD Value operator()(int x, int y) const {
    Spread found;
    const int x0 = x * run, x1 = x0 + run < field.nx ? x0 + run : field.nx;
    const int y0 = y * rows, y1 = y0 + rows < field.ny ? y0 + rows : field.ny;
    for (int row = y0; row < y1; ++row) {
      const std::size_t start = static_cast<std::size_t>(row) * field.pitch;
      for (int k = x0; k < x1; ++k) {
        const std::size_t place = start + static_cast<std::size_t>(k);
        if (field.cell && field.cell[place] < 0) continue;
        const double value = static_cast<double>(field.value[place]), size = value < 0 ? -value : value;
        if (!(size <= std::numeric_limits<double>::max())) continue;
        found = Spread::combine(found, {size, size, size * size});
      }
    }
    return found;
  }
};

// `reduce` stores at most most_points + strips values, and fewer than that for their first fold.
constexpr std::size_t most_values = 2 * (most_points + most_points / detail::strip_rows);

}  // namespace

std::size_t extremes_scratch_bytes() { return most_values * sizeof(Extremes<double>); }
std::size_t spread_scratch_bytes() { return most_values * sizeof(Spread); }

double Spread::reach() const {
  const double typical = 2.5 * (squares / sum);
  return typical > 0 && typical < largest ? typical : largest;
}

template <class Real>
Spread find_spread(const Executor& executor, const FieldView<Real>& field, void* scratch) {
  const Blocks blocks(field.nx, field.ny);
  return reduce(executor, "find the spread", blocks.points, FindSpread<Real>{field, blocks.run, blocks.rows}, scratch);
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
template Spread find_spread(const Executor&, const FieldView<float>&, void*);
template Spread find_spread(const Executor&, const FieldView<double>&, void*);

}  // namespace simreel
