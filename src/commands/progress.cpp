#include "commands/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace simreel {
namespace {

std::string format_duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(Style style, std::int64_t frames) : style_(style), frames_(frames) {
  redraw_ = style == Style::automatic && isatty(STDERR_FILENO);
}

Progress::~Progress() { close(); }

void Progress::report(std::int64_t frames, bool searching) {
  if (style_ == Style::none) return;
  const Clock::time_point now = Clock::now();
  if (searching != searching_) {
    searching_ = searching;
    start_ = now;  // frames a second are those of this pass
  }
  const auto interval = redraw_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(3000);
  if (now - last_ < interval && frames < frames_) return;
  last_ = now;
  print(frames, searching, std::chrono::duration<double>(now - start_).count());
}

void Progress::print(std::int64_t done, bool searching, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const double left = rate > 0 ? static_cast<double>(frames_ - done) / rate : 0;
  if (style_ == Style::json) {
    const nlohmann::ordered_json line = {{"stage", searching ? "range" : "render"},
                                         {"frame", done},
                                         {"frames", frames_},
                                         {"fps", rate},
                                         {"seconds_left", left}};
    fmt::print(stderr, "{}\n", line.dump());
    return;
  }
  const std::string text = fmt::format(
      "{}frame {} of {}, {:.0f} %, {:.1f} frames/s, {} left", searching ? "finding the range: " : "", done, frames_,
      100.0 * static_cast<double>(done) / static_cast<double>(frames_), rate, format_duration(left));
  if (redraw_) {
    fmt::print(stderr, "\r\x1b[K{}", text);
    std::fflush(stderr);
    open_line_ = true;
  } else {
    fmt::print(stderr, "{}\n", text);
  }
}

void Progress::close() {
  if (open_line_) fmt::print(stderr, "\n");
  open_line_ = false;
}

}  // namespace simreel
