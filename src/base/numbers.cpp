#include "base/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

namespace simreel {

std::array<std::string, 2> told_apart(double a, double b, int digits) {
  const auto text = [&](double number) { return fmt::format("{:.{}g}", number, digits); };
  const auto off = [&](double number) {
    const std::string written = text(number);
    double read = number;
    std::from_chars(written.data(), written.data() + written.size(), read);
    return std::abs(read - number);
  };
  constexpr double least = 0.05;  // of the difference
  while (digits < 17 && a != b && off(a) + off(b) > least * std::abs(b - a)) ++digits;
  return {text(a), text(b)};
}

std::string range_text(double low, double high, int digits) {
  return fmt::format("[{}]", fmt::join(told_apart(low, high, digits), ", "));
}

}  // namespace simreel
