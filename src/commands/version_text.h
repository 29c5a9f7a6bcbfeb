#pragma once
// What `simreel --version` prints, and with it what a report of a bug needs of the build.

#include <string>

namespace simreel {

std::string version_text();
// In generated code: "5d718aae6f0c", with "-dirty" after it where files were changed; "unknown" outside of a
// repository.
const char* build_commit();

}  // namespace simreel
