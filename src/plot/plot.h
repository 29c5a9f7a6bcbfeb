#pragma once
// A plot of columns as a page: two spines, a light grid, lines and markers that differ in shape and grey value.

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cf_time.h"
#include "figure/page.h"

namespace simreel {

enum class PlotStyle { automatic, line, points, both };  // automatic: both where the points are few
inline constexpr std::array<std::string_view, 4> plot_style_names = {"auto", "line", "points", "both"};

struct PlotSeries {
  std::string label;                        // text for set_text
  std::vector<double> x, y;                 // of one length; a point with NaN interrupts the line
  std::vector<double> error;                // half of an error bar; empty: none
  PlotStyle style = PlotStyle::automatic;   // automatic: that of the plot
  std::vector<double> low = {}, high = {};  // ends of a band around the line; empty: none
  bool right = false;                       // along the axis at the right, which then has values of its own
  std::vector<double> time = {};            // of each point, increasing; empty: none
  double until = std::numeric_limits<double>::infinity();  // points of a later time have their room, and are left out
};

// A power, y ~ x^power, in a plot with two logarithmic axes: a dashed line, or a triangle beside a line.
struct PlotSlope {
  double power;
  std::string label;
};

// The numbers of an axis in another unit, on the other side.
struct SecondAxis {
  double factor;  // > 0; leads to the unit
  std::string label;
};

// Where the legend stands. automatic: where it covers nothing, above the axes if there is no such place.
enum class LegendAt { automatic, upper_left, upper_right, lower_left, lower_right, outside, none };
inline constexpr std::array<std::string_view, 7> legend_names = {
    "auto", "upper left", "upper right", "lower left", "lower right", "outside", "none"};

struct PlotOptions {
  bool log_x = false, log_y = false;
  LegendAt legend_at = LegendAt::automatic;
  std::optional<std::array<double, 2>> xlim, ylim;  // ends of the axes, low < high; above 0 on a logarithmic one
  std::string right_label;                          // of the axis of the series at the right
  PlotStyle style = PlotStyle::automatic;
  std::string title, xlabel, ylabel;
  bool legend = false;
  double width = 85, height = 60;  // mm
  int dpi = 300;
  double font_points = 7;
  std::vector<PlotSlope> slopes, triangles;  // a triangle shows its label at its upright side, and 1 below
  std::optional<SecondAxis> x2, y2;
  std::optional<CfTime> x_dates, y_dates, right_dates;  // how values along an axis count from a date
};

// Points that are not above 0 have no place on a logarithmic axis, and those beyond the limits none; they are left out.
bool has_place(const PlotOptions&, double x, double y);

// What the lines after the first are beside it, for each x that the first has, too: y / first, or first / y.
// Error bars are left out. Throws UsageError if there is one line, if no x is in both, or of dates.
enum class PlotRatio { none, over_first, first_over };
std::vector<PlotSeries> ratios(const std::vector<PlotSeries>&, PlotRatio, const PlotOptions&);

// The page's `field` is the box between the axes. Throws UsageError for a text that cannot be set, for labels that
// leave no room, for logarithms and second axes of dates, and if no point has a place.
Page draw_plot(const std::vector<PlotSeries>&, const PlotOptions&);

}  // namespace simreel
