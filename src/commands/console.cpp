#include "commands/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <mutex>

#include "base/escape.h"
#include "commands/json.h"

namespace simreel {
namespace {

struct LevelWords {
  const char* name;
  const char* color;  // of a terminal (ECMA-48)
};
constexpr std::array<LevelWords, 3> levels = {
    {{"info", "\x1b[32m"}, {"warning", "\x1b[33;1m"}, {"error", "\x1b[31;1m"}}};

std::mutex mutex;  // guards what follows, and stderr
bool json = false;
bool redrawn = false;  // the cursor stands at the end of a line that was redrawn

const LevelWords& words_of(LogLevel level) { return levels[static_cast<std::size_t>(level)]; }

// One call, so that no other process writes into the line. The mutex is locked.
void write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void write_lines(std::string text) {
  if (redrawn) text.insert(0, "\r\x1b[K");
  redrawn = false;
  if (!text.ends_with('\n')) text += '\n';
  write(text);
}

std::string json_line(LogLevel level, std::string_view message) {
  if (message.ends_with('\n')) message.remove_suffix(1);
  return json_text({{"level", words_of(level).name}, {"message", message}}, -1) + '\n';
}

// The mutex is locked.
std::string line_of(LogLevel level, std::string_view message) {
  if (json) return json_line(level, message);
  const bool colored = ::isatty(STDERR_FILENO) != 0;
  const LevelWords& words = words_of(level);
  return fmt::format("{}{}{}: {}\n", colored ? words.color : "", words.name, colored ? "\x1b[m" : "",
                     printable(message));
}

}  // namespace

void say_in_json() {
  const std::lock_guard lock(mutex);
  json = true;
}

void say_message(LogLevel level, std::string_view message) {
  const std::lock_guard lock(mutex);
  write_lines(line_of(level, message));
}

std::string message_line(LogLevel level, std::string_view message) {
  const std::lock_guard lock(mutex);
  return line_of(level, message);
}

void say(std::string_view text, LogLevel in_json) {
  const std::lock_guard lock(mutex);
  write_lines(json ? json_line(in_json, text) : printable(text));
}

void say_line(const std::string& line) {
  const std::lock_guard lock(mutex);
  write_lines(line);
}

void redraw_line(const std::string& line) {
  const std::lock_guard lock(mutex);
  write("\r\x1b[K" + line);
  redrawn = true;
}

void end_redrawn_line() {
  const std::lock_guard lock(mutex);
  if (redrawn) write("\n");
  redrawn = false;
}

}  // namespace simreel
