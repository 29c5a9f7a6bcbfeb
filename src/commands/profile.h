#pragma once
// What came of a run and where its time went.

#include <string>
#include <vector>

#include "run/loop.h"

namespace simreel {

// A table on stderr. Sinks work beside the loop and each other, so the shares do not add up to the whole.
void print_profile(const RenderResult&, const std::vector<std::string>& outputs);

// The same and the run's result, on stdout.
void print_result_json(const RenderResult&, const Scene&, const Executor&, const std::vector<std::string>& outputs);

}  // namespace simreel
