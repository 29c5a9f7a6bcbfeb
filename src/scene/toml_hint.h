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

// For a parser that stopped at this line and `said` why: the mistakes of beginners, `kind = wave`, `grid = 64x36`,
// `kind: "wave"`. Nullopt for others, which the parser describes well.
std::optional<TextFault> explain_toml(std::string_view text, int line, std::string_view said);

// The same for a line that holds quotes of a word processor, whose column is that of the first one.
std::optional<TextFault> explain_quotes(std::string_view text, int line, int column);

}  // namespace simreel
