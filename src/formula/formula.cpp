#include "formula/formula.h"

#include <algorithm>
#include <iterator>
#include <optional>
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

std::optional<int> Expressions::distance(int of, Distances& known) {
  if (const auto found = known.find(of); found != known.end()) return found->second;
  const auto both = [&](const Node& n, FormulaOp op) -> std::optional<int> {
    const std::optional<int> a = distance(n.a, known), b = a ? distance(n.b, known) : std::nullopt;
    return b ? std::optional(apply(op, *a, *b)) : std::nullopt;
  };
  const auto look = [&](const Node& n) -> std::optional<int> {
    if (n.kind != Kind::apply) return {};
    switch (n.op) {
      case FormulaOp::less:
      case FormulaOp::less_equal: return apply(FormulaOp::subtract, n.b, n.a);
      case FormulaOp::logical_and:
      case FormulaOp::multiply:
      case FormulaOp::min: return both(n, FormulaOp::min);
      case FormulaOp::logical_or:
      case FormulaOp::add:
      case FormulaOp::max: return both(n, FormulaOp::max);
      case FormulaOp::logical_not:
        if (const std::optional<int> a = distance(n.a, known)) return apply(FormulaOp::negate, *a);
        return {};
      default: return {};
    }
  };
  return known[of] = look(Node(node(of)));
}

int Expressions::margin(int of) {
  Distances known;
  const std::optional<int> found = distance(of, known);
  if (!found) return of;
  // Where both sides are equal, the comparison decides.
  constexpr double least = 1e-300;
  return apply(FormulaOp::select, of, apply(FormulaOp::max, *found, constant(least)),
               apply(FormulaOp::min, *found, constant(0)));
}

}  // namespace simreel
