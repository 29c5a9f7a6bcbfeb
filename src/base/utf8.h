#pragma once

#include <cstddef>
#include <string_view>

namespace simreel {

// Bytes of the UTF-8 sequence that `text` begins with; 0 where it is none: overlong forms, surrogates and codes over
// U+10FFFF are not well-formed (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view text);

}  // namespace simreel
