#pragma once
// The means of a field over the pixels of a picture that is smaller along both axes: what it shows before it gets
// colours. So a picture of a field that lies on several ranks needs no rank that holds the whole field.

#include <cstddef>

#include "exec/executor.h"
#include "kernels/base/axis_samples.h"
#include "kernels/base/view.h"

namespace simreel {

// Means for width x height pixels, rows from the top, without padding. Executor memory; owns nothing.
struct FieldMeans {
  const double* value = nullptr;   // less `offset`; with solid cells the weighted sums of the fluid cells
  const double* weight = nullptr;  // the weights of the fluid cells, of `total`; null: the field has no solid cells
  int width = 0, height = 0;
  double total = 1;
};

// Writes the numbers of FieldMeans for rows.pixels rows of pixels, to `weight` only if the field has solid cells.
// `columns` and `rows` are samples of axes that shrink; `scratch` is executor memory of means_scratch_bytes.
// Asynchronous on a GPU.
template <class Real>
void find_means(const Executor&, const FieldView<Real>& field, const AxisSamples& columns, const AxisSamples& rows,
                double offset, double* value, double* weight, void* scratch);

}  // namespace simreel
