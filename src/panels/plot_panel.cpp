#include <algorithm>
#include <iterator>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "panels/panel.h"
#include "plot/plot.h"
#include "plot/read_csv.h"

namespace simreel {
namespace {

class PlotPanel : public Panel {
 public:
  PlotPanel(const PanelOptions& options, const PanelPrint& print) : Panel(options), plot_(*options.plot) {
    std::map<std::string, CsvTable> tables;
    std::vector<std::pair<const CsvTable*, std::string>> along_x, along_y, along_right;
    for (const PanelPlot::Line& line : plot_.lines) {
      if (!tables.contains(line.file)) tables.emplace(line.file, read_csv(line.file));
      const CsvTable& table = tables.at(line.file);
      const std::string& x = line.x.empty() ? table.names.front() : line.x;
      along_x.emplace_back(&table, x);
      (line.right ? along_right : along_y).emplace_back(&table, line.y);
      PlotSeries series{
          line.label.value_or(line.y), table.column(x), table.column(line.y), {}, static_cast<PlotStyle>(line.style)};
      if (!line.error.empty()) series.error = table.column(line.error);
      if (!line.band.empty()) series.low = table.column(line.band[0]), series.high = table.column(line.band[1]);
      series.right = line.right;
      if (plot_.grow) series.time = times_of(table, x);
      series_.push_back(std::move(series));
      look_.legend = look_.legend || line.label.has_value();
    }
    look_.x_dates = dates_along(along_x), look_.y_dates = dates_along(along_y);
    look_.right_dates = dates_along(along_right);
    look_.xlim = plot_.xlim, look_.ylim = plot_.ylim;
    if ((look_.xlim && look_.x_dates) || (look_.ylim && look_.y_dates))
      throw UsageError(
          "\"xlim\" and \"ylim\" in [panel.plot] are numbers, and an axis has dates; simreel plot has limits of dates");
    look_.legend_at = static_cast<LegendAt>(plot_.legend_at);
    if (!along_right.empty())
      look_.right_label = plot_.right_label.value_or(along_right.size() == 1 ? along_right[0].second : "");
    if (plot_.ratio != 0) series_ = ratios(series_, static_cast<PlotRatio>(plot_.ratio), look_);
    const auto second = [](const PanelPlot::Second& axis) { return SecondAxis{axis.factor, axis.label}; };
    if (plot_.x2) look_.x2 = second(*plot_.x2);
    if (plot_.y2) look_.y2 = second(*plot_.y2);
    for (const PanelPlot::Slope& slope : plot_.slopes) look_.slopes.push_back({slope.power, slope.label});
    for (const PanelPlot::Slope& slope : plot_.triangles) look_.triangles.push_back({slope.power, slope.label});
    look_.log_x = plot_.log_x, look_.log_y = plot_.log_y;
    look_.title = lettered(options, options.title.value_or(""));
    look_.xlabel = plot_.xlabel.value_or(common_column(along_x));
    look_.ylabel = plot_.ylabel.value_or(common_column(along_y));
    look_.dpi = print.dpi, look_.font_points = print.font_points;
  }

  double usual_aspect() const override { return plot_.aspect; }

  void set_times(const std::function<double(std::size_t)>& time_of) override {
    if (!plot_.grow) return;
    const std::size_t first = plot_.lines.size() - series_.size();  // ratios have none of the first line
    for (std::size_t i = 0; i < series_.size(); ++i) series_[i].until = time_of(plot_.lines[first + i].clock);
  }

  Margins margins(Size field) override {
    draw(field);
    return margins_;
  }

  // The room of numbers follows from their ticks, which follow from the size between the axes.
  Page draw(Size field) override {
    Page page;
    for (int pass = 0; pass < 4; ++pass) {
      const auto mm = [&](int pixels) { return pixels * FigureOptions::mm_per_inch / look_.dpi; };
      look_.width = mm(field.width + margins_.left + margins_.right);
      look_.height = mm(field.height + margins_.top + margins_.bottom);
      page = draw_plot(series_, look_);
      const Rectangle& box = page.field;
      margins_ = {box.x, box.y, page.size.width - box.x - box.width, page.size.height - box.y - box.height};
      if (box.width == field.width && box.height == field.height) break;
    }
    return page;
  }

 private:
  // The column that all lines have; empty if there is none.
  static std::string common_column(const std::vector<std::pair<const CsvTable*, std::string>>& columns) {
    if (columns.empty()) return "";
    const std::string& first = columns.front().second;
    return std::ranges::all_of(columns, [&](const auto& one) { return one.second == first; }) ? first : "";
  }

  static std::vector<double> times_of(const CsvTable& table, const std::string& x) {
    const std::string& name = std::ranges::count(table.names, "time") > 0 ? "time" : x;
    if (table.has_dates(name))
      throw UsageError(
          "{}: lines with grow = true follow the time of the simulation, and column {} holds dates; add a column "
          "\"time\" with numbers",
          table.file, quote(name));
    std::vector<double> times = table.column(name);
    const auto falls = std::ranges::adjacent_find(times, std::greater());
    if (falls != times.end())
      throw UsageError(
          "{}:{}: lines with grow = true follow the column \"time\", or x where there is none, and {} falls from {} to "
          "{} here, which no time does",
          table.file, table.lines[static_cast<std::size_t>(falls - times.begin()) + 1], quote(name), *falls,
          *std::next(falls));
    return times;
  }

  const PanelPlot& plot_;
  std::vector<PlotSeries> series_;
  PlotOptions look_;
  Margins margins_{200, 60, 60, 150};
};

}  // namespace

std::unique_ptr<Panel> make_plot_panel(const PanelOptions& options, const PanelPrint& print) {
  return std::make_unique<PlotPanel>(options, print);
}

}  // namespace simreel
