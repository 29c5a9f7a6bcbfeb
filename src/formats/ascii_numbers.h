#pragma once
// Numbers that stand as text between white space, as VTK's files have them.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/element.h"

namespace simreel {

// Reads `count` numbers from the beginning of `text` and removes them from it. Returns them in the byte order of this
// machine; fewer where the text ends, or holds what is no number of the type. Takes memory for what the text can hold.
std::vector<std::byte> take_numbers(std::string_view& text, const Element&, std::uint64_t count);

}  // namespace simreel
