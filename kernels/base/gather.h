#pragma once
// Arrays of any type and stride -> rows of Real without gaps.

#include <cstddef>
#include <cstdint>

#include "base/pixels.h"
#include "exec/executor.h"

namespace simreel {

// The types of a caller's numbers; a bool is a byte.
enum class Number { float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, boolean };

std::size_t bytes_of(Number);

// Whether a float holds every value of the type exactly. Others become double, which holds all but integers of 64 bits
// beyond 2^53.
bool fits_float(Number);

struct StridedArray {
  const std::byte* data = nullptr;  // of element [0, 0]; on a GPU aligned to bytes_of(type), elsewhere of any alignment
  Number type = Number::float32;
  std::int64_t rows = 0, columns = 0;            // below 2^31 each
  std::int64_t row_bytes = 0, column_bytes = 0;  // from one to the next; 0 and negative ones too
};

// Writes element [y, x] to to[y * pitch + x], rounded to nearest where Real does not hold it. `to` and the array are
// memory that the executor's kernels access. Asynchronous on a GPU.
template <class Real>
void gather(const Executor&, const StridedArray&, Real* to, std::size_t pitch);

// Colours of 8 bits a channel: `array` is the first channel, the next one is `channel_bytes` further; 3 channels are
// opaque. Writes pixel [y, x], blended over `background`, to to[y * columns + x]. Asynchronous on a GPU.
void gather_pixels(const Executor&, const StridedArray& array, std::int64_t channel_bytes, int channels,
                   Color background, Color* to);

// Writes `value` to to[i * pitch].
template <class Real>
void fill_column(const Executor&, Real value, std::int64_t rows, Real* to, std::size_t pitch);

}  // namespace simreel
