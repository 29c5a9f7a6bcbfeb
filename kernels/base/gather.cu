#include "kernels/base/gather.h"

#include <cstring>
#include <type_traits>

#include "kernels/base/blend.h"
#include "kernels/base/half.h"
#include "kernels/base/launch.h"

namespace simreel {
namespace {

// What a byte says as a bool.
struct Truth {
  std::uint8_t byte;
};

template <class From, class Real>
struct Gather {
  const std::byte* from;
  std::int64_t row, column;  // bytes
  Real* to;
  std::size_t pitch;

  HD static Real number(const std::byte* at) {
#ifdef __CUDA_ARCH__
    const From value = *reinterpret_cast<const From*>(at);
#else
    From value;
    std::memcpy(&value, at, sizeof value);
#endif
    if constexpr (std::is_same_v<From, Half>)
      return static_cast<Real>(half_to_float(value));
    else if constexpr (std::is_same_v<From, Truth>)
      return value.byte != 0 ? Real(1) : Real(0);
    else
      return static_cast<Real>(value);
  }

  HD void operator()(int x, int y) const {
    to[static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x)] = number(from + y * row + x * column);
  }

  // Numbers side by side, with a distance that the compiler knows.
  void span(int x0, int x1, int y) const {
    Real* const line = to + static_cast<std::size_t>(y) * pitch;
    const std::byte* const start = from + y * row;
    if (column != static_cast<std::int64_t>(sizeof(From))) {
      for (int x = x0; x < x1; ++x) line[x] = number(start + x * column);
    } else if constexpr (std::is_same_v<From, Real>) {
      std::memcpy(line + x0, start + x0 * column, static_cast<std::size_t>(x1 - x0) * sizeof(Real));
    } else {
      SIMREEL_INDEPENDENT
      for (int x = x0; x < x1; ++x) line[x] = number(start + x * static_cast<std::int64_t>(sizeof(From)));
    }
  }
};

struct GatherPixels {
  const std::byte* from;
  std::int64_t row, column, channel;  // bytes
  bool opaque;
  Color background;
  Color* to;
  std::size_t pitch;

  HD static std::uint8_t level(const std::byte* at) { return static_cast<std::uint8_t>(*at); }
  HD void operator()(int x, int y) const {
    const std::byte* const at = from + y * row + x * column;
    Color color{level(at), level(at + channel), level(at + 2 * channel)};
    if (!opaque) {
      color.a = level(at + 3 * channel);
      color = blend(color, background);
    }
    to[static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x)] = color;
  }
};

template <class Real>
struct FillColumn {
  Real value;
  std::int64_t rows;
  Real* to;
  std::size_t pitch;
  static constexpr int row = 1 << 20;

  HD void operator()(int x, int y) const {
    const std::int64_t i = std::int64_t{y} * row + x;
    if (i < rows) to[static_cast<std::size_t>(i) * pitch] = value;
  }
};

template <class From, class Real>
void gather_from(const Executor& executor, const StridedArray& array, Real* to, std::size_t pitch) {
  parallel_for(executor, "gather an array", {static_cast<int>(array.columns), static_cast<int>(array.rows)},
               Gather<From, Real>{array.data, array.row_bytes, array.column_bytes, to, pitch});
}

}  // namespace

std::size_t bytes_of(Number type) {
  switch (type) {
    case Number::float16:
    case Number::int16:
    case Number::uint16: return 2;
    case Number::float32:
    case Number::int32:
    case Number::uint32: return 4;
    case Number::float64:
    case Number::int64:
    case Number::uint64: return 8;
    default: return 1;
  }
}

bool fits_float(Number type) { return type == Number::float32 || bytes_of(type) <= 2; }

template <class Real>
void gather(const Executor& executor, const StridedArray& array, Real* to, std::size_t pitch) {
  switch (array.type) {
    case Number::float16: return gather_from<Half>(executor, array, to, pitch);
    case Number::float32: return gather_from<float>(executor, array, to, pitch);
    case Number::float64: return gather_from<double>(executor, array, to, pitch);
    case Number::int8: return gather_from<std::int8_t>(executor, array, to, pitch);
    case Number::int16: return gather_from<std::int16_t>(executor, array, to, pitch);
    case Number::int32: return gather_from<std::int32_t>(executor, array, to, pitch);
    case Number::int64: return gather_from<std::int64_t>(executor, array, to, pitch);
    case Number::uint8: return gather_from<std::uint8_t>(executor, array, to, pitch);
    case Number::uint16: return gather_from<std::uint16_t>(executor, array, to, pitch);
    case Number::uint32: return gather_from<std::uint32_t>(executor, array, to, pitch);
    case Number::uint64: return gather_from<std::uint64_t>(executor, array, to, pitch);
    case Number::boolean: return gather_from<Truth>(executor, array, to, pitch);
  }
}

void gather_pixels(const Executor& executor, const StridedArray& array, std::int64_t channel_bytes, int channels,
                   Color background, Color* to) {
  parallel_for(executor, "gather pixels", {static_cast<int>(array.columns), static_cast<int>(array.rows)},
               GatherPixels{array.data, array.row_bytes, array.column_bytes, channel_bytes, channels == 3, background,
                            to, static_cast<std::size_t>(array.columns)});
}

template <class Real>
void fill_column(const Executor& executor, Real value, std::int64_t rows, Real* to, std::size_t pitch) {
  constexpr std::int64_t row = FillColumn<Real>::row;
  parallel_for(executor, "fill a column",
               {static_cast<int>(rows < row ? rows : row), static_cast<int>((rows + row - 1) / row)},
               FillColumn<Real>{value, rows, to, pitch});
}

template void gather(const Executor&, const StridedArray&, float*, std::size_t);
template void gather(const Executor&, const StridedArray&, double*, std::size_t);
template void fill_column(const Executor&, float, std::int64_t, float*, std::size_t);
template void fill_column(const Executor&, double, std::int64_t, double*, std::size_t);

}  // namespace simreel
