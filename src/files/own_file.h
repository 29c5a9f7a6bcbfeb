#pragma once
// A file that only this run writes: held open and locked (flock). Another program may still take its name.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace simreel {

class OwnFile {
 public:
  OwnFile() = default;  // no file
  // Creates a file that does not exist yet; follows no link. On failure returns no file, with errno set: EWOULDBLOCK if
  // another run has locked it, ESTALE if another run replaced it in between (try again).
  static OwnFile make(const std::filesystem::path&);
  // The same for a file that exists.
  static OwnFile take(const std::filesystem::path&);
  // Opens or creates the file; handles ESTALE.
  static OwnFile make_or_take(const std::filesystem::path&);
  ~OwnFile() { close(); }
  OwnFile(OwnFile&& other) noexcept { *this = std::move(other); }
  OwnFile& operator=(OwnFile&&) noexcept;

  explicit operator bool() const { return fd_ >= 0; }
  const std::filesystem::path& path() const { return path_; }
  // A name for this very file even if its path now names another one; for libraries that open by name.
  std::filesystem::path handle() const;
  std::uintmax_t size() const;

  // All of these throw RuntimeError with the path and the system's message.
  void write(const void* bytes, std::size_t count);                // all of it, at the end of the file
  void rewrite_start(const void* bytes, std::size_t count) const;  // overwrites the first `count` bytes
  void sync() const;
  // Gives it the permissions of another file; leaves them where there is none, or where that is not allowed.
  void take_mode_of(const std::filesystem::path&) const noexcept;
  int sync_error() const noexcept;         // the same without a throw: 0 or the system's error
  void cut(std::uintmax_t bytes) const;    // truncates to this length; later writes append there
  void keep_in_children() const noexcept;  // programs that this process becomes or starts have it, and its lock, too
  bool removed() const;                    // whether no name is left that leads to it
  bool has_its_name() const;               // false if the path now names another file, or none
  void expect_its_name() const;            // throws then
  void rename(const std::filesystem::path& to,
              bool replace);  // RuntimeError if `to` exists and must not be replaced

  void remove() noexcept;  // does nothing if the path now names another file
  void close() noexcept;

 private:
  static OwnFile open(const std::filesystem::path&, int flags);

  std::filesystem::path path_;
  int fd_ = -1;
};

// Opens a plain file that is no link, without waiting. Returns a failed stream where there is no such file.
std::ifstream open_plain(const std::filesystem::path&);

}  // namespace simreel
