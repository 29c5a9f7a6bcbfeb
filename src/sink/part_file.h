#pragma once
// A file that appears under its final name only when it is complete: x.part -> fsync -> rename -> fsync of the folder.

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

namespace simreel {

class PartFile {
 public:
  // Creates missing folders and the empty file `target` + ".part". Throws UsageError where that cannot be done, where
  // `target` is a folder or not a regular file, and, without `overwrite`, where either of the two is there already.
  PartFile(const std::filesystem::path& target, bool overwrite);
  // Closes. Unless `keep` or `commit` was called, takes away the .part file and every folder it made that is empty.
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& path() const { return part_; }  // the .part file

  // Writes all of it at the end of the file. Throws RuntimeError with the path and the system's words.
  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }

  // From here on the .part file stays behind if it is never committed: it holds something worth having. keep(false)
  // takes that back.
  void keep(bool worth = true) { keep_ = worth; }

  // Gives the file its final name. Throws RuntimeError with the path and the system's words; the .part file then stays.
  // A sequence of many files syncs their folder once, at its end, with sync_folder.
  enum class Folder { synced, unsynced };
  void commit(Folder = Folder::synced);
  // The same with another file of the same folder in place of the .part file, which is taken away at the very end.
  void commit_instead(const std::filesystem::path& complete);

 private:
  void sync(const std::filesystem::path&) const;
  void rename_to_target(const std::filesystem::path& from) const;

  std::filesystem::path target_, part_;
  std::vector<std::filesystem::path> made_folders_;  // outermost first
  int fd_ = -1;
  bool overwrite_ = false, keep_ = false;
};

// Makes renames in the folder of `file` survive a power cut. Throws RuntimeError.
void sync_folder(const std::filesystem::path& file);

// Throws UsageError as the constructor does for a file that is already there; touches nothing.
void refuse_existing(const std::filesystem::path& target, bool overwrite);

}  // namespace simreel
