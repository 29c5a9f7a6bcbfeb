#pragma once
// Names that a user may have meant, and how text from a scene is shown in a message.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace simreel {

// The known name nearest to `word`: a few typing mistakes away (a swap of neighbours is one, upper and lower case are
// alike), or one that begins with it. Empty where none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

// The first `limit` bytes of UTF-8 text, or fewer, so that no character is split, and "..."; shorter text as it is.
std::string shorten(std::string_view text, std::size_t limit);

// `text` as a TOML string: in quotes, with escapes.
std::string quote(std::string_view text);

}  // namespace simreel
