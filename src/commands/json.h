#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace simreel {

// Prints a result on stdout. Names of files need not be UTF-8, which JSON must be: what is not becomes U+FFFD.
inline void print_result(const nlohmann::ordered_json& result) {
  fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace simreel
