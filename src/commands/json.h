#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace simreel {

// Prints a result on stdout. File names need not be UTF-8, but JSON must: invalid bytes become U+FFFD.
inline void print_result(const nlohmann::ordered_json& result) {
  fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace simreel
