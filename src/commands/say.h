#pragma once

#include <cstdio>
#include <string>

namespace simreel {

// Prints text for people on stderr. A full or closed stderr does not end a run, so nothing is thrown.
inline void say(const std::string& text) { std::fputs(text.c_str(), stderr); }

}  // namespace simreel
