#include "files/own_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void throw_system(const fs::path& path, const char* call) {
  throw RuntimeError("{}: {}: {}", path.string(), call, std::generic_category().message(errno));
}

// A name for an open file, whatever its path names now; without /proc the path.
fs::path handle_of(int fd, const fs::path& path) {
  const fs::path handle = fmt::format("/proc/self/fd/{}", fd);
  return ::access(handle.c_str(), F_OK) == 0 ? handle : path;
}

}  // namespace

OwnFile OwnFile::make(const fs::path& path) { return open(path, O_CREAT | O_EXCL); }

OwnFile OwnFile::take(const fs::path& path) { return open(path, O_NOFOLLOW | O_NONBLOCK); }

OwnFile OwnFile::make_or_take(const fs::path& path) {
  while (true) {
    if (OwnFile file = make(path)) return file;
    const bool there = errno == EEXIST;
    if (there)
      if (OwnFile file = take(path)) return file;
    if (errno != ESTALE && !(there && errno == ENOENT)) return {};  // otherwise another run ended in between: try again
  }
}

OwnFile OwnFile::open(const fs::path& path, int flags) {
  OwnFile file;
  file.path_ = path;
  file.fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0666);
  if (file.fd_ < 0) return {};
  int error = 0;
  // Any other failure of the lock: a file system without locks.
  if (::flock(file.fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    error = EWOULDBLOCK;
  } else if (!file.has_its_name()) {
    error = ESTALE;
  }
  if (error == 0) return file;
  file.close();
  errno = error;
  return {};
}

OwnFile& OwnFile::operator=(OwnFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

fs::path OwnFile::handle() const { return handle_of(fd_, path_); }

std::uintmax_t OwnFile::size() const {
  struct stat here {};
  if (::fstat(fd_, &here) != 0) throw_system(path_, "fstat");
  return static_cast<std::uintmax_t>(here.st_size);
}

void OwnFile::write(const void* bytes, std::size_t count) {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::write(fd_, next, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_system(path_, "write");
    next += written;
    count -= static_cast<std::size_t>(written);
  }
}

void OwnFile::rewrite_start(const void* bytes, std::size_t count) const {
  const char* const first = static_cast<const char*>(bytes);
  for (std::size_t done = 0; done < count;) {
    const ssize_t written = ::pwrite(fd_, first + done, count - done, static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_system(path_, "pwrite");
    done += static_cast<std::size_t>(written);
  }
}

void OwnFile::sync() const {
  if (::fsync(fd_) != 0) throw_system(path_, "fsync");
}

void OwnFile::take_mode_of(const fs::path& other) const noexcept {
  struct stat found {};
  if (::lstat(other.c_str(), &found) == 0 && S_ISREG(found.st_mode))
    static_cast<void>(::fchmod(fd_, found.st_mode & 0777));
}

int OwnFile::sync_error() const noexcept { return ::fsync(fd_) == 0 ? 0 : errno; }

void OwnFile::cut(std::uintmax_t bytes) const {
  if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0) throw_system(path_, "ftruncate");
  if (::lseek(fd_, 0, SEEK_END) < 0) throw_system(path_, "lseek");
}

void OwnFile::keep_in_children() const noexcept { ::fcntl(fd_, F_SETFD, 0); }

bool OwnFile::removed() const {
  struct stat here {};
  return ::fstat(fd_, &here) == 0 && here.st_nlink == 0;
}

bool OwnFile::has_its_name() const {
  struct stat here {
  }, named{};
  return ::fstat(fd_, &here) == 0 && ::lstat(path_.c_str(), &named) == 0 && here.st_dev == named.st_dev &&
         here.st_ino == named.st_ino;
}

void OwnFile::expect_its_name() const {
  if (has_its_name()) return;
  throw RuntimeError("{}: another program removed or replaced this file during the run", path_.string());
}

void OwnFile::rename(const fs::path& to, bool replace) {
  expect_its_name();
  bool renamed = false;
  if (!replace) {
    renamed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
    if (!renamed && errno == EEXIST)
      throw RuntimeError("{}: appeared during the run and is not replaced; the result is in {}", to.string(),
                         path_.string());
    // These two errors: a file system without the flag.
    if (!renamed && errno != EINVAL && errno != ENOSYS) throw_system(to, "rename");
  }
  if (!renamed && ::rename(path_.c_str(), to.c_str()) != 0) throw_system(to, "rename");
  path_ = to;
}

void OwnFile::remove() noexcept {
  if (fd_ >= 0 && has_its_name()) ::unlink(path_.c_str());
}

void OwnFile::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::ifstream open_plain(const fs::path& path) {
  std::ifstream in;
  in.setstate(std::ios::failbit);
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return in;
  struct stat found {};
  if (::fstat(fd, &found) == 0 && S_ISREG(found.st_mode)) in = std::ifstream(handle_of(fd, path), std::ios::binary);
  ::close(fd);
  return in;
}

}  // namespace simreel
