#pragma once
// What is wrong with a command line that CLI11 refuses: the wrong word, and the nearest right one.

#include <CLI/CLI.hpp>
#include <string>

namespace simreel {

// The message for an error of `program.parse`.
std::string explain(const CLI::App& program, const CLI::ParseError&);

// For CLI::Option::check: whole numbers from `low` on.
CLI::Validator at_least(std::int64_t low);

}  // namespace simreel
