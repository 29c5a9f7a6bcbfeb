#include "base/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace simreel {

std::array<std::string, 2> told_apart(double a, double b, int digits) {
  const auto text = [&](double number) { return fmt::format("{:.{}g}", number, digits); };
  while (digits < 17 && a != b && text(a) == text(b)) ++digits;
  return {text(a), text(b)};
}

std::string range_text(double low, double high, int digits) {
  return fmt::format("[{}]", fmt::join(told_apart(low, high, digits), ", "));
}

}  // namespace simreel
