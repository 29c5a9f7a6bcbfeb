#include "base/percentage.h"

#include <charconv>

namespace simreel {

std::optional<double> number_or_percentage(std::string text) {
  // The decimal point of a percentage is moved before it is parsed: 0.7 / 100 is less than 0.007.
  if (text.ends_with('%')) text.replace(text.size() - 1, 1, "e-2");
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [after, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || after != end) return {};
  return value;
}

}  // namespace simreel
