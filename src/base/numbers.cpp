#include "base/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace simreel {

std::array<std::string, 2> told_apart(double a, double b, int digits) {
  const auto text = [&](double number) { return fmt::format("{:.{}g}", number + 0.0, digits); };  // no "-0"
  constexpr double least = 0.05;  // of the difference; digits leave half of the last one open
  const double size = std::max(std::abs(a), std::abs(b)) / 2;
  while (digits < 17 && a != b && size * std::pow(10.0, 1 - digits) > least * std::abs(b - a)) ++digits;
  return {text(a), text(b)};
}

std::string range_text(double low, double high, int digits) {
  return fmt::format("[{}]", fmt::join(told_apart(low, high, digits), ", "));
}

std::optional<double> number_or_percentage(std::string text) {
  // The decimal point of a percentage is moved before it is parsed: 0.7 / 100 is less than 0.007.
  if (text.ends_with('%')) text.replace(text.size() - 1, 1, "e-2");
  return parse_number<double>(text);
}

Quantity quantity_of(std::string_view text) {
  const std::optional<double> value = take_leading<double>(text);
  return value ? Quantity{*value, trim(text)} : Quantity();
}

}  // namespace simreel
