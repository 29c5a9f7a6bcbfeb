#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace simreel {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other (optimal string
// alignment).
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const bool same = lower(from[i - 1]) == lower(to[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(from[i - 1]) == lower(to[j - 2]) && lower(from[i - 2]) == lower(to[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[to.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t longest_key = 64;
  if (word.size() > longest_key) return {};
  std::string_view best;
  std::size_t best_distance = std::string_view::npos;
  for (const std::string_view name : known) {
    const std::size_t d = distance(word, name);
    const bool near = d <= std::max<std::size_t>(1, (std::min(word.size(), name.size()) + 1) / 3);
    const bool begins = word.size() >= 3 && name.starts_with(word);
    if ((near || begins) && !name.empty() && d < name.size() && d < best_distance) {
      best = name;
      best_distance = d;
    }
  }
  return best;
}

std::string choices(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view near = nearest(word, known);
  return fmt::format("{}{}", fmt::join(known, ", "), near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near));
}

bool is_among(std::string_view word, std::string_view list) {
  return word.find(' ') == std::string_view::npos &&
         fmt::format(" {} ", list).find(fmt::format(" {} ", word)) != std::string::npos;
}

std::string shorten(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
          out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  return out + '"';
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

std::vector<TemplatePiece> split_template(std::string_view text) {
  std::vector<TemplatePiece> pieces;
  std::string plain;
  bool math = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '$' && (i == 0 || text[i - 1] != '\\')) math = !math;
    if (math || (c != '{' && c != '}')) {
      plain += c;
    } else if (i + 1 < text.size() && text[i + 1] == c) {
      plain += c;
      ++i;
    } else {
      const std::size_t end = text.find('}', i);
      if (c == '}' || end == std::string_view::npos)
        throw UsageError("a {} is not closed; write {}{} for the sign", c, c, c);
      if (!plain.empty()) pieces.push_back({std::exchange(plain, {}), false});
      pieces.push_back({std::string(text.substr(i + 1, end - i - 1)), true});
      i = end;
    }
  }
  if (!plain.empty()) pieces.push_back({plain, false});
  return pieces;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string_view take_line(std::string_view& text) {
  const std::string_view line = first_line(text);
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(take_line(text));
  return lines;
}

std::vector<std::string_view> words_in(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(separators, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if ((byte(i) & 0xC0u) != 0x80u) return false;
    return true;
  };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1, 2) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0, surrogate = first == 0xED && second > 0x9F;
    return !overlong && !surrogate && continues(1, 3) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90, too_high = first == 0xF4 && second > 0x8F;
    return !overlong && !too_high && continues(1, 4) ? 4 : 0;
  }
  return 0;
}

std::string format_bytes(double bytes) {
  const char* unit = "B";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB", "PiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = larger;
  }
  return fmt::format("{:.{}f} {}", bytes, *unit == 'B' ? 0 : 1, unit);
}

}  // namespace simreel
