#pragma once
// The version of this program, as stored in its outputs. CMakeLists.txt, pyproject.toml and scripts/release.sh read it
// here.

namespace simreel {

inline constexpr const char* version = "0.1.0";

}  // namespace simreel
