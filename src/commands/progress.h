#pragma once
// How far a run has come, on stderr (stdout belongs to data).

#include <chrono>
#include <cstdint>
#include <string>

namespace simreel {

class Progress {
 public:
  enum class Style { automatic, plain, json, none };

  // `automatic` is one line that is redrawn on a terminal, and `plain` elsewhere: a line every few seconds. `json`: one
  // object a line.
  Progress(Style, std::int64_t frames);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void report(std::int64_t frames, bool searching);
  void close();  // ends the redrawn line, so that other text may follow; called by the destructor too

 private:
  using Clock = std::chrono::steady_clock;
  void print(std::int64_t done, bool searching, double seconds);

  Style style_;
  bool redraw_ = false, open_line_ = false, searching_ = false;
  std::int64_t frames_;
  Clock::time_point start_ = Clock::now(), last_{};
};

}  // namespace simreel
