#pragma once
// What an output says about where it comes from, so that a result can be made again: key and text pairs for metadata.

#include <string>
#include <utility>
#include <vector>

namespace simreel {

struct StreamInfo;

using Tags = std::vector<std::pair<std::string, std::string>>;

// title, scene, overrides (one a line) and version; what is empty is left out. The same on every machine and every day:
// a date, a host or a backend would make equal runs differ.
Tags origin_tags(const StreamInfo&);

}  // namespace simreel
