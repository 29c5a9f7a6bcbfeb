#pragma once
// A field on a grid -> colours on a canvas. x points right and y up: cell [0, 0] is the lower left.
// Values are interpolated or averaged first (kernels/base/axis_samples.h) and coloured afterwards.

#include <cstdint>

#include "base/pixels.h"
#include "exec/executor.h"
#include "kernels/base/axis_samples.h"
#include "kernels/base/launch.h"
#include "kernels/base/view.h"
#include "kernels/raster/canvas.h"

namespace simreel {

// The largest centred rectangle of whole pixels with the aspect ratio of nx by ny cells, at least one pixel each way.
// `cell_aspect`: the height of a cell by its width, > 0.
Rectangle fit_field(double nx, double ny, Size canvas, double cell_aspect = 1);

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
      nullptr;           // `count` entries of the map, then the colours for under the range, NaN and over the range
  int count = 0;         // >= 2
  bool stepped = false;  // the colour of an entry holds up to the next one, instead of changing evenly
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
bool is_enlarged(const AxisSamples& columns, const AxisSamples& rows);

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
// `columns` and `rows` are the samples for the sizes of the field and the place; `scratch` is executor memory of
// means_scratch_bytes. Asynchronous on a GPU.
template <class Real, class Pixel>
void draw_field(const Executor&, const FieldView<Real>& field, const AxisSamples& columns, const AxisSamples& rows,
                const ColorScale&, Rectangle place, Color background, const Canvas<Pixel>& canvas, void* scratch,
                ShapedSolids solids = {});

// Draws some rows of pixels of a field that shrinks along both axes, as draw_field draws them. `rows` are the samples
// of these rows only, with the unit and the total of the whole axis; `to` has columns.pixels x rows.pixels pixels, rows
// from the top, without padding. The rest is as for draw_field.
template <class Real, class Pixel>
void draw_rows(const Executor&, const FieldView<Real>& field, const AxisSamples& columns, const AxisSamples& rows,
               const ColorScale&, Pixel* to, void* scratch);

// Puts the rows of pixels of `place`, from the top and without padding, there on the canvas, and fills the rest of it
// with `background`. Asynchronous on a GPU.
template <class Pixel>
void put_rows(const Executor&, const Pixel* rows, Rectangle place, Color background, const Canvas<Pixel>& canvas);

// A picture of a field of which several ranks draw some rows each, all in the same way.
struct FieldPicture {
  Size size;                           // fewer pixels than the part has cells, along both axes
  Rectangle part;                      // the cells that are seen, or are next to them; y upwards
  AxisPart columns, rows;              // what of these is seen
  ColorScale scale;                    // each rank has the colours in a memory of its own: `colors` is not used
  bool shallow = false, deep = false;  // what is wanted: 8 and 16 bits per channel
};
// The rows of all, in executor memory, from the top and without padding. Null: not wanted.
struct FieldRows {
  Size size;
  const Color* shallow = nullptr;
  const DeepColor* deep = nullptr;
};

}  // namespace simreel
