#include "formula/values.h"

namespace simreel {

FormulaValue negated(Expressions& e, FormulaValue v) {
  return {e.apply(FormulaOp::negate, v.re), is_complex(v) ? e.apply(FormulaOp::negate, v.im) : -1};
}

FormulaValue sum_of(Expressions& e, FormulaOp op, FormulaValue a, FormulaValue b) {
  int im = a.im;
  if (is_complex(a) && is_complex(b))
    im = e.apply(op, a.im, b.im);
  else if (is_complex(b))
    im = op == FormulaOp::add ? b.im : e.apply(FormulaOp::negate, b.im);
  return {e.apply(op, a.re, b.re), im};
}

FormulaValue product_of(Expressions& e, FormulaValue a, FormulaValue b) {
  const auto times = [&](int x, int y) { return e.apply(FormulaOp::multiply, x, y); };
  if (!is_complex(b)) return {times(a.re, b.re), is_complex(a) ? times(a.im, b.re) : -1};
  if (!is_complex(a)) return {times(a.re, b.re), times(a.re, b.im)};
  // A number such as 2i has no real part.
  if (e.is_constant(a.re, 0)) return {e.apply(FormulaOp::negate, times(a.im, b.im)), times(a.im, b.re)};
  return {e.apply(FormulaOp::subtract, times(a.re, b.re), times(a.im, b.im)),
          e.apply(FormulaOp::add, times(a.re, b.im), times(a.im, b.re))};
}

FormulaValue quotient_of(Expressions& e, FormulaValue a, FormulaValue b) {
  const auto by = [&](FormulaValue v, int divisor) -> FormulaValue {
    return {e.apply(FormulaOp::divide, v.re, divisor), is_complex(v) ? e.apply(FormulaOp::divide, v.im, divisor) : -1};
  };
  if (!is_complex(b)) return by(a, b.re);
  return by(product_of(e, a, {b.re, e.apply(FormulaOp::negate, b.im)}), square_of(e, b));
}

int square_of(Expressions& e, FormulaValue v) {
  const int re = e.apply(FormulaOp::multiply, v.re, v.re);
  return is_complex(v) ? e.apply(FormulaOp::add, re, e.apply(FormulaOp::multiply, v.im, v.im)) : re;
}

}  // namespace simreel
