// include/simreel/simreel.hpp: figures of panels.

#include <chrono>
#include <string>
#include <vector>

#include "library/options.h"
#include "panels/write.h"
#include "scene/figure_file.h"

namespace simreel::api {

namespace {

FigureFile load(const std::filesystem::path& file) { return load_figure_file(file); }
FigureFile load(const Text& text) { return parse_figure(text.toml, text.folder, text.name); }

FigureResult drawn_figure(const auto& given, const std::vector<std::string>& outputs, const FigureOptions& options) {
  return translated([&] {
    const auto start = std::chrono::steady_clock::now();
    const FigureFile described = load(given);
    PanelFigure drawn(described);
    const Executor executor = executor_of(options);
    FigureResult result;
    try {
      const FigureSummary written = write_figure(
          described, drawn, {outputs, options.overwrite}, executor, [&] { return options.stop && options.stop(); },
          [&](std::int64_t done, std::int64_t all) {
            if (options.progress) options.progress(done, all);
          });
      result.outputs = outputs;
      result.summary = text_of(written);
      for (const std::string& warning : written.warnings) tell(log_of(options), LogLevel::warning, warning);
    } catch (const Stopped&) {
      result.stopped = true;
    } catch (const Diverged& error) {
      result.divergence = error.what();
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  });
}

}  // namespace

FigureResult figure(const std::filesystem::path& file, const std::vector<std::string>& outputs,
                    const FigureOptions& options) {
  return drawn_figure(file, outputs, options);
}
FigureResult figure(const Text& text, const std::vector<std::string>& outputs, const FigureOptions& options) {
  return drawn_figure(text, outputs, options);
}

}  // namespace simreel::api
