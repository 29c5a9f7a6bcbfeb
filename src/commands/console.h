#pragma once
// All that the program writes to stderr: messages, tables and the progress line. Any thread may call these functions;
// lines never mix. A stderr that is full or closed is no reason to end a run, so nothing is thrown.

#include <string>
#include <string_view>

#include "base/log.h"

namespace simreel {

// From now on each message is a JSON object on a line of its own: {"level": "warning", "message": "..."}.
void say_in_json();

// "warning: ..." and a line end, in colour on a terminal. A redrawn line is cleared first. Of type Log.
void say_message(LogLevel, std::string_view message);
// The same text, for whoever must write it himself.
std::string message_line(LogLevel, std::string_view message);
// Lines of text without a level; in JSON one message of the level given.
void say(std::string_view text, LogLevel in_json = LogLevel::info);

// One line for a program or a log to read, as it is.
void say_line(const std::string& line);
// A line that the next one of this kind replaces; for terminals.
void redraw_line(const std::string& line);
// Keeps the redrawn line, if there is one, and starts a new one.
void end_redrawn_line();

}  // namespace simreel
