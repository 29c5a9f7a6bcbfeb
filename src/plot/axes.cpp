#include "plot/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "figure/space.h"
#include "kernels/base/math.h"

namespace simreel {
namespace {

// Of the values that a plot shows.
struct Values {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double v) { low = std::min(low, v), high = std::max(high, v); }
};

// With a margin of matplotlib's share of the axis; `log`: the values are above 0.
AxisRange range_of(Values extent, bool log) {
  using Number = std::numeric_limits<double>;
  constexpr double share = 0.05;
  if (log) {
    constexpr double least = 1.1;
    if (extent.high < extent.low * least) extent.low /= 2, extent.high *= 2;
    const double margin = exact::exp(share * (exact::log(extent.high) - exact::log(extent.low)));
    return {std::max(extent.low / margin, Number::denorm_min()), std::min(extent.high * margin, Number::max()),
            Curve::log, 1, 0};
  }
  constexpr double rounding = 1e-14;
  double reach = extent.high - extent.low;
  const double largest = std::max(std::fabs(extent.low), std::fabs(extent.high));
  if (!(reach > rounding * largest)) reach = largest == 0 ? 1 : largest;
  const AxisRange range{std::max(extent.low - share * reach, -Number::max()),
                        std::min(extent.high + share * reach, Number::max())};
  return range.has_places() ? range : AxisRange{extent.low, extent.high};  // no room for a margin among numbers
}

AxisRange scaled(AxisRange axis, const SecondAxis& second) {
  axis.low *= second.factor, axis.high *= second.factor;
  return axis;
}

// 2 to 9 times the powers of ten on a logarithmic axis, unless there are very many.
std::vector<double> minor_places(const AxisRange& axis) {
  constexpr double max_decades = 8;
  std::vector<double> places;
  if (axis.curve != Curve::log || std::log10(axis.high / axis.low) > max_decades) return places;
  for (int decade = static_cast<int>(std::floor(std::log10(axis.low))); power_of_ten(decade) < axis.high; ++decade)
    for (int digit = 2; digit < 10; ++digit) {
      const double value = digit * power_of_ten(decade);
      if (value >= axis.low && value <= axis.high) places.push_back(axis.place(value));
    }
  return places;
}

}  // namespace

void PlotDrawing::find_ranges() {
  Values x, left, right;
  if ((options_.x_dates && (options_.log_x || options_.x2)) || (options_.y_dates && (options_.log_y || options_.y2)))
    throw UsageError(
        "an axis of dates is neither logarithmic nor has a second unit; plot a column of the time that has passed");
  for (const PlotSeries& series : series_) {
    Values& y = series.right ? right : left;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!has_place(options_, series.x[i], series.right ? 1 : series.y[i])) continue;
      if (series.right && !std::isfinite(series.y[i])) continue;
      x.add(series.x[i]);
      y.add(series.y[i]);
      const auto add_end = [&](double end) {
        if (series.right ? std::isfinite(end) : has_place(options_, series.x[i], end)) y.add(end);
      };
      if (!series.error.empty()) add_end(series.y[i] - series.error[i]), add_end(series.y[i] + series.error[i]);
      if (!series.low.empty()) add_end(series.low[i]), add_end(series.high[i]);
    }
  }
  if (!(x.low <= x.high))
    throw UsageError(
        "no row has numbers for both axes, or none above 0 on a logarithmic one or within the limits, so there is "
        "nothing to plot");
  if (!(left.low <= left.high)) left = right;
  const auto range = [](const std::optional<std::array<double, 2>>& limits, Values values, bool log) {
    if (limits) return AxisRange{(*limits)[0], (*limits)[1], log ? Curve::log : Curve::linear, 1, 0};
    return range_of(values, log);
  };
  x_ = range(options_.xlim, x, options_.log_x);
  y_ = range(options_.ylim, left, options_.log_y);
  x_.check_places("the x axis");
  y_.check_places("the y axis");
  if (has_right()) right_ = range_of(right, false);
  const std::pair<AxisRange*, const std::optional<CfTime>*> dated[] = {
      {&x_, &options_.x_dates}, {&y_, &options_.y_dates}, {&right_, &options_.right_dates}};
  for (const auto& [axis, dates] : dated) {
    axis->set_dates(*dates);
    if (*dates && !axis->dates)
      throw UsageError("an axis of dates shows a millisecond at least, in the years 0 to 30000; plot numbers instead");
  }
  if (options_.x2) scaled(x_, *options_.x2).check_places("the second x axis");
  if (options_.y2 || has_right())
    (has_right() ? right_ : scaled(y_, *options_.y2)).check_places("the y axis at the right");
}

TickRoom PlotDrawing::tick_room(int length, int every, int most, int gap) const {
  const int least = length >= px(1000) ? 4 : 3;
  return {static_cast<double>(length), static_cast<double>(px(gap)), std::clamp(length / px(every), least, most),
          least};
}

void PlotDrawing::place() {
  const int pad = px(50), line = style_.line, tick = px(60);
  int numbers = px(250), right = pad;
  for (int pass = 0; pass < 3; ++pass) {
    const int left = pad + (ylabel_.empty() && options_.ylabel.empty() ? 0 : line + px(30)) + numbers + tick;
    const int above = options_.x2 ? line + tick + (x2_label_.empty() ? 0 : line + px(20)) : 0;
    set_title(page_.size.width - left);
    const int top =
        pad + (!title_.empty() ? static_cast<int>(title_.size()) * line + px(75) : px(30)) + above + legend_height();
    const int beside = options_.y2 || has_right() ? tick + numbers2_ + (y2_label_.empty() ? 0 : line + px(30)) : 0;
    right = std::max(right, pad + beside);
    const int bottom = pad + line + tick + (options_.xlabel.empty() && xlabel_.empty() ? 0 : line + px(20));
    box_ = {left, top, page_.size.width - left - right, page_.size.height - top - bottom};
    if (box_.width < 4 * px(100) || box_.height < 4 * px(100))
      throw UsageError(
          "the labels leave no room for the plot; take a larger --width or --height, or a smaller --font-size");
    const auto extent = [&](const std::string& label) { return static_cast<double>(width_of(label)); };
    const auto height = [&](const std::string&) { return static_cast<double>(px(80)); };
    const TickRoom across = tick_room(box_.width, 450, 8, 80), up = tick_room(box_.height, 300, 7, 60);
    x_ticks_ = find_ticks(x_, across, extent);
    y_ticks_ = find_ticks(y_, up, height);
    xlabel_ = with_factor(options_.xlabel, x_ticks_);
    ylabel_ = with_factor(options_.ylabel, y_ticks_);
    if (options_.x2) {
      x2_ticks_ = find_ticks(scaled(x_, *options_.x2), across, extent);
      x2_label_ = with_factor(options_.x2->label, x2_ticks_);
    }
    if (options_.y2 || has_right()) {
      y2_ticks_ = find_ticks(has_right() ? right_ : scaled(y_, *options_.y2), up, height);
      y2_label_ = with_factor(has_right() ? options_.right_label : options_.y2->label, y2_ticks_);
      numbers2_ = 0;
      for (const Tick& t : y2_ticks_.ticks) numbers2_ = std::max(numbers2_, width_of(t.label));
    }
    numbers = 0;
    for (const Tick& t : y_ticks_.ticks) numbers = std::max(numbers, width_of(t.label));
    right = pad;
    for (const Ticks* ticks : {&x_ticks_, &x2_ticks_})
      for (const Tick& t : ticks->ticks)
        right = std::max(right, px(30) + rounded_to_int(width_of(t.label) / 2.0 - (1 - t.place) * box_.width) + px(20));
  }
  numbers_ = numbers;
}

void PlotDrawing::draw_axes() {
  const Rectangle& b = box_;
  const int rule = style_.rule, tick = px(35), below = b.y + b.height, gap = px(25);
  const Color grid{0, 0, 0, 26};
  for (const Tick& t : x_ticks_.ticks) {
    const int x = b.x + rounded_to_int(t.place * b.width);
    add_box({x, b.y, rule, b.height}, grid);
    add_box({x, below + rule, rule, tick}, style_.ink);
    const GlyphRun run = number(t.label);
    add_text(run, x + rule / 2 - pixels_of(run.width) / 2, below + rule + tick + gap + style_.capital, 0.5);
  }
  for (const Tick& t : y_ticks_.ticks) {
    const int y = below - rounded_to_int(t.place * b.height);
    add_box({b.x, y, b.width, rule}, grid);
    add_box({b.x - rule - tick, y, tick, rule}, style_.ink);
    const GlyphRun run = number(t.label);
    add_text(run, b.x - rule - tick - gap - pixels_of(run.width), y + rule / 2 + style_.capital / 2, 1);
  }
  const int small = px(18);
  for (const double place : minor_places(x_))
    add_box({b.x + rounded_to_int(place * b.width), below + rule, rule, small}, style_.ink);
  for (const double place : minor_places(y_))
    add_box({b.x - rule - small, below - rounded_to_int(place * b.height), small, rule}, style_.ink);
  add_box({b.x - rule, b.y, rule, b.height + rule}, style_.ink);
  add_box({b.x, below, b.width, rule}, style_.ink);
  add_label("--xlabel", xlabel_, false, below + rule + tick + gap + style_.capital + style_.line + px(10));
  add_label("--ylabel", ylabel_, true, b.x - rule - tick - gap - numbers_ - px(30));
  const int above = options_.x2 ? px(60) + style_.line * (x2_label_.empty() ? 1 : 2) : 0;
  int y = b.y - px(75) - above - legend_height();  // as the titles of fields beside it
  for (auto run = title_.rbegin(); run != title_.rend(); ++run, y -= style_.line) add_text(*run, b.x, y);
}

void PlotDrawing::set_title(int room) {
  constexpr int most = 3;
  for (int lines = 1; !options_.title.empty(); ++lines) {
    title_.clear();
    for (const std::string& line : wrapped(options_.title, lines))
      title_.push_back(set_text(line, style_.em, FontStyle::bold));
    if (widest_of(title_) <= room) return;
    if (lines == most) throw UsageError("--title is wider than the plot; shorten it or take a larger --width");
  }
}

void PlotDrawing::add_label(const char* option, const std::string& label, bool turned, int at) {
  const GlyphRun run = number(label);
  const Rectangle& b = box_;
  const int width = pixels_of(run.width), room = turned ? page_.size.height : page_.size.width;
  if (width > room)
    throw UsageError("{}: the label is longer than the plot; shorten it or take a larger {}", option,
                     turned ? "--height" : "--width");
  if (label.empty()) return;
  if (!turned) return add_text(run, std::clamp(b.x + (b.width - width) / 2, 0, room - width), at, 0.5);
  add_text(run, at + (at < b.x ? -pixels_of(run.descent) : pixels_of(run.ascent)),
           std::clamp(b.y + (b.height + width) / 2, width, room), 0.5, true);
}

void PlotDrawing::draw_second_axes() {
  const Rectangle& b = box_;
  const int rule = style_.rule, tick = px(35), gap = px(25), right = b.x + b.width;
  if (options_.x2) {
    add_box({b.x - rule, b.y - rule, b.width + rule, rule}, style_.ink);
    for (const Tick& t : x2_ticks_.ticks) {
      const int x = b.x + rounded_to_int(t.place * b.width);
      add_box({x, b.y - rule - tick, rule, tick}, style_.ink);
      const GlyphRun run = number(t.label);
      add_text(run, x + rule / 2 - pixels_of(run.width) / 2, b.y - rule - tick - gap, 0.5);
    }
    add_label("--x2", x2_label_, false, b.y - rule - tick - gap - style_.line - px(10));
  }
  if (options_.y2 || has_right()) {
    add_box({right, b.y - rule, rule, b.height + 2 * rule}, style_.ink);
    for (const Tick& t : y2_ticks_.ticks) {
      const int y = b.y + b.height - rounded_to_int(t.place * b.height);
      add_box({right + rule, y, tick, rule}, style_.ink);
      add_text(number(t.label), right + rule + tick + gap, y + rule / 2 + style_.capital / 2);
    }
    add_label("--y2", y2_label_, true, right + rule + tick + gap + numbers2_ + px(30));
  }
}

}  // namespace simreel
