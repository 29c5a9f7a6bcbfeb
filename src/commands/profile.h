#pragma once
// The result of a run and its profile.

#include <string>
#include <vector>

#include "run/loop.h"

namespace simreel {

// Prints a table on stderr. Sinks work in parallel with the loop and each other, so the shares do not add up to 100 %.
void print_profile(const RenderResult&, const std::vector<std::string>& outputs);

// Prints the same and the result of the run as JSON on stdout.
void print_result_json(const RenderResult&, const Scene&, const Executor&, const std::vector<std::string>& outputs);

}  // namespace simreel
