#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "commands/commands.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "commands/progress.h"
#include "commands/scene_arguments.h"
#include "panels/write.h"

namespace simreel {
namespace {

struct FigureArguments : ExecutorArguments {
  ConfineArgument confine;
  std::string file;
  std::vector<std::string> outputs;
  ProgressArgument progress;
  bool overwrite = false;
};

int run(const FigureArguments& arguments) {
  if (arguments.progress.style() == Progress::Style::json) say_in_json();
  arguments.confine.apply(std::filesystem::path(arguments.file).parent_path());
  const FigureFile file = load_figure_file(arguments.file);
  PanelFigure figure(file);
  const Executor executor = arguments.executor();
  watch_interrupts(1);  // before there is a file that a signal could leave behind
  try {
    Progress progress(arguments.progress.style());
    const FigureSummary written = write_figure(
        file, figure, {arguments.outputs, arguments.overwrite}, executor, [] { return interrupted() != 0; },
        [&](std::int64_t done, std::int64_t all) {
          progress.report({RenderProgress::Stage::render, done, all});
        });
    progress.close();
    say_message(LogLevel::info, fmt::format("{}: {}", fmt::join(arguments.outputs, ", "), text_of(written)));
  } catch (const Stopped&) {
    say_message(LogLevel::warning, fmt::format("ended by signal {}; nothing was written", interrupted()));
    return 128 + interrupted();
  } catch (const Diverged& error) {
    say_message(LogLevel::error, fmt::format("{}; nothing was written", error.what()));
    return static_cast<int>(ExitCode::diverged);
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace

void add_figure(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("figure", "Put scenes, data, images and plots beside each other on one page, for papers");
  const auto arguments = std::make_shared<FigureArguments>();
  command->add_option("file", arguments->file, "The figure (TOML): [figure] and a [[panel]] for each; docs/figures.md")
      ->required();
  command
      ->add_option("-o,--output", arguments->outputs, "x.pdf, x.svg, x.eps, x.tex or x.png; may be given several times")
      ->required()
      ->allow_extra_args(false)
      ->type_name("OUT");
  arguments->confine.add_to(*command);
  arguments->add_to(*command);
  arguments->progress.add_to(*command);
  command->add_flag("--overwrite", arguments->overwrite, "Replace outputs that exist");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
