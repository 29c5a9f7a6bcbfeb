#pragma once
// The angle of a vector as a hue over a picture of its brightness.

#include "base/pixels.h"
#include "exec/executor.h"
#include "kernels/base/view.h"
#include "kernels/raster/canvas.h"

namespace simreel {

// Copies a part of vectors to `to`, laid out like the view. Asynchronous on a GPU, and so is what follows.
template <class Real>
void copy_part(const Executor&, const FieldView<Real>&, double* to);

// Makes the vectors of a grid as long as 1; those of no length stay.
void normalise(const Executor&, double* x, double* y, int nx, int ny, std::size_t pitch);

// The colours with which draw_field shows a part of such vectors, from -1 to 1: its place in red, and in alpha how much
// of a pixel has a value. Five colours for a ColorScale of two.
inline constexpr Color part_colors[] = {{0, 0, 0}, {255, 255, 255}, {0, 0, 0}, {0, 0, 0, 0}, {255, 255, 255}};

// Multiplies what has a value in such pictures of both parts by the hue of the angle. `x` and `y` have the size of
// `place`, rows from the top, without padding; `hues`: `count` colours for -pi to pi, in executor memory.
template <class Pixel>
void tint(const Executor&, const DeepColor* x, const DeepColor* y, const Color* hues, int count, Rectangle place,
          const Canvas<Pixel>&);

}  // namespace simreel
