#pragma once
// The progress of a run, on stderr (stdout is for data).

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>

#include "run/loop.h"

namespace simreel {

class Progress {
 public:
  enum class Style { automatic, plain, json, none };

  // `automatic`: one redrawn line on a terminal, otherwise `plain`, which prints a line every few seconds. `json`: one
  // object per line.
  explicit Progress(Style);
  ~Progress();
  Progress& operator=(Progress&&) = delete;

  void report(const RenderProgress&);
  void close();  // ends the redrawn line, so that other text can follow; the destructor calls it too

 private:
  using Clock = std::chrono::steady_clock;
  void print(const RenderProgress&, double seconds);

  Style style_;
  bool redraw_ = false;
  RenderProgress::Stage stage_ = RenderProgress::Stage::start;
  Clock::time_point stage_start_ = Clock::now(), last_{};
};

// The option --progress.
class ProgressArgument {
 public:
  void add_to(CLI::App&);
  Progress::Style style() const;

 private:
  std::string name_ = "auto";
};

}  // namespace simreel
