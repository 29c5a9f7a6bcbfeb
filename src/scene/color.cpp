#include "scene/color.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "scene/node.h"
#include "scene/scene.h"

namespace simreel {
namespace {

// Names that people write, with the values of CSS.
constexpr std::pair<std::string_view, const char*> names[] = {
    {"black", "#000000"},  {"white", "#ffffff"},        {"red", "#ff0000"},    {"green", "#008000"},
    {"blue", "#0000ff"},   {"yellow", "#ffff00"},       {"cyan", "#00ffff"},   {"magenta", "#ff00ff"},
    {"gray", "#808080"},   {"grey", "#808080"},         {"orange", "#ffa500"}, {"purple", "#800080"},
    {"brown", "#a52a2a"},  {"pink", "#ffc0cb"},         {"navy", "#000080"},   {"silver", "#c0c0c0"},
    {"lime", "#00ff00"},   {"teal", "#008080"},         {"maroon", "#800000"}, {"olive", "#808000"},
    {"aqua", "#00ffff"},   {"fuchsia", "#ff00ff"},      {"gold", "#ffd700"},   {"darkblue", "#00008b"},
    {"none", "#00000000"}, {"transparent", "#00000000"}};

// Three or four numbers from 0 to 255, or from 0 to 1.
std::optional<Color> of_numbers(const std::vector<double>& numbers, bool fractions) {
  if (numbers.size() != 3 && numbers.size() != 4) return {};
  const double factor = fractions ? 255 : 1;
  std::uint8_t channels[4] = {0, 0, 0, 255};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double level = std::round(numbers[i] * factor);
    if (!(level >= 0 && level <= 255)) return {};
    channels[i] = static_cast<std::uint8_t>(level);
  }
  return Color{channels[0], channels[1], channels[2], channels[3]};
}

std::optional<Color> of_text(std::string_view given) {
  const std::string lower = lower_case(trim(given));
  std::string_view text = lower;
  for (const auto& [name, hex] : names)
    if (text == name) return parse_color(hex);
  if (text.starts_with("rgb")) text.remove_prefix(std::min(text.find('('), text.size()));
  const bool round = text.starts_with('(') && text.ends_with(')');
  if (round) text = text.substr(1, text.size() - 2);
  if (text.find(',') != std::string_view::npos) {
    std::vector<double> numbers;
    bool fractions = text.find('.') != std::string_view::npos;
    while (!text.empty()) {
      const std::string_view word = trim(text.substr(0, text.find(',')));
      double value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc() || end != word.data() + word.size()) return {};
      numbers.push_back(value);
      fractions = fractions && value <= 1;
      text.remove_prefix(std::min(text.find(','), text.size() - 1) + 1);
    }
    return of_numbers(numbers, fractions);
  }
  std::string digits(text.substr(text.starts_with("0x") ? 2 : text.starts_with('#') ? 1 : 0));
  digits = trim(digits);
  if (digits.size() == 3 || digits.size() == 4) {
    std::string doubled;
    for (const char c : digits) doubled.append(2, c);
    digits = doubled;
  }
  return parse_color(fmt::format("#{}", digits));
}

}  // namespace

std::optional<Color> parse_color(const std::string& text) {
  if ((text.size() != 7 && text.size() != 9) || text[0] != '#') return {};
  std::array<std::uint8_t, 4> channels = {0, 0, 0, 255};
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    int digit = 0;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = c - 'A' + 10;
    } else {
      return {};
    }
    std::uint8_t& channel = channels[(i - 1) / 2];
    channel = static_cast<std::uint8_t>(i % 2 == 1 ? digit << 4 : channel | digit);
  }
  return Color{channels[0], channels[1], channels[2], channels[3]};
}

std::string color_text(Color color) {
  const std::string rgb = fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
  return color.a == 255 ? rgb : fmt::format("{}{:02x}", rgb, color.a);
}

std::optional<Color> meant_color(const Table::Node& given) {
  if (const auto* text = std::get_if<std::string>(&given.value)) return of_text(*text);
  if (const auto* number = std::get_if<std::int64_t>(&given.value))
    return *number < 0 || *number > 0xffffff ? std::nullopt : parse_color(fmt::format("#{:06x}", *number));
  const auto* const list = std::get_if<Table::Node::List>(&given.value);
  if (list == nullptr) return {};
  std::vector<double> numbers;
  bool fractions = false, small = true;
  for (const auto& one : *list) {
    if (const auto* whole = std::get_if<std::int64_t>(&one->value))
      numbers.push_back(static_cast<double>(*whole));
    else if (const auto* real = std::get_if<double>(&one->value))
      numbers.push_back(*real), fractions = true;
    else
      return {};
    small = small && numbers.back() <= 1;
  }
  return of_numbers(numbers, fractions && small);
}

}  // namespace simreel
