#pragma once
// Suggests names that a user may have meant, and formats text from a scene for messages.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace simreel {

// The known name nearest to `word`: a few typing errors away (a swap of neighbours is one error, case is ignored), or
// one that starts with it. Empty if none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

// "a, b, c", and where one of them is near to `word`: "a, b, c; did you mean "b"?".
std::string choices(std::string_view word, std::span<const std::string_view> known);

// The first `limit` bytes of UTF-8 text, or fewer so that no character is split, then "..."; shorter text unchanged.
std::string shorten(std::string_view text, std::size_t limit);

// `text` as a TOML string, with quotes and escapes.
std::string quote(std::string_view text);

}  // namespace simreel
