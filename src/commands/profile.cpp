#include "commands/profile.h"

#include <fmt/format.h>

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
    const auto& [busy, work] = result.sinks[i];
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

void print_result_json(const RenderResult& result, const Scene& scene, const Executor& executor,
                       const std::vector<std::string>& outputs) {
  nlohmann::ordered_json json = {{"scene", scene.file.string()},
                                 {"executor", executor.name()},
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
    const auto& [busy, work] = result.sinks[i];
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
