#pragma once
// A file that this run alone writes: held open and locked (flock), under a name that another program may still take.

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace simreel {

class OwnFile {
 public:
  OwnFile() = default;  // no file
  // Makes a file that is not there yet; follows no link. Nothing on failure, with errno set; EWOULDBLOCK where another
  // run has locked it. ESTALE: lost to another run in between, try again.
  static OwnFile make(const std::filesystem::path&);
  // The same for a file that is there.
  static OwnFile take(const std::filesystem::path&);
  // Whichever of the two it is by then; ESTALE is dealt with.
  static OwnFile make_or_take(const std::filesystem::path&);
  ~OwnFile() { close(); }
  OwnFile(OwnFile&& other) noexcept { *this = std::move(other); }
  OwnFile& operator=(OwnFile&&) noexcept;

  explicit operator bool() const { return fd_ >= 0; }
  const std::filesystem::path& path() const { return path_; }
  // A name for this very file, whatever has its path by now, for libraries that open by name.
  std::filesystem::path handle() const;
  std::uintmax_t size() const;

  // All of these throw RuntimeError with the path and the system's words.
  void write(const void* bytes, std::size_t count);                // all of it, at the end of the file
  void rewrite_start(const void* bytes, std::size_t count) const;  // in place of as many at the file's start
  void sync() const;
  int sync_error() const noexcept;       // the same without a throw: 0 or the system's error
  void cut(std::uintmax_t bytes) const;  // to this length, at which writing goes on
  void expect_its_name() const;          // throws where the path names another file by now, or none
  void rename(const std::filesystem::path& to,
              bool replace);  // RuntimeError where `to` is there and not to be replaced

  void remove() noexcept;  // unless the path is another file's by now
  void close() noexcept;

 private:
  static OwnFile open(const std::filesystem::path&, int flags);
  bool has_its_name() const;

  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace simreel
