#pragma once
// What is wrong with a command line that CLI11 refuses: the wrong word, and the nearest right one.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace simreel {

// Of its subcommands.
std::vector<std::string> command_names(const CLI::App&);

// The message for an error of `program.parse`.
std::string explain(const CLI::App& program, const CLI::ParseError&);

// Throws UsageError for `-output`, which CLI11 would take for `-o utput`, where the command has `--output`.
void refuse_single_dash(const CLI::App& program, const std::vector<std::string>& words);

// An option with a word for its value in the help. A list takes one value each time that the option is given.
template <class T>
CLI::Option* add_option(CLI::App& command, const char* names, T& value, const char* word, const std::string& about) {
  CLI::Option* const option = command.add_option(names, value, about)->type_name(word);
  if constexpr (requires { value.emplace_back(); }) option->allow_extra_args(false);
  return option;
}

// For CLI::Option::check: whole numbers from `low` on, or up to `high`.
CLI::Validator at_least(std::int64_t low);
CLI::Validator within(std::int64_t low, std::int64_t high);

}  // namespace simreel
