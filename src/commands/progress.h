#pragma once
// The progress of a run, on stderr (stdout is for data).

#include <CLI/CLI.hpp>

#include <chrono>
#include <string>
#include <vector>

#include "run/render_loop.h"

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

// The result of a run and its profile.

// Prints a table on stderr. Sinks work in parallel with the loop and each other, so the shares do not add up to 100 %.
void print_profile(const RenderResult&, const std::vector<std::string>& outputs);

// Prints the same and the result of the run as JSON on stdout.
void print_result_json(const RenderResult&, const Scene&, const std::string& machine,
                       const std::vector<std::string>& outputs);

// What a run would gain with the codec h264_fast, by the speed that it has on an H100 (docs/design/h264.md), where
// another codec took more than twice that time; empty for a run on the CPU, whose cores both codecs share, and where
// less than a second would be gained.
std::string faster_codec(const RenderResult&, Size, Backend, const std::vector<std::string>& outputs);

}  // namespace simreel
