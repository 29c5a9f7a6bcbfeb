#include "scene/quantity.h"

#include <charconv>

#include "base/text.h"
#include "scene/node.h"

namespace simreel {

Quantity quantity_of(const std::string& text) {
  Quantity result;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, result.value);
  if (error != std::errc()) return {};
  result.unit = trim(std::string_view(end, static_cast<std::size_t>(last - end)));
  return result;
}

std::string written_quantity(const std::string& text) { return numbers_as_array(text, 1).empty() ? quote(text) : text; }

void read_quantity(Table& table, std::string_view key, std::string& text, KeyText documentation) {
  const std::string given = table.text_of(key).value_or("");
  if (numbers_as_array(given, 1).empty())
    table.read(key, text, documentation);
  else
    text = given;
}

}  // namespace simreel
