#pragma once
// What is wrong with a text that is not TOML, in the words of a scene, and how to write it.

#include <optional>
#include <string>
#include <string_view>

namespace simreel {

struct TextFault {
  int line = 0, column = 0;  // from 1; 0: the whole text
  std::string message;
};

// For a parser that stopped at this line and `said` why: the commonest mistakes, `kind = wave`, `grid = 64x36`,
// `title = "a`, a key or a table that stands twice. Nullopt for others, which the parser describes.
std::optional<TextFault> explain_toml(std::string_view text, int line, std::string_view said);

}  // namespace simreel
