#pragma once
// Numbers in messages, and in texts.

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace simreel {

// Takes the number that `text` begins with off its front. Nullopt, and the text stays as it is, if it begins with none,
// or with one that the type does not hold.
template <class Number>
std::optional<Number> take_leading(std::string_view& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// The number that all of `text` is; nullopt for any other text.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  const std::optional<Number> value = take_leading<Number>(text);
  return text.empty() ? value : std::nullopt;
}

// A number and its unit: "85mm", "3%". NaN and an empty unit for a text that does not begin with a number. The unit
// lies in the text.
struct Quantity {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string_view unit;
};
Quantity quantity_of(std::string_view text);

// Two numbers with so many digits, or with as many as show their difference to a twentieth.
std::array<std::string, 2> told_apart(double a, double b, int digits = 6);

// "[0, 1.5]", with as many.
std::string range_text(double low, double high, int digits = 6);

// The number that all of `text` denotes, "0.007", or as a percentage "0.7%": the same number, to the bit. Nullopt for
// any other text.
std::optional<double> number_or_percentage(std::string text);

}  // namespace simreel
