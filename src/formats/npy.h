#pragma once
// numpy's format for one array (NEP 1; versions 1.0 to 3.0).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "formats/array_file.h"
#include "formats/file_bytes.h"

namespace simreel {

struct NpyHeader {
  Element element;
  bool big_endian = false;
  bool fortran_order = false;  // the first axis is the fastest
  Extents extents;             // as numpy says them
  std::size_t bytes = 0;       // of the header: the values begin there
};

// The header before the values. `start`: the first bytes of a file, up to 64 KiB of it or all. Throws RuntimeError,
// with `name` in front, for a header that is damaged, and for types that are not numbers.
NpyHeader parse_npy_header(std::string_view start, const std::string& name);

// All values of an array as a file has them: in memory, or, where `file` is set, in the file from `at` on.
struct RawArray {
  std::span<const std::byte> bytes;
  bool fortran_order = false, big_endian = false;
  const FileBytes* file = nullptr;
  std::uint64_t at = 0;
};

// ArrayFile::read from these.
void copy_part(const ArrayInfo&, const RawArray&, std::span<const std::uint64_t> start,
               std::span<const std::uint64_t> count, std::byte* to);

}  // namespace simreel
