#include "raster/shaped_map.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/blend.h"

namespace simreel {
namespace {

// So fine that the ends of bands lie within a hundred-thousandth of the range.
constexpr std::size_t fine_entries = 65537, smooth_entries = 4097;

double place_of(const ViewOptions& view, Interval range, double value) {
  const double width = view.linear_width > 0 ? view.linear_width : (range.high - range.low) / 100;
  const ColorScale scale = color_scale(curve_of(view.scale), width, range.low, range.high, nullptr, 2);
  return (curve_value(scale.curve, width, value - scale.offset) - scale.start) * scale.factor;
}

// Two slopes: each side of the centre has half of the map.
double bent(const ViewOptions& view, Interval range, double place) {
  if (!view.center) return place;
  const double middle = place_of(view, range, *view.center);
  return place < middle ? 0.5 * place / middle : middle < 1 ? 0.5 + 0.5 * (place - middle) / (1 - middle) : 0.5;
}

}  // namespace

Color color_of(const ViewOptions& view, const std::vector<Color>& map, Interval range, double value) {
  return color_at(map, bent(view, range, place_of(view, range, value)));
}

Color color_at(const std::vector<Color>& map, double place) {
  const double at = std::clamp(place, 0.0, 1.0) * static_cast<double>(map.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(at), map.size() - 2);
  const double part = at - static_cast<double>(below);
  const auto mix = [&](int from, int to) { return static_cast<std::uint8_t>(from + part * (to - from) + 0.5); };
  const Color a = map[below], b = map[below + 1];
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), mix(a.a, b.a)};
}

Veil::Veil(const ViewOptions& view, Interval range) : background_(view.background) {
  for (const auto& [value, opacity] : view.alpha) stops_.push_back({place_of(view, range, value), opacity});
}

Color Veil::operator()(Color color, double place) const {
  if (stops_.empty()) return color;
  const auto next = std::ranges::upper_bound(stops_, place, {}, [](const auto& stop) { return stop[0]; });
  double opacity = next == stops_.begin() ? stops_.front()[1] : next[-1][1];
  if (next != stops_.begin() && next != stops_.end())
    opacity += (place - next[-1][0]) / (next[0][0] - next[-1][0]) * (next[0][1] - next[-1][1]);
  color.a = static_cast<std::uint8_t>(255 * opacity + 0.5);
  return background_.a == 0 ? color : blend(color, background_);
}

Color under_of(const ViewOptions& view, const std::vector<Color>& map) {
  return view.under.value_or(view.classes.empty() ? map.front() : view.nan);
}
Color over_of(const ViewOptions& view, const std::vector<Color>& map) {
  return view.over.value_or(view.classes.empty() ? map.back() : view.nan);
}

std::vector<Color> class_colors(const ViewOptions& view, const std::vector<Color>& map) {
  std::vector<Color> colors;
  const double last = std::max(static_cast<double>(view.classes.size()) - 1, 1.0);
  for (const ValueClass& one : view.classes) {
    const Color own = color_at(map, static_cast<double>(colors.size()) / last);
    colors.push_back(one.color ? blend(*one.color, view.background) : own);
  }
  return colors;
}

std::size_t shaped_size(const ViewOptions& view, std::size_t map) {
  if (!view.classes.empty())
    return static_cast<std::size_t>(view.classes.back().value - view.classes.front().value) + 2;
  if (!view.levels.empty()) return fine_entries;
  if (view.level_count > 0) return static_cast<std::size_t>(view.level_count) + 1;
  return is_shaped(view) ? smooth_entries : map;
}

std::vector<double> band_places(const ViewOptions& view, Interval range) {
  std::vector<double> places;
  for (const double level : view.levels) places.push_back(std::clamp(place_of(view, range, level), 0.0, 1.0));
  for (int i = 0; view.levels.empty() && view.level_count > 0 && i <= view.level_count; ++i)
    places.push_back(static_cast<double>(i) / view.level_count);
  return places;
}

std::vector<Color> shaped_map(const ViewOptions& view, const std::vector<Color>& map, Interval range) {
  if (!view.classes.empty()) {  // an entry for each whole number
    std::vector<Color> shaped(shaped_size(view, map.size()), blend(view.nan, view.background));
    const std::vector<Color> colors = class_colors(view, map);
    for (std::size_t i = 0; i < colors.size(); ++i)
      shaped[static_cast<std::size_t>(view.classes[i].value - view.classes.front().value)] = colors[i];
    shaped.back() = colors.back();
    return shaped;
  }
  const std::vector<double> bands = band_places(view, range);
  const std::size_t entries = shaped_size(view, map.size());
  if (!is_shaped(view)) return map;
  const Veil veil(view, range);
  std::vector<Color> shaped;
  std::size_t band = 0;
  const std::size_t last = bands.empty() ? 0 : bands.size() - 2;
  for (std::size_t i = 0; i < entries; ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(entries - 1);
    if (bands.empty()) {
      shaped.push_back(veil(color_at(map, bent(view, range, place)), place));
      continue;
    }
    // An entry holds up to the next one, so its middle decides.
    const double inside = std::min(place + 0.5 / static_cast<double>(entries - 1), 1.0);
    while (band < last && inside >= bands[band + 1]) ++band;
    const double own = last == 0 ? 0.5 : static_cast<double>(band) / static_cast<double>(last);
    const double middle_of_band = 0.5 * (bands[band] + bands[band + 1]);
    shaped.push_back(veil(color_at(map, view.center ? bent(view, range, middle_of_band) : own), middle_of_band));
  }
  return shaped;
}

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

}  // namespace simreel
