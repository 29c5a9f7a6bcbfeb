#include "kernels/raster/field_draw.cuh"

namespace simreel {

template void draw_field(const Executor&, const FieldView<float>&, const AxisSamples&, const AxisSamples&,
                         const ColorScale&, Rectangle, Color, const Canvas<DeepColor>&, void*, ShapedSolids);
template void draw_field(const Executor&, const FieldView<double>&, const AxisSamples&, const AxisSamples&,
                         const ColorScale&, Rectangle, Color, const Canvas<DeepColor>&, void*, ShapedSolids);
template void draw_rows(const Executor&, const FieldView<float>&, const AxisSamples&, const AxisSamples&,
                        const ColorScale&, DeepColor*, void*);
template void draw_rows(const Executor&, const FieldView<double>&, const AxisSamples&, const AxisSamples&,
                        const ColorScale&, DeepColor*, void*);
template void put_rows(const Executor&, const DeepColor*, Rectangle, Color, const Canvas<DeepColor>&);

}  // namespace simreel
