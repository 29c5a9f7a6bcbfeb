#pragma once
// A formula of a scene, a text that begins with "=": parsed once, evaluated on the host in double precision, with the
// same bits on every machine.
//
//   = 0.5 * exp(-((x - 200)^2 + (y - 100)^2) / 20^2)          = if(r < 40, 0.6, 1)          = sin(2 * pi * t / 30)
//
// Numbers: 1, 0.5, 1e-3. Operators, from the tightest: ^ (or **), unary -, * /, + -, < <= > >= == !=, not, and, or.
// Comparisons give 1 or 0; every number but 0 is true.
// Functions: sin cos tan asin acos atan atan2(y, x) exp log sqrt pow(x, y) tanh abs min max floor ceil round mod(x, y)
// (with the sign of y) sign hypot clamp(x, low, high) step(edge, x) (0 below the edge, then 1) smoothstep(a, b, x)
// mix(a, b, part) if(condition, then, otherwise) noise(x, y) (smooth, within [-1, 1], bumps 1 across, from the seed).
// Variables:
//   x, y      position, in cells: whole numbers are centres of cells, [0, 0] is the lower left one, y points up; as the
//             positions of obstacles
//   r, theta  the same in polar coordinates about the middle of the grid: cells, and radians from the x axis
//   i, j      column and row of the cell at that place
//   nx, ny    cells of the grid along x and y
//   t         simulated time
//   pi

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "formula/compile.h"
#include "kernels/base/formula.h"
#include "scene/table.h"

namespace simreel {

// The grid that a formula is evaluated on.
struct FormulaGrid {
  int nx = 1, ny = 1;
  std::uint64_t seed = 0;  // of noise
};

class Formula {
 public:
  // What the value may depend on. r, theta, i and j count as both x and y.
  enum Variable : unsigned { x = 1, y = 2, t = 4 };

  Formula() = default;  // 0 everywhere

  // Whether a text is meant as a formula: its first character, blanks aside, is "=".
  static bool is_formula(std::string_view text);

  // `where` is the place of the text's first character; `allowed` are the variables that have a meaning here. Throws
  // UsageError: the place, what is wrong, and the line of the formula with a caret under the place.
  // `border`: the value says where something is, which is where it is above 0; then comparisons give the distance of
  // their sides instead of 1 or 0, so that the border lies where they are equal.
  static Formula parse(std::string_view text, const Position& where, unsigned allowed = x | y | t, bool border = false);
  static Formula parse(const PlacedText& text, unsigned allowed = x | y | t, bool border = false) {
    return parse(text.text, text.place, allowed, border);
  }

  // Of an expression without fields; `used`: what it depends on.
  static Formula of(const Expressions&, int root, unsigned used, const PlacedText&);

  bool uses(Variable variable) const { return (used_ & variable) != 0; }
  // What is said of it, with its place, though it has values (FormulaParser::remark); no text: nothing.
  const PlacedText& remark() const { return remark_; }

  // The values at the positions (x0, y), (x0 + 1, y), ... of one line, some nanoseconds for each and each function.
  // They may be infinite or not a number.
  void row(const FormulaGrid&, double x0, double y, double t, std::span<double> out) const;
  double at(const FormulaGrid&, double x, double y, double t) const;
  // Operations for a value of a row, where a function counts as 20.
  double cost() const;

  // Throws UsageError, with the formula.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  Formula(FormulaProgram program, unsigned used, std::string_view text, Position where)
      : program_(std::move(program)), used_(used), text_(text), where_(std::move(where)) {}

  FormulaProgram program_;
  unsigned used_ = 0;
  std::string text_;
  Position where_;
  PlacedText remark_;
};

}  // namespace simreel
