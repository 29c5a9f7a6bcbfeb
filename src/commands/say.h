#pragma once

#include <cstdio>
#include <string>

namespace simreel {

// Text for people, on stderr. A stderr that is full or closed is no reason to end a run, so nothing is thrown.
inline void say(const std::string& text) { std::fputs(text.c_str(), stderr); }

}  // namespace simreel
