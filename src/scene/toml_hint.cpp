#include "scene/toml_hint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text.h"

namespace simreel {
namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::string_view line_at(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  return first_line(text);
}

bool is_bare_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return letters.find(c) != std::string_view::npos || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// A number as TOML wants it: ".5" is 0.5, "5." 5.0, "064" 64. Empty if the word is none.
std::string number_form(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || word.find_first_of("0123456789") > 1) return "";
  std::string form(word);
  while (form.size() > 1 && form[0] == '0' && form[1] >= '0' && form[1] <= '9') form.erase(0, 1);
  if (form[0] == '.') form = fmt::format("0{}", form);
  const std::size_t point = form.find('.');
  if (point != std::string::npos && (point + 1 == form.size() || form[point + 1] < '0' || form[point + 1] > '9'))
    form = fmt::format("{}0{}", form.substr(0, point + 1), form.substr(point + 1));
  return negative ? fmt::format("-{}", form) : form;
}

// "64x36", "64, 36", "64 36", "-1 .. 1", "wave" in pieces.
std::vector<std::string_view> pieces_of(std::string_view list, std::string_view separators) {
  std::vector<std::string_view> pieces;
  while (!(list = trim(list)).empty()) {
    std::string_view piece = list.substr(0, list.find_first_of(separators));
    piece = piece.substr(0, piece.find(".."));
    if (!piece.empty()) pieces.push_back(piece);
    list.remove_prefix(piece.size());
    list = trim(list);
    if (list.starts_with("..")) list.remove_prefix(2);
    while (!list.empty() && separators.find(list[0]) != std::string_view::npos) list.remove_prefix(1);
  }
  return pieces;
}

// "[64, 36]"; empty if a piece is no number, or there are fewer than two.
std::string numbers_form(std::string_view list) {
  std::vector<std::string> numbers;
  for (const std::string_view piece : pieces_of(list, "xX,; ")) {
    numbers.push_back(number_form(piece));
    if (numbers.back().empty()) return "";
  }
  return numbers.size() < 2 ? "" : fmt::format("[{}]", fmt::join(numbers, ", "));
}

// A word without quotes as TOML: a number, or text with quotes; hexadecimal digits of a colour get their sign.
std::string value_form(std::string_view value) {
  if (value.find_first_of("\"'[]{}") != std::string_view::npos || value == "true" || value == "false")
    return std::string(value);
  if (std::string number = number_form(value); !number.empty()) return number;
  const bool color = (value.size() == 6 || value.size() == 8) &&
                     value.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  return quote(color ? fmt::format("#{}", value) : std::string(value));
}

// One line on which the parser stopped.
class Line {
 public:
  Line(std::string_view text, int number, std::string_view said)
      : line_(text), number_(number), said_(said), body_(trim(text)) {}

  std::optional<TextFault> explain() const {
    if (body_.starts_with("//") || body_.starts_with("/*") || body_.starts_with(';') || body_.starts_with("-- "))
      return at(body_, "a comment begins with #");
    if (says("table header")) return header();
    if (says("redefine"))
      return at(body_, fmt::format("the key {} stands twice in its table; leave one of them out",
                                   quote(trim(body_.substr(0, body_.find('='))))));
    const std::size_t equals = body_.find('=');
    if (equals == std::string_view::npos) return without_equals();
    std::string_view key = trim(body_.substr(0, equals)), value = trim(body_.substr(equals + 1));
    if (key.ends_with(':')) {
      const std::string_view name = trim(key.substr(0, key.size() - 1));
      return at(key.substr(key.size() - 1), fmt::format("one = stands between a key and its value: {} = {}", name,
                                                        value_form(without_comment(value))));
    }
    if (key.find_first_of("#[]{}") != std::string_view::npos) return {};
    return of(key, value);
  }

 private:
  bool says(std::string_view words) const { return said_.find(words) != std::string_view::npos; }

  TextFault at(std::string_view place, std::string message) const {
    const std::size_t column =
        place.empty() ? trim(line_).data() + trim(line_).size() - line_.data() : place.data() - line_.data();
    return {number_, static_cast<int>(column) + 1, std::move(message)};
  }

  static std::string_view without_comment(std::string_view value) {
    const bool hash = value.starts_with('#');  // a colour
    return trim(value.substr(0, value.find_first_of(hash ? " \t" : "#", 1)));
  }

  std::optional<TextFault> header() const {
    const std::size_t begin = std::min(body_.find_first_not_of('['), body_.size());
    const std::size_t end = std::min(body_.find_first_of("]#", begin), body_.size());
    const std::string_view name = trim(body_.substr(begin, end - begin)), rest = body_.substr(end);
    if (!is_bare_key(name)) return {};
    const std::size_t closing = std::min(rest.find_first_not_of(']'), rest.size());
    const std::string once = fmt::format("[{}]", name), list = fmt::format("[[{}]]", name);
    if (says("redefine"))
      return at(body_, fmt::format("the table {} stands twice; write its keys under one of them. Where a table may "
                                   "come several times, each begins with two brackets, as in [[panel]]",
                                   once));
    if (begin == closing)
      return at(rest.substr(closing),
                fmt::format("the keys of {} stand below it, on lines of their own", begin == 1 ? once : list));
    if (closing == 0 || (begin == 2 && closing == 1))
      return at(body_, fmt::format("this table's name lacks its closing bracket: {}", begin == 1 ? once : list));
    return at(body_, fmt::format("a table's name stands between as many brackets on both sides: {}, or {} for one "
                                 "that may come several times",
                                 once, list));
  }

  std::optional<TextFault> without_equals() const {
    const std::string_view text = without_comment(body_);
    if (says("array")) return {};
    if (text.starts_with('{') || text.ends_with(']')) {
      const std::size_t begin = text.find_first_not_of("[{ ");
      const std::string_view name =
          trim(text.substr(std::min(begin, text.size()), text.find_last_not_of("]} ") + 1 - begin));
      if (is_bare_key(name)) return at(body_, fmt::format("a table's name stands in brackets: [{}]", name));
      return {};
    }
    const std::size_t end = text.find_first_of(": \t");
    const std::string_view key = text.substr(0, end);
    if (!is_bare_key(key)) return {};
    if (end == std::string_view::npos)
      return at(body_, fmt::format("{} has no value; write {} = and the value, or leave it out", quote(key), key));
    std::string_view value = trim(text.substr(end));
    if (value.starts_with(':')) value = trim(value.substr(1));
    const std::string numbers = numbers_form(value);
    return at(text.substr(end), fmt::format("a = stands between a key and its value: {} = {}", key,
                                            numbers.empty() ? value_form(value) : numbers));
  }

  std::optional<TextFault> of(std::string_view key, std::string_view value) const {
    const auto say = [&](std::string_view what, std::string_view written) {
      return at(value, fmt::format("{}: {} = {}", what, key, written));
    };
    if (value.empty() || (value.starts_with('#') && value.find_first_not_of("# ") != 1))
      return at(value, fmt::format("{} has no value; write one behind the =, or leave the key out", quote(key)));
    if (value.starts_with('='))
      return say("one = stands between a key and its value", value_form(trim(value.substr(1))));
    if (value[0] == '"' || value[0] == '\'') return of_string(key, value);
    value = without_comment(value);
    if (says("inline table") && value.starts_with('{') && !value.ends_with('}'))
      return at(value, fmt::format("a table in braces stands on one line; or write [{}] and its keys below", key));
    if (value.find('=') != std::string_view::npos && !value.starts_with('{'))
      return at(value, "one line holds one key; write the next one on a line of its own");
    if (value.ends_with(',') || value.ends_with(';')) {
      const std::string_view rest = trim(value.substr(0, value.size() - 1));
      const std::string numbers = numbers_form(rest);
      return say(fmt::format("nothing stands behind a value, no {} either", value.back()),
                 numbers.empty() ? value_form(rest) : numbers);
    }
    if (value[0] == '[' || value[0] == '{') return of_list(key, value);
    return of_word(key, value);
  }

  std::optional<TextFault> of_string(std::string_view key, std::string_view value) const {
    const std::size_t close = value.find(value[0], 1);
    if ((says("escape sequence") || says("hex")) && value[0] == '"' && close != std::string_view::npos) {
      const std::string_view inside = value.substr(1, value.rfind('"') - 1);
      return at(value, fmt::format("between double quotes a backslash begins a sign of its own; write {} = '{}'", key,
                                   inside));
    }
    if (close == std::string_view::npos)
      return value.size() == 1
                 ? std::optional<TextFault>()
                 : at(value, fmt::format("this string has no closing quote: {} = {}", key, quote(value.substr(1))));
    const std::string_view behind = trim(value.substr(close + 1));
    if (behind.empty() || behind[0] == value[0] || behind[0] == '#') return {};
    if (behind.find('=') != std::string_view::npos)
      return at(behind, "one line holds one key; write the next one on a line of its own");
    return at(behind, fmt::format("nothing stands behind a value: {} = {}", key, value.substr(0, close + 1)));
  }

  std::optional<TextFault> of_list(std::string_view key, std::string_view value) const {
    const auto say = [&](std::string_view what, std::string_view written) {
      return at(value, fmt::format("{}: {} = {}", what, key, written));
    };
    const auto opening = std::ranges::count(value, '['), closing = std::ranges::count(value, ']');
    const std::size_t begin = value.find_first_not_of("[{ "), end = value.find_last_not_of("]}) ");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
    const std::string_view inside = value.substr(begin, end + 1 - begin);
    if (inside.find_first_of("[]{}=") != std::string_view::npos) return {};
    const std::string numbers = numbers_form(inside);
    if (value[0] == '{')
      return numbers.empty() ? std::nullopt : std::optional(say("a list stands in brackets", numbers));
    if (opening != closing) {
      const std::string_view what = opening > closing ? "this list lacks its closing bracket" : "a bracket too many";
      return say(what, numbers.empty() ? fmt::format("[{}]", inside) : numbers);
    }
    if (!numbers.empty()) return say("a list of numbers is written as", numbers);
    std::vector<std::string> words;
    for (const std::string_view piece : pieces_of(inside, ",;")) words.push_back(value_form(trim(piece)));
    if (inside.find_first_of("\"'") != std::string_view::npos) return {};
    return say("text needs quotes", fmt::format("[{}]", fmt::join(words, ", ")));
  }

  std::optional<TextFault> of_word(std::string_view key, std::string_view value) const {
    const auto say = [&](std::string_view what, std::string_view written) {
      return at(value, fmt::format("{}: {} = {}", what, key, written));
    };
    const bool round = value.starts_with('(') && value.ends_with(')');
    if (std::string array = numbers_form(round ? value.substr(1, value.size() - 2) : value); !array.empty()) {
      const std::size_t comma = value.find(',');
      const std::string decimal =
          comma == std::string_view::npos || value.find_first_of(" ();") != std::string_view::npos
              ? ""
              : number_form(fmt::format("{}.{}", value.substr(0, comma), value.substr(comma + 1)));
      if (!decimal.empty()) array += fmt::format(", or {}", decimal);
      return say("several numbers stand in brackets", array);
    }
    if (is_one_of(value, {"True", "TRUE", "yes", "Yes", "on", "On"}))
      return say("what is true or false is written so", "true");
    if (is_one_of(value, {"False", "FALSE", "no", "No", "off", "Off"}))
      return say("what is true or false is written so", "false");
    if (is_one_of(lower_case(value), {"nan", "inf", "+inf", "-inf"}))
      return say("letters of a number are lower case", lower_case(value));
    if (is_one_of(value, {"null", "NULL", "Null", "None", "nil", "undefined"}))
      return at(value, fmt::format("there is no {}; leave the key out", value));
    if (value.find_first_of("\"'[]{}") != std::string_view::npos) return {};
    if (std::string number = number_form(value); !number.empty() && number != value)
      return say("a number needs digits on both sides of its point and no leading zero", number);
    const bool number = value.find_first_of("0123456789") <= 1 && value[0] != '#' && value[0] != '/';
    return number ? of_number(key, value) : say("text needs quotes", value_form(value));
  }

  // Something that begins with a number.
  std::optional<TextFault> of_number(std::string_view key, std::string_view value) const {
    const std::size_t end = std::min(value.find_first_not_of("+-.0123456789_"), value.size());
    const std::string_view unit = trim(value.substr(end));
    if (value_form(value).starts_with("\"#"))
      return at(value, fmt::format("text needs quotes: {} = {}", key, value_form(value)));
    if (unit.empty()) return {};
    if (is_one_of(unit, {"mm", "cm", "in", "pt", "px", "%"}))
      return at(value, fmt::format("a number with its unit needs quotes: {} = {}", key, quote(value)));
    if (unit.find_first_of("*/+^()") != std::string_view::npos)
      return at(value,
                fmt::format("nothing is computed here; write the number, or {} = {} where the key takes a formula", key,
                            quote(fmt::format("= {}", value))));
    if (!std::ranges::all_of(unit, [](char c) { return letters.find(c) != std::string_view::npos || c == '%'; }))
      return {};
    return at(value, fmt::format("a number has no unit: {} = {}", key, trim(value.substr(0, end))));
  }

  std::string_view line_;
  int number_;
  std::string_view said_, body_;
};

// The line that opens the list in which the text ended; 0 if there is none.
int unclosed_list(std::string_view text) {
  int number = 0, found = 0, depth = 0;
  while (!text.empty()) {
    std::string_view line = first_line(text);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    line = line.substr(0, line.find('#'));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos && depth == 0) continue;
    if (depth == 0) found = number;
    for (const char c : line) depth += c == '[' ? 1 : c == ']' ? -1 : 0;
  }
  return depth > 0 ? found : 0;
}

}  // namespace

std::optional<TextFault> explain_toml(std::string_view text, int line, std::string_view said) {
  const bool array = said.find("array") != std::string_view::npos;
  const std::string_view here = trim(line_at(text, line));
  const bool header =
      here.starts_with('[') &&
      letters.find(here[std::min(here.find_first_not_of('['), here.size() - 1)]) != std::string_view::npos;
  if (array && (header || said.find("end-of-file") != std::string_view::npos)) {
    const std::string_view before = header ? text.substr(0, static_cast<std::size_t>(here.data() - text.data())) : text;
    if (const int opened = unclosed_list(before); opened > 0) {
      if (auto fault = Line(line_at(text, opened), opened, said).explain()) return fault;
      const auto column = static_cast<int>(line_at(text, opened).find('[')) + 1;
      return TextFault{opened, column, "this list lacks its closing bracket: ]"};
    }
  }
  return Line(line_at(text, line), line, said).explain();
}

std::optional<TextFault> explain_quotes(std::string_view text, int line, int column) {
  std::string straight(line_at(text, line));
  bool found = false;
  for (const std::string_view curly : {"“", "”", "„", "«", "»", "‘", "’", "‚"})
    for (std::size_t at = 0; (at = straight.find(curly)) != std::string::npos; found = true)
      straight.replace(at, curly.size(), 1, '"');
  if (!found) return {};
  return TextFault{line, column, fmt::format("TOML has straight quotes: {}", shorten(trim(straight), 120))};
}

}  // namespace simreel
