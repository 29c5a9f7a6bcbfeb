#include "commands/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "commands/console.h"

namespace simreel {
namespace {

std::string format_duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

struct Words {
  const char* name;    // in JSON
  const char* before;  // the first words of a line
  const char* unit;
};
// Frames of a run whose end nobody knows, as of files that are still written.
constexpr std::int64_t endless_from = 1'000'000;

const Words& words(RenderProgress::Stage stage) {
  static constexpr Words all[] = {{"start", "before the first frame: ", "step"},
                                  {"range", "finding the range: ", "frame"},
                                  {"render", "", "frame"}};
  return all[static_cast<int>(stage)];
}

}  // namespace

void ProgressArgument::add_to(CLI::App& command) {
  command.add_option("--progress", name_, "How to show progress")
      ->check(CLI::IsMember({"auto", "plain", "json", "none"}))
      ->capture_default_str();
}

Progress::Style ProgressArgument::style() const {
  if (name_ == "plain") return Progress::Style::plain;
  if (name_ == "json") return Progress::Style::json;
  return name_ == "none" ? Progress::Style::none : Progress::Style::automatic;
}

Progress::Progress(Style style) : style_(style), redraw_(style == Style::automatic && isatty(STDERR_FILENO)) {}

Progress::~Progress() { close(); }

void Progress::report(const RenderProgress& progress) {
  if (style_ == Style::none) return;
  const Clock::time_point now = Clock::now();
  if (progress.stage != stage_) {
    stage_ = progress.stage;
    stage_start_ = now;  // the rate is per stage
  }
  const auto interval = redraw_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(3000);
  const bool last = progress.stage == RenderProgress::Stage::render && progress.done == progress.total;
  if (now - last_ < interval && !last) return;
  last_ = now;
  print(progress, std::chrono::duration<double>(now - stage_start_).count());
}

void Progress::print(const RenderProgress& progress, double seconds) {
  if (progress.total == 0) return;
  const Words& stage = words(progress.stage);
  const double rate = seconds > 0 ? static_cast<double>(progress.done) / seconds : 0;
  const double left = rate > 0 ? static_cast<double>(progress.total - progress.done) / rate : 0;
  if (style_ == Style::json) {
    const std::string unit = stage.unit;
    const nlohmann::ordered_json line = {
        {"stage", stage.name},
        {unit, progress.done},
        {unit + "s", progress.total},
        {unit + "s_per_second", rate},
        {"seconds_left", progress.total < endless_from ? nlohmann::ordered_json(left) : nlohmann::ordered_json()}};
    say_line(line.dump());
    return;
  }
  const double percent = 100 * static_cast<double>(progress.done) / static_cast<double>(progress.total);
  const bool endless = progress.total >= endless_from;
  std::string text = fmt::format("{}{} {}", stage.before, stage.unit, progress.done);
  if (!endless) text += fmt::format(" of {}, {:.0f} %", progress.total, percent);
  if (rate > 0) text += fmt::format(", {:.1f} {}s/s", rate, stage.unit);
  if (rate > 0 && !endless) text += fmt::format(", {} left", format_duration(left));
  if (redraw_) {
    redraw_line(text);
  } else {
    say_line(text);
  }
}

void Progress::close() { end_redrawn_line(); }

}  // namespace simreel
