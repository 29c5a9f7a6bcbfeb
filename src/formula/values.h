#pragma once
// Arithmetic of real and complex values, as expressions.

#include "formula/compile.h"
#include "formula/names.h"

namespace simreel {

inline bool is_complex(FormulaValue v) { return v.im >= 0; }
FormulaValue negated(Expressions&, FormulaValue);
FormulaValue sum_of(Expressions&, FormulaOp add_or_subtract, FormulaValue, FormulaValue);
FormulaValue product_of(Expressions&, FormulaValue, FormulaValue);
FormulaValue quotient_of(Expressions&, FormulaValue, FormulaValue);
// |v|^2.
int square_of(Expressions&, FormulaValue);

}  // namespace simreel
