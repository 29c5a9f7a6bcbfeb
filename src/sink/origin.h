#pragma once
// The origin of an output as metadata, so that a result can be reproduced: pairs of key and text.

#include <string>
#include <utility>
#include <vector>

namespace simreel {

struct StreamInfo;

using Tags = std::vector<std::pair<std::string, std::string>>;

// title, scene, overrides (one per line) and version; empty ones are left out. The tags are the same on every machine
// and every day: a date, a host or a backend would make the bytes of equal runs differ. An override of the number of
// frames is left out where pictures do not depend on it, because a run can be extended: the length of a file, or the
// number in its name, tells it. A single picture has neither, so its tags have that override.
enum class Origin { growing, single };
Tags origin_tags(const StreamInfo&, Origin = Origin::growing);

}  // namespace simreel
