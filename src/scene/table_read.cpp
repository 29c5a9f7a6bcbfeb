// The reads of values of one form.

#include <fmt/format.h>

#include "base/text.h"
#include "scene/color.h"
#include "scene/reads.h"
#include "scene/scene.h"

namespace simreel {
namespace {

using Node = Table::Node;

std::string as_toml(Color color) { return quote(color_text(color)); }

}  // namespace

void Table::read(std::string_view key, double& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, fmt::format("{}", value), with_range("number", range), text);
    read_number(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, std::int64_t& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, fmt::format("{}", value), with_range("whole number", range), text);
    read_number(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, int& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, fmt::format("{}", value), with_range("whole number", range), text);
    read_number(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, std::array<int, 2>& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, as_toml(value), with_range("2 whole numbers", range), text);
    read_numbers(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, std::array<double, 2>& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, as_toml(value), with_range("2 numbers", range), text);
    read_numbers(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, std::array<double, 3>& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, as_toml(value), with_range("3 numbers", range), text);
    read_numbers(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, std::vector<std::int64_t>& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, fmt::format("[{}]", fmt::join(value, ", ")),
                                    with_range("list of whole numbers", range), text);
    if (found == nullptr) return;
    constexpr std::string_view expected = "an array of whole numbers";
    const auto* list = std::get_if<Node::List>(&found->value);
    if (list == nullptr) fail_type(*this, *node_, key, expected, *found);
    std::vector<std::int64_t> read_values(list->size());
    read_elements<std::int64_t>(*this, *node_, key, read_values, range, std::string(expected), *list);
    value = read_values;
  });
}

void Table::read(std::string_view key, std::vector<std::string>& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, "[]", "list of texts", text);
    if (found == nullptr) return;
    const auto* list = std::get_if<Node::List>(&found->value);
    std::vector<std::string> texts;
    if (list != nullptr)
      for (const auto& entry : *list)
        if (const auto* given = std::get_if<std::string>(&entry->value); given != nullptr && !given->empty())
          texts.push_back(*given);
    const auto* one = std::get_if<std::string>(&found->value);
    if (one != nullptr && !one->empty())
      fail(key, fmt::format("{} must be an array of texts, but is {}; write [{}]", name_in(*node_, key),
                            describe(*found), quote(*one)));
    if (list == nullptr || texts.size() != list->size())
      fail_type(*this, *node_, key, "an array of texts, none of them empty", *found);
    value = texts;
  });
}

void Table::read(std::string_view key, std::vector<std::array<double, 2>>& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, "[]", "list of pairs of numbers", text);
    if (found == nullptr) return;
    const auto fail_here = [&] {
      fail_type(*this, *node_, key, "a list of pairs of finite numbers, [[0, 0], [10, 0], [5, 8]]", *found);
    };
    const auto* list = std::get_if<Node::List>(&found->value);
    if (list == nullptr) fail_here();
    std::vector<std::array<double, 2>> pairs;
    for (const auto& entry : *list) {
      const auto* numbers = std::get_if<Node::List>(&entry->value);
      if (numbers == nullptr || numbers->size() != 2) fail_here();
      std::array<double, 2>& pair = pairs.emplace_back();
      for (std::size_t i = 0; i < 2; ++i) {
        const Node& number = *(*numbers)[i];
        if (const auto* whole = std::get_if<std::int64_t>(&number.value)) {
          pair[i] = static_cast<double>(*whole);
        } else if (const auto* real = std::get_if<double>(&number.value); real != nullptr && std::isfinite(*real)) {
          pair[i] = *real;
        } else {
          fail_here();
        }
      }
    }
    value = pairs;
  });
}

void Table::read(std::string_view key, bool& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, fmt::format("{}", value), "true or false", text);
    if (found == nullptr) return;
    const auto* boolean = std::get_if<bool>(&found->value);
    if (boolean == nullptr) fail_type(*this, *node_, key, "true or false", *found);
    value = *boolean;
  });
}

void Table::read(std::string_view key, std::string& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, quote(value), "text", text);
    if (const std::string* given = read_text(*this, *node_, key, found)) value = *given;
  });
}

void Table::read(std::string_view key, PlacedText& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, quote(value.text), "text", text);
    if (const std::string* given = read_text(*this, *node_, key, found)) value = {*given, found->text};
  });
}

void Table::read(std::string_view key, Color& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = record_read(*node_, key, as_toml(value), "colour, \"#rrggbb\" or \"#rrggbbaa\"", text);
    if (found == nullptr) return;
    const auto* const given = std::get_if<std::string>(&found->value);
    const std::optional<Color> color = given == nullptr ? std::nullopt : parse_color(*given);
    if (!color) {
      const std::optional<Color> meant = meant_color(*found);
      const std::string form = "\"#rrggbb\" or \"#rrggbbaa\"" + (meant ? ", here " + as_toml(*meant) : "");
      if (given == nullptr) fail_type(*this, *node_, key, "a colour in quotes", *found, "; write " + form);
      fail(key, fmt::format("\"{}\" is {}, which is no colour; write {}", key, quote(shorten(*given, 60)), form));
    }
    value = *color;
  });
}

}  // namespace simreel
