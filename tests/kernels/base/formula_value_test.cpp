#include "kernels/base/formula_value.h"

#include "tests/support/test.h"

namespace simreel {
namespace {

template <class Real>
Real of(FormulaOp op, Real a, Real b = 0, Real c = 0) {
  return formula_apply(op, a, b, c, 3);
}

TEST(FormulaValue, ProductsAndSumsAreRoundedOnce) {
  // 1 + e squared, with e too small for its square to be seen in a sum: rounding twice loses it.
  const double e = 0x1p-30, product = -(1 + 2 * e);
  EXPECT_EQ(of(FormulaOp::multiply_add, 1 + e, 1 + e, product), e * e);
  EXPECT_EQ(of(FormulaOp::multiply_subtract, 1 + e, 1 + e, -product), e * e);
  EXPECT_EQ(of(FormulaOp::subtract_product, 1 + e, 1 + e, -product), -e * e);
  EXPECT_EQ(formula_value(FormulaOp::subtract_product, 1 + e, 1 + e, -product, 0), -e * e);
}

// In float, arithmetic rounds to float; elementary functions are those of double, rounded.
TEST(FormulaValue, FloatArithmeticIsOfFloatAndFunctionsAreRounded) {
  const float third = 1.0f / 3.0f, a = 0.7f;
  EXPECT_EQ(of(FormulaOp::multiply, third, third), third * third);
  EXPECT_EQ(of(FormulaOp::mix, 0.1f, 0.7f, third), std::fma(third, 0.7f - 0.1f, 0.1f));
  for (const FormulaOp op : {FormulaOp::sin, FormulaOp::tanh, FormulaOp::log, FormulaOp::atan, FormulaOp::pow,
                             FormulaOp::hypot, FormulaOp::noise}) {
    const double wide = of(op, double{a}, double{third});
    EXPECT_EQ(of(op, a, third), static_cast<float>(wide));
    EXPECT_NE(of(op, a, third), wide);
  }
}

// The operation that is known when the program runs is that of the program when it is compiled.
TEST(FormulaValue, EveryOperationIsFound) {
  EXPECT_EQ(of(FormulaOp::negate, 2.0), -2);
  EXPECT_EQ(of(FormulaOp::logical_not, 2.0f), 0);
  EXPECT_EQ(of(FormulaOp::abs, -2.5f), 2.5f);
  EXPECT_EQ(of(FormulaOp::floor, -2.5f), -3);
  EXPECT_EQ(of(FormulaOp::ceil, -2.5f), -2);
  EXPECT_EQ(of(FormulaOp::round, -2.5f), -3);
  EXPECT_EQ(of(FormulaOp::sign, -2.5f), -1);
  EXPECT_EQ(of(FormulaOp::min, 2.0f, 1.0f), 1);
  EXPECT_EQ(of(FormulaOp::max, 2.0f, 1.0f), 2);
  EXPECT_EQ(of(FormulaOp::step, 2.0f, 1.0f), 0);
  EXPECT_EQ(of(FormulaOp::less_equal, 1.0f, 1.0f), 1);
  EXPECT_EQ(of(FormulaOp::unequal, 1.0f, 1.0f), 0);
  EXPECT_EQ(of(FormulaOp::logical_and, 1.0f, 0.0f), 0);
  EXPECT_EQ(of(FormulaOp::logical_or, 1.0f, 0.0f), 1);
  EXPECT_EQ(of(FormulaOp::select, 0.0f, 1.0f, 2.0f), 2);
  EXPECT_EQ(of(FormulaOp::clamp, 5.0f, 1.0f, 2.0f), 2);
  EXPECT_EQ(of(FormulaOp::smoothstep, 0.0f, 4.0f, 2.0f), 0.5f);
  EXPECT_EQ(formula_operands(FormulaOp::sign), 1);
  EXPECT_EQ(formula_operands(FormulaOp::noise), 2);
  EXPECT_EQ(formula_operands(FormulaOp::subtract_product), 3);
}

}  // namespace
}  // namespace simreel
