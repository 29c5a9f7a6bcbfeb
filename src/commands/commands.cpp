#include "commands/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "commands/command_line.h"
#include "exec/driver.h"
#include "sink/video/video.h"

namespace simreel {
namespace {

// CLI11 would only report that a subcommand is missing.
void refuse_unknown_command(const CLI::App& program, const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return;
  const std::string& word = words[0];
  const std::vector<std::string> commands = command_names(program);
  if (std::ranges::find(commands, word) != commands.end()) return;
  std::error_code unknown;
  if (std::filesystem::is_regular_file(word, unknown))
    throw UsageError("{} is a file, not a command; did you mean \"simreel render {}\"?", word, word);
  const std::vector<std::string_view> known(commands.begin(), commands.end());
  const std::string_view meant = nearest(word, known);
  throw UsageError("unknown command \"{}\"; {}there are: {}", word,
                   meant.empty() ? "" : fmt::format("did you mean \"{}\"? ", meant), fmt::join(commands, ", "));
}

// The words after the program's name; "help golden check" is "golden check --help".
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words[0] != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

}  // namespace

int run_command(int argc, char** argv) {
  silence_ffmpeg();
  enlarge_kernel_cache();
  CLI::App program(
      "Headless renderer and video exporter for GPU simulations: a scene file goes in, a video, pictures or data come "
      "out.",
      "simreel");
  program.set_version_flag("-V,--version", version_text,
                           "Print the version, the commit, the compiler and the libraries");
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 done, 1 failed (files, device, encoder), 2 wrong command line or scene,\n"
      "3 the simulation diverged, 4 a comparison found a difference, 5 --time-limit ended the run,\n128 + n ended by "
      "signal n.");
  Command chosen;
  for (AddCommand* const add : {add_new, add_render, add_sweep, add_view, add_plot, add_figure, add_check, add_preview,
                                add_info, add_selftest, add_colormaps, add_solvers, add_keys, add_bench, add_compare})
    add(program, chosen);
  add_golden(program, chosen, argc > 0 ? argv[0] : "simreel");
  program.add_subcommand("help", "Show the help of a command: help golden check");
  std::vector<std::string> words = words_of(argc, argv);
  refuse_unknown_command(program, words);
  refuse_single_dash(program, words);
  std::ranges::reverse(words);  // as `parse` wants them
  try {
    program.parse(words);
  } catch (const CLI::Success& asked) {
    return program.exit(asked);  // --help, --version
  } catch (const CLI::ParseError& error) {
    throw UsageError(explain(program, error));
  }
  return chosen();
}

}  // namespace simreel
