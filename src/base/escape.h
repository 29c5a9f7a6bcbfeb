#pragma once
// Escapes text for its destination.

#include <string>
#include <string_view>

namespace simreel {

// For XML and HTML, as content or in quotes: markup characters become references; bytes that are not UTF-8, characters
// that XML 1.0 forbids (section 2.2), and U+007F to U+009F become U+FFFD.
std::string escape_markup(std::string_view text);

// One word of a POSIX shell.
std::string shell_word(std::string_view text);

// For a terminal and comments: control characters, but tabs and line feeds, the line ends of Unicode and marks of
// direction as \u001B, bytes that are not UTF-8 as \xFF; what a scene says must not steer it.
std::string printable(std::string_view text);

// RFC 4648, section 4.
std::string base64(std::string_view bytes);

}  // namespace simreel
