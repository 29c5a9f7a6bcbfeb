#pragma once

#include <cstddef>
#include <string_view>

namespace simreel {

// The length in bytes of the UTF-8 sequence at the start of `text`; 0 if it is not well-formed. Overlong forms,
// surrogates and codes over U+10FFFF are not well-formed (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view text);

}  // namespace simreel
