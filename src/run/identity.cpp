#include "run/identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/version.h"
#include "files/checksum.h"
#include "scene/difference.h"

namespace simreel {
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

// Bytes of inputs whose contents are hashed; of larger inputs, such as those of other programs, the rest is known by
// size and time of the last change.
constexpr std::uintmax_t max_hashed = std::uintmax_t{64} << 20;

std::uint64_t hash_of_status(const std::string& file) {
  namespace fs = std::filesystem;
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

}  // namespace

std::vector<std::string> outputs_of(const Checkpoint& run) { return split(run.load_text("run outputs")); }

Checkpoint identity(const std::vector<std::string>& outputs, const StreamInfo& info) {
  Checkpoint run;
  run.save_text("run version", version);
  run.save_text("run scene", info.scene_text);
  run.save_text("run overrides", joined(info.overrides));
  run.save_text("run outputs", joined(outputs));
  run.save_text("run inputs", hashes_of(info.inputs));
  return run;
}

std::string difference(const Checkpoint& before, const Checkpoint& now, Frames frames) {
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

bool differ_in_frames_only(const Checkpoint& before, const Checkpoint& now) {
  return before.load_text("run overrides") != now.load_text("run overrides") &&
         difference(before, now, Frames::any).empty();
}

void identify(Checkpoint& run, const Checkpoint& identity) {
  for (const char* block : {"run version", "run scene", "run overrides", "run outputs", "run inputs"})
    run.save_text(block, identity.load_text(block));
}

}  // namespace simreel
