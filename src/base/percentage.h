#pragma once
// A number as a user writes it, where a percentage is accepted beside it.

#include <optional>
#include <string>

namespace simreel {

// The number that all of `text` denotes, "0.007", or as a percentage "0.7%": the same number, to the bit. Nullopt for
// any other text.
std::optional<double> number_or_percentage(std::string text);

}  // namespace simreel
