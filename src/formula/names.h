#pragma once
// What a formula may use besides what every formula has (formula.h).

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simreel {

// A value under construction: nodes of Expressions.
struct FormulaValue {
  int re = -1, im = -1;  // im: -1 for a real value
};

struct FormulaNames {
  // The value of a name; nullopt: there is no such name. Where it has no value here, sets `mistake` to the reason,
  // which follows the name: "has no value here".
  std::function<std::optional<FormulaValue>(std::string_view name, std::string& mistake)> find;
  std::vector<std::string> names;  // for messages; none that every formula has (is_formula_word)
  mutable int depth = 0;           // how deep the formulas that are being read lie within each other
  bool complex = false;            // numbers such as 2i, and abs2 conj re im
  bool complex_fields = false;     // some names are complex; i and j, column and row, are refused then
  // Differences of fields over a grid: lap lap9 bilap dx dy dxx dyy dxy grad2 diffuse advect. 0: they have no meaning.
  double spacing = 0;
  bool nine = false;  // lap has nine points
  // A node that is 0 in cells where an expression has no value, so that differences beside them read the cell itself
  // instead; -1: there are none. May be null.
  std::function<int(int node)> open;
};

// Whether every formula knows it: a variable, a function or an operator.
bool is_formula_word(std::string_view);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace simreel
