#include "run/opening.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <system_error>

#include "base/error.h"
#include "base/version.h"
#include "scene/difference.h"

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

// The hash of a file, which may be larger than memory.
std::uint64_t hash_of(const fs::path& file) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
  XXH3_64bits_reset(state.get());
  std::ifstream in(file, std::ios::binary);
  std::vector<char> block(1 << 20);
  while (in.read(block.data(), std::streamsize(block.size())), in.gcount() > 0)
    XXH3_64bits_update(state.get(), block.data(), std::size_t(in.gcount()));
  return XXH3_64bits_digest(state.get());
}

// One line per file that a run reads: the hash of its contents, and its name.
std::string hashes_of(const std::vector<std::string>& inputs) {
  std::string text;
  for (const std::string& input : inputs) text += fmt::format("{:016x} {}\n", hash_of(input), input);
  return text;
}

// The first file whose contents have changed. Names may differ: a scene can be rendered from another folder.
std::string changed_file(const std::string& before, const std::string& now) {
  constexpr std::size_t digits = 16;
  const std::vector<std::string> old_lines = split(before), new_lines = split(now);
  for (std::size_t i = 0; i < new_lines.size(); ++i)
    if (i >= old_lines.size() || old_lines[i].substr(0, digits) != new_lines[i].substr(0, digits))
      return new_lines[i].substr(digits + 1);
  return "";
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

// Describes the first difference between two runs; empty if there is none.
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
  const auto [old_inputs, new_inputs] = texts("run inputs");
  if (const std::string file = changed_file(old_inputs, new_inputs); !file.empty())
    return fmt::format("the file {} has changed", file);
  return "";
}

void refuse_difference(const fs::path& folder, const Checkpoint& before, const Checkpoint& now) {
  const std::string key = difference(before, now);
  if (key.empty()) return;
  throw UsageError(
      fmt::format("{}: this run is not the interrupted one: {}; resume with the original command, or restart with "
                  "--overwrite instead of --resume",
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
    run.checkpointer = std::make_unique<Checkpointer>(CheckpointFolder::make(*folder, info.overwrite),
                                                      identity(outputs, info), *interval, info.log);
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
  OpenRun run;
  StreamInfo resumed = info;
  resumed.overwrite = true;  // the existing outputs are those of the interrupted run
  const auto open_at = [&](Checkpoint checkpoint) {
    resumed.resume = checkpoint.load_value<std::int64_t>(frames_block);
    try {
      check_sinks(outputs, options, resumed);
      run.sinks = open_sinks(outputs, options, resumed);
    } catch (const MissingFrames& error) {
      tell(info.log, LogLevel::warning, fmt::format("{}; trying an earlier checkpoint", error.what()));
      return false;
    }
    run.checkpointer = std::make_unique<Checkpointer>(std::move(folder), std::move(checkpoint),
                                                      interval.value_or(CheckpointInterval{0, 0}), info.log);
    run.resumed = &run.checkpointer->state();
    run.checkpointer->watch(run.sinks);
    return true;
  };

  bool compared = false;
  for (const fs::path& file : folder.files()) {  // memory holds one at a time
    std::string damage;
    std::optional<Checkpoint> checkpoint = Checkpoint::read(file, damage);
    if (!checkpoint) {
      tell(info.log, LogLevel::warning, fmt::format("{}; trying an older checkpoint", damage));
      continue;
    }
    if (!compared) refuse_difference(*path, *checkpoint, own);
    compared = true;
    if (open_at(std::move(*checkpoint))) return run;
  }
  if (!compared)
    throw UsageError(
        fmt::format("{}: contains no undamaged checkpoint, so there is nothing to resume; restart without --resume, "
                    "with --overwrite if outputs exist",
                    path->string()));
  // Any run can restart from its first frame.
  Checkpoint start = own;
  start.save_value(frames_block, std::int64_t{0});
  open_at(std::move(start));
  return run;
}

}  // namespace simreel
