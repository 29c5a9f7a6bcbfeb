#include "raster/rasterizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "error.h"
#include "kernels/field.h"
#include "kernels/yuv.h"

namespace simreel {
namespace {

constexpr std::size_t extra_colors = 3;

Curve curve_of(Scale scale) {
  switch (scale) {
    case Scale::linear: return Curve::linear;
    case Scale::log: return Curve::log;
    case Scale::symlog: return Curve::symlog;
    case Scale::sqrt: return Curve::sqrt;
    case Scale::asinh: return Curve::asinh;
  }
  return Curve::linear;
}

// `color` seen over `background`, both with straight alpha.
Color blend(Color color, Color background) {
  const int front = 255 * color.a, back = background.a * (255 - color.a), alpha = front + back;  // of 255 * 255
  if (alpha == 0) return {0, 0, 0, 0};
  const auto mix = [&](int a, int b) { return static_cast<std::uint8_t>((a * front + b * back + alpha / 2) / alpha); };
  return {mix(color.r, background.r), mix(color.g, background.g), mix(color.b, background.b),
          static_cast<std::uint8_t>((alpha + 127) / 255)};
}

// A place to begin a message with; nothing for options that come from no scene.
std::string before(const Position& position) {
  return position.source.empty() ? std::string() : position.text() + ": ";
}

std::size_t pixel_count(Size size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

std::size_t table_size(Size size) { return axis_table_size(size.width) + axis_table_size(size.height); }

std::size_t scratch_bytes(int nx) { return std::max(draw_scratch_bytes(nx), extremes_scratch_bytes()); }

Interval usable_range(Interval range, Scale scale) {
  if (!(range.low <= range.high)) return {0, 1};
  constexpr double most = std::numeric_limits<double>::max() / 4;  // so that high - low is finite
  range = {std::max(range.low, -most), std::min(range.high, most)};
  if (range.low < range.high) return range;
  const double value = range.low;
  if (scale == Scale::log) return {value / 2, value * 2};
  const double reach = std::max(std::fabs(value) / 2, std::numeric_limits<double>::min());
  return value == 0 ? Interval{-0.5, 0.5} : Interval{value - reach, value + reach};
}

}  // namespace

Rasterizer::Rasterizer(const Executor& executor, const ViewOptions& view)
    : executor_(executor),
      view_(view),
      canvas_(executor, pixel_count(view.size)),
      samples_(executor, table_size(view.size)) {
  std::vector<Color> colors = load_colormap(view.colormap, view.colormap_position.text());
  map_colors_ = static_cast<int>(colors.size());
  const Color under = view.under.value_or(colors.front()), over = view.over.value_or(colors.back());
  for (const Color color : {under, view.nan, over}) colors.push_back(blend(color, view.background));
  colors_ = Buffer<Color>(executor, colors.size());
  colors_.upload(colors.data());
  scratch_ = Buffer<std::byte>(executor, scratch_bytes(1));
  if (view.range == RangeMode::fixed) set_range({view.low, view.high});
}

std::size_t Rasterizer::memory_bytes(const ViewOptions& view) {
  const std::size_t colors = load_colormap(view.colormap, view.colormap_position.text()).size() + extra_colors;
  return (pixel_count(view.size) + colors) * sizeof(Color) + table_size(view.size) * sizeof(std::int32_t) +
         scratch_bytes(1);
}

Interval Rasterizer::measure(const View& view) {
  return std::visit(
      [&](const auto& field) {
        const auto [low, high] = find_extremes(executor_, field, scratch_.data());
        return Interval{low, high};
      },
      view);
}

void Rasterizer::set_range(Interval range) {
  if (view_.scale == Scale::log && range.low <= range.high && !(range.low > 0))
    throw UsageError(fmt::format(
        "{}the range of values is [{}, {}], and scale = \"log\" in [view] needs one above 0; set range = [low, high] "
        "with low > 0, or take scale = \"symlog\", \"asinh\" or \"sqrt\"",
        before(view_.range_position), range.low, range.high));
  range_ = usable_range(range, view_.scale);
  if (view_.scale == Scale::log && !(range_.low > 0)) range_.low = std::numeric_limits<double>::min();
}

// Makes the tables of a grid of another size; in a run that happens once.
void Rasterizer::place(int nx, int ny) {
  const Rectangle rectangle = fit_field(nx, ny, view_.size);
  std::vector<std::int32_t> table(samples_.size());
  fill_axis_table(nx, rectangle.width, table.data());
  fill_axis_table(ny, rectangle.height, table.data() + axis_table_size(view_.size.width));
  samples_.upload(table.data());
  if (scratch_.size() < scratch_bytes(nx)) {
    executor_.wait();  // the old memory may be in use
    scratch_ = Buffer<std::byte>(executor_, scratch_bytes(nx));
  }
  nx_ = nx;
  ny_ = ny;
}

void Rasterizer::draw(const View& view) {
  std::visit(
      [&](const auto& field) {
        if (field.nx != nx_ || field.ny != ny_) place(field.nx, field.ny);
        const Rectangle rectangle = fit_field(nx_, ny_, view_.size);
        const double width = view_.linear_width > 0 ? view_.linear_width : (range_.high - range_.low) / 100;
        ColorScale scale =
            color_scale(curve_of(view_.scale), width, range_.low, range_.high, colors_.data(), map_colors_);
        scale.obstacle = blend(view_.obstacle, view_.background);
        draw_field(executor_, field, axis_samples(nx_, rectangle.width, samples_.data()),
                   axis_samples(ny_, rectangle.height, samples_.data() + axis_table_size(view_.size.width)), scale,
                   rectangle, view_.background, canvas_.data(), view_.size, scratch_.data());
      },
      view);
}

void Rasterizer::convert(PixelLayout layout, std::byte* to) const {
  convert_pixels(executor_, canvas_.data(), view_.size, view_.background, layout, to);
}

}  // namespace simreel
