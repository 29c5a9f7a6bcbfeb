#pragma once
// Numbers in messages.

#include <array>
#include <optional>
#include <string>

namespace simreel {

// Two numbers with so many digits, or with as many as show their difference to a twentieth.
std::array<std::string, 2> told_apart(double a, double b, int digits = 6);

// "[0, 1.5]", with as many.
std::string range_text(double low, double high, int digits = 6);

// The number that all of `text` denotes, "0.007", or as a percentage "0.7%": the same number, to the bit. Nullopt for
// any other text.
std::optional<double> number_or_percentage(std::string text);

}  // namespace simreel
