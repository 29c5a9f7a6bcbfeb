#include <optional>

#include "formula/compile.h"

namespace simreel {

std::optional<int> Expressions::distance(int of) {
  const Node n = node(of);
  if (n.kind != Kind::apply) return {};
  const auto both = [&](FormulaOp op) -> std::optional<int> {
    const std::optional<int> a = distance(n.a), b = a ? distance(n.b) : std::nullopt;
    return b ? std::optional(apply(op, *a, *b)) : std::nullopt;
  };
  switch (n.op) {
    case FormulaOp::less:
    case FormulaOp::less_equal: return apply(FormulaOp::subtract, n.b, n.a);
    case FormulaOp::logical_and:
    case FormulaOp::multiply:
    case FormulaOp::min: return both(FormulaOp::min);
    case FormulaOp::logical_or:
    case FormulaOp::add:
    case FormulaOp::max: return both(FormulaOp::max);
    case FormulaOp::logical_not:
      if (const std::optional<int> a = distance(n.a)) return apply(FormulaOp::negate, *a);
      return {};
    default: return {};
  }
}

int Expressions::margin(int of) {
  const std::optional<int> found = distance(of);
  if (!found) return of;
  // Where both sides are equal, the comparison decides.
  constexpr double least = 1e-300;
  return apply(FormulaOp::select, of, apply(FormulaOp::max, *found, constant(least)),
               apply(FormulaOp::min, *found, constant(0)));
}

}  // namespace simreel
