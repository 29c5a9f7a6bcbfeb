#pragma once
// Text of scenes, files and arguments: names that a user may have meant, trimming, UTF-8, and forms for messages.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simreel {

// The known name nearest to `word`: a few typing errors away (a swap of neighbours is one error, case is ignored), or
// one that starts with it. Empty if none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

// "a, b, c", and where one of them is near to `word`: "a, b, c; did you mean "b"?".
std::string choices(std::string_view word, std::span<const std::string_view> known);

// Whether `word` is one of the words in `list`, which spaces part.
bool is_among(std::string_view word, std::string_view list);

// The first `limit` bytes of UTF-8 text, or fewer so that no character is split, then "..."; shorter text unchanged.
std::string shorten(std::string_view text, std::size_t limit);

// The text with ASCII letters in lower case; other bytes unchanged.
std::string lower_case(std::string_view text);

// `text` as a TOML string, with quotes and escapes.
std::string quote(std::string_view text);

// A piece of a template: text, or what is between two braces.
struct TemplatePiece {
  std::string text;
  bool braced;
};
// "Re = {solver.reynolds}, $u_{x}$" in pieces, none of the unbraced ones empty. {{ and }} are signs, and braces between
// two $ belong to mathematics. Throws UsageError without a place for a brace without a partner.
std::vector<TemplatePiece> split_template(std::string_view text);

// Without the spaces, tabs and carriage returns at both ends.
std::string_view trim(std::string_view text);

// The text up to the first line end.
std::string_view first_line(std::string_view text);

// The same; `text` keeps what follows.
std::string_view take_line(std::string_view& text);

// All lines, without their ends. What follows the last line end is one if it is not empty.
std::vector<std::string_view> lines_of(std::string_view text);
std::vector<std::string_view> lines_of(std::string&&) = delete;  // they would be of a text that is gone

// The parts between the characters in `separators`; empty ones are left out.
std::vector<std::string_view> words_in(std::string_view text, std::string_view separators = " \t");
std::vector<std::string_view> words_in(std::string&&, std::string_view separators = " \t") = delete;

// The length in bytes of the UTF-8 sequence at the start of `text`; 0 if it is not well-formed. Overlong forms,
// surrogates and codes over U+10FFFF are not well-formed (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view text);

std::string format_bytes(double bytes);  // "3.1 MiB"

}  // namespace simreel
