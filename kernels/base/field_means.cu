#include "kernels/base/field_means.h"

#include "kernels/base/means.cuh"

namespace simreel {
namespace {

// One number per pixel, of a functor with the value of a pixel.
template <class Sample>
struct StoreSamples {
  Sample sample;
  double* to;
  int width;

  HD void operator()(int x, int y) const { to[static_cast<std::ptrdiff_t>(y) * width + x] = sample(x, y); }
};

template <class Real>
struct StoreFluidSums {
  FluidCells<Real> cells;
  double *value, *weight;

  HD void operator()(int x, int y) const {
    const auto sum = cells(x, y);
    const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(y) * cells.columns.pixels + x;
    value[place] = sum.values;
    weight[place] = sum.weights;
  }
};

}  // namespace

template <class Real>
void find_means(const Executor& executor, const FieldView<Real>& field, const AxisSamples& columns,
                const AxisSamples& rows, double offset, double* value, double* weight, void* scratch) {
  if (field.cell)
    return parallel_for(executor, "sum the fluid cells", {columns.pixels, rows.pixels},
                        StoreFluidSums<Real>{{field, columns, rows, offset}, value, weight});
  for_means(executor, "average along rows", field, columns, rows, offset, scratch, [&](const Summed& sample, int top) {
    return StoreSamples<Summed>{sample, value + static_cast<std::ptrdiff_t>(top) * columns.pixels, columns.pixels};
  });
}

template void find_means(const Executor&, const FieldView<float>&, const AxisSamples&, const AxisSamples&, double,
                         double*, double*, void*);
template void find_means(const Executor&, const FieldView<double>&, const AxisSamples&, const AxisSamples&, double,
                         double*, double*, void*);

}  // namespace simreel
