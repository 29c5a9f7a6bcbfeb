#include "panels/write.h"

#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/version.h"
#include "files/pattern.h"
#include "sink/page/page_file.h"

namespace simreel {
namespace {

// The outputs, empty until the figure is complete.
using Outputs = std::vector<std::unique_ptr<PageFile>>;

Outputs open_outputs(const FigureOutputs& wanted, const std::vector<std::string>& inputs) {
  if (wanted.names.empty()) throw UsageError("a figure needs an output: \"x.pdf\"");
  Outputs outputs;
  for (const std::string& name : wanted.names) {
    if (!is_page_extension(extension_of(name))) throw UsageError("{}: a figure is written as {}", name, page_names);
    for (const std::string& input : inputs)
      if (identity_of(input) == identity_of(name))
        throw UsageError("{}: the figure reads this file, so it cannot write there; choose another name", name);
    outputs.push_back(std::make_unique<PageFile>(name, wanted.overwrite));
  }
  return outputs;
}

}  // namespace

std::string text_of(const FigureSummary& summary) {
  const auto count = [](int n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  return fmt::format("{}, {} of scenes, {:.1f} x {:.1f} mm", count(summary.panels, "panel"), count(summary.runs, "run"),
                     summary.width_mm, summary.height_mm);
}

FigureSummary write_figure(const FigureFile& file, PanelFigure& figure, const FigureOutputs& wanted,
                           const Executor& executor, const std::function<bool()>& stop,
                           const std::function<void(std::int64_t, std::int64_t)>& report) {
  const Outputs outputs = open_outputs(wanted, figure.inputs());
  const PageGroup page = figure.draw(executor, stop, report);
  const PageFacts facts{figure.pixels_per_inch(),
                        {{"title", file.print.title.empty() ? "Figure" : file.print.title},
                         {"version", fmt::format("simreel {}", version)},
                         {"scene", file.text}}};
  for (const auto& output : outputs) output->write(page, facts);
  for (const auto& output : outputs) output->commit();
  const double mm = FigureOptions::mm_per_inch / figure.pixels_per_inch();
  return {static_cast<int>(file.panels.size()), figure.runs(), page.size.width * mm, page.size.height * mm,
          figure.warnings()};
}

}  // namespace simreel
