#pragma once
// The value of a pixel of a field that no axis shrinks.

#include "kernels/raster/field.h"

namespace simreel {

// Bilinear interpolation, if no axis shrinks and an int can index the cells, as vector loads require.
template <class Real>
struct Interpolated {
  FieldView<Real> field;
  AxisSamples columns, rows;
  double offset, inverse_total;

  HD double cell(int index) const { return static_cast<double>(field.value[index]) - offset; }
  HD double operator()(int x, int y) const {
    const int up = rows.pixels - 1 - y, pitch = static_cast<int>(field.pitch);
    const int lower = rows.first[up] * pitch, upper = rows.last[up] * pitch;
    const int left = columns.first[x], right = columns.last[x];
    const double left_weight = columns.first_weight[x], right_weight = columns.last_weight[x];
    const double below = cell(lower + left) * left_weight + cell(lower + right) * right_weight;
    const double above = cell(upper + left) * left_weight + cell(upper + right) * right_weight;
    return (below * rows.first_weight[up] + above * rows.last_weight[up]) * inverse_total;
  }
};

// The same where each pixel is a cell, with one load instead of four and the same bits: of both cells along an axis,
// which are one there, the weight is half of the total.
template <class Real>
struct Copied {
  FieldView<Real> field;
  double weight_x, weight_y;
  double offset, inverse_total;

  // Whether it can stand for Interpolated.
  static bool fits(const AxisSamples& columns, const AxisSamples& rows) { return columns.copied && rows.copied; }

  HD double operator()(int x, int y) const {
    const int index = (field.ny - 1 - y) * static_cast<int>(field.pitch) + x;
    const double part = (static_cast<double>(field.value[index]) - offset) * weight_x;
    const double row = (part + part) * weight_y;
    return (row + row) * inverse_total;
  }
};

}  // namespace simreel
