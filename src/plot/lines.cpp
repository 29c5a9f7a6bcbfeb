#include "plot/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace simreel {
namespace {

// Colours that colour-blind readers tell apart (Okabe and Ito 2008), in an order of differing grey values.
constexpr std::array<Color, 6> colors = {{{0, 90, 160, 255},
                                          {230, 140, 0, 255},
                                          {70, 70, 70, 255},
                                          {0, 158, 115, 255},
                                          {190, 90, 150, 255},
                                          {86, 180, 233, 255}}};

}  // namespace

Color PlotDrawing::color_of(std::size_t i) { return colors[i % colors.size()]; }

bool PlotDrawing::has_points(const PlotSeries& series) const {
  constexpr std::size_t few = 40;
  const PlotStyle style = style_of(series);
  return style == PlotStyle::points || style == PlotStyle::both ||
         (style == PlotStyle::automatic && series.x.size() <= few) || series.x.size() == 1;
}

void PlotDrawing::draw_series(std::size_t index) {
  const PlotSeries& series = series_[index];
  const Color color = color_of(index);
  std::vector<Spot> line, points;
  const auto flush = [&] {
    if (line.size() > 1 && has_line(series)) add_line(line, line_width(), color);
    line.clear();
  };
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!(series.right ? has_place(options_, series.x[i], y_.low) && std::isfinite(series.y[i])
                       : has_place(options_, series.x[i], series.y[i]))) {
      flush();
      continue;
    }
    const Spot spot{unit(x_of(series.x[i])), unit(y_of(series.y[i], series))};
    constexpr int pieces = 16;  // of a line, for the place of the legend
    for (int k = 1; k < pieces && !line.empty() && has_line(series); ++k)
      taken_.push_back({line.back().x + (spot.x - line.back().x) * k / pieces,
                        line.back().y + (spot.y - line.back().y) * k / pieces});
    taken_.push_back(spot);
    if (!series.time.empty() && !(series.time[i] <= series.until)) continue;
    line.push_back(spot);
    points.push_back(spot);
    if (!series.error.empty()) draw_error(series, i, spot.x, color);
  }
  flush();
  if (has_points(series))
    for (const Spot& spot : points) add_marker(index, spot);
}

void PlotDrawing::draw_band(const PlotSeries& series, Color color) {
  color.a = 60;
  std::vector<Spot> above, below;
  const auto flush = [&] {
    if (above.size() > 1) {
      above.insert(above.end(), below.rbegin(), below.rend());
      page_.marks.push_back({"plot", Shape{above, true, 0, color}});
    }
    above.clear(), below.clear();
  };
  for (std::size_t i = 0; i < series.low.size(); ++i) {
    const auto lies = [&](double y) { return series.right ? std::isfinite(y) : has_place(options_, series.x[i], y); };
    if (!lies(series.low[i]) || !lies(series.high[i])) {
      flush();
      continue;
    }
    above.push_back({unit(x_of(series.x[i])), unit(y_of(series.high[i], series))});
    below.push_back({unit(x_of(series.x[i])), unit(y_of(series.low[i], series))});
  }
  flush();
}

void PlotDrawing::draw_error(const PlotSeries& series, std::size_t i, std::int32_t x, Color color) {
  const double low = series.y[i] - series.error[i], high = series.y[i] + series.error[i];
  if (!std::isfinite(low) || !std::isfinite(high)) return;
  const auto inside = [&](double y) { return std::clamp(unit(y), box_.y * fine, (box_.y + box_.height) * fine); };
  const std::int32_t top = inside(y_of(high, series)), cap = style_.em / 5;
  const bool reaches_0 = options_.log_y && !series.right && !(low > 0);
  const std::int32_t bottom = reaches_0 ? (box_.y + box_.height) * fine : inside(y_of(low, series));
  const std::int32_t width = line_width() * 2 / 3;
  add_line({{x, bottom}, {x, top}}, width, color);
  add_line({{x - cap, top}, {x + cap, top}}, width, color);
  if (!reaches_0) add_line({{x - cap, bottom}, {x + cap, bottom}}, width, color);
}

void PlotDrawing::add_dashes(Spot from, Spot to, std::size_t index) {
  constexpr double lengths[] = {0.5, 0.2, 0.9};
  const double dx = to.x - from.x, dy = to.y - from.y, length = std::sqrt(dx * dx + dy * dy),
               dash = style_.em * lengths[index % 3];
  const int count = std::max(1, static_cast<int>((length / dash + 1) / 2));
  const double each = length / (2 * count - 1);
  for (int i = 0; i < count; ++i) {
    const double a = 2 * i * each / length, b = (2 * i + 1) * each / length;
    const auto at = [&](double t) {
      return Spot{static_cast<std::int32_t>(std::floor(from.x + dx * t + 0.5)),
                  static_cast<std::int32_t>(std::floor(from.y + dy * t + 0.5))};
    };
    add_line({at(a), at(b)}, line_width() * 3 / 4, slope_color);
  }
}

std::vector<Spot> PlotDrawing::points_of(std::size_t index) const {
  const PlotSeries& series = series_[std::min(index, series_.size() - 1)];
  std::vector<Spot> points;
  for (std::size_t i = 0; i < series.x.size(); ++i)
    if (has_place(options_, series.x[i], series.y[i]))
      points.push_back({unit(x_of(series.x[i])), unit(y_of(series.y[i]))});
  return points;
}

void PlotDrawing::draw_triangle(std::size_t index) {
  const PlotSlope& triangle = options_.triangles[index];
  const std::vector<Spot> points = points_of(index);
  if (triangle.power == 0)
    throw UsageError("a triangle has a power other than 0; a dashed line, a slope, may be level");
  if (points.empty()) return;
  const double steep = steepness(triangle.power), rises = steep < 0 ? 1 : -1;
  double width = 0.16 * box_.width, height = std::fabs(steep) * width;
  if (const double most = 0.25 * box_.height; height > most) width *= most / height, height = most;
  const bool negative = triangle.label.starts_with('-');
  const GlyphRun power = number(negative ? fmt::format("\u2212{}", triangle.label.substr(1)) : triangle.label),
                 one = number("1");
  const double gap = px(25), label = pixels_of(power.width) + gap, below = gap + style_.capital;
  const double away = px(60) * std::sqrt(1 + steep * steep);
  struct Place {
    double x, y;  // of the upper left corner of the triangle
    std::size_t covered = std::numeric_limits<std::size_t>::max();
  } best{};
  for (const double part : {0.5, 0.35, 0.65, 0.2, 0.8, 0.1, 0.9}) {
    const Spot& at = points[static_cast<std::size_t>(part * static_cast<double>(points.size() - 1) + 0.5)];
    const auto inside = [](double v, double low, double high) { return std::max(low, std::min(v, high)); };
    const double beside = rises > 0 ? 0 : label;
    Place place{
        inside(at.x / 64.0 - width / 2, box_.x + beside + gap, box_.x + box_.width - width - (label - beside) - gap),
        inside(at.y / 64.0 + away - height / 2, box_.y + gap, box_.y + box_.height - height - below - gap), 0};
    for (const Spot& spot : taken_) {
      const double x = spot.x / 64.0, y = spot.y / 64.0;
      if (x < place.x - beside || x > place.x + width + label - beside || y > place.y + height + below) continue;
      // Above the long side of the triangle there may be something.
      const double side = place.y + height / 2 + steep * (x - place.x - width / 2);
      place.covered += y > side - px(20);
    }
    if (place.covered < best.covered) best = place;
    if (best.covered == 0) break;
  }
  const double right = best.x + width, bottom = best.y + height, upright = rises > 0 ? right : best.x;
  const Spot corner{unit(upright), unit(bottom)}, top{unit(upright), unit(best.y)},
      end{unit(rises > 0 ? best.x : right), unit(bottom)};
  add_line({corner, top, end, corner}, line_width() * 3 / 4, slope_color);
  const int middle = rounded_to_int(best.y + height / 2) + style_.capital / 2;
  add_text(power, rounded_to_int(rises > 0 ? right + gap : best.x - label), middle, rises > 0 ? 0 : 1);
  add_text(one, rounded_to_int(best.x + width / 2) - pixels_of(one.width) / 2, rounded_to_int(bottom + below), 0.5);
  taken_.insert(taken_.end(), {corner, top, end, {(top.x + end.x) / 2, (top.y + end.y) / 2}});
}

void PlotDrawing::draw_slope(std::size_t index) {
  const double steep = steepness(options_.slopes[index].power);
  const std::vector<Spot> points = points_of(index);
  if (points.empty()) return;
  const Spot& middle = points[points.size() / 2];
  const double x0 = static_cast<double>(middle.x) / fine, y0 = static_cast<double>(middle.y) / fine + px(90);
  double left = box_.x + 0.05 * box_.width, right = box_.x + 0.95 * box_.width;
  const double top = box_.y, bottom = box_.y + box_.height;
  if (steep != 0) {
    const double a = x0 + (top - y0) / steep, b = x0 + (bottom - y0) / steep;
    left = std::max(left, std::min(a, b)), right = std::min(right, std::max(a, b));
  }
  if (!(left < right)) return;
  add_dashes({unit(left), unit(y0 + (left - x0) * steep)}, {unit(right), unit(y0 + (right - x0) * steep)}, index);
}

}  // namespace simreel
