#include "formula/formula.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "formula/names.h"
#include "formula/parser.h"

namespace simreel {
namespace {

FormulaRow row_of(const FormulaGrid& grid, double x0, double y, double t) {
  return {x0, y, t, static_cast<double>(grid.nx), static_cast<double>(grid.ny), grid.seed};
}

}  // namespace

bool Formula::is_formula(std::string_view text) {
  const auto first = std::ranges::find_if_not(text, is_blank);
  return first != text.end() && *first == '=';
}

Formula Formula::parse(std::string_view text, const Position& where, unsigned allowed, bool border) {
  Expressions expressions;
  FormulaParser parser(text, where, allowed, expressions);
  const FormulaValue root = parser.parse();
  Formula formula =
      of(expressions, border ? expressions.margin(root.re) : root.re, parser.used(), {std::string(text), where});
  formula.remark_ = parser.remark();
  return formula;
}

Formula Formula::of(const Expressions& expressions, int root, unsigned used, const PlacedText& text) {
  return Formula(expressions.compile(root), used, text.text, text.place);
}

void Formula::row(const FormulaGrid& grid, double x0, double y0, double time, std::span<double> out) const {
  std::vector<double> memory;
  formula_start(program_, memory);
  formula_row(program_, row_of(grid, x0, y0, time), memory, out);
}

double Formula::at(const FormulaGrid& grid, double x0, double y0, double time) const {
  double value = 0;
  row(grid, x0, y0, time, {&value, 1});
  return value;
}

double Formula::cost() const {
  using enum FormulaOp;
  constexpr FormulaOp cheap[] = {negate, add, subtract, multiply, min, max, abs, select, clamp, less, less_equal};
  // To take and to look at it, and to fill the memory of a row and what is the same in it.
  double cost = 8 + 0.5 * program_.registers + static_cast<double>(program_.row.size());
  for (const FormulaStep& one : program_.block) cost += std::ranges::find(cheap, one.op) != std::end(cheap) ? 1 : 20;
  return cost;
}

void Formula::fail(const std::string& message) const {
  const std::size_t equals = std::min(text_.find('='), text_.size());
  fail_at(text_, where_, equals, message);
}

}  // namespace simreel
