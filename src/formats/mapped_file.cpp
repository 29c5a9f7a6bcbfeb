#include "formats/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace simreel {

MappedFile::MappedFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  const auto fail = [&] {
    const int error = errno;
    if (fd_ >= 0) ::close(fd_);
    throw RuntimeError(fmt::format("{}: cannot be read: {}", path, std::strerror(error)));
  };
  if (fd_ < 0) fail();
  struct stat status = {};
  if (::fstat(fd_, &status) != 0) fail();
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* const memory = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd_, 0);
  if (memory == MAP_FAILED) fail();
  data_ = static_cast<const std::byte*>(memory);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
  if (fd_ >= 0) ::close(fd_);
}

std::uint64_t MappedFile::size_now() const {
  struct stat status = {};
  return ::fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace simreel
