#pragma once
// Texts that are a number and its unit: "85mm", "3%".

#include <limits>
#include <string>
#include <string_view>

#include "scene/table.h"

namespace simreel {

// NaN and an empty unit for a text that does not begin with a number. The unit lies in the text.
struct Quantity {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string_view unit;
};
Quantity quantity_of(const std::string& text);

// As the scene has it, for messages: a number bare, a text in quotes.
std::string written_quantity(const std::string& text);

// Reads such a text. A number without unit passes as one, so that the message is the one about the unit.
void read_quantity(Table&, std::string_view key, std::string& text, KeyText documentation);

}  // namespace simreel
