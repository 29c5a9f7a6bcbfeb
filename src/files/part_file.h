#pragma once
// A file that appears under its final name only when it is complete: x.part -> fsync -> rename -> fsync of the folder.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "files/checksum.h"
#include "files/own_file.h"
#include "files/pattern.h"

namespace simreel {

// "." for a name without a folder.
std::filesystem::path folder_of(const std::filesystem::path& file);

// A trial finds every error that a real opening would find, touches no file and logs nothing.
enum class Opening { real, trial };

// A link under the name of a file means the file that it leads to, or is itself what is replaced.
enum class Links { followed, replaced };

// An output lacks frames that resuming from a checkpoint needs; an older checkpoint needs fewer.
class MissingFrames : public UsageError {
 public:
  using UsageError::UsageError;
};

// Another program removed the file of an output.
class FileRemoved : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

class PartFile {
 public:
  // Creates missing folders and the empty file `target` + ".part", and locks it. Where links are followed, the file to
  // which `target` leads is meant, which need not exist. A file that is replaced leaves its permissions. Throws
  // UsageError if that fails, if `target` is a folder, not a regular file or read-only (also for root), if its name has
  // no room for the ends of temporary names, if another run is writing it, and, without `overwrite`, if either of the
  // two exists already (an empty .part file counts as absent). With `overwrite`, the .part file of an earlier run stays
  // until the first `keep`; until then this one is `target` + ".new.part". A trial throws the same errors as far as
  // they can be detected without changing anything; the object may only be destroyed. `note`: what the error for an
  // existing .part file says of it, "it plays as it is".
  PartFile(const std::filesystem::path& target, bool overwrite, Opening = Opening::real, std::string_view note = "",
           Links = Links::followed);

  // Resumes the file of an interrupted run: NAME.part, or else `target` itself, which becomes NAME.part again.
  // Truncates it to the length that `length` finds for its first `frames` frames. The file stays if it is never
  // committed; `commit` replaces an existing `target`. Throws MissingFrames if neither file exists or `length` finds
  // too few frames (nullopt), and UsageError if another run is writing it. A trial changes nothing.
  using Length = std::function<std::optional<std::uintmax_t>(std::istream&)>;
  PartFile(const std::filesystem::path& target, std::int64_t frames, const Length& length, Opening = Opening::real);
  // Closes the file. Unless `keep` or `commit` was called, removes the .part file and all created folders that are
  // empty.
  ~PartFile();
  PartFile& operator=(PartFile&&) = delete;

  const std::filesystem::path& target() const { return target_; }
  const OwnFile& file() const { return file_; }         // the .part file
  const OwnFile& earlier() const { return replaced_; }  // that of an earlier run, until `keep`; may be no file

  // Appends all bytes to the file. Throws RuntimeError with the path and the system's message.
  void write(const void* bytes, std::size_t count) {
    file_.write(bytes, count);
    written_.add(bytes, count);
  }
  void write(std::string_view text) { write(text.data(), text.size()); }
  // The same for a file that grows frame by frame and contains `frames` frames: the error message says so, and the file
  // stays.
  void add(const void* bytes, std::size_t count, std::int64_t frames);
  // The checksum of what was written since the last call.
  Checksum take_checksum() { return written_.take(); }

  // Syncs the written bytes to the disk. Any thread may call it. Throws RuntimeError, FileRemoved among them; after a
  // failure every call throws.
  void sync() const;

  // From now on the .part file stays behind if it is never committed, because its content is useful. keep(false)
  // reverts that. Throws RuntimeError if the .part file of an earlier run cannot be replaced.
  void keep(bool worth = true);

  // Gives the file its final name. Throws RuntimeError with the path and the system's message; the .part file then
  // stays. A sequence of many files syncs their folder once, at its end, with sync_folder.
  enum class Folder { synced, unsynced };
  void commit(Folder = Folder::synced);

  // Creates an empty file in the same folder for the complete form of this one, `target` + ".final.part", replacing one
  // left by a killed run. Throws RuntimeError.
  OwnFile make_complete() const;
  // Gives that file the final name, then removes the .part file.
  void commit_instead(OwnFile& complete);

 private:
  void acquire(std::string_view note);

  std::filesystem::path target_, part_;
  std::vector<std::filesystem::path> made_folders_;  // outermost first
  OwnFile replaced_;                                 // the .part file of an earlier run
  OwnFile file_;
  RunningChecksum written_;
  bool overwrite_ = false, keep_ = false;
  mutable std::mutex sync_mutex_;
  mutable int sync_error_ = 0;  // guarded by it
};

// A lock on the names of a sequence of files, none of which is open as long as the run. The lock file stays empty; one
// left behind by a killed run is ignored.
class RunLock {
 public:
  // Creates missing folders. `pattern` is numbered and placed. Throws UsageError if another run has this lock or that
  // of a sequence that may have one of the same names, and if the file cannot be created. A trial only looks for the
  // other run.
  explicit RunLock(const FilePattern& pattern, Opening = Opening::real);
  // Removes the file and all created folders that are empty.
  ~RunLock();
  RunLock& operator=(RunLock&&) = delete;

 private:
  void release();

  std::vector<std::filesystem::path> made_folders_;  // outermost first
  OwnFile file_;
};

// Writes a whole file below a folder, or replaces it: a link of its name is replaced, and no link between leads out of
// the folder. Throws what PartFile throws.
void write_below(const std::filesystem::path& folder, const std::filesystem::path& name, std::string_view bytes);

// The end of the longest temporary name, of the complete form of a file that grows in another one. As long as
// ".checkpoint", so that all outputs may have names of one length.
constexpr std::string_view complete_end = ".final.part";
// Throws UsageError where a name with this end is too long for its file system.
void refuse_long_name(const std::filesystem::path& target, std::string_view end = complete_end);

// Makes renames in the folder of `file` survive a power cut. Throws RuntimeError.
void sync_folder(const std::filesystem::path& file);

// Creates a folder with its parents and returns those that were missing, outermost first. Throws UsageError.
std::vector<std::filesystem::path> make_folders(const std::filesystem::path&);
// Removes such folders unless something else is in them.
void remove_folders(std::vector<std::filesystem::path>&);

// Throws UsageError where no file of this name can be made: in its folder, or in the nearest one that is there.
void refuse_unwritable(const std::filesystem::path& target);

// Throws UsageError for an existing file as the constructor of PartFile does; changes nothing.
void refuse_existing(const std::filesystem::path& target, bool overwrite, std::string_view note = "");

// Throws UsageError if the file system of `target`, which need not exist yet, has less than `bytes` bytes left.
void refuse_without_room(const std::filesystem::path& target, std::uintmax_t bytes, std::string_view way_out);

}  // namespace simreel
