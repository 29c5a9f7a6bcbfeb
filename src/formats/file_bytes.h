#pragma once
// The bytes of a file, read where they are asked for, so a file may be larger than memory. Another program may cut it
// meanwhile: that is an error here, where memory mapped from the file would end the process.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/element.h"

namespace simreel {

// For one thread.
class FileBytes {
 public:
  // Throws RuntimeError with the path and the system's message.
  explicit FileBytes(std::string path);
  ~FileBytes();
  FileBytes& operator=(FileBytes&&) = delete;

  std::uint64_t size() const { return size_; }  // when it was opened

  // The bytes from `at` on, all within size(). Throw RuntimeError with the path if they cannot be read, or if the file
  // has become shorter. A view holds until the next call of any function.
  void read(std::uint64_t at, std::span<std::byte> to) const;
  std::vector<std::byte> bytes(std::uint64_t at, std::uint64_t count) const;
  std::string_view view(std::uint64_t at, std::uint64_t count) const;

  // Where `text`, short, begins at `at` or later; size() if it is nowhere.
  std::uint64_t find(std::string_view text, std::uint64_t at) const;

 private:
  void fetch(std::uint64_t at, std::span<std::byte> to) const;

  std::string path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  mutable std::vector<std::byte> window_;  // the bytes from window_at_ on
  mutable std::uint64_t window_at_ = 0;
};

// Numbers as text, separated by white space, as in VTK's files.
// Reads `count` numbers of a file from `at` on, and moves it past them. Returns them in the byte order of this
// machine; fewer where the file ends, or holds what is not a number of the type. Takes memory for what is there.
std::vector<std::byte> take_numbers(const FileBytes&, std::uint64_t& at, const Element&, std::uint64_t count);

}  // namespace simreel
