#pragma once
// What `simreel --version` prints, and with it what a report of a bug needs of the build.

#include <string>

namespace simreel {

std::string version_text();
// The limits of the control group: "2 cores, 1.0 GiB of memory, 700.0 MiB of it free"; empty without any.
std::string control_group();
// In generated code: "5d718aae6f0c", with "-dirty" after it where files were changed; "unknown" outside of a
// repository.
const char* build_commit();

}  // namespace simreel
