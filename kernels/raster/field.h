#pragma once
// A field on a grid -> colours on a canvas. x points right and y up: cell [0, 0] is the lower left.
//
// Along an axis with more pixels than cells, values are interpolated between the nearest cell centres; along one with
// fewer, they are averaged over the cells that a pixel covers, weighted by the covered part. Values are averaged first
// and coloured afterwards.

#include <cstddef>
#include <cstdint>

#include "base/pixels.h"
#include "exec/executor.h"
#include "kernels/base/launch.h"
#include "kernels/base/view.h"
#include "kernels/raster/canvas.h"

namespace simreel {

// The largest centred rectangle of whole pixels with the aspect ratio of nx by ny cells, at least one pixel each way.
// `cell_aspect`: the height of a cell by its width, > 0.
Rectangle fit_field(int nx, int ny, Size canvas, double cell_aspect = 1);

// The weights of the cells for the pixels of one axis. Pixel i is the sum
//   first_weight[i] * cell[first[i]] + unit * (the cells between) + last_weight[i] * cell[last[i]]
// divided by `total`. All weights are positive integers, so an infinite or NaN cell affects exactly the pixels that it
// is part of; a pixel of a single cell has first == last and half of `total` on each.
struct AxisSamples {
  const std::int32_t *first = nullptr, *last = nullptr, *first_weight = nullptr, *last_weight = nullptr;
  int pixels = 0;
  bool average = false;  // the axis shrinks; otherwise last <= first + 1
  double unit = 0, total = 1;
};

// Number of entries of the table of an axis.
constexpr std::size_t axis_table_size(int pixels) { return 4 * static_cast<std::size_t>(pixels); }
// Fills a table in host memory. Integer arithmetic: no drift along an axis of any length.
void fill_axis_table(int cells, int pixels, std::int32_t* table);
// The samples of an axis whose table is at `table` in executor memory.
AxisSamples axis_samples(int cells, int pixels, const std::int32_t* table);

// The scale s(v) from values to the position in the colormap, t = (s(v) - s(low)) / (s(high) - s(low)).
enum class Curve {
  linear,  // v
  log,     // ln v; values not above 0 are under the range
  symlog,  // v / w for |v| <= w, beyond it sign(v) (1 + ln(|v| / w)): smooth at w, and defined for both signs
  sqrt,    // sign(v) sqrt(|v|), so that a range around 0 keeps its symmetry
  asinh,   // asinh(v / w)
};

// s(v) with the linear width w > 0 (symlog and asinh). The same bits on every machine.
double curve_value(Curve, double w, double v);

// From a value to a colour.
struct ColorScale {
  Curve curve = Curve::linear;
  double linear_width = 1;
  double offset = 0;  // subtracted from values before averaging: `low` for a linear curve, which avoids cancellation
                      // for a narrow range far from 0; 0 for the others
  double start = 0;   // s(low - offset)
  double factor = 1;  // 1 / (s(high) - s(low))
  const Color* colors =
      nullptr;    // `count` entries of the map, then the colours for under the range, NaN and over the range
  int count = 0;  // >= 2
  Color obstacle = {64, 64, 64, 255};  // of solid cells; mixed with the fluid's colour in pixels that are partly solid
};

// Requires low < high, both finite, and low > 0 for a logarithmic curve. `colors`: executor memory, `count` + 3
// colours.
ColorScale color_scale(Curve, double linear_width, double low, double high, const Color* colors, int count);

// The solid part of each pixel where the shapes of solid cells are known, for a field that no axis shrinks. One code
// per pixel of the place, rows from the top, without padding: 0 where nothing is covered and no solid cell is part of
// the interpolation, otherwise 1 + 254 times the covered part. Executor memory.
struct ShapedSolids {
  const std::uint8_t* codes = nullptr;
};

// Whether a field drawn with these samples can have ShapedSolids: it is enlarged.
bool is_enlarged(const AxisSamples& columns, const AxisSamples& rows, int nx, int ny);

// Sets codes of 1 to 0 where no solid cell is part of the interpolation.
template <class Real>
void find_plain_pixels(const Executor&, const FieldView<Real>& field, const AxisSamples& columns,
                       const AxisSamples& rows, std::uint8_t* codes);

// Draws `field` into `place` of the canvas (of Color or DeepColor) and fills the rest of it with `background`.
//
// Colours are interpolated between entries in sRGB and rounded once, to the nearest level of the canvas, so a 16-bit
// canvas rounded to 8 bits equals the 8-bit canvas. Only mixing with obstacles rounds a second time; the two canvases
// then differ by at most one level. A pixel that covers a NaN gets `nan`. Values (infinities included) outside the
// range by more than a millionth of it, which is more than any rounding error, get `under` and `over`. Solid cells do
// not contribute to a pixel's value.
//
// With `solids`, the covered part of a pixel has the colour of obstacles, and the rest that of the fluid cells next to
// it. Without, solid cells are interpolated and averaged as the fluid is.
//
// `columns` and `rows` are the samples for the sizes of the field and the place; `scratch` is executor memory.
// Asynchronous on a GPU.
template <class Real, class Pixel>
void draw_field(const Executor&, const FieldView<Real>& field, const AxisSamples& columns, const AxisSamples& rows,
                const ColorScale&, Rectangle place, Color background, const Canvas<Pixel>& canvas, void* scratch,
                ShapedSolids solids = {});
// Bytes of scratch memory that draw_field needs for a field of nx columns: 8 MiB up to a million columns.
std::size_t draw_scratch_bytes(int nx);

// The smallest and the largest finite value of the cells of a field that are not solid; low > high if there is none.
template <class Value>
struct Extremes {
  Value low, high;
};
// Bytes of scratch memory that find_extremes needs for a field of any size.
std::size_t extremes_scratch_bytes();
// Waits for the executor. `scratch` is executor memory.
template <class Real>
Extremes<Real> find_extremes(const Executor&, const FieldView<Real>&, void* scratch);

// How large values are, whatever their sign: of the finite values of cells that are not solid.
struct Spread {
  double largest = 0;  // |v|
  double sum = 0;      // of |v|
  double squares = 0;  // of v^2

  HD static Spread combine(const Spread& a, const Spread& b) {
    return {a.largest > b.largest ? a.largest : b.largest, a.sum + b.sum, a.squares + b.squares};
  }
  // The m of a range [-m, m]: two and a half times the mean of |v| weighted with |v| itself, so that cells at rest do
  // not count and a few extreme ones little, but not more than the largest.
  double reach() const;
};
// Waits for the executor; the same bits on every backend. `scratch` is executor memory of spread_scratch_bytes.
template <class Real>
Spread find_spread(const Executor&, const FieldView<Real>&, void* scratch);
std::size_t spread_scratch_bytes();

}  // namespace simreel
