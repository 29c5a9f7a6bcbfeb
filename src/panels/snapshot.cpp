#include "panels/snapshot.h"

#include <type_traits>

namespace simreel {

void Snapshot::take(const Executor& executor, const View& view) {
  const auto keep = [&]<class Real>(FieldView<Real> field, Buffer<Real>& values) {
    // The last row may end before its pitch.
    const std::size_t count = static_cast<std::size_t>(field.ny - 1) * field.pitch + static_cast<std::size_t>(field.nx);
    values = Buffer<Real>(executor, count);
    executor.copy(values.data(), field.value, count * sizeof(Real));
    field.value = values.data();
    if (field.cell) {
      cells_ = Buffer<std::int8_t>(executor, count);
      executor.copy(cells_.data(), field.cell, count);
      field.cell = cells_.data();
    }
    view_ = field;
  };
  if (const auto* single = std::get_if<FieldView<float>>(&view)) keep(*single, floats_);
  if (const auto* twice = std::get_if<FieldView<double>>(&view)) keep(*twice, doubles_);
}

}  // namespace simreel
