#pragma once
// Numbers in messages.

#include <array>
#include <string>

namespace simreel {

// Two numbers with so many digits, or with as many as show their difference to a twentieth.
std::array<std::string, 2> told_apart(double a, double b, int digits = 6);

// "[0, 1.5]", with as many.
std::string range_text(double low, double high, int digits = 6);

}  // namespace simreel
