#include "commands/progress.h"

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "commands/console.h"
#include "commands/json.h"

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
// Frames of a run whose end is not known, such as files that are still being written.
constexpr std::int64_t endless_from = 1'000'000;

const Words& words(RenderProgress::Stage stage) {
  static constexpr Words all[] = {{"start", "before the first frame: ", "step"},
                                  {"range", "finding the range: ", "frame"},
                                  {"render", "", "frame"}};
  return all[static_cast<int>(stage)];
}

bool told_apart(const Sink::Times& times) { return times.encode + times.write > 0; }

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
  if (redraw_)
    redraw_line(text);
  else
    say_line(text);
}

void Progress::close() { end_redrawn_line(); }

void print_profile(const RenderResult& result, const std::vector<std::string>& outputs) {
  std::string table = fmt::format("{:<36}{:>10}{:>8}\n", "stage", "seconds", "share");
  const auto row = [&](const std::string& stage, double seconds) {
    table += fmt::format("{:<36}{:>10.3f}{:>7.0f}%\n", stage, seconds, 100 * seconds / result.seconds);
  };
  for (const auto& [stage, seconds] : result.stages) row(std::string(stage), seconds);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double busy = result.sinks[i].busy;
    const Sink::Times& work = result.sinks[i].work;
    if (told_apart(work)) {
      row("encode " + outputs[i], work.encode);
      row("write " + outputs[i], work.write);
    } else {
      row("encode and write " + outputs[i], busy);
    }
  }
  row("whole run", result.seconds);
  say(table);
}

std::string faster_codec(const RenderResult& result, Size size, Backend backend,
                         const std::vector<std::string>& outputs) {
  if (backend != Backend::cuda || result.sinks.empty()) return "";
  const auto slowest = std::ranges::max_element(result.sinks, {}, &RenderResult::SinkTime::busy);
  double waited = 0;
  for (const auto& [stage, seconds] : result.stages)
    if (stage == "wait for ring") waited = seconds;
  double rest = result.seconds - waited;  // the run's own time, and below the sinks that would stay
  for (const auto& sink : result.sinks)
    if (sink.replaceable_codec.empty()) rest = std::max(rest, sink.busy);
  constexpr double pixels_per_second = 2e9, min_gain = 1;  // of h264_fast; seconds
  rest += static_cast<double>(result.frames) * size.width * size.height / pixels_per_second;
  if (slowest->replaceable_codec.empty() || slowest->busy <= 2 * rest || result.seconds - rest < min_gain) return "";
  return fmt::format(
      "{}: the run waited for {} during {:.1f} of its {:.1f} s. With --set output.codec=h264_fast the GPU encodes, and "
      "it would have ended about {:.2g} times as soon, with a larger file (see docs/outputs.md)",
      outputs[static_cast<std::size_t>(slowest - result.sinks.begin())], slowest->replaceable_codec, waited,
      result.seconds, result.seconds / rest);
}

void print_result_json(const RenderResult& result, const Scene& scene, const std::string& machine,
                       const std::vector<std::string>& outputs) {
  nlohmann::ordered_json json = {{"scene", scene.file.string()},
                                 {"executor", machine},
                                 {"frames", result.frames},
                                 {"steps", result.steps},
                                 {"range", nullptr},
                                 {"diverged", result.diverged},
                                 {"signal", result.signal},
                                 {"findings", result.findings},
                                 {"warnings", result.warnings},
                                 {"seconds", result.seconds}};
  if (result.drawn) json["range"] = {result.range.low, result.range.high};
  for (const auto& [stage, seconds] : result.stages) json["stages"][std::string(stage)] = seconds;
  json["outputs"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double busy = result.sinks[i].busy;
    const Sink::Times& work = result.sinks[i].work;
    nlohmann::ordered_json output = {{"path", outputs[i]}, {"seconds", busy}};
    if (told_apart(work)) {
      output["encode"] = work.encode;
      output["write"] = work.write;
    }
    json["outputs"].push_back(output);
  }
  print_result(json);
}

}  // namespace simreel
