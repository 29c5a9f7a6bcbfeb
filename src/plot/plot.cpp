#include "plot/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "figure/marks.h"
#include "figure/space.h"
#include "figure/style.h"
#include "figure/ticks.h"
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

// Colours that colour-blind readers tell apart (Okabe and Ito 2008), in an order of differing grey values.
constexpr std::array<Color, 6> colors = {{{0, 90, 160, 255},
                                          {230, 140, 0, 255},
                                          {70, 70, 70, 255},
                                          {0, 158, 115, 255},
                                          {190, 90, 150, 255},
                                          {86, 180, 233, 255}}};

class Drawing {
 public:
  Drawing(const std::vector<PlotSeries>& series, const PlotOptions& options) : series_(series), options_(options) {
    const double pixels_per_mm = options.dpi / FigureOptions::mm_per_inch;
    page_.size = {rounded_to_int(options.width * pixels_per_mm), rounded_to_int(options.height * pixels_per_mm)};
    page_.background = {255, 255, 255, 255};
    FigureOptions figure;
    figure.font_points = options.font_points;
    figure.dpi = options.dpi;
    ViewOptions view;
    view.size = page_.size;
    view.background = page_.background;
    style_ = simreel::style_of(view, figure);
  }

  Page draw() {
    find_ranges();
    place();
    draw_axes();
    draw_second_axes();
    for (std::size_t i = 0; i < series_.size(); ++i) draw_band(series_[i], color_of(i));
    for (std::size_t i = 0; i < series_.size(); ++i) draw_series(i);
    for (std::size_t i = 0; i < options_.slopes.size(); ++i) draw_slope(i);
    for (std::size_t i = 0; i < options_.triangles.size(); ++i) draw_triangle(i);
    if (has_legend()) draw_legend();
    page_.field = box_;
    return std::move(page_);
  }

  // Whether the legend, where it was placed, covers a part of a line.
  bool covers() const { return covers_; }
  bool legend_fits() const { return legend_fits_; }

 private:
  int px(int hundredths) const { return style_.px(hundredths); }
  GlyphRun number(const std::string& label) const { return set_text(label, style_.em); }
  int width_of(const std::string& label) const { return pixels_of(number(label).width); }
  static std::int32_t unit(double pixels) {
    constexpr double far = 1e6;  // from the page: where values beyond the limits end
    return static_cast<std::int32_t>(std::floor(std::max(-far, std::min(pixels, far)) * fine + 0.5));
  }
  double x_of(double v) const { return box_.x + x_.place(v) * box_.width; }
  double y_of(double v) const { return box_.y + (1 - y_.place(v)) * box_.height; }
  double y_of(double v, const PlotSeries& series) const {
    return series.right ? box_.y + (1 - right_.place(v)) * box_.height : y_of(v);
  }
  bool has_right() const { return std::ranges::any_of(series_, &PlotSeries::right); }

  void find_ranges() {
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
        throw UsageError(
            "an axis of dates shows a millisecond at least, in the years 0 to 30000; plot numbers instead");
    }
    if (options_.x2) scaled(x_, *options_.x2).check_places("the second x axis");
    if (options_.y2 || has_right())
      (has_right() ? right_ : scaled(y_, *options_.y2)).check_places("the y axis at the right");
  }

  // As the axes of pictures have it.
  TickRoom tick_room(int length, int every, int most, int gap) const {
    const int least = length >= px(1000) ? 4 : 3;
    return {static_cast<double>(length), static_cast<double>(px(gap)), std::clamp(length / px(every), least, most),
            least};
  }

  // Twice, because the room of the numbers depends on the ticks.
  void place() {
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
          right =
              std::max(right, px(30) + rounded_to_int(width_of(t.label) / 2.0 - (1 - t.place) * box_.width) + px(20));
    }
    numbers_ = numbers;
  }

  void add_box(Rectangle box, Color color) { page_.marks.push_back({"plot", box_shape(box, color)}); }
  void add_text(const GlyphRun& run, int x, int y, double hold = 0, bool turned = false) {
    page_.marks.push_back({"plot", Label{run, {x * fine, y * fine}, turned ? upwards : rightwards, style_.ink, hold}});
  }
  void add_line(std::vector<Spot> points, std::int32_t width, Color color) {
    page_.marks.push_back({"plot", Shape{std::move(points), false, width, color}});
  }
  std::int32_t line_width() const { return style_.em * 12 / 100; }

  void draw_axes() {
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

  // In as few lines as fit.
  void set_title(int room) {
    constexpr int most = 3;
    for (int lines = 1; !options_.title.empty(); ++lines) {
      title_.clear();
      for (const std::string& line : wrapped(options_.title, lines))
        title_.push_back(set_text(line, style_.em, FontStyle::bold));
      if (widest_of(title_) <= room) return;
      if (lines == most) throw UsageError("--title is wider than the plot; shorten it or take a larger --width");
    }
  }

  // The label of an axis along its middle: its base line, or if it is turned the side next to the numbers, is at `at`.
  void add_label(const char* option, const std::string& label, bool turned, int at) {
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

  // The same axes in other units, on the other sides.
  void draw_second_axes() {
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

  PlotStyle style_of(const PlotSeries& series) const {
    return series.style == PlotStyle::automatic ? options_.style : series.style;
  }
  bool has_line(const PlotSeries& series) const { return style_of(series) != PlotStyle::points && series.x.size() > 1; }
  bool has_points(const PlotSeries& series) const {
    constexpr std::size_t few = 40;
    const PlotStyle style = style_of(series);
    return style == PlotStyle::points || style == PlotStyle::both ||
           (style == PlotStyle::automatic && series.x.size() <= few) || series.x.size() == 1;
  }
  static Color color_of(std::size_t i) { return colors[i % colors.size()]; }

  void draw_series(std::size_t index) {
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

  // Between two columns, in a lighter colour.
  void draw_band(const PlotSeries& series, Color color) {
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

  void draw_error(const PlotSeries& series, std::size_t i, std::int32_t x, Color color) {
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

  void add_marker(std::size_t index, Spot at) {
    page_.marks.push_back({"plot", marker_shape(index, at, style_.em * 26 / 100, color_of(index))});
  }

  // The dashes of each line have a length of their own.
  void add_dashes(Spot from, Spot to, std::size_t index) {
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
  static constexpr Color slope_color{110, 110, 110, 255};

  // Pixels down per pixel to the right.
  double steepness(double power) const {
    return -power * (y_.place(10 * y_.low) * box_.height) / (x_.place(10 * x_.low) * box_.width);
  }
  // Of a line, or the last one where there are fewer.
  std::vector<Spot> points_of(std::size_t index) const {
    const PlotSeries& series = series_[std::min(index, series_.size() - 1)];
    std::vector<Spot> points;
    for (std::size_t i = 0; i < series.x.size(); ++i)
      if (has_place(options_, series.x[i], series.y[i]))
        points.push_back({unit(x_of(series.x[i])), unit(y_of(series.y[i]))});
    return points;
  }

  // Below the series of the same number, its right angle beneath, at a place that covers as little as can be.
  void draw_triangle(std::size_t index) {
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

  // Through the middle of the series of the same number, a little below it, as far as the plot allows.
  void draw_slope(std::size_t index) {
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

  bool has_legend() const {
    return (options_.legend || !options_.slopes.empty()) && options_.legend_at != LegendAt::none;
  }
  std::size_t legend_lines() const { return options_.legend ? series_.size() : 0; }
  std::vector<GlyphRun> legend_texts() const {
    std::vector<GlyphRun> texts;
    for (std::size_t i = 0; i < legend_lines(); ++i) texts.push_back(number(series_[i].label));
    for (const PlotSlope& slope : options_.slopes) texts.push_back(number(slope.label));
    return texts;
  }
  int entry_width(const GlyphRun& run) const { return px(220) + px(50) + pixels_of(run.width); }

  // The places of the entries of a legend above the axes, in rows, from the left end of its first one; the last is
  // where the next row would begin.
  std::vector<Spot> rows_above() const {
    std::vector<Spot> places;
    int x = 0, y = 0;
    for (const GlyphRun& run : legend_texts()) {
      const int width = entry_width(run);
      if (x > 0 && x + width > page_.size.width * 8 / 10) x = 0, y += px(140);
      places.push_back({x, y});
      x += width + px(120);
    }
    places.push_back({0, y + px(140)});
    return places;
  }
  // Of a legend above the axes.
  int legend_height() const {
    return has_legend() && options_.legend_at == LegendAt::outside ? rows_above().back().y + px(30) : 0;
  }

  void draw_entry(std::size_t i, const GlyphRun& text, int x, int middle) {
    const Spot from{x * fine, middle * fine}, to{(x + px(220)) * fine, middle * fine};
    if (i >= legend_lines()) {
      add_dashes(from, to, i - legend_lines());
    } else {
      if (has_line(series_[i])) add_line({from, to}, line_width(), color_of(i));
      if (has_points(series_[i])) add_marker(i, {(from.x + to.x) / 2, from.y});
    }
    add_text(text, x + px(220) + px(50), middle + style_.capital / 2);
  }

  [[noreturn]] static void refuse_legend() {
    throw UsageError("the legend is larger than the plot; shorten --legend, or take a larger --width");
  }

  void draw_legend() {
    const std::vector<GlyphRun> texts = legend_texts();
    if (options_.legend_at == LegendAt::outside) {
      for (const GlyphRun& text : texts)
        if (box_.x + entry_width(text) > page_.size.width) refuse_legend();
      const std::vector<Spot> places = rows_above();
      const int above = options_.x2 ? px(60) + style_.line * (x2_label_.empty() ? 1 : 2) : 0;
      for (std::size_t i = 0; i < texts.size(); ++i)
        draw_entry(i, texts[i], box_.x + places[i].x, box_.y - above - legend_height() + places[i].y + px(70));
      return;
    }
    const int row = px(140), pad = px(60), height = static_cast<int>(texts.size()) * row;
    int width = 0;
    for (const GlyphRun& run : texts) width = std::max(width, entry_width(run));
    legend_fits_ = width + 2 * pad <= box_.width && height + 2 * pad <= box_.height;
    if (!legend_fits_ && options_.legend_at != LegendAt::automatic) refuse_legend();
    if (!legend_fits_) return;
    Rectangle best{};
    std::size_t min = std::numeric_limits<std::size_t>::max();
    // Corners first, then the middle of the sides and of the plot.
    constexpr int places[][2] = {{2, 0}, {0, 0}, {2, 2}, {0, 2}, {2, 1}, {0, 1}, {1, 0}, {1, 2}, {1, 1}};
    constexpr LegendAt names[] = {LegendAt::upper_right, LegendAt::upper_left, LegendAt::lower_right,
                                  LegendAt::lower_left};
    for (std::size_t i = 0; i < std::size(places); ++i) {
      if (options_.legend_at != LegendAt::automatic && (i >= std::size(names) || names[i] != options_.legend_at))
        continue;
      const Rectangle place{box_.x + pad + (box_.width - 2 * pad - width) * places[i][0] / 2,
                            box_.y + pad + (box_.height - 2 * pad - height) * places[i][1] / 2, width, height};
      const auto covers = [&](const Spot& spot) {
        const int x = spot.x / fine, y = spot.y / fine;
        return x > place.x - pad && x < place.x + width + pad && y > place.y - pad && y < place.y + height + pad;
      };
      const auto count = static_cast<std::size_t>(std::ranges::count_if(taken_, covers));
      if (count < min) min = count, best = place;
    }
    covers_ = min > 0;
    add_box({best.x - px(20), best.y, best.width + px(40), best.height}, {255, 255, 255, 225});
    for (std::size_t i = 0; i < texts.size(); ++i)
      draw_entry(i, texts[i], best.x, best.y + static_cast<int>(i) * row + row / 2);
  }

  const std::vector<PlotSeries>& series_;
  const PlotOptions& options_;
  Page page_{};
  FigureStyle style_;
  AxisRange x_, y_, right_;
  bool covers_ = false, legend_fits_ = true;
  Ticks x_ticks_, y_ticks_;
  Ticks x2_ticks_, y2_ticks_;
  std::string xlabel_, ylabel_, x2_label_, y2_label_;
  std::vector<GlyphRun> title_;
  Rectangle box_{};
  int numbers_ = 0, numbers2_ = 0;  // the room of the numbers beside the y axes, pixels
  std::vector<Spot> taken_;         // points of all series
};

}  // namespace

bool has_place(const PlotOptions& options, double x, double y) {
  const auto within = [](const std::optional<std::array<double, 2>>& limits, double v) {
    return !limits || (v >= (*limits)[0] && v <= (*limits)[1]);
  };
  return std::isfinite(x) && std::isfinite(y) && (!options.log_x || x > 0) && (!options.log_y || y > 0) &&
         within(options.xlim, x) && within(options.ylim, y);
}

Page draw_plot(const std::vector<PlotSeries>& series, const PlotOptions& options) {
  Drawing drawing(series, options);
  Page page = drawing.draw();
  if (options.legend_at != LegendAt::automatic || (drawing.legend_fits() && !drawing.covers())) return page;
  PlotOptions outside = options;
  outside.legend_at = LegendAt::outside;
  try {
    return Drawing(series, outside).draw();
  } catch (const UsageError&) {  // a small plot
    if (!drawing.legend_fits()) throw;
    return page;
  }
}

std::vector<PlotSeries> ratios(const std::vector<PlotSeries>& series, PlotRatio ratio, const PlotOptions& options) {
  if (series.size() < 2) throw UsageError("--ratio compares lines with the first; name more columns or files");
  if (options.y_dates) throw UsageError("--ratio: dates have no ratio; name columns of numbers");
  const PlotSeries& first = series.front();
  std::vector<PlotSeries> all;
  for (auto one = series.begin() + 1; one != series.end(); ++one) {
    PlotSeries line{one->label, {}, {}, {}, one->style};
    for (std::size_t i = 0; i < one->x.size(); ++i) {
      const auto same = std::ranges::find(first.x, one->x[i]);
      if (same == first.x.end()) continue;
      const double base = first.y[static_cast<std::size_t>(same - first.x.begin())];
      line.x.push_back(one->x[i]);
      if (!one->time.empty()) line.time.push_back(one->time[i]);
      line.y.push_back(ratio == PlotRatio::over_first ? one->y[i] / base : base / one->y[i]);
    }
    if (line.x.empty()) throw UsageError("--ratio: \"{}\" and \"{}\" have no x in common", first.label, one->label);
    all.push_back(std::move(line));
  }
  return all;
}

}  // namespace simreel
