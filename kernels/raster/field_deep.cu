#include "kernels/raster/field_draw.cuh"

namespace simreel {

template void draw_field(const Executor&, const FieldView<float>&, const AxisSamples&, const AxisSamples&,
                         const ColorScale&, Rectangle, Color, DeepColor*, Size, void*);
template void draw_field(const Executor&, const FieldView<double>&, const AxisSamples&, const AxisSamples&,
                         const ColorScale&, Rectangle, Color, DeepColor*, Size, void*);

}  // namespace simreel
