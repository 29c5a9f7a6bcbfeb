#pragma once
// What the library has to say while it works. It has no logger of its own: whoever starts a run passes a function.

#include <functional>
#include <string_view>

namespace simreel {

enum class LogLevel { info, warning, error };

// Takes one message, without a line end. Called from every thread of a run, from several at once, so it locks what it
// shares; it must not throw. An empty one: messages are dropped.
using Log = std::function<void(LogLevel, std::string_view)>;

inline void tell(const Log& log, LogLevel level, std::string_view message) {
  if (log) log(level, message);
}

}  // namespace simreel
