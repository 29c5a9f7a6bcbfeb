#pragma once
// The implementation of draw_field, draw_rows and put_rows. field.cu and field_deep.cu instantiate it for 8 and 16 bits
// per channel; in one file GCC would stop inlining before it can vectorise the loop over pixels.

#include <limits>

#include "kernels/raster/field.h"
#include "kernels/raster/field_bilinear.cuh"
#include "kernels/raster/field_color.h"
#include "kernels/raster/field_shaped.cuh"
#include "kernels/raster/field_solid.cuh"
#include "kernels/raster/means.cuh"

namespace simreel {

template <class Pixel>
struct Fill {
  Pixel* corner;
  int pitch;
  PixelWord<Pixel> color;

  HD void operator()(int x, int y) const { store_pixel(corner + static_cast<std::ptrdiff_t>(y) * pitch + x, color); }
};

template <class Pixel>
void fill(const Executor& executor, Rectangle area, Color color, const Canvas<Pixel>& canvas) {
  Pixel* const corner = canvas.pixels + static_cast<std::ptrdiff_t>(area.y) * canvas.pitch + area.x;
  parallel_for(executor, "fill the background", {area.width, area.height},
               Fill<Pixel>{corner, canvas.pitch, word_of<Pixel>(color)});
}

// Fills what is not `place`, whose top left pixel it returns.
template <class Pixel>
Pixel* fill_around(const Executor& executor, Rectangle place, Color background, const Canvas<Pixel>& canvas) {
  const Size size = canvas.size;
  const int right = place.x + place.width, bottom = place.y + place.height;
  fill(executor, {0, 0, size.width, place.y}, background, canvas);
  fill(executor, {0, bottom, size.width, size.height - bottom}, background, canvas);
  fill(executor, {0, place.y, place.x, place.height}, background, canvas);
  fill(executor, {right, place.y, size.width - right, place.height}, background, canvas);
  return canvas.pixels + static_cast<std::ptrdiff_t>(place.y) * canvas.pitch + place.x;
}

template <class Real, class Pixel>
void draw_averaged(const Executor& executor, const FieldView<Real>& field, const AxisSamples& columns,
                   const AxisSamples& rows, const ColorScale& scale, Pixel* corner, int pitch, void* scratch) {
  with_curve(scale.curve, [&]<Curve curve>() {
    for_means(executor, field, columns, rows, scale.offset, scratch, [&](const Summed& sample, int top) {
      return body_of_samples<curve>(sample, scale, corner + static_cast<std::ptrdiff_t>(top) * pitch, pitch);
    });
  });
}

template <class Real, class Pixel>
void draw_field(const Executor& executor, const FieldView<Real>& field, const AxisSamples& columns,
                const AxisSamples& rows, const ColorScale& scale, Rectangle place, Color background,
                const Canvas<Pixel>& canvas, void* scratch, ShapedSolids solids) {
  Pixel* const corner = fill_around(executor, place, background, canvas);
  const Extent extent{place.width, place.height};
  if (solids.codes)
    return draw_shaped_solids(executor, field, columns, rows, scale, solids, extent, corner, canvas.pitch);
  if (field.cell) return draw_around_solids(executor, field, columns, rows, scale, corner, canvas.pitch);
  const double inverse_total = 1 / (columns.total * rows.total);
  const bool numbered = field.pitch * static_cast<std::size_t>(field.ny) <= std::numeric_limits<int>::max();
  if (numbered && Copied<Real>::fits(columns, rows)) {
    const Copied<Real> sample{field, columns.total / 2, rows.total / 2, scale.offset, inverse_total};
    return draw_samples(executor, sample, scale, extent, corner, canvas.pitch);
  }
  if (!columns.average && !rows.average && numbered) {
    const Interpolated<Real> sample{field, columns, rows, scale.offset, inverse_total};
    return draw_samples(executor, sample, scale, extent, corner, canvas.pitch);
  }
  draw_averaged(executor, field, columns, rows, scale, corner, canvas.pitch, scratch);
}

template <class Real, class Pixel>
void draw_rows(const Executor& executor, const FieldView<Real>& field, const AxisSamples& columns,
               const AxisSamples& rows, const ColorScale& scale, Pixel* to, void* scratch) {
  if (field.cell) return draw_around_solids(executor, field, columns, rows, scale, to, columns.pixels);
  draw_averaged(executor, field, columns, rows, scale, to, columns.pixels, scratch);
}

// A pixel of a canvas, from rows of pixels in a part of it.
template <class Pixel>
struct PutPixels {
  const Pixel* rows;
  Rectangle place;
  PixelWord<Pixel> background;
  Pixel* canvas;
  int pitch;

  HD void operator()(int x, int y) const {
    const int column = x - place.x, row = y - place.y;
    const bool inside = column >= 0 && column < place.width && row >= 0 && row < place.height;
    store_pixel(canvas + static_cast<std::ptrdiff_t>(y) * pitch + x,
                inside ? load_pixel(rows + static_cast<std::ptrdiff_t>(row) * place.width + column) : background);
  }
};

template <class Pixel>
void put_rows(const Executor& executor, const Pixel* rows, Rectangle place, Color background,
              const Canvas<Pixel>& canvas) {
  parallel_for(executor, "put pixels", {canvas.size.width, canvas.size.height},
               PutPixels<Pixel>{rows, place, word_of<Pixel>(background), canvas.pixels, canvas.pitch});
}

}  // namespace simreel
