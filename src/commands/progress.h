#pragma once
// How far a run has come, on stderr (stdout belongs to data).

#include <chrono>

#include "run/loop.h"

namespace simreel {

class Progress {
 public:
  enum class Style { automatic, plain, json, none };

  // `automatic` is one line that is redrawn on a terminal, and `plain` elsewhere: a line every few seconds. `json`: one
  // object a line.
  explicit Progress(Style);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void report(const RenderProgress&);
  void close();  // ends the redrawn line, so that other text may follow; called by the destructor too

 private:
  using Clock = std::chrono::steady_clock;
  void print(const RenderProgress&, double seconds);

  Style style_;
  bool redraw_ = false, open_line_ = false;
  RenderProgress::Stage stage_ = RenderProgress::Stage::start;
  Clock::time_point stage_start_ = Clock::now(), last_{};
};

}  // namespace simreel
