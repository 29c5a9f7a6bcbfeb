#pragma once
// The version of this program, as stored in its outputs.

namespace simreel {

inline constexpr const char* version = "0.1.0";

}  // namespace simreel
