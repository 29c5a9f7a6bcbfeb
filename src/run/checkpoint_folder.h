#pragma once
// OUT.checkpoint/: the newest two checkpoints of a run, and a lock that keeps every other run away while this one
// lives.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "files/own_file.h"

namespace simreel {

class CheckpointFolder {
 public:
  // Of a run that begins: makes the folder, or empties the one of an earlier run. Throws UsageError where another run
  // holds it, where it cannot be made, and, without `overwrite`, where the earlier run got further than its first
  // checkpoint, which every run has before it does anything.
  static CheckpointFolder make(const std::filesystem::path&, bool overwrite);
  // Of a run to resume. Throws UsageError where there is no such folder, and where another run holds it.
  static CheckpointFolder open(const std::filesystem::path&);

  // The folder and everything in it stays, for a run that resumes this one.
  CheckpointFolder(CheckpointFolder&&) noexcept = default;
  CheckpointFolder& operator=(CheckpointFolder&&) noexcept = default;

  const std::filesystem::path& path() const { return path_; }

  std::vector<std::filesystem::path> files() const;  // of the checkpoints, the newest first; they may be damaged

  // Adds one: written beside the others, synced, renamed; then takes the oldest away, so that two remain. Throws
  // RuntimeError; the others are then as they were.
  void write(const Checkpoint&);

  // Takes the folder away.
  void remove() noexcept;

 private:
  explicit CheckpointFolder(const std::filesystem::path& path) : path_(path) {}
  bool lock();  // false where another run holds it

  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_folders_;  // outermost first
  OwnFile lock_;
};

}  // namespace simreel
