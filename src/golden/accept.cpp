#include "golden/accept.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "files/part_file.h"
#include "golden/check.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

bool shows(const fs::path& file, const Picture& picture) {
  try {
    const Picture there = read_picture(file);
    return there.size == picture.size && there.pixels == picture.pixels;
  } catch (const UsageError&) {
    return false;  // missing or damaged: to be written
  }
}

bool holds(const fs::path& file, const std::string& text) {
  try {
    return read_golden_text(file) == text;
  } catch (const UsageError&) {
    return false;  // missing or unreadable: to be written
  }
}

// All texts of a set.
std::vector<std::pair<fs::path, std::string>> texts_of(const GoldenFolder& folder, const std::string& set,
                                                       const Scene& scene, const Capture& capture) {
  std::vector<std::pair<fs::path, std::string>> texts;
  texts.emplace_back(folder.hashes(set), hashes_text(capture.hashes));
  if (!scene.golden.csv.empty()) texts.emplace_back(folder.numbers(set), numbers_text(capture.numbers));
  if (!capture.page.empty()) texts.emplace_back(folder.page(set), capture.page);
  return texts;
}

class Changes {
 public:
  Changes(const GoldenFolder& folder, bool dry) : folder_(folder), dry_(dry) {}

  // A link is replaced, wherever it leads.
  void write(const fs::path& file, const std::string& bytes) {
    if (!dry_) write_below(folder_.path(), file.lexically_relative(folder_.path()), bytes);
    done.written.push_back(file.filename().string());
  }
  // A file that need not exist.
  void remove(const fs::path& file) {
    std::error_code error, unknown;
    const bool there = dry_ ? fs::exists(fs::symlink_status(file, unknown)) : fs::remove(file, error);
    if (error) throw RuntimeError("{}: cannot be deleted: {}", file.string(), error.message());
    if (there) done.removed.push_back(file.filename().string());
  }

  Acceptance done;

 private:
  const GoldenFolder& folder_;
  bool dry_;
};

void remove_set(const GoldenFolder& folder, const std::string& set, Changes& changes) {
  for (const auto& [frame, file] : folder.stills(set)) changes.remove(file);
  for (const fs::path& file : {folder.hashes(set), folder.numbers(set), folder.page(set)}) changes.remove(file);
}

}  // namespace

Acceptance accept_capture(const GoldenFolder& folder, const std::string& name, const Scene& scene,
                          const Capture& capture, Accept how) {
  if (capture.result.frames < scene.animation.frames)
    throw RuntimeError("{}: {} {} of {} frames, so there is nothing to accept", folder.scene(name).string(),
                       capture.result.diverged ? "the simulation diverged after" : "the run was ended after",
                       capture.result.frames, scene.animation.frames);
  Changes changes(folder, how == Accept::dry_run);
  const std::vector<std::string> sets = folder.sets(name);
  std::string set = name;
  std::error_code unknown;
  if (how == Accept::also && fs::exists(folder.hashes(name), unknown)) {
    for (const std::string& other : sets)
      if (check_capture(folder, other, scene, capture, false).verdict == Verdict::same) return {};
    set = fmt::format("{}.{}", name, sets.size() + 1);
  }
  for (const auto& [frame, picture] : capture.stills) {
    const fs::path still = folder.still(set, frame);
    if (!shows(still, picture)) changes.write(still, png_bytes(picture));
  }
  for (const auto& [file, text] : texts_of(folder, set, scene, capture))
    if (!holds(file, text)) changes.write(file, text);
  for (const auto& [frame, file] : folder.stills(set))
    if (!capture.stills.contains(frame)) changes.remove(file);
  if (scene.golden.csv.empty()) changes.remove(folder.numbers(set));
  if (how != Accept::also)
    for (std::size_t i = 1; i < sets.size(); ++i) remove_set(folder, sets[i], changes);
  return changes.done;
}

}  // namespace simreel
