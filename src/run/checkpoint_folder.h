#pragma once
// OUT.checkpoint/: the newest two checkpoints of a run with their piece files (checkpoint/piece_files.h), and a lock
// against other runs for the lifetime of this one.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "files/own_file.h"

namespace simreel {

class CheckpointFolder {
 public:
  // For a fresh run: creates the folder, or empties that of an earlier run. Throws UsageError if another run holds it,
  // if it cannot be created, and, without `overwrite`, if the earlier run has more than its first checkpoint, which
  // every run writes before it starts.
  static CheckpointFolder make(const std::filesystem::path&, bool overwrite);
  // For a run to resume. Throws UsageError if there is no such folder, and if another run holds it.
  static CheckpointFolder open(const std::filesystem::path&);

  // Destruction leaves the folder in place, for a run that resumes this one.
  CheckpointFolder(CheckpointFolder&&) noexcept = default;
  CheckpointFolder& operator=(CheckpointFolder&&) noexcept = default;

  const std::filesystem::path& path() const { return path_; }

  std::vector<std::filesystem::path> files() const;  // the checkpoints, newest first; they may be damaged

  // Adds a checkpoint: writes a temporary file, syncs and renames it, then removes the oldest, so that two remain.
  // Throws RuntimeError; the others are then unchanged.
  void write(const Checkpoint& checkpoint) { write(checkpoint, prepare()); }

  // The same, and removes all others.
  void write_only(const Checkpoint&);

  // As `write`, for one in pieces: `prepare` clears away what belongs to no checkpoint, such as the piece files of one
  // that was not completed, and returns a number; the piece files get their names from that; `write` makes them a
  // checkpoint. It throws RuntimeError, and removes them, if they are not those that the checkpoint is tied to.
  std::int64_t prepare() const;
  void write(const Checkpoint&, std::int64_t number);

  // Removes the folder.
  void remove() noexcept;

 private:
  explicit CheckpointFolder(const std::filesystem::path& path) : path_(path) {}
  bool lock();         // false where another run holds it
  void clear() const;  // of what belongs to no checkpoint

  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_folders_;  // outermost first
  OwnFile lock_;
};

}  // namespace simreel
