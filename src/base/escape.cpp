#include "base/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/text.h"

namespace simreel {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// The code point of a well-formed character.
char32_t code_of(std::string_view character) {
  const auto bits = [&](std::size_t i, unsigned mask) { return static_cast<unsigned char>(character[i]) & mask; };
  if (character.size() == 1) return bits(0, 0x7F);
  char32_t code = bits(0, 0xFFu >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i) code = code << 6 | bits(i, 0x3F);
  return code;
}

// Codes that steer a terminal, but tabs and line ends.
bool is_control(char32_t code) {
  return (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0);
}

// Whether a code ends a line for some readers, or makes a line read other than what it says: marks of direction.
bool misleads(char32_t code) { return (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069); }

// Calls visit(character, code, byte) for each: UTF-8 and its code, or nothing and 0 for a byte that is none.
template <class Visit>
void each_character(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::string_view character = text.substr(0, utf8_length(text));
    visit(character, character.empty() ? 0 : code_of(character), text[0]);
    text.remove_prefix(std::max<std::size_t>(character.size(), 1));
  }
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string out;
  each_character(text, [&](std::string_view character, char32_t code, char) {
    if ((is_control(code) && code != '\r') || code == 0xFFFE || code == 0xFFFF) {
      out += replacement;
    } else {
      switch (character[0]) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        case '\r': out += "&#13;"; break;  // a reader makes a line feed of the character itself
        default: out += character;
      }
    }
  });
  return out;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:=@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (const char c : text) c == '\'' ? word += "'\\''" : word += c;
  return word + "'";
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string out;
  each_character(text, [&](std::string_view character, char32_t code, char byte) {
    if (character.empty())
      out += fmt::format("\\x{:02X}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    else if (is_control(code) || misleads(code))
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(code));
    else
      out += character;
  });
  return out;
}

}  // namespace simreel
