#include "base/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/text.h"

namespace simreel {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// Whether XML 1.0 allows a well-formed character.
bool is_xml(std::string_view character) {
  if (character.size() == 1) {
    const auto code = static_cast<unsigned char>(character[0]);
    return code >= 0x20 || code == '\t' || code == '\n' || code == '\r';
  }
  return character != "\xEF\xBF\xBE" && character != "\xEF\xBF\xBF";
}

// The code point of a mark that changes the direction of the text after it (U+202A to U+202E, U+2066 to U+2069), or 0:
// such marks make a line read other than what it says.
unsigned direction_mark(std::string_view bytes) {
  if (bytes.size() < 3 || bytes[0] != '\xE2' || (bytes[1] & 0xC0) != 0x80 || (bytes[2] & 0xC0) != 0x80) return 0;
  const unsigned point = 0x2000u | (bytes[1] & 0x3Fu) << 6 | (bytes[2] & 0x3Fu);
  return (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) ? point : 0;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, utf8_length(text));
    if (character.empty() || !is_xml(character)) {
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
    text.remove_prefix(std::max<std::size_t>(character.size(), 1));
  }
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
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F)
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else if (c == 0xC2 && next >= 0x80 && next < 0xA0)  // U+0080 to U+009F
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(text[++i])));
    else if (const unsigned mark = direction_mark(text.substr(i, 3)); mark != 0) {
      out += fmt::format("\\u{:04X}", mark);
      i += 2;
    } else
      out += text[i];
  }
  return out;
}

}  // namespace simreel
