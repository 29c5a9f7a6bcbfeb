#include "kernels/raster/hue.h"

#include <cstdint>

#include "kernels/base/elementary.h"
#include "kernels/base/launch.h"
#include "kernels/raster/field_color.h"

namespace simreel {
namespace {

template <class Real>
struct CopyPart {
  FieldView<Real> field;
  double* to;

  HD void operator()(int x, int y) const {
    const std::size_t at = static_cast<std::size_t>(y) * field.pitch + static_cast<std::size_t>(x);
    to[at] = static_cast<double>(field.value[at]);
  }
};

struct Normalise {
  double *x, *y;
  std::size_t pitch;

  HD void operator()(int column, int row) const {
    const std::size_t at = static_cast<std::size_t>(row) * pitch + static_cast<std::size_t>(column);
    const double length = exact::hypot(x[at], y[at]);
    if (length == 0) return;
    x[at] = x[at] / length;
    y[at] = y[at] / length;
  }
};

template <class Pixel>
struct Tint {
  const DeepColor *x, *y;
  int columns;
  Palette hues;
  Pixel* corner;
  int pitch;

  HD void operator()(int column, int row) const {
    constexpr double pi = 3.14159265358979323846;
    constexpr int max = max_level<PixelWord<DeepColor>>;
    constexpr std::uint64_t whole = std::uint64_t{max} * max;
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(row) * columns + column;
    const PixelWord<DeepColor> across = load_pixel(x + at), up = load_pixel(y + at);
    const double angle = exact::atan2(2.0 * channel_of(up, 0) - max, 2.0 * channel_of(across, 0) - max);
    const PixelWord<DeepColor> hue = hues.at<DeepColor>((angle + pi) / (2 * pi));
    const std::uint64_t share = static_cast<std::uint64_t>(channel_of(across, 3));
    Pixel* const pixel = corner + static_cast<std::ptrdiff_t>(row) * pitch + column;
    using Word = PixelWord<Pixel>;
    const Word color = load_pixel(pixel);
    Word tinted = static_cast<Word>(channel_of(color, 3)) << 3 * channel_bits<Word>;
    for (int k = 0; k < 3; ++k) {
      const std::uint64_t level = static_cast<std::uint64_t>(channel_of(color, k));
      const std::uint64_t part = whole - share * static_cast<std::uint64_t>(max - channel_of(hue, k));
      tinted |= static_cast<Word>((level * part + whole / 2) / whole) << k * channel_bits<Word>;
    }
    store_pixel(pixel, tinted);
  }
};

}  // namespace

template <class Real>
void copy_part(const Executor& executor, const FieldView<Real>& field, double* to) {
  parallel_for(executor, "copy a part of vectors", {field.nx, field.ny}, CopyPart<Real>{field, to});
}

void normalise(const Executor& executor, double* x, double* y, int nx, int ny, std::size_t pitch) {
  parallel_for(executor, "normalise vectors", {nx, ny}, Normalise{x, y, pitch});
}

template <class Pixel>
void tint(const Executor& executor, const DeepColor* x, const DeepColor* y, const Color* hues, int count,
          Rectangle place, const Canvas<Pixel>& canvas) {
  Pixel* const corner = canvas.pixels + static_cast<std::ptrdiff_t>(place.y) * canvas.pitch + place.x;
  parallel_for(executor, "tint a picture", {place.width, place.height},
               Tint<Pixel>{x, y, place.width, Palette{hues, count}, corner, canvas.pitch});
}

template void copy_part(const Executor&, const FieldView<float>&, double*);
template void copy_part(const Executor&, const FieldView<double>&, double*);
template void tint(const Executor&, const DeepColor*, const DeepColor*, const Color*, int, Rectangle,
                   const Canvas<Color>&);
template void tint(const Executor&, const DeepColor*, const DeepColor*, const Color*, int, Rectangle,
                   const Canvas<DeepColor>&);

}  // namespace simreel
