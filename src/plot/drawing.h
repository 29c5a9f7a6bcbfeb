#pragma once
// A plot while it is drawn: its axes (axes.cpp), lines (lines.cpp) and legend (legend.cpp).

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "figure/marks.h"
#include "figure/style.h"
#include "figure/ticks.h"
#include "plot/plot.h"

namespace simreel {

class PlotDrawing {
 public:
  PlotDrawing(const std::vector<PlotSeries>& series, const PlotOptions& options) : series_(series), options_(options) {
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

  void find_ranges();

  // As the axes of pictures have it.
  TickRoom tick_room(int length, int every, int most, int gap) const;

  // Twice, because the room of the numbers depends on the ticks.
  void place();

  void add_box(Rectangle box, Color color) { page_.marks.push_back({"plot", box_shape(box, color)}); }
  void add_text(const GlyphRun& run, int x, int y, double hold = 0, bool turned = false) {
    page_.marks.push_back({"plot", Label{run, {x * fine, y * fine}, turned ? upwards : rightwards, style_.ink, hold}});
  }
  void add_line(std::vector<Spot> points, std::int32_t width, Color color) {
    page_.marks.push_back({"plot", Shape{std::move(points), false, width, color}});
  }
  std::int32_t line_width() const { return style_.em * 12 / 100; }

  void draw_axes();

  // In as few lines as fit.
  void set_title(int room);

  // The label of an axis along its middle: its base line, or if it is turned the side next to the numbers, is at `at`.
  void add_label(const char* option, const std::string& label, bool turned, int at);

  // The same axes in other units, on the other sides.
  void draw_second_axes();

  PlotStyle style_of(const PlotSeries& series) const {
    return series.style == PlotStyle::automatic ? options_.style : series.style;
  }
  bool has_line(const PlotSeries& series) const { return style_of(series) != PlotStyle::points && series.x.size() > 1; }
  bool has_points(const PlotSeries& series) const;
  static Color color_of(std::size_t i);

  void draw_series(std::size_t index);

  // Between two columns, in a lighter colour.
  void draw_band(const PlotSeries& series, Color color);

  void draw_error(const PlotSeries& series, std::size_t i, std::int32_t x, Color color);

  void add_marker(std::size_t index, Spot at) {
    page_.marks.push_back({"plot", marker_shape(index, at, style_.em * 26 / 100, color_of(index))});
  }

  // The dashes of each line have a length of their own.
  void add_dashes(Spot from, Spot to, std::size_t index);
  static constexpr Color slope_color{110, 110, 110, 255};

  // Pixels down per pixel to the right.
  double steepness(double power) const {
    return -power * (y_.place(10 * y_.low) * box_.height) / (x_.place(10 * x_.low) * box_.width);
  }
  // Of a line, or the last one where there are fewer.
  std::vector<Spot> points_of(std::size_t index) const;

  // Below the series of the same number, its right angle beneath, at a place that covers as little as can be.
  void draw_triangle(std::size_t index);

  // Through the middle of the series of the same number, a little below it, as far as the plot allows.
  void draw_slope(std::size_t index);

  bool has_legend() const {
    return (options_.legend || !options_.slopes.empty()) && options_.legend_at != LegendAt::none;
  }
  std::size_t legend_lines() const { return options_.legend ? series_.size() : 0; }
  std::vector<GlyphRun> legend_texts() const;
  int entry_width(const GlyphRun& run) const { return px(220) + px(50) + pixels_of(run.width); }

  // The places of the entries of a legend above the axes, in rows, from the left end of its first one; the last is
  // where the next row would begin.
  std::vector<Spot> rows_above() const;
  // Of a legend above the axes.
  int legend_height() const {
    return has_legend() && options_.legend_at == LegendAt::outside ? rows_above().back().y + px(30) : 0;
  }

  void draw_entry(std::size_t i, const GlyphRun& text, int x, int middle);

  [[noreturn]] static void refuse_legend() {
    throw UsageError("the legend is larger than the plot; shorten --legend, or take a larger --width");
  }

  void draw_legend();

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

}  // namespace simreel
