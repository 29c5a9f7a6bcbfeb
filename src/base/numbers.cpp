#include "base/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

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

}  // namespace simreel
