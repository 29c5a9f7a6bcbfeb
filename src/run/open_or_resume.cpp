#include "run/open_or_resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "base/text.h"
#include "base/version.h"
#include "checkpoint/checkpoint.h"
#include "files/checksum.h"
#include "scene/scene_text.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

// What a run is: a checkpoint belongs to a run of the same version, scene, overrides, outputs and input files.

enum class Frames { same, any };

std::string joined(const std::vector<std::string>& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

std::vector<std::string> split(const std::string& text) {
  const std::vector<std::string_view> lines = lines_of(text);
  return {lines.begin(), lines.end()};
}

// Bytes of inputs whose contents are hashed; of larger inputs, such as those of other programs, the rest is known by
// size and time of the last change.
constexpr std::uintmax_t max_hashed = std::uintmax_t{64} << 20;

std::uint64_t hash_of_status(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  const auto changed = fs::last_write_time(file, error).time_since_epoch().count();
  const std::string text = error ? "" : fmt::format("{} {}", size, changed);
  return XXH3_64bits(text.data(), text.size());
}

// One line per file that a run reads: the hash of its contents, and its name.
std::string hashes_of(const std::vector<std::string>& inputs) {
  std::string text;
  std::uintmax_t hashed = 0;
  for (const std::string& input : inputs) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(input, error);
    const bool small = error || (hashed += size) <= max_hashed;
    text += fmt::format("{:016x} {}\n", small ? checksum_of(input).value_or(Checksum()).hash : hash_of_status(input),
                        input);
  }
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

SceneText scene_of(const Checkpoint& run, Frames frames) {
  SceneText scene = {run.load_text("run scene"), split(run.load_text("run overrides"))};
  if (frames == Frames::any) std::erase_if(scene.overrides, sets_frames);
  return scene;
}

// The outputs of the run that a checkpoint is of, in the order of its command.
std::vector<std::string> outputs_of(const Checkpoint& run) { return split(run.load_text("run outputs")); }

// The blocks of a checkpoint that identify the run; their names begin with run_prefix.
Checkpoint identity(const std::vector<std::string>& outputs, const StreamInfo& info) {
  Checkpoint run;
  run.save_text("run version", version);
  run.save_text("run scene", info.scene_text);
  run.save_text("run overrides", joined(info.overrides));
  run.save_text("run outputs", joined(outputs));
  run.save_text("run inputs", hashes_of(info.inputs));
  return run;
}

// The first difference between the runs of two checkpoints; empty if there is none. With Frames::any numbers of frames
// given by --frames or --set do not count.
std::string difference(const Checkpoint& before, const Checkpoint& now, Frames frames = Frames::same) {
  const auto texts = [&](const char* block) { return std::pair(before.load_text(block), now.load_text(block)); };
  if (const auto [old_version, new_version] = texts("run version"); old_version != new_version)
    return fmt::format("version {} of the program wrote it, and this is {}", old_version, new_version);
  if (const std::string key = scene_difference(scene_of(before, frames), scene_of(now, frames)); !key.empty())
    return key;
  if (const auto [old_outputs, new_outputs] = texts("run outputs"); old_outputs != new_outputs)
    return fmt::format("its outputs were {}, and here they are {}", fmt::join(split(old_outputs), ", "),
                       fmt::join(split(new_outputs), ", "));
  const auto [old_inputs, new_inputs] = texts("run inputs");
  if (const std::string file = changed_file(old_inputs, new_inputs); !file.empty())
    return fmt::format("the file {} has changed", file);
  return "";
}

// Whether they differ in such numbers, and in nothing else.
bool differ_in_frames_only(const Checkpoint& before, const Checkpoint& now) {
  return before.load_text("run overrides") != now.load_text("run overrides") &&
         difference(before, now, Frames::any).empty();
}

constexpr auto identity_blocks = {"run version", "run scene", "run overrides", "run outputs", "run inputs"};

void refuse_difference(const fs::path& folder, const Checkpoint& before, const Checkpoint& now, Frames frames) {
  const std::string key = difference(before, now, frames);
  if (key.empty()) return;
  const std::string_view instead = key.starts_with("animation.frames ") && frames == Frames::any
                                       ? "extend a complete run with --frames, not in the scene file"
                                   : key.starts_with("the scene file ") ? "restore its text"
                                                                        : "resume with the original command";
  throw UsageError("{}: this run is not the interrupted one: {}; {}, or restart with --overwrite instead of --resume",
                   folder.string(), key, instead);
}

// The frames of the complete run that left this checkpoint; nullopt if the run was interrupted.
std::optional<std::int64_t> frames_of_complete(const Checkpoint& checkpoint) {
  if (!checkpoint.has(complete_block)) return std::nullopt;
  return checkpoint.load_value<std::int64_t>(complete_block);
}

StreamInfo with_checksums(StreamInfo info, const std::vector<std::string>& outputs, const Checkpoint& checkpoint) {
  info.checksums.clear();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (checkpoint.has(checksums_block(i)))
      info.checksums[outputs[i]] = checkpoint.load_list<Checksum>(checksums_block(i));
  return info;
}

// Those that a loop had kept, with the frames of a checkpoint; null without a loop.
std::unique_ptr<LoopStore> open_store(const std::vector<std::string>& outputs, StreamInfo info,
                                      const Checkpoint* checkpoint = nullptr) {
  if (info.kept == 0) return nullptr;
  const fs::path file = LoopStore::file_of(outputs);
  info.resume = 0;
  info.checksums.clear();
  if (checkpoint && checkpoint->has(passed_block)) {
    info.resume =
        std::clamp<std::int64_t>(checkpoint->load_value<std::int64_t>(passed_block) - info.kept_first, 0, info.kept);
    if (checkpoint->has(pictures_block))
      info.checksums[file.string()] = checkpoint->load_list<Checksum>(pictures_block);
  }
  return std::make_unique<LoopStore>(file, info);
}

// The newest checkpoint that is not damaged.
std::optional<Checkpoint> newest_of(const CheckpointFolder& folder) {
  for (const fs::path& file : folder.files()) {
    std::string damage;
    if (auto checkpoint = Checkpoint::read(file, damage)) return checkpoint;
  }
  return std::nullopt;
}

Divergence divergence_in(const Checkpoint& checkpoint) {
  return {checkpoint.load_value<std::int64_t>(frames_block), checkpoint.load_value<std::int64_t>(step_block),
          checkpoint.load_text(diverged_block)};
}

// Why a run that nothing held back begins no later than at this checkpoint; empty for one that was complete.
std::string newest_reason(const std::vector<std::string>& outputs, const std::vector<std::unique_ptr<Sink>>& sinks,
                          const Checkpoint& checkpoint) {
  const auto frames = checkpoint.load_value<std::int64_t>(frames_block);
  if (frames_of_complete(checkpoint) == frames) return "";
  std::string words;
  for (std::size_t i = 0; i < sinks.size(); ++i)
    if (sinks[i]->traits().stride > 1)
      words += fmt::format("{}{} at multiples of {}", words.empty() ? "; outputs go on at certain frames only: " : ", ",
                           outputs[i], sinks[i]->traits().stride);
  return frames == 0 || !words.empty() ? "there is no later checkpoint" + words : "";
}

fs::path folder_to_resume(const std::vector<std::string>& outputs) {
  if (auto path = checkpoint_folder(outputs)) return *path;
  throw UsageError("--resume: a run without a file to write, or with one to the standard output, cannot be resumed");
}

// Checkpoints lie next to the first output, so a run whose outputs come in another order does not find its own.
void refuse_other_order(const fs::path& path, const std::vector<std::string>& outputs) {
  std::error_code error;
  if (fs::is_directory(path, error)) return;
  for (const std::string& output : outputs) {
    const fs::path other = output + ".checkpoint";
    if (!fs::is_directory(other, error)) continue;
    const std::optional<Checkpoint> newest = newest_of(CheckpointFolder::open(other));
    if (!newest) continue;
    const std::vector<std::string> theirs = outputs_of(*newest);
    if (theirs != outputs && std::ranges::is_permutation(theirs, outputs))
      throw UsageError("{}: does not exist, but {} does; name the outputs in the order of that run: -o {}",
                       path.string(), other.string(), fmt::join(theirs, " -o "));
  }
}

std::uint64_t fingerprint_of(const Checkpoint& run) {
  const auto place = [](const fs::path& file) { return fs::absolute(file).lexically_normal(); };
  const std::vector<std::string> outputs = outputs_of(run);
  const auto file = std::ranges::find_if(outputs, [](const std::string& output) { return output != "null:"; });
  std::string text;
  for (const std::string_view block : identity_blocks) {
    for (const std::string& line : split(run.load_text(block))) {
      if (block == "run outputs" && line != "null:")
        text += place(line).lexically_relative(place(*file).parent_path());
      else
        text += block == "run inputs" ? line.substr(0, line.find(' ')) : line;  // what they hold, not their names
      text += '\n';
    }
    text += '\0';
  }
  return XXH3_64bits(text.data(), text.size());
}

}  // namespace

std::optional<fs::path> checkpoint_folder(const std::vector<std::string>& outputs) {
  if (std::ranges::find(outputs, "-") != outputs.end()) return std::nullopt;
  const auto file = std::ranges::find_if(outputs, [](const std::string& output) { return output != "null:"; });
  if (file == outputs.end()) return std::nullopt;
  return *file + ".checkpoint";
}

std::uint64_t fingerprint(const std::vector<std::string>& outputs, const StreamInfo& info) {
  return fingerprint_of(identity(outputs, info));
}

std::optional<std::uint64_t> newest_fingerprint(const std::vector<std::string>& outputs) {
  const std::optional<fs::path> path = checkpoint_folder(outputs);
  std::error_code error;
  if (!path || !fs::is_directory(*path, error)) return {};
  try {
    const std::optional<Checkpoint> newest = newest_of(CheckpointFolder::open(*path));
    return newest ? std::optional(fingerprint_of(*newest)) : std::nullopt;
  } catch (const std::exception&) {
    return {};
  }
}

RunStage find_stage(const std::vector<std::string>& outputs, const OutputOptions& options, const StreamInfo& info) {
  const fs::path path = folder_to_resume(outputs);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const CheckpointFolder folder = CheckpointFolder::open(path);
    if (!folder.files().empty()) {
      const std::optional<Checkpoint> newest = newest_of(folder);
      const Checkpoint own = identity(outputs, info);
      if (newest && newest->has(diverged_block) && difference(*newest, own).empty()) return RunStage::diverged;
      const bool complete = newest && frames_of_complete(*newest) == info.frames &&
                            (differ_in_frames_only(*newest, own) || difference(*newest, own).empty()) &&
                            find_incomplete_output(outputs, options, with_checksums(info, outputs, *newest)).empty();
      return complete ? RunStage::complete : RunStage::interrupted;
    }
  }
  if (find_incomplete_output(outputs, options, info).empty()) return RunStage::complete;
  refuse_other_order(path, outputs);
  for (const std::string& output : outputs)
    if (const fs::path part = behind_links(output).string() + ".part"; fs::file_size(part, error) > 0 && !error)
      throw UsageError(
          "{}: an earlier run did not finish this file and left no checkpoint, so there is nothing to resume; move the "
          "file, or restart with --overwrite instead of --resume",
          part.string());
  return RunStage::fresh;
}

Divergence find_divergence(const std::vector<std::string>& outputs) {
  return divergence_in(newest_of(CheckpointFolder::open(folder_to_resume(outputs))).value());
}

OpenRun open_fresh(const std::vector<std::string>& outputs, const OutputOptions& options, const StreamInfo& info,
                   const CheckpointOptions& wanted) {
  OpenRun run;
  const std::optional<fs::path> folder = checkpoint_folder(outputs);
  if (wanted.any() && folder) {
    run.checkpointer = std::make_unique<Checkpointer>(CheckpointFolder::make(*folder, info.overwrite),
                                                      identity(outputs, info), wanted.or_none(), info.log);
    run.checkpointer->keep_start();
  }
  try {
    run.sinks = open_sinks(outputs, options, info);
    run.store = open_store(outputs, info);
  } catch (...) {
    if (run.checkpointer) run.checkpointer->remove();
    throw;
  }
  if (run.checkpointer) run.checkpointer->watch(run.sinks, info.first, run.store.get());
  if (run.checkpointer && wanted.keep_end) run.checkpointer->keep_end(info.frames);
  return run;
}

OpenRun open_interrupted(const std::vector<std::string>& outputs, const OutputOptions& options, const StreamInfo& info,
                         const CheckpointOptions& wanted) {
  const fs::path path = folder_to_resume(outputs);
  refuse_other_order(path, outputs);
  CheckpointFolder folder = CheckpointFolder::open(path);
  const Checkpoint own = identity(outputs, info);
  OpenRun run;
  bool extends = false;   // a complete run of fewer frames
  bool compared = false;  // with a checkpoint that is not damaged
  bool last = false;      // whether there is no earlier checkpoint
  std::string told;
  const auto pass_over = [&](const std::string& why) {
    if (run.resume_limited_by.empty()) run.resume_limited_by = why;
    if (std::exchange(told, why) == why) return;
    const std::string_view next = !last ? "; trying an earlier checkpoint" : compared ? "; beginning anew" : "";
    tell(info.log, LogLevel::warning, fmt::format("{}{}", why, next));
  };
  const auto open_at = [&](Checkpoint checkpoint) {
    StreamInfo resumed = with_checksums(info, outputs, checkpoint);
    resumed.overwrite = true;  // the existing outputs are those of the interrupted run
    resumed.resume = checkpoint.load_value<std::int64_t>(frames_block);
    try {
      const SinkNeeds needs = check_sinks(outputs, options, resumed);
      if (extends && !info.bound_to_frames.empty() && needs.drawn())
        throw UsageError("{}: this run cannot be extended: {}; render all {} frames anew with --overwrite",
                         path.string(), info.bound_to_frames, info.frames - info.held);
      std::unique_ptr<LoopStore> store = open_store(outputs, resumed, &checkpoint);
      run.sinks = open_sinks(outputs, options, resumed);
      run.store = std::move(store);
    } catch (const MissingFrames& error) {
      pass_over(error.what());
      return false;
    }
    if (run.resume_limited_by.empty()) run.resume_limited_by = newest_reason(outputs, run.sinks, checkpoint);
    for (const char* block : identity_blocks) checkpoint.save_text(block, own.load_text(block));
    checkpoint.remove(complete_block);
    run.checkpointer =
        std::make_unique<Checkpointer>(std::move(folder), std::move(checkpoint), wanted.or_none(), info.log);
    run.resumed = &run.checkpointer->state();
    run.checkpointer->watch(run.sinks, info.first, run.store.get());
    if (wanted.keep_end) run.checkpointer->keep_end(info.frames);
    return true;
  };

  const std::vector<fs::path> files = folder.files();
  for (const fs::path& file : files) {  // memory holds one at a time
    last = file == files.back();
    std::string damage;
    std::optional<Checkpoint> checkpoint = Checkpoint::read(file, damage);
    if (!checkpoint) {
      pass_over(damage);
      continue;
    }
    compared = true;
    const std::optional<std::int64_t> complete = frames_of_complete(*checkpoint);
    const bool other_frames = differ_in_frames_only(*checkpoint, own);
    extends |= complete && other_frames && complete != info.frames;
    if (!other_frames || (!complete && !extends))
      refuse_difference(path, *checkpoint, own, complete ? Frames::any : Frames::same);
    if (checkpoint->has(diverged_block)) {
      const Divergence before = divergence_in(*checkpoint);
      throw UsageError(
          "{}: the run diverged at step {} (frame {}), so there is nothing to resume; change the scene and restart "
          "with --overwrite",
          path.string(), before.steps, before.frame);
    }
    if (complete > info.frames)
      throw UsageError(
          "{}: the run has {} frames already; ask for more with --frames, or render {} anew with --overwrite",
          path.string(), *complete, info.frames);
    if (complete == info.frames &&
        find_incomplete_output(outputs, options, with_checksums(info, outputs, *checkpoint)).empty())
      throw UsageError("{}: the run is complete, so there is nothing to resume; extend it with --frames N",
                       path.string());
    if (open_at(std::move(*checkpoint))) return run;
  }
  if (!compared)
    throw UsageError(
        "{}: contains no undamaged checkpoint, so there is nothing to resume; restart without --resume, "
        "with --overwrite if outputs exist",
        path.string());
  // Any run can restart from its first frame.
  Checkpoint start = own;
  start.save_value(frames_block, std::int64_t{0});
  open_at(std::move(start));
  return run;
}

}  // namespace simreel
