#include "formats/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace simreel {
namespace {

constexpr std::uint64_t usual_window = 1 << 16;

[[noreturn]] void fail(const std::string& path, int error) {
  throw RuntimeError("{}: cannot be read: {}", path, std::strerror(error));
}

}  // namespace

FileBytes::FileBytes(std::string path) : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status = {};
  if (fd_ < 0) fail(path_, errno);
  if (::fstat(fd_, &status) != 0) {
    const int error = errno;
    ::close(fd_);
    fail(path_, error);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

FileBytes::~FileBytes() { ::close(fd_); }

void FileBytes::fetch(std::uint64_t at, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = ::pread(fd_, to.data(), to.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path_, errno);
    if (count == 0) throw RuntimeError("{}: the file became shorter while it was read", path_);
    at += static_cast<std::uint64_t>(count);
    to = to.subspan(static_cast<std::size_t>(count));
  }
}

void FileBytes::read(std::uint64_t at, std::span<std::byte> to) const {
  if (to.size() >= usual_window) return fetch(at, to);
  const std::string_view found = view(at, to.size());
  if (!to.empty()) std::memcpy(to.data(), found.data(), to.size());
}

std::vector<std::byte> FileBytes::bytes(std::uint64_t at, std::uint64_t count) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  read(at, bytes);
  return bytes;
}

std::string_view FileBytes::view(std::uint64_t at, std::uint64_t count) const {
  assert(at <= size_ && count <= size_ - at);
  if (at < window_at_ || at + count > window_at_ + window_.size()) {
    window_.resize(static_cast<std::size_t>(std::min(std::max(count, usual_window), size_ - at)));
    window_at_ = at;
    try {
      fetch(at, window_);
    } catch (...) {
      window_.clear();
      throw;
    }
  }
  return {reinterpret_cast<const char*>(window_.data()) + (at - window_at_), static_cast<std::size_t>(count)};
}

std::uint64_t FileBytes::find(std::string_view text, std::uint64_t at) const {
  while (at < size_ && text.size() <= size_ - at) {
    const std::uint64_t end = window_at_ + window_.size();
    std::uint64_t there = at >= window_at_ && at < end ? end - at : 0;
    if (there < text.size()) there = std::min(usual_window, size_ - at);
    const std::string_view part = view(at, there);
    const std::size_t found = part.find(text);
    if (found != std::string_view::npos) return at + found;
    at += part.size() - (text.size() - 1);
  }
  return size_;
}

}  // namespace simreel
