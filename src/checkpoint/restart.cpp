#include "checkpoint/restart.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <xxhash.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>

#include "error.h"
#include "scene/difference.h"
#include "version.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

std::string joined(const std::vector<std::string>& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The files that a run reads beside its scene, with the XXH3 hashes of what is in them.
std::string hashes_of(const std::vector<std::string>& inputs) {
  std::string text;
  std::error_code error;
  for (const std::string& input : inputs) {
    if (&input == &inputs.front() || !fs::is_regular_file(input, error)) continue;
    std::ostringstream contents;
    contents << std::ifstream(input, std::ios::binary).rdbuf();
    const std::string bytes = contents.str();
    text += fmt::format("{} {:016x}\n", input, XXH3_64bits(bytes.data(), bytes.size()));
  }
  return text;
}

Checkpoint identity(const std::vector<std::string>& outputs, const StreamInfo& info) {
  Checkpoint run;
  run.save_text("run version", version);
  run.save_text("run scene", info.scene_text);
  run.save_text("run overrides", joined(info.overrides));
  run.save_text("run outputs", joined(outputs));
  run.save_text("run inputs", hashes_of(info.inputs));
  return run;
}

// What differs between two runs; empty where nothing does.
std::string difference(const Checkpoint& before, const Checkpoint& now) {
  const auto texts = [&](const char* block) { return std::pair(before.load_text(block), now.load_text(block)); };
  if (const auto [old_version, new_version] = texts("run version"); old_version != new_version)
    return fmt::format("version {} of the program wrote it, and this is {}", old_version, new_version);
  const auto scene = [](const Checkpoint& run) {
    return SceneText{run.load_text("run scene"), split(run.load_text("run overrides"))};
  };
  if (const std::string key = scene_difference(scene(before), scene(now)); !key.empty()) return key;
  if (const auto [old_outputs, new_outputs] = texts("run outputs"); old_outputs != new_outputs)
    return fmt::format("its outputs were {}, and here they are {}", fmt::join(split(old_outputs), ", "),
                       fmt::join(split(new_outputs), ", "));
  if (const auto [old_inputs, new_inputs] = texts("run inputs"); old_inputs != new_inputs)
    return "a file that the scene names has changed";
  return "";
}

void refuse_difference(const fs::path& folder, const Checkpoint& before, const Checkpoint& now) {
  const std::string key = difference(before, now);
  if (key.empty()) return;
  throw UsageError(
      fmt::format("{}: this run is not the one to resume: {}; resume it as it was, or leave --resume out and pass "
                  "--overwrite to begin again",
                  folder.string(), key));
}

}  // namespace

std::optional<fs::path> checkpoint_folder(const std::vector<std::string>& outputs) {
  if (std::ranges::find(outputs, "-") != outputs.end()) return std::nullopt;
  const auto file = std::ranges::find_if(outputs, [](const std::string& output) { return output != "null:"; });
  if (file == outputs.end()) return std::nullopt;
  return *file + ".checkpoint";
}

OpenRun open_fresh(const std::vector<std::string>& outputs, const OutputOptions& options, const StreamInfo& info,
                   std::optional<CheckpointInterval> interval) {
  OpenRun run;
  const std::optional<fs::path> folder = checkpoint_folder(outputs);
  if (interval && folder) {
    run.checkpointer =
        std::make_unique<Checkpointer>(CheckpointFolder::make(*folder), identity(outputs, info), *interval);
    run.checkpointer->keep_start();
  }
  try {
    run.sinks = open_sinks(outputs, options, info);
  } catch (...) {
    if (run.checkpointer) run.checkpointer->remove();
    throw;
  }
  if (run.checkpointer) run.checkpointer->watch(run.sinks);
  return run;
}

OpenRun open_interrupted(const std::vector<std::string>& outputs, const OutputOptions& options, const StreamInfo& info,
                         std::optional<CheckpointInterval> interval) {
  const std::optional<fs::path> path = checkpoint_folder(outputs);
  if (!path)
    throw UsageError("--resume: a run without a file to write, or with one to the standard output, cannot be resumed");
  CheckpointFolder folder = CheckpointFolder::open(*path);
  const Checkpoint own = identity(outputs, info);
  CheckpointFolder::Found found = folder.read();
  for (const std::string& damage : found.damages) spdlog::warn("{}; an older checkpoint may do", damage);
  if (found.checkpoints.empty())
    throw UsageError(
        fmt::format("{}: no checkpoint in it is whole, so there is nothing to resume; leave --resume out "
                    "to begin again, with --overwrite where outputs are there",
                    path->string()));
  refuse_difference(*path, found.checkpoints.front(), own);

  // Every run can be begun again; what was found out about its colours stays true.
  Checkpoint start = own;
  start.save_value(frames_block, std::int64_t{0});
  found.checkpoints.push_back(std::move(start));
  OpenRun run;
  StreamInfo resumed = info;
  resumed.overwrite = true;  // what the interrupted run left is its own
  for (Checkpoint& checkpoint : found.checkpoints) {
    resumed.resume = checkpoint.load_value<std::int64_t>(frames_block);
    try {
      check_sinks(outputs, options, resumed);
    } catch (const UsageError& error) {
      if (resumed.resume == 0) throw;
      spdlog::warn("{}; going further back", error.what());
      continue;
    }
    run.sinks = open_sinks(outputs, options, resumed);
    run.checkpointer = std::make_unique<Checkpointer>(std::move(folder), std::move(checkpoint),
                                                      interval.value_or(CheckpointInterval{0, 0}));
    run.resumed = &run.checkpointer->state();
    run.checkpointer->watch(run.sinks);
    break;
  }
  return run;
}

}  // namespace simreel
