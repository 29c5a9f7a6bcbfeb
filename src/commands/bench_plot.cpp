#include "commands/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/version.h"
#include "files/part_file.h"
#include "files/pattern.h"
#include "plot/plot.h"
#include "sink/page/page_file.h"

namespace simreel {
namespace {

// What a row has along x.
struct Sweep {
  std::string_view name;
  double (*of)(const BenchCase&);
};
constexpr std::array sweeps = {
    Sweep{"bodies", [](const BenchCase& what) { return static_cast<double>(what.bodies); }},
    Sweep{"cells", [](const BenchCase& what) { return static_cast<double>(what.grid[0]) * what.grid[1]; }},
    Sweep{"tile", [](const BenchCase& what) { return static_cast<double>(what.tile); }}};

// The first that has several values.
const Sweep* sweep_of(const std::vector<BenchCase>& cases) {
  for (const Sweep& sweep : sweeps) {
    std::set<double> values;
    for (const BenchCase& what : cases)
      if (sweep.of(what) > 0) values.insert(sweep.of(what));
    if (values.size() > 1) return &sweep;
  }
  return nullptr;
}

bool is_table(const std::string& output) { return extension_of(output) == ".csv"; }

// The words that tell the lines of a plot apart.
std::vector<std::string> words_of(const BenchCase& what, std::string_view x) {
  const auto number = [&](const char* name, double value) {
    return value > 0 && x != name ? fmt::format("{} {:.15g}", name, value) : std::string();
  };
  return {what.method,
          what.kernel,
          what.accuracy,
          what.precision,
          number("tile", what.tile),
          number("cells", sweeps[1].of(what))};
}

std::vector<PlotSeries> series_of(const std::vector<Measurement>& rows, const Sweep& sweep) {
  std::vector<std::vector<std::string>> words;
  for (const Measurement& row : rows) words.push_back(words_of(row.what, sweep.name));
  std::vector<PlotSeries> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!(sweep.of(rows[i].what) > 0)) continue;  // a kernel without tiles
    std::vector<std::string> differing;
    for (std::size_t k = 0; k < words[i].size(); ++k)
      if (!words[i][k].empty() &&
          std::ranges::any_of(words, [&](const auto& other) { return other[k] != words[i][k]; }))
        differing.push_back(words[i][k]);
    const std::string label = fmt::format("{}", fmt::join(differing, ", "));
    auto line = std::ranges::find(lines, label, &PlotSeries::label);
    if (line == lines.end()) line = lines.insert(lines.end(), {label, {}, {}, {}, PlotStyle::automatic});
    const double ms = 1e3 / rows[i].steps_per_second();
    line->x.push_back(sweep.of(rows[i].what));
    line->y.push_back(ms);
    line->error.push_back(ms * rows[i].spread.value_or(0) / 2);
  }
  return lines;
}

Page plot_of(const std::vector<Measurement>& rows, const PlotOptions& options, const Sweep& sweep) {
  PlotOptions look = options;
  const std::vector<PlotSeries> lines = series_of(rows, sweep);
  look.log_x = look.log_y = true;
  look.xlabel = std::string(sweep.name);
  look.ylabel = "ms per step";
  look.legend = lines.size() > 1;
  return draw_plot(lines, look);
}

}  // namespace

void check_bench_outputs(const std::vector<std::string>& outputs, const std::vector<BenchCase>& cases, bool overwrite) {
  for (const std::string& output : outputs) {
    if (!is_table(output) && !is_page_extension(extension_of(output)))
      throw UsageError("{}: bench writes a plot as x.pdf, x.svg, x.eps, x.tex or x.png, and its table as x.csv",
                       output);
    if (!is_table(output) && !sweep_of(cases))
      throw UsageError(
          "{}: a plot needs several sizes along x; add --bodies, --grids or --tiles with a "
          "list, or write the table: -o {}.csv",
          output, output.substr(0, output.size() - extension_of(output).size()));
    if (is_table(output))
      PartFile(output, overwrite, Opening::trial);
    else
      PageFile(output, overwrite, Opening::trial);
  }
}

void write_bench(const std::vector<std::string>& outputs, const std::vector<Measurement>& rows, bool overwrite) {
  std::vector<BenchCase> cases;
  for (const Measurement& row : rows) cases.push_back(row.what);
  const PlotOptions options;
  for (const std::string& output : outputs) {
    if (is_table(output)) {
      PartFile file(output, overwrite);
      file.write(bench_csv(rows));
      file.commit();
    } else {
      PageFile file(output, overwrite);
      const Page page = plot_of(rows, options, *sweep_of(cases));
      const PageFacts facts{page.size.width / options.width * FigureOptions::mm_per_inch,
                            {{"title", "Benchmark"}, {"version", fmt::format("simreel {}", version)}}};
      file.write({page.size, page.background, {page}}, facts);
      file.commit();
    }
  }
}

}  // namespace simreel
