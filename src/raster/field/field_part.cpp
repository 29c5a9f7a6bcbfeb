#include "raster/field/field_part.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace simreel {
namespace {

// The shapes with (x, y) as the first cell.
Outline shifted(const Outline& outline, int x, int y) {
  Outline result;
  for (const Outline::Shape& shape : outline.shapes) {
    const auto cut = [cut = shape.cut, x, y](double at, std::vector<Outline::Span>& spans) {
      const std::size_t before = spans.size();
      cut(at + y, spans);
      for (std::size_t i = before; i < spans.size(); ++i) spans[i].low -= x, spans[i].high -= x;
    };
    result.shapes.push_back({shape.bottom - y, shape.top - y, cut});
  }
  result.bytes = outline.bytes;
  return result;
}

// The cells of an axis whose values are seen.
AxisPart seen(double first, double count, int from, int all, int& start) {
  start = std::max(from, static_cast<int>(std::floor(first - 0.5)));
  const int end = std::min(from + all, static_cast<int>(std::ceil(first + count + 0.5)));
  return {end - start, first - start, count};
}

}  // namespace

FieldPart::FieldPart(const std::array<double, 2>& first, const std::array<double, 2>& count, const Rectangle& within)
    : columns_(seen(first[0], count[0], within.x, within.width, cells_.x)),
      rows_(seen(first[1], count[1], within.y, within.height, cells_.y)) {
  cells_.width = columns_.cells;
  cells_.height = rows_.cells;
}

template <class Real>
FieldView<Real> FieldPart::of(const FieldView<Real>& field) {
  if (all_) cells_ = {0, 0, field.nx, field.ny}, columns_ = field.nx, rows_ = field.ny;
  if (cells_ == Rectangle{0, 0, field.nx, field.ny}) return field;
  FieldView<Real> part = field;
  const std::ptrdiff_t offset =
      static_cast<std::ptrdiff_t>(cells_.y) * static_cast<std::ptrdiff_t>(field.pitch) + cells_.x;
  part.value += offset;
  if (part.cell) part.cell += offset;
  part.nx = cells_.width;
  part.ny = cells_.height;
  part.first_x += cells_.x, part.first_y += cells_.y;
  if (field.outline) {
    if (outline_of_ != field.outline) outline_ = shifted(*field.outline, cells_.x, cells_.y);
    outline_of_ = field.outline;
    part.outline = &outline_;
  }
  return part;
}

template FieldView<float> FieldPart::of(const FieldView<float>&);
template FieldView<double> FieldPart::of(const FieldView<double>&);

}  // namespace simreel
