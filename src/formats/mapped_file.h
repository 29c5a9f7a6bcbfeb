#pragma once
// A file as memory: its pages are read where they are touched, so a file may be larger than memory.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace simreel {

class MappedFile {
 public:
  // Throws RuntimeError with the path and the system's message.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  // The size of the file at present, which another program may have changed. Bytes beyond it must not be touched.
  std::uint64_t size_now() const;

 private:
  int fd_ = -1;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace simreel
