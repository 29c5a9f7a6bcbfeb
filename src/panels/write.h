#pragma once
// A figure of panels as files.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "panels/compose.h"
#include "scene/figure_file.h"

namespace simreel {

struct FigureOutputs {
  std::vector<std::string> names;  // x.pdf, x.svg, x.eps, x.tex, x.png
  bool overwrite = false;          // replace those that exist
};

// What was written.
struct FigureSummary {
  int panels = 0;
  int runs = 0;  // of scenes
  double width_mm = 0, height_mm = 0;
  std::vector<std::string> warnings = {};  // of its scenes, each once, with the place of its first panel
};
// "3 panels, 2 runs of scenes, 180.0 x 72.1 mm"
std::string text_of(const FigureSummary&);

// Draws the figure of `file` and writes it to all outputs, or, after any exception, to none. Throws UsageError for
// names that are no outputs, exist, or that the figure reads; what PanelFigure::draw throws; RuntimeError if a file
// cannot be written.
FigureSummary write_figure(const FigureFile& file, PanelFigure&, const FigureOutputs&, const Executor&,
                           const std::function<bool()>& stop,
                           const std::function<void(std::int64_t done, std::int64_t all)>& report);

}  // namespace simreel
