#pragma once
// The result of a run and its profile.

#include <string>
#include <vector>

#include "run/loop.h"

namespace simreel {

// Prints a table on stderr. Sinks work in parallel with the loop and each other, so the shares do not add up to 100 %.
void print_profile(const RenderResult&, const std::vector<std::string>& outputs);

// Prints the same and the result of the run as JSON on stdout.
void print_result_json(const RenderResult&, const Scene&, const std::string& machine,
                       const std::vector<std::string>& outputs);

// What a run would gain with the codec h264_fast, by the speed that it has on an H100 (docs/design/h264.md), where
// another codec took more than twice that time; empty for a run on the CPU, whose cores both codecs share, and where
// less than a second would be gained.
std::string faster_codec(const RenderResult&, Size, Backend, const std::vector<std::string>& outputs);

}  // namespace simreel
