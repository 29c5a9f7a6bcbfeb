#include "golden/accept.h"

#include "base/error.h"
#include "files/part_file.h"

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
    return read_file(file) == text;
  } catch (const UsageError&) {
    return false;  // missing or unreadable: to be written
  }
}

void write_text(const fs::path& file, const std::string& text) {
  PartFile part(file, true);
  part.write(text);
  part.commit();
}

}  // namespace

Acceptance accept_capture(const GoldenFolder& folder, const std::string& name, const Scene& scene,
                          const Capture& capture) {
  if (capture.result.frames < scene.animation.frames) {
    throw RuntimeError("{}: {} {} of {} frames, so there is nothing to accept", folder.scene(name).string(),
                       capture.result.diverged ? "the simulation diverged after" : "the run was ended after",
                       capture.result.frames, scene.animation.frames);
  }
  Acceptance done;
  for (const auto& [frame, picture] : capture.stills) {
    const fs::path file = folder.still(name, frame);
    if (shows(file, picture)) continue;
    write_picture(file, picture);
    done.written.push_back(file.filename().string());
  }
  const fs::path file = folder.hashes(name);
  if (const std::string text = hashes_text(capture.hashes); !holds(file, text)) {
    write_text(file, text);
    done.written.push_back(file.filename().string());
  }
  for (const auto& [frame, path] : folder.stills(name)) {
    if (capture.stills.contains(frame)) continue;
    std::error_code error;
    if (!fs::remove(path, error) && error)
      throw RuntimeError("{}: cannot be deleted: {}", path.string(), error.message());
    done.removed.push_back(path.filename().string());
  }
  return done;
}

}  // namespace simreel
