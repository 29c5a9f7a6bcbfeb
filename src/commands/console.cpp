#include "commands/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/escape.h"

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
bool redrawn = false;  // the cursor is behind a line that was redrawn

const LevelWords& words_of(LogLevel level) { return levels[static_cast<std::size_t>(level)]; }

// One call, so that no other process writes into the line. The mutex is locked.
void write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void write_lines(std::string text) {
  if (redrawn) text.insert(0, "\r\x1b[K");
  redrawn = false;
  if (!text.ends_with('\n')) text += '\n';
  write(text);
}

void write_json(LogLevel level, std::string_view message) {
  if (message.ends_with('\n')) message.remove_suffix(1);
  const nlohmann::ordered_json line = {{"level", words_of(level).name}, {"message", message}};
  // Names of files need not be UTF-8, which JSON must be.
  write_lines(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

void say_in_json() {
  const std::lock_guard lock(mutex);
  json = true;
}

void say_message(LogLevel level, std::string_view message) {
  const bool colored = ::isatty(STDERR_FILENO) != 0;
  const std::lock_guard lock(mutex);
  if (json) return write_json(level, message);
  const LevelWords& words = words_of(level);
  write_lines(
      fmt::format("{}{}{}: {}", colored ? words.color : "", words.name, colored ? "\x1b[m" : "", printable(message)));
}

void say(std::string_view text, LogLevel in_json) {
  const std::lock_guard lock(mutex);
  if (json) return write_json(in_json, text);
  write_lines(printable(text));
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
