#pragma once
// A file that appears under its final name only when it is complete: x.part -> fsync -> rename -> fsync of the folder.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "files/own_file.h"
#include "sink/sink.h"

namespace simreel {

class PartFile {
 public:
  // Creates missing folders and the empty file `target` + ".part", and locks it. Throws UsageError where that cannot be
  // done, where `target` is a folder or not a regular file, where another run is writing it, and, without `overwrite`,
  // where either of the two is there already (an empty .part counts as absent). With `overwrite`, the .part file of an
  // earlier run stays until the first `keep`; up to then this one is `target` + ".new.part".
  // A trial throws the same as far as it can be seen without touching anything, and makes an object to be destroyed.
  PartFile(const std::filesystem::path& target, bool overwrite, Opening = Opening::real);

  // Goes on with what an interrupted run left: NAME.part or else `target` itself, which becomes NAME.part again. It is
  // cut back to the length that `length` finds for its first `frames` frames, and stays if it is never committed;
  // `commit` replaces what is there. Throws MissingFrames where neither is there or `length` finds too little (nothing)
  // in it, and UsageError where another run is writing it. A trial touches nothing.
  using Length = std::function<std::optional<std::uintmax_t>(std::istream&)>;
  PartFile(const std::filesystem::path& target, std::int64_t frames, const Length& length, Opening = Opening::real);
  // Closes. Unless `keep` or `commit` was called, takes away the .part file and every folder it made that is empty.
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& target() const { return target_; }
  const OwnFile& file() const { return file_; }         // the .part file
  const OwnFile& earlier() const { return replaced_; }  // that of an earlier run, until `keep`; none: there was none

  // Writes all of it at the end of the file. Throws RuntimeError with the path and the system's words.
  void write(const void* bytes, std::size_t count) { file_.write(bytes, count); }
  void write(std::string_view text) { write(text.data(), text.size()); }
  // The same for a file that grows by a frame at a time and has `frames` of them: the message says so, and the file
  // stays.
  void add(const void* bytes, std::size_t count, std::int64_t frames);

  // Brings what was written to the disk. Any thread may call it. Throws RuntimeError, and once it has, it always does.
  void sync() const;

  // From here on the .part file stays behind if it is never committed: it holds something worth having. keep(false)
  // takes that back. Throws RuntimeError where the .part file of an earlier run cannot be replaced.
  void keep(bool worth = true);

  // Gives the file its final name. Throws RuntimeError with the path and the system's words; the .part file then stays.
  // A sequence of many files syncs their folder once, at its end, with sync_folder.
  enum class Folder { synced, unsynced };
  void commit(Folder = Folder::synced);

  // An empty file in the same folder, for a finished form of this one; what a killed run left there is taken away.
  // Throws RuntimeError.
  OwnFile make_complete() const;
  // Gives that file the final name, and takes away the .part file at the very end.
  void commit_instead(OwnFile& complete);

 private:
  void acquire();

  std::filesystem::path target_, part_;
  std::vector<std::filesystem::path> made_folders_;  // outermost first
  OwnFile replaced_;                                 // the .part file of an earlier run
  OwnFile file_;
  bool overwrite_ = false, keep_ = false;
  mutable std::mutex sync_mutex_;
  mutable int sync_error_ = 0;  // guarded by it
};

// The file of an output that adds to it frame by frame, fresh or resumed. `length` is asked about what there is of the
// frames that are resumed.
std::unique_ptr<PartFile> open_part(const std::filesystem::path& target, const StreamInfo&, const PartFile::Length&,
                                    Opening);
// The same for one that writes a line a frame behind `header_lines` lines.
std::unique_ptr<PartFile> open_lines(const std::filesystem::path& target, const StreamInfo&, int header_lines, Opening);

// How long the first `lines` lines are; nothing where there are fewer whole ones. For PartFile::Length.
std::optional<std::uintmax_t> length_of_lines(std::istream&, std::int64_t lines);

// The same claim on a name for a sequence of files, none of which lasts as long as the run. The file stays empty; one
// that a killed run left is no hindrance.
class RunLock {
 public:
  // Makes missing folders. Throws UsageError where another run has the lock, and where the file cannot be made. A trial
  // looks for the other run only.
  explicit RunLock(const std::filesystem::path&, Opening = Opening::real);
  // Takes away the file and every folder it made that is empty.
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  std::vector<std::filesystem::path> made_folders_;  // outermost first
  OwnFile file_;
};

// Makes renames in the folder of `file` survive a power cut. Throws RuntimeError.
void sync_folder(const std::filesystem::path& file);

// Makes a folder with all above it and returns those that were missing, outermost first. Throws UsageError.
std::vector<std::filesystem::path> make_folders(const std::filesystem::path&);
// Takes such folders away again as far as nothing else lies in them.
void remove_folders(std::vector<std::filesystem::path>&);

// Throws UsageError as the constructor does for a file that is already there; touches nothing.
void refuse_existing(const std::filesystem::path& target, bool overwrite);

// Throws UsageError where the file system of `target`, which need not exist yet, lacks room for `bytes` more.
void refuse_without_room(const std::filesystem::path& target, std::uintmax_t bytes, std::string_view way_out);

}  // namespace simreel
