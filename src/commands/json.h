#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "scene/mistakes.h"
#include "scene/scene.h"

namespace simreel {

// As ASCII, in which nothing ends a line or steers a terminal. File names need not be UTF-8, but JSON must: invalid
// bytes become U+FFFD. `indent`: -1 for one line.
inline std::string json_text(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

// Prints a result on stdout.
inline void print_result(const nlohmann::ordered_json& result) { fmt::print("{}\n", json_text(result, 2)); }

// The mistakes in a scene, each with its place: {"place": "x.toml:4:1", "line": 4, "column": 1, "message": "..."}. Line
// and column are null for a --set argument, `place` too where a message names none.
inline nlohmann::ordered_json mistakes_json(const UsageError& error, const std::string& scene) {
  const auto* several = dynamic_cast<const SceneMistakes*>(&error);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& text : several != nullptr ? several->list() : std::vector<std::string>{error.what()}) {
    const PlacedMessage in_file = split_place(text, scene);
    const auto& [place, message] = in_file.place.source.empty() ? split_place(text, stream_name) : in_file;
    nlohmann::ordered_json mistake = {{"place", nullptr}, {"line", nullptr}, {"column", nullptr}, {"message", message}};
    if (!place.source.empty()) mistake["place"] = place.text();
    if (place.line > 0) mistake["line"] = place.line, mistake["column"] = place.column;
    list.push_back(std::move(mistake));
  }
  return list;
}

}  // namespace simreel
