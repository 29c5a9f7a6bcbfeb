#include "scene/toml_hint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/numbers.h"
#include "base/text.h"

namespace simreel {
namespace {

std::string_view line_at(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  return first_line(text);
}

// The pieces of "64x36", "64, 36", "64 36" or "ux, uy".
std::vector<std::string_view> pieces_of(std::string_view list, std::string_view separators) {
  std::vector<std::string_view> pieces;
  while (!(list = trim(list)).empty()) {
    pieces.push_back(list.substr(0, list.find_first_of(separators)));
    list.remove_prefix(pieces.back().size());
    while (!list.empty() && separators.find(list[0]) != std::string_view::npos) list.remove_prefix(1);
  }
  return pieces;
}

// A word without quotes as TOML: a number, or text in quotes; the hexadecimal digits of a colour get their sign.
std::string value_form(std::string_view value) {
  if (parse_number<double>(value)) return std::string(value);
  const bool color = (value.size() == 6 || value.size() == 8) &&
                     value.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  return quote(color ? fmt::format("#{}", value) : std::string(value));
}

// "[64, 36]"; empty if a piece is not a number, or there are fewer than two.
std::string numbers_form(std::string_view list) {
  const std::vector<std::string_view> pieces = pieces_of(list, "xX,; ");
  const bool numbers = std::ranges::all_of(pieces, [](auto piece) { return parse_number<double>(piece).has_value(); });
  return numbers && pieces.size() > 1 ? fmt::format("[{}]", fmt::join(pieces, ", ")) : "";
}

std::string_view without_comment(std::string_view value) {
  const bool hash = value.starts_with('#');  // a colour
  return trim(value.substr(0, value.find_first_of(hash ? " \t" : "#", 1)));
}

struct TomlHint {
  std::string what, form;  // what is wrong with a value, and how to write it; empty: nothing that is known here
};

// Of a value that begins with a bracket.
TomlHint list_hint(std::string_view value) {
  const bool open = std::ranges::count(value, '[') > std::ranges::count(value, ']');
  const std::size_t begin = value.find_first_not_of("[ "), end = value.find_last_not_of("] ");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  const std::string_view inside = value.substr(begin, end + 1 - begin);
  if (inside.find_first_of("[]{}=\"'") != std::string_view::npos) return {};
  if (std::string form = numbers_form(inside); !form.empty())
    return {open ? "this list lacks its closing bracket" : "a list of numbers is written as", std::move(form)};
  std::vector<std::string> words;
  for (const std::string_view piece : pieces_of(inside, ",;")) words.push_back(value_form(trim(piece)));
  return {"text needs quotes", fmt::format("[{}]", fmt::join(words, ", "))};
}

// Of a word.
TomlHint word_hint(std::string_view value) {
  const bool round = value.starts_with('(') && value.ends_with(')');
  if (std::string form = numbers_form(round ? value.substr(1, value.size() - 2) : value); !form.empty())
    return {"several numbers stand in brackets", std::move(form)};
  const bool yes = is_among(value, "True TRUE yes Yes on On"), no = is_among(value, "False FALSE no No off Off");
  if (yes || no) return {"true and false are written in lower case", yes ? "true" : "false"};
  if (value.find_first_of("\"'[]{}=,;*^") != std::string_view::npos || parse_number<double>(value)) return {};
  const bool measure = value.find_first_of("0123456789") <= 1 && value[0] != '#';
  if (measure && value.find_first_of("/:-", 1) != std::string_view::npos) return {};  // a fraction, or a date
  return {measure ? "a number with its unit needs quotes, where the key takes a unit" : "text needs quotes",
          value_form(value)};
}

}  // namespace

std::optional<TextFault> explain_toml(std::string_view text, int line, std::string_view said) {
  const std::string_view whole = line_at(text, line), body = trim(whole);
  const auto at = [&](std::string_view place, std::string message) {
    return TextFault{line, static_cast<int>(place.data() - whole.data()) + 1, std::move(message)};
  };
  const bool again = said.find("redefine") != std::string_view::npos;
  if (again && body.starts_with('['))
    return at(body, fmt::format("the table [{}] stands twice; write its keys under one of them. Where a table may come "
                                "several times, each begins with two brackets, as in [[panel]]",
                                trim(body.substr(0, body.find(']')).substr(body.find_first_not_of("[ ")))));
  const std::size_t equals = body.find('=');
  if (equals == std::string_view::npos || body.find_first_of("#[]{}:\"'") < equals) return {};
  const std::string_view key = trim(body.substr(0, equals));
  if (again) return at(body, fmt::format("the key {} stands twice in its table; leave one of them out", quote(key)));
  const std::string_view value = trim(body.substr(equals + 1));
  if (value.empty())
    return at(body.substr(body.size()),
              fmt::format("{} has no value; write one after the =, or leave the key out", quote(key)));
  TomlHint hint;
  if (value[0] == '"' || value[0] == '\'') {
    if (value.find(value[0], 1) == std::string_view::npos)
      hint = {"this string has no closing quote", quote(value.substr(1))};
  } else {
    hint = value[0] == '[' ? list_hint(without_comment(value)) : word_hint(without_comment(value));
  }
  if (hint.form.empty()) return {};
  return at(value, fmt::format("{}: {} = {}", hint.what, key, hint.form));
}

}  // namespace simreel
