#pragma once
// Numbers that stand as text between white space, as VTK's files have them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/element.h"
#include "formats/file_bytes.h"

namespace simreel {

// Reads `count` numbers of a file from `at` on, and moves it past them. Returns them in the byte order of this
// machine; fewer where the file ends, or holds what is no number of the type. Takes memory for what is there.
std::vector<std::byte> take_numbers(const FileBytes&, std::uint64_t& at, const Element&, std::uint64_t count);

}  // namespace simreel
