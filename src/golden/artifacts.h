#pragma once
// What a scene shows where it does not pass, as files for whoever has no browser at hand.

#include <filesystem>

#include "golden/check.h"

namespace simreel {

// Below `folder`, of each still that does not pass NAME.000005.actual.png and NAME.000005.difference.png, the latter
// where there are two pictures of one size, and NAME.actual.golden.csv or NAME.actual.svg. Throws as write_below does.
void write_artifacts(const std::filesystem::path& folder, const SceneCheck&);

}  // namespace simreel
