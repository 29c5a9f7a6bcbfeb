#include "scene/toml_hint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/numbers.h"
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

// A number as TOML wants it: ".5" is 0.5, "5." 5.0, "064" 64. Empty if the word is none.
std::string number_form(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  if (!parse_number<double>(word) || word.find_first_of("0123456789") > 1) return "";
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

// A value, or a list of numbers without brackets, as TOML.
std::string form_of(std::string_view value) {
  std::string numbers = numbers_form(value);
  return numbers.empty() ? value_form(value) : numbers;
}

constexpr std::string_view one_key = "one line holds one key; write the next one on a line of its own";
constexpr std::string_view one_equals = "one = stands between a key and its value", no_quotes = "text needs quotes";

// One line on which the parser stopped.
class Line {
 public:
  using Fault = std::optional<TextFault>;

  Line(std::string_view text, int number, std::string_view said)
      : line_(text), number_(number), said_(said), body_(trim(text)) {}

  Fault explain() {
    if (body_.starts_with("//") || body_.starts_with("/*") || body_.starts_with(';') || body_.starts_with("-- "))
      return at(body_, "a comment begins with #");
    if (says("table header")) return header();
    const std::size_t equals = body_.find('=');
    key_ = trim(body_.substr(0, equals));
    if (says("redefine"))
      return at(body_, fmt::format("the key {} stands twice in its table; leave one of them out", quote(key_)));
    if (equals == std::string_view::npos) return without_equals();
    value_ = trim(body_.substr(equals + 1));
    if (key_.ends_with(':')) {
      const std::string_view colon = key_.substr(key_.size() - 1);
      key_ = trim(key_.substr(0, key_.size() - 1));
      return say(colon, one_equals, value_form(without_comment(value_)));
    }
    if (key_.find_first_of("#[]{}") != std::string_view::npos) return {};
    return of_value();
  }

 private:
  bool says(std::string_view words) const { return said_.find(words) != std::string_view::npos; }

  TextFault at(std::string_view place, std::string message) const {
    const std::size_t column =
        place.empty() ? trim(line_).data() + trim(line_).size() - line_.data() : place.data() - line_.data();
    return {number_, static_cast<int>(column) + 1, std::move(message)};
  }
  // How to write the key and its value.
  TextFault say(std::string_view place, std::string_view what, std::string_view form) const {
    return at(place, fmt::format("{}: {} = {}", what, key_, form));
  }

  static std::string_view without_comment(std::string_view value) {
    const bool hash = value.starts_with('#');  // a colour
    return trim(value.substr(0, value.find_first_of(hash ? " \t" : "#", 1)));
  }

  Fault header() const {
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

  Fault without_equals() {
    const std::string_view text = without_comment(body_);
    if (says("array")) return {};
    if (text.starts_with('{') || text.ends_with(']')) {
      const std::size_t begin = text.find_first_not_of("[{ ");
      const std::string_view name =
          trim(text.substr(std::min(begin, text.size()), text.find_last_not_of("]} ") + 1 - begin));
      return is_bare_key(name) ? at(body_, fmt::format("a table's name stands in brackets: [{}]", name)) : Fault();
    }
    const std::size_t end = text.find_first_of(": \t");
    key_ = text.substr(0, end);
    if (!is_bare_key(key_)) return {};
    if (end == std::string_view::npos)
      return at(body_, fmt::format("{} has no value; write {} = and the value, or leave it out", quote(key_), key_));
    std::string_view value = trim(text.substr(end));
    if (value.starts_with(':')) value = trim(value.substr(1));
    return say(text.substr(end), "a = stands between a key and its value", form_of(value));
  }

  Fault of_value() {
    if (value_.empty() || (value_.starts_with('#') && value_.find_first_not_of("# ") != 1))
      return at(value_, fmt::format("{} has no value; write one behind the =, or leave the key out", quote(key_)));
    if (value_.starts_with('=')) return say(value_, one_equals, value_form(trim(value_.substr(1))));
    if (value_[0] == '"' || value_[0] == '\'') return of_string();
    value_ = without_comment(value_);
    if (says("inline table") && value_.starts_with('{') && !value_.ends_with('}'))
      return at(value_, fmt::format("a table in braces stands on one line; or write [{}] and its keys below", key_));
    if (value_.find('=') != std::string_view::npos && !value_.starts_with('{')) return at(value_, std::string(one_key));
    if (value_.ends_with(',') || value_.ends_with(';'))
      return say(value_, fmt::format("nothing stands behind a value, no {} either", value_.back()),
                 form_of(trim(value_.substr(0, value_.size() - 1))));
    return value_[0] == '[' || value_[0] == '{' ? of_list() : of_word();
  }

  Fault of_string() const {
    const std::size_t close = value_.find(value_[0], 1);
    if ((says("escape sequence") || says("hex")) && value_[0] == '"' && close != std::string_view::npos)
      return at(value_, fmt::format("between double quotes a backslash begins a sign of its own; write {} = '{}'", key_,
                                    value_.substr(1, value_.rfind('"') - 1)));
    if (close == std::string_view::npos)
      return value_.size() == 1 ? Fault() : say(value_, "this string has no closing quote", quote(value_.substr(1)));
    const std::string_view behind = trim(value_.substr(close + 1));
    if (behind.empty() || behind[0] == value_[0] || behind[0] == '#') return {};
    if (behind.find('=') != std::string_view::npos) return at(behind, std::string(one_key));
    return say(behind, "nothing stands behind a value", value_.substr(0, close + 1));
  }

  Fault of_list() const {
    const auto opening = std::ranges::count(value_, '['), closing = std::ranges::count(value_, ']');
    const std::size_t begin = value_.find_first_not_of("[{ "), end = value_.find_last_not_of("]}) ");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
    const std::string_view inside = value_.substr(begin, end + 1 - begin);
    if (inside.find_first_of("[]{}=") != std::string_view::npos) return {};
    const std::string numbers = numbers_form(inside);
    if (value_[0] == '{') return numbers.empty() ? Fault() : say(value_, "a list stands in brackets", numbers);
    if (opening != closing)
      return say(value_, opening > closing ? "this list lacks its closing bracket" : "a bracket too many",
                 numbers.empty() ? fmt::format("[{}]", inside) : numbers);
    if (!numbers.empty()) return say(value_, "a list of numbers is written as", numbers);
    if (inside.find_first_of("\"'") != std::string_view::npos) return {};
    std::vector<std::string> words;
    for (const std::string_view piece : pieces_of(inside, ",;")) words.push_back(value_form(trim(piece)));
    return say(value_, no_quotes, fmt::format("[{}]", fmt::join(words, ", ")));
  }

  Fault of_word() const {
    const bool round = value_.starts_with('(') && value_.ends_with(')');
    if (std::string array = numbers_form(round ? value_.substr(1, value_.size() - 2) : value_); !array.empty()) {
      const std::size_t comma = value_.find(',');
      const std::string decimal =
          comma == std::string_view::npos || value_.find_first_of(" ();") != std::string_view::npos
              ? ""
              : number_form(fmt::format("{}.{}", value_.substr(0, comma), value_.substr(comma + 1)));
      if (!decimal.empty()) array += fmt::format(", or {}", decimal);
      return say(value_, "several numbers stand in brackets", array);
    }
    const bool yes = is_among(value_, "True TRUE yes Yes on On"), no = is_among(value_, "False FALSE no No off Off");
    if (yes || no) return say(value_, "what is true or false is written so", yes ? "true" : "false");
    if (const std::string lower = lower_case(value_); is_among(lower, "nan inf +inf -inf"))
      return say(value_, "letters of a number are lower case", lower);
    if (is_among(value_, "null NULL Null None nil undefined"))
      return at(value_, fmt::format("there is no {}; leave the key out", value_));
    if (value_.find_first_of("\"'[]{}") != std::string_view::npos) return {};
    if (std::string number = number_form(value_); !number.empty() && number != value_)
      return say(value_, "a number needs digits on both sides of its point and no leading zero", number);
    const bool number = value_.find_first_of("0123456789") <= 1 && value_[0] != '#' && value_[0] != '/';
    return number ? of_number() : say(value_, no_quotes, value_form(value_));
  }

  // Something that begins with a number.
  Fault of_number() const {
    const std::size_t end = std::min(value_.find_first_not_of("+-.0123456789_"), value_.size());
    const std::string_view unit = trim(value_.substr(end));
    if (const std::string form = value_form(value_); form.starts_with("\"#")) return say(value_, no_quotes, form);
    if (unit.empty()) return {};
    if (is_among(unit, "mm cm in pt px %")) return say(value_, "a number with its unit needs quotes", quote(value_));
    if (unit.find_first_of("*/+^()") != std::string_view::npos)
      return at(value_,
                fmt::format("nothing is computed here; write the number, or {} = {} where the key takes a formula",
                            key_, quote(fmt::format("= {}", value_))));
    if (!std::ranges::all_of(unit, [](char c) { return letters.find(c) != std::string_view::npos || c == '%'; }))
      return {};
    return say(value_, "a number has no unit", trim(value_.substr(0, end)));
  }

  std::string_view line_;
  int number_;
  std::string_view said_, body_, key_, value_;
};

// The line that opens the list in which the text ended; 0 if there is none.
int unclosed_list(std::string_view text) {
  int number = 0, found = 0, depth = 0;
  while (!text.empty()) {
    std::string_view line = take_line(text);
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
