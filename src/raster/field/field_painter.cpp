#include "raster/field/field_painter.h"

#include <algorithm>

#include "kernels/base/blend.h"
#include "kernels/raster/hue.h"
#include "raster/shaped_map.h"

namespace simreel {
namespace {

std::size_t table_size(Size size) { return axis_table_size(size.width) + axis_table_size(size.height); }

constexpr int lines = 64;  // per row of pixels

// The covered parts of one row of pixels, summed over its lines.
class RowSum {
 public:
  explicit RowSum(int width) : parts_(static_cast<std::size_t>(width) + 1), steps_(parts_.size()) {}

  // Adds a span of the row, 0 <= low < high <= width.
  void add(double low, double high) {
    const std::size_t first = static_cast<std::size_t>(low), last = static_cast<std::size_t>(high);
    if (first == last) {
      parts_[first] += high - low;
      return;
    }
    parts_[first] += static_cast<double>(first + 1) - low;
    parts_[last] += high - static_cast<double>(last);
    ++steps_[first + 1];
    --steps_[last];
  }

  // Writes the codes of the row and starts the next one.
  void write(std::uint8_t* codes) {
    int whole = 0;
    for (std::size_t x = 0; x + 1 < parts_.size(); ++x) {
      whole += steps_[x];
      const double covered = std::min((whole + parts_[x]) / lines, 1.0);
      codes[x] = static_cast<std::uint8_t>(1 + static_cast<int>(254 * covered + 0.5));
    }
    std::ranges::fill(parts_, 0.0);
    std::ranges::fill(steps_, 0);
  }

 private:
  std::vector<double> parts_;  // of pixels that a span covers in part
  std::vector<int> steps_;     // where whole pixels begin (+1) and end (-1)
};

}  // namespace

FieldPainter::FieldPainter(const Executor& executor, const ViewOptions& view, const std::optional<Rectangle>& place,
                           const std::vector<Color>& hues)
    : executor_(executor),
      view_(view),
      place_(place),
      bars_(view.background),
      obstacle_(blend(view.obstacle.value_or(Color{64, 64, 64, 255}), view.background)),
      samples_(executor, table_size(view.size)),
      scratch_(executor, means_scratch_bytes(1)) {
  if (hues.empty()) return;
  hues_ = Buffer<Color>(executor, hues.size());
  hues_.upload(hues.data());
  part_colors_ = Buffer<Color>(executor, std::size(part_colors));
  part_colors_.upload(part_colors);
}

void FieldPainter::fit(Color quiet, bool both_signs) {
  const auto [least, most] = std::minmax({quiet.r, quiet.g, quiet.b});
  bars_ = view_.bars_of_zero && both_signs && most - least <= 16 ? quiet : view_.background;
  if (!view_.obstacle) obstacle_ = is_light(quiet) ? Color{64, 64, 64, 255} : Color{128, 128, 128, 255};
}

std::size_t FieldPainter::memory_bytes(const ViewOptions& view, const std::array<double, 2>& grid) {
  const std::size_t marks = view.particles.drawn ? outline_bytes(view) * sizeof(std::uint32_t) : 0;
  const std::size_t cells = static_cast<std::size_t>(grid[0] * grid[1]);
  const std::size_t hues =
      view.hue.empty() ? 0 : 2 * (pixel_count(view.size) * sizeof(DeepColor) + cells * sizeof(double));
  return table_size(view.size) * sizeof(std::int32_t) + means_scratch_bytes(1) + marks + hues;
}

std::size_t FieldPainter::outline_bytes(const ViewOptions& view) { return pixel_count(view.size); }

template <class Real>
Interval FieldPainter::measure(const FieldView<Real>& field) {
  const auto [low, high] = find_extremes(executor_, field, scratch(extremes_scratch_bytes(field.nx, field.ny)));
  return {low, high};
}

template <class Real>
Spread FieldPainter::measure_spread(const FieldView<Real>& field) {
  return find_spread(executor_, field, scratch(spread_scratch_bytes(field.nx, field.ny)));
}

// 8 MiB, or more for very long grids.
void* FieldPainter::scratch(std::size_t bytes) {
  if (scratch_.size() < bytes) {
    executor_.wait();  // the old memory may still be in use
    scratch_ = Buffer<std::byte>(executor_, bytes);
  }
  return scratch_.data();
}

// Fills the tables if what is seen has changed.
void FieldPainter::place(const FieldPart& part) {
  const AxisPart &columns = part.columns(), &rows = part.rows();
  if (part.cells() == cells_ && columns == shown_x_ && rows == shown_y_) return;
  rectangle_ = place_ ? *place_ : fit_field(columns.count(), rows.count(), view_.size);
  std::vector<std::int32_t> table(samples_.size());
  fill_axis_table(columns, rectangle_.width, table.data(), nearest());
  fill_axis_table(rows, rectangle_.height, table.data() + axis_table_size(view_.size.width), nearest());
  samples_.upload(table.data());
  cells_ = part.cells();
  shown_x_ = columns;
  shown_y_ = rows;
  outline_ = nullptr;
}

// Covers the pixels if the outline has changed, which happens once per run.
template <class Real>
ShapedSolids FieldPainter::shaped_solids(const FieldView<Real>& field, const AxisSamples& columns,
                                         const AxisSamples& rows) {
  if (!field.cell || !field.outline || !is_enlarged(columns, rows)) return {};
  if (field.outline != outline_) {
    const auto codes = coverage_codes(*field.outline, shown_x_, shown_y_, {columns.pixels, rows.pixels});
    if (codes_.size() != codes.size()) {
      executor_.wait();  // as above
      codes_ = Buffer<std::uint8_t>(executor_, codes.size());
    }
    codes_.upload(codes.data());
    find_plain_pixels(executor_, field, columns, rows, codes_.data());
    outline_ = field.outline;
  }
  return {codes_.data()};
}

ColorScale FieldPainter::scale(Interval range, const Color* colors, int count) const {
  const double width = view_.linear_width > 0 ? view_.linear_width : (range.high - range.low) / 100;
  ColorScale scale = color_scale(curve_of(view_.scale), width, range.low, range.high, colors, count);
  scale.stepped = view_.has_bands();
  scale.obstacle = obstacle_;
  return scale;
}

template <class Real>
void FieldPainter::draw(const FieldView<Real>& whole, FieldPart& part, Interval range, const Color* colors, int count,
                        Canvases canvases) {
  const FieldView<Real> field = part.of(whole);
  place(part);
  const Rectangle& rectangle = rectangle_;
  const ColorScale scale = this->scale(range, colors, count);
  const AxisSamples columns = axis_samples(shown_x_, rectangle.width, samples_.data(), nearest());
  const AxisSamples rows =
      axis_samples(shown_y_, rectangle.height, samples_.data() + axis_table_size(view_.size.width), nearest());
  const ShapedSolids solids = shaped_solids(field, columns, rows);
  const auto draw_on = [&](const auto& canvas) {
    draw_field(executor_, field, columns, rows, scale, rectangle, bars_, canvas, scratch(means_scratch_bytes(field.nx)),
               solids);
  };
  if (canvases.shallow.pixels) draw_on(canvases.shallow);
  if (canvases.deep.pixels) draw_on(canvases.deep);
  if (!view_.hue.empty()) draw_hue(whole, part, canvases);
  if (field.paths)
    draw_paths(*field.paths,
               {{rectangle.width, rectangle.height},
                static_cast<float>(shown_x_.count()),
                static_cast<float>(shown_y_.count()),
                static_cast<float>(field.first_x + shown_x_.begin()),
                static_cast<float>(field.first_y + shown_y_.begin())},
               rectangle, canvases);
}

template <class Real>
void FieldPainter::take_hue(int part, const FieldView<Real>& field) {
  const std::size_t count = field.pitch * static_cast<std::size_t>(field.ny);
  if (hue_[part].size() != count) hue_[part] = Buffer<double>(executor_, count);
  copy_part(executor_, field, hue_[part].data());
  if (part == 1) normalise(executor_, hue_[0].data(), hue_[1].data(), field.nx, field.ny, field.pitch);
}

// Both parts as pictures, as the field is drawn; then their angle tints it.
template <class Real>
void FieldPainter::draw_hue(const FieldView<Real>& whole, FieldPart& part, const Canvases& canvases) {
  const Rectangle place{0, 0, rectangle_.width, rectangle_.height};
  const Size size{place.width, place.height};
  const AxisSamples columns = axis_samples(shown_x_, size.width, samples_.data(), nearest());
  const AxisSamples rows =
      axis_samples(shown_y_, size.height, samples_.data() + axis_table_size(view_.size.width), nearest());
  ColorScale scale = color_scale(Curve::linear, 1, -1, 1, part_colors_.data(), 2);
  scale.obstacle = {0, 0, 0, 0};
  for (int i = 0; i < 2; ++i) {
    FieldView<double> all{hue_[i].data(), whole.nx, whole.ny, whole.pitch, whole.cell, whole.outline};
    if (hue_pictures_[i].size() != pixel_count(size))
      hue_pictures_[i] = Buffer<DeepColor>(executor_, pixel_count(size));
    const FieldView<double> field = part.of(all);
    draw_field(executor_, field, columns, rows, scale, place, {},
               Canvas<DeepColor>{hue_pictures_[i].data(), size, size.width}, scratch(means_scratch_bytes(field.nx)),
               shaped_solids(field, columns, rows));
  }
  const auto tint_on = [&](const auto& canvas) {
    if (canvas.pixels)
      tint(executor_, hue_pictures_[0].data(), hue_pictures_[1].data(), hues_.data(), static_cast<int>(hues_.size()),
           rectangle_, canvas);
  };
  tint_on(canvases.shallow);
  tint_on(canvases.deep);
}

void FieldPainter::draw_paths(const PathsView& paths, const PathPlace& place, const Rectangle& rectangle,
                              const Canvases& canvases) {
  const ParticleLook& look = view_.particles;
  PathStyle style;
  for (std::size_t n = 0; n < PathsView::max_sets; ++n) style.color[n] = look.colors[n % look.colors.size()];
  style.radius = static_cast<float>(look.radius);
  style.opacity = static_cast<float>(look.opacity);
  if (marks_.size() == 0) marks_ = Buffer<std::uint32_t>(executor_, pixel_count(place.size));
  marks_.clear();
  mark_paths(executor_, paths, place, style, marks_.data());
  const auto blend_on = [&](auto canvas) {
    if (!canvas.pixels) return;
    canvas.pixels += static_cast<std::ptrdiff_t>(rectangle.y) * canvas.pitch + rectangle.x;
    canvas.size = place.size;
    blend_marks(executor_, marks_.data(), style, canvas);
  };
  blend_on(canvases.shallow);
  blend_on(canvases.deep);
}

std::optional<Size> FieldPainter::shrunk(const FieldPart& part, const Rectangle& place) {
  if (place.width >= part.columns().count() || place.height >= part.rows().count()) return {};
  return Size{place.width, place.height};
}

void FieldPainter::put(const FieldRows& rows, const Canvases& canvases) const {
  const auto put_on = [&](const auto& canvas, const auto* pixels) {
    const auto [width, height] = rows.size;
    const Rectangle place{(canvas.size.width - width) / 2, (canvas.size.height - height) / 2, width, height};
    if (pixels) put_rows(executor_, pixels, place, bars_, canvas);
  };
  put_on(canvases.shallow, rows.shallow);
  put_on(canvases.deep, rows.deep);
}

template Interval FieldPainter::measure(const FieldView<float>&);
template Interval FieldPainter::measure(const FieldView<double>&);
template Spread FieldPainter::measure_spread(const FieldView<float>&);
template Spread FieldPainter::measure_spread(const FieldView<double>&);
template void FieldPainter::take_hue(int, const FieldView<float>&);
template void FieldPainter::take_hue(int, const FieldView<double>&);
template void FieldPainter::draw(const FieldView<float>&, FieldPart&, Interval, const Color*, int, Canvases);
template void FieldPainter::draw(const FieldView<double>&, FieldPart&, Interval, const Color*, int, Canvases);

std::vector<std::uint8_t> coverage_codes(const Outline& outline, const AxisPart& columns, const AxisPart& rows,
                                         Size size) {
  const double nx = columns.count(), ny = rows.count(), left = columns.begin(), below = rows.begin();
  std::vector<std::uint8_t> codes(pixel_count(size), 1);
  std::vector<const Outline::Shape*> waiting, met;  // from the top; those that the current line meets
  for (const Outline::Shape& shape : outline.shapes) waiting.push_back(&shape);
  std::ranges::stable_sort(waiting, std::ranges::greater(), &Outline::Shape::bottom);
  RowSum sum(size.width);
  std::vector<Outline::Span> spans;
  for (int up = 0; up < size.height; ++up) {
    bool empty = true;
    for (int line = 0; line < lines; ++line) {
      const double at = (static_cast<double>(up) * lines + line + 0.5) / (static_cast<double>(size.height) * lines);
      const double y = below + at * ny - 0.5;
      for (; !waiting.empty() && waiting.back()->bottom <= y; waiting.pop_back()) met.push_back(waiting.back());
      std::erase_if(met, [&](const Outline::Shape* shape) { return shape->top < y; });
      spans.clear();
      for (const Outline::Shape* shape : met) shape->cut(y, spans);
      std::ranges::sort(spans, {}, &Outline::Span::low);
      double end = 0;  // of the union so far, in pixels
      for (const auto& [low, high] : spans) {
        const auto pixel = [&](double x) {
          return std::clamp((x - left + 0.5) * size.width / nx, 0.0, static_cast<double>(size.width));
        };
        const double from = std::max(pixel(low), end), to = pixel(high);
        if (!(from < to)) continue;
        sum.add(from, to);
        end = to;
        empty = false;
      }
    }
    if (empty) continue;
    sum.write(codes.data() + static_cast<std::ptrdiff_t>(size.height - 1 - up) * size.width);
  }
  return codes;
}

}  // namespace simreel
