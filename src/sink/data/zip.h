#pragma once
// ZIP archives whose entries are stored as they are, for .npz files: PKWARE's APPNOTE 6.3.3, with sizes of 64 bits.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "files/part_file.h"

namespace simreel {

class ZipWriter {
 public:
  // Writes to a file that is empty; it must outlive the writer.
  explicit ZipWriter(PartFile& file) : file_(file) {}

  // Adds an entry: the header and the values, one after the other. Throws RuntimeError where it cannot be written.
  void add(std::string_view name, std::string_view header, std::span<const std::byte> values);
  // Writes the directory that readers look for at the end.
  void finish();

 private:
  void write(std::string_view bytes);

  PartFile& file_;
  std::string directory_;
  std::uint64_t entries_ = 0, written_ = 0;
};

}  // namespace simreel
