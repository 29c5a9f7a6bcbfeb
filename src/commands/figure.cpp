#include "commands/figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/version.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "commands/progress.h"
#include "commands/scene_arguments.h"
#include "files/part_file.h"
#include "files/pattern.h"
#include "panels/compose.h"
#include "sink/page/document.h"

namespace simreel {
namespace {

struct FigureArguments : ExecutorArguments {
  std::string file;
  std::vector<std::string> outputs;
  bool overwrite = false;
};

// The outputs, empty until the figure is complete.
struct Output {
  std::unique_ptr<PartFile> file;
  GroupDocument document;
};

std::vector<Output> open_outputs(const FigureArguments& arguments, const std::vector<std::string>& inputs) {
  std::vector<Output> outputs;
  for (const std::string& name : arguments.outputs) {
    const GroupDocument document = group_document(extension_of(name));
    if (!document) throw UsageError(fmt::format("{}: a figure is written as x.pdf, x.svg or x.png", name));
    for (const std::string& input : inputs)
      if (identity_of(input) == identity_of(name))
        throw UsageError(
            fmt::format("{}: the figure reads this file, so it cannot write there; choose another name", name));
    outputs.push_back({std::make_unique<PartFile>(name, arguments.overwrite), document});
  }
  return outputs;
}

int run(const FigureArguments& arguments) {
  const FigureFile file = load_figure_file(arguments.file);
  PanelFigure figure(file);
  const Executor executor = arguments.executor();
  const std::vector<Output> outputs = open_outputs(arguments, figure.inputs());
  watch_interrupts();
  PageGroup page;
  try {
    Progress progress(Progress::Style::automatic);
    page = figure.draw(
        executor, [] { return interrupted() != 0; },
        [&](std::int64_t done, std::int64_t all) {
          progress.report({RenderProgress::Stage::render, done, all});
        });
  } catch (const Stopped&) {
    say_message(LogLevel::warning, fmt::format("ended by signal {}; nothing was written", interrupted()));
    return 128 + interrupted();
  } catch (const Diverged& error) {
    say_message(LogLevel::error, fmt::format("{}; nothing was written", error.what()));
    return static_cast<int>(ExitCode::diverged);
  }
  const PageFacts facts{figure.pixels_per_inch(),
                        {{"title", file.print.title.empty() ? "Figure" : file.print.title},
                         {"version", fmt::format("simreel {}", version)},
                         {"scene", file.text}}};
  for (const Output& output : outputs) output.file->write(output.document(page, facts));
  for (const Output& output : outputs) output.file->commit();
  const auto count = [](std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  const double mm = FigureOptions::mm_per_inch / figure.pixels_per_inch();
  say_message(LogLevel::info,
              fmt::format("{}: {}, {} of scenes, {:.1f} x {:.1f} mm", fmt::join(arguments.outputs, ", "),
                          count(file.panels.size(), "panel"), count(static_cast<std::size_t>(figure.runs()), "run"),
                          page.size.width * mm, page.size.height * mm));
  return static_cast<int>(ExitCode::done);
}

}  // namespace

void add_figure(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("figure", "Put scenes, data, images and plots beside each other on one page, for papers");
  const auto arguments = std::make_shared<FigureArguments>();
  command->add_option("file", arguments->file, "The figure (TOML): [figure] and a [[panel]] for each; docs/figures.md")
      ->required();
  command->add_option("-o,--output", arguments->outputs, "x.pdf, x.svg or x.png; may be given several times")
      ->required()
      ->allow_extra_args(false)
      ->type_name("OUT");
  arguments->add_to(*command);
  command->add_flag("--overwrite", arguments->overwrite, "Replace outputs that exist");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
