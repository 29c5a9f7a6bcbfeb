#include "raster/window.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/axis_samples.h"
#include "kernels/base/math.h"

namespace simreel {
namespace {

// The same middle with another number of cells.
FieldWindow resized(const FieldWindow& window, const std::array<double, 2>& count) {
  FieldWindow result{{}, count};
  for (std::size_t i = 0; i < 2; ++i) result.first[i] = window.first[i] + (window.count[i] - count[i]) / 2;
  return result;
}

// Made smaller about its middle and moved, so that it lies in the stage's part of the field.
FieldWindow inside(const FigureContext& stage, FieldWindow window) {
  const double part = std::min({1.0, stage.grid[0] / window.count[0], stage.grid[1] / window.count[1]});
  window = resized(window, {window.count[0] * part, window.count[1] * part});
  for (std::size_t i = 0; i < 2; ++i)
    window.first[i] = std::clamp(window.first[i], stage.first[i],
                                 std::max(stage.first[i], stage.first[i] + stage.grid[i] - window.count[i]));
  return window;
}

// `shape`: rows by columns of the place that the window fills.
FieldWindow fitted(const FigureContext& stage, const FieldKey& key, double shape) {
  const auto [nx, ny] = key.window.count;
  if (key.is_width) return inside(stage, resized(key.window, {nx, nx * shape}));
  if (stage.covers) return resized(key.window, {std::min(nx, ny / shape), std::min(ny, nx * shape)});
  if (stage.options.aspect == FigureOptions::Aspect::automatic) return key.window;
  return inside(stage, resized(key.window, {std::max(nx, ny / shape), std::max(ny, nx * shape)}));
}

// Where the edges of an axis are between two keys, as a share of the way. Its length changes by the same factor in
// every frame in which `s` does by the same amount, and both edges move in step, so that one place rests.
double share_of_way(double from, double to, double s) {
  const double ratio = to / from;
  if (std::fabs(ratio - 1) < 1e-6) return s;
  return (exact::exp(s * exact::log(ratio)) - 1) / (ratio - 1);
}

FieldWindow between(const FieldWindow& a, const FieldWindow& b, double t) {
  const double s = t * t * (3 - 2 * t);
  FieldWindow window{};
  for (std::size_t i = 0; i < 2; ++i) {
    const double way = share_of_way(a.count[i], b.count[i], s);
    window.first[i] = a.first[i] + (b.first[i] - a.first[i]) * way;
    window.count[i] = a.count[i] + (b.count[i] - a.count[i]) * way;
  }
  return window;
}

}  // namespace

FieldWindow window_of(const FigureContext& stage, double cell_aspect, Size picture, std::int64_t frame) {
  FieldWindow window{stage.first, stage.grid};
  if (!stage.covers && stage.keys.empty()) return window;
  const double shape = stage.covers ? picture.height / (picture.width * cell_aspect) : stage.grid[1] / stage.grid[0];
  const double at = static_cast<double>(frame);
  const auto after = std::ranges::upper_bound(stage.keys, at, {}, &FieldKey::frame);
  if (stage.keys.empty()) {
    window = fitted(stage, {0, window}, shape);
  } else if (after == stage.keys.begin() || after == stage.keys.end()) {
    window = fitted(stage, after == stage.keys.begin() ? *after : stage.keys.back(), shape);
  } else {
    const FieldKey& before = *std::prev(after);
    window = between(fitted(stage, before, shape), fitted(stage, *after, shape),
                     (at - before.frame) / (after->frame - before.frame));
  }
  for (std::size_t i = 0; i < 2; ++i) {  // edges that AxisPart can name
    const auto edge = [](double cell) { return std::round(cell * AxisPart::max_parts) / AxisPart::max_parts; };
    const double end = edge(window.first[i] + window.count[i]);
    window.first[i] = edge(window.first[i]);
    window.count[i] = end - window.first[i];
  }
  return window;
}

}  // namespace simreel
