#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "commands/commands.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "commands/progress.h"
#include "commands/render.h"
#include "files/pattern.h"
#include "panels/film.h"
#include "panels/film_parts.h"
#include "panels/write.h"
#include "sink/outputs.h"
#include "sink/page/page_file.h"

namespace simreel {
namespace {

struct FigureArguments {
  RenderArguments run;
  std::string file;
};

// Whether the outputs are pages, or all of them the frames of a video.
bool are_pages(const std::vector<std::string>& outputs) {
  const auto is_page = [](const std::string& output) {
    return is_page_extension(extension_of(output)) && !FilePattern(output).numbered();
  };
  const auto pages = std::ranges::count_if(outputs, is_page);
  if (pages == std::ssize(outputs)) return true;
  for (const std::string& output : outputs) {
    if (is_page(output)) continue;
    if (pages > 0)
      throw UsageError("{}: the others are pages, and this is a video of the figure; write it by a call of its own",
                       output);
    const Content content = kind_of(output).content;
    if (content == Content::page || content == Content::state || content == Content::diagnostics)
      throw UsageError(
          "{}: a figure is written as {}, or as a video: x.mp4, x.gif, x/%04d.png; for {} render its scenes", output,
          page_names, content == Content::page ? "pages of single frames" : "data");
  }
  return false;
}

int run_parts(const RenderArguments& arguments, const FigureFile& file) {
  const std::vector<ScenePart> parts = load_parts(file);
  const Executor executor = arguments.scene.executor();
  Film film = plan_parts(parts, file, executor);
  return run_planned(arguments, std::move(film.scene), std::move(film.plan), executor, executor.name());
}

int run(const FigureArguments& given) {
  const RenderArguments& arguments = given.run;
  if (arguments.progress.style() == Progress::Style::json) say_in_json();
  if (arguments.outputs.empty())
    throw UsageError(
        "simreel figure: -o is missing, the file to write: a page ({}), or a video and its frames (x.mp4, x.gif, "
        "x/%04d.png)",
        page_names);
  arguments.scene.confine.apply(std::filesystem::path(given.file).parent_path());
  const bool pages = are_pages(arguments.outputs);
  const std::vector<std::string> overrides = arguments.shape.applied_to(arguments.scene).overrides;
  if (pages && !overrides.empty())
    throw UsageError(
        "--preset, --size and --frames are for videos, -o x.mp4, and their frames, -o x/%04d.png; a page has \"width\" "
        "and \"dpi\" of [figure]");
  const FigureFile file = load_figure_file(given.file, overrides);
  if (!file.parts.empty() && !pages) return run_parts(arguments, file);
  PanelFigure figure(file);
  if (pages && !arguments.resume.empty())
    throw UsageError("--resume: pages are written at once when all is done; it is for videos, -o x.mp4");
  const Executor executor = arguments.scene.executor();
  if (!pages) {
    Film film = plan_film(figure, file, executor);
    return run_planned(arguments, std::move(film.scene), std::move(film.plan), executor, executor.name());
  }
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
    for (const std::string& warning : written.warnings) say_message(LogLevel::warning, warning);
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
  CLI::App* const command = program.add_subcommand(
      "figure", "Put scenes, data, images and plots side by side: on one page for papers, or as a video");
  const auto arguments = std::make_shared<FigureArguments>();
  command
      ->add_option(
          "file", arguments->file,
          "The figure (TOML): [figure] and a [[panel]] for each, or [[part]] for scenes in turn; docs/figures.md")
      ->required();
  const std::shared_ptr<RenderArguments> run_arguments(arguments, &arguments->run);
  add_run_options(command, run_arguments);
  arguments->run.shape.table = "figure";
  arguments->run.shape.add_to(*command);
  command->get_option("--output")
      ->description("Pages (x.pdf, x.svg, x.eps, x.tex, x.png), or videos and their frames, as of `render`");
  arguments->run.scene.confine.add_to(*command);
  arguments->run.scene.ExecutorArguments::add_to(*command);
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
