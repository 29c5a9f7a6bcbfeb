#pragma once
// Enlarged fields with solid cells of known shapes (ShapedSolids).

#include "kernels/raster/field.h"

namespace simreel {

// Instantiated in field_shaped.cu, for the same reason for which there is field_deep.cu.
template <class Real, class Pixel>
void draw_shaped_solids(const Executor&, const FieldView<Real>&, const AxisSamples& columns, const AxisSamples& rows,
                        const ColorScale&, ShapedSolids, Extent, Pixel* corner, int pitch);

}  // namespace simreel
