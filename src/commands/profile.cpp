#include "commands/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands/console.h"
#include "commands/json.h"

namespace simreel {
namespace {

bool told_apart(const Sink::Times& times) { return times.encode + times.write > 0; }

}  // namespace

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
