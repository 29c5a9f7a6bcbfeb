#include <optional>

#include "formula/compile.h"

namespace simreel {

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
