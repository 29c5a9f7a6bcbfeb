#include "kernels/base/field_range.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace simreel {
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

// One value per run of cells in a row, which bounds the scratch memory.
struct Runs {
  int length;
  Extent extent;  // number of them

  Runs(int nx, int ny) {
    constexpr std::int64_t max = 65536;  // values of strips, about
    length =
        static_cast<int>(std::max<std::int64_t>(32, (nx * std::int64_t{detail::strips({1, ny}).ny} - 1) / max + 1));
    extent = {(nx - 1) / length + 1, ny};
  }
};

template <class Real>
struct FindExtremes {
  FieldView<Real> field;
  int run;  // cells

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
    const std::size_t start = static_cast<std::size_t>(y) * field.pitch + static_cast<std::size_t>(x0);
    const Real* const value = field.value + start;
    const std::int8_t* const cell = field.cell ? field.cell + start : nullptr;
    for (int k = 0; k < count; ++k) {
      const Key solid = cell ? -static_cast<Key>(cell[k] < 0) : Key{0};
      const Key bits = Order::bits(value + k), key = Order::flip(bits), skip = Order::unusable(bits) | solid;
      const Key down = (key & ~skip) | (empty().low & skip), up = (key & ~skip) | (empty().high & skip);
      low = down < low ? down : low;
      high = up > high ? up : high;
    }
    return {low, high};
  }
};

template <class Real>
struct FindSpread {
  FieldView<Real> field;
  int run;  // cells

  using Value = Spread;
  HD static Value empty() { return {}; }
  HD static Value combine(const Value& a, const Value& b) { return Spread::combine(a, b); }
  HD Value operator()(int x, int y) const {
    Spread found;
    const int x0 = x * run, x1 = x0 + run < field.nx ? x0 + run : field.nx;
    const std::size_t start = static_cast<std::size_t>(y) * field.pitch;
    for (int k = x0; k < x1; ++k) {
      const std::size_t place = start + static_cast<std::size_t>(k);
      if (field.cell && field.cell[place] < 0) continue;
      const double value = static_cast<double>(field.value[place]), size = value < 0 ? -value : value;
      if (!(size <= std::numeric_limits<double>::max())) continue;
      found = Spread::combine(found, {size, size, size * size});
    }
    return found;
  }
};

}  // namespace

std::size_t extremes_scratch_bytes(int nx, int ny) {
  return reduce_scratch_bytes(Runs(nx, ny).extent, sizeof(Extremes<double>));
}
std::size_t spread_scratch_bytes(int nx, int ny) { return reduce_scratch_bytes(Runs(nx, ny).extent, sizeof(Spread)); }

double Spread::reach() const {
  const double typical = 2.5 * (squares / sum);
  return typical > 0 && typical < largest ? typical : largest;
}

template <class Real>
Extremes<Real> find_extremes(const Executor& executor, const FieldView<Real>& field, const OwnRows& rows,
                             int whole_rows, void* scratch) {
  using Order = Ordered<Real>;
  const Runs runs(field.nx, whole_rows);
  const auto keys =
      reduce(executor, "find the range", runs.extent.nx, rows, FindExtremes<Real>{field, runs.length}, scratch);
  if (keys.low > keys.high) return {std::numeric_limits<Real>::infinity(), -std::numeric_limits<Real>::infinity()};
  const auto value = [](typename Order::Key key) {
    const typename Order::Key bits = Order::flip(key);
    Real real;
    std::memcpy(&real, &bits, sizeof real);
    return real;
  };
  return {value(keys.low), value(keys.high)};
}

template <class Real>
Spread find_spread(const Executor& executor, const FieldView<Real>& field, const OwnRows& rows, int whole_rows,
                   void* scratch) {
  const Runs runs(field.nx, whole_rows);
  return reduce(executor, "find the spread", runs.extent.nx, rows, FindSpread<Real>{field, runs.length}, scratch);
}

template Extremes<float> find_extremes(const Executor&, const FieldView<float>&, const OwnRows&, int, void*);
template Extremes<double> find_extremes(const Executor&, const FieldView<double>&, const OwnRows&, int, void*);
template Spread find_spread(const Executor&, const FieldView<float>&, const OwnRows&, int, void*);
template Spread find_spread(const Executor&, const FieldView<double>&, const OwnRows&, int, void*);

}  // namespace simreel
