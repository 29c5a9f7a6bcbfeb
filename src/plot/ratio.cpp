
#include <algorithm>

#include "base/error.h"
#include "plot/plot.h"

namespace simreel {

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
