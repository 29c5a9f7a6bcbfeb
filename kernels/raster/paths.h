#pragma once
// Particles and their paths over the picture of a field. Discs and lines first leave marks, the greatest opacity that
// covers a pixel together with the set that has it: a maximum of integers, so any order gives the same bits. Then the
// marks are blended into the canvas.

#include <cstdint>

#include "base/pixels.h"
#include "exec/executor.h"
#include "kernels/base/view.h"
#include "kernels/raster/canvas.h"

namespace simreel {

struct PathStyle {
  Color color[PathsView::max_sets];
  float radius = 1.5F;  // of a particle, pixels
  float opacity = 1;    // 0 to 1
};

// The cells of a field that fill a rectangle of so many pixels.
struct PathPlace {
  Size size;
  float nx = 0, ny = 0;
  float first_x = 0, first_y = 0;  // where the paths have the lower left corner
};

// Leaves the marks of all particles: executor memory, a number for each pixel of `place.size`, rows from the top, zeros
// before. Asynchronous on a GPU.
void mark_paths(const Executor&, const PathsView&, const PathPlace& place, const PathStyle&, std::uint32_t* marks);

// Blends the marks over `canvas`, which is as large as they are. Asynchronous on a GPU.
template <class Pixel>
void blend_marks(const Executor&, const std::uint32_t* marks, const PathStyle&, const Canvas<Pixel>& canvas);

}  // namespace simreel
