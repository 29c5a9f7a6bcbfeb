#pragma once
// A plot of columns as a page: two spines, a light grid, lines and markers that differ in shape and grey value.

#include <string>
#include <vector>

#include "raster/figure/page.h"

namespace simreel {

struct PlotSeries {
  std::string label;          // text for set_text
  std::vector<double> x, y;   // of one length; a point with NaN interrupts the line
  std::vector<double> error;  // half of an error bar; empty: none
};

// A dashed line y ~ x^power in a plot with two logarithmic axes.
struct PlotSlope {
  double power;
  std::string label;
};

struct PlotOptions {
  bool log_x = false, log_y = false;
  enum class Style { automatic, line, points, both } style = Style::automatic;  // automatic: markers for few points
  std::string title, xlabel, ylabel;
  bool legend = false;
  double width = 85, height = 60;  // mm
  int dpi = 300;
  double font_points = 7;
  std::vector<PlotSlope> slopes;
};

// Points that are not above 0 have no place on a logarithmic axis; they are left out.
bool has_place(const PlotOptions&, double x, double y);

// Throws UsageError for a text that cannot be set, for labels that leave no room, and if no point has a place.
Page draw_plot(const std::vector<PlotSeries>&, const PlotOptions&);

}  // namespace simreel
