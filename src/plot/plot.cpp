#include "plot/plot.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "plot/drawing.h"

namespace simreel {

bool has_place(const PlotOptions& options, double x, double y) {
  const auto within = [](const std::optional<std::array<double, 2>>& limits, double v) {
    return !limits || (v >= (*limits)[0] && v <= (*limits)[1]);
  };
  return std::isfinite(x) && std::isfinite(y) && (!options.log_x || x > 0) && (!options.log_y || y > 0) &&
         within(options.xlim, x) && within(options.ylim, y);
}

Page draw_plot(const std::vector<PlotSeries>& series, const PlotOptions& options) {
  PlotDrawing drawing(series, options);
  Page page = drawing.draw();
  if (options.legend_at != LegendAt::automatic || (drawing.legend_fits() && !drawing.covers())) return page;
  PlotOptions outside = options;
  outside.legend_at = LegendAt::outside;
  try {
    return PlotDrawing(series, outside).draw();
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
