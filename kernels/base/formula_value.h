#pragma once
// What the operations of formulas are, for one value: for formula.cu, and for the engines of kernels/pde on a CPU and a
// GPU. Arithmetic, comparisons and choices are those of Real. Elementary functions, mod and noise are taken in double
// and rounded.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/base/elementary.h"
#include "kernels/base/formula.h"
#include "kernels/base/launch.h"

namespace simreel {

// Functions of one or two operands ignore the others.
template <FormulaOp op, class Real>
HD inline Real formula_apply([[maybe_unused]] Real a, [[maybe_unused]] Real b, [[maybe_unused]] Real c,
                             [[maybe_unused]] std::uint64_t seed) {
  using enum FormulaOp;
  constexpr auto truth = [](bool condition) { return condition ? Real(1) : Real(0); };
  [[maybe_unused]] const double wide_a = a, wide_b = b;
  const auto rounded = [](double value) { return static_cast<Real>(value); };
  if constexpr (op == negate) return -a;
  if constexpr (op == logical_not) return truth(a == 0);
  if constexpr (op == sin) return rounded(exact::sin(wide_a));
  if constexpr (op == cos) return rounded(exact::cos(wide_a));
  if constexpr (op == tan) return rounded(exact::tan(wide_a));
  if constexpr (op == asin) return rounded(exact::asin(wide_a));
  if constexpr (op == acos) return rounded(exact::acos(wide_a));
  if constexpr (op == atan) return rounded(exact::atan(wide_a));
  if constexpr (op == exp) return rounded(exact::exp(wide_a));
  if constexpr (op == log) return rounded(exact::log(wide_a));
  if constexpr (op == sqrt) return std::sqrt(a);
  if constexpr (op == tanh) return rounded(exact::tanh(wide_a));
  if constexpr (op == abs) return std::fabs(a);
  if constexpr (op == floor) return std::floor(a);
  if constexpr (op == ceil) return -std::floor(-a);
  if constexpr (op == round) return rounded(exact::round(wide_a));  // exact in Real too
  if constexpr (op == sign) return a > 0 ? Real(1) : a < 0 ? Real(-1) : a;
  if constexpr (op == add) return a + b;
  if constexpr (op == subtract) return a - b;
  if constexpr (op == multiply) return a * b;
  if constexpr (op == divide) return a / b;
  if constexpr (op == pow) return rounded(exact::pow(wide_a, wide_b));
  if constexpr (op == mod) return rounded(exact::mod(wide_a, wide_b));
  if constexpr (op == min) return b < a ? b : a;
  if constexpr (op == max) return a < b ? b : a;
  if constexpr (op == hypot) return rounded(exact::hypot(wide_a, wide_b));
  if constexpr (op == atan2) return rounded(exact::atan2(wide_a, wide_b));
  if constexpr (op == step) return b < a ? Real(0) : Real(1);
  if constexpr (op == less) return truth(a < b);
  if constexpr (op == less_equal) return truth(a <= b);
  if constexpr (op == equal) return truth(a == b);
  if constexpr (op == unequal) return truth(a != b);
  if constexpr (op == logical_and) return truth((a != 0) & (b != 0));
  if constexpr (op == logical_or) return truth((a != 0) | (b != 0));
  if constexpr (op == noise) return rounded(exact::noise(wide_a, wide_b, seed));
  if constexpr (op == select) return a != 0 ? b : c;
  if constexpr (op == clamp) return a < b ? b : c < a ? c : a;
  if constexpr (op == mix) return std::fma(c, b - a, a);
  if constexpr (op == smoothstep) {
    const Real part = (c - a) / (b - a), within = part < 0 ? Real(0) : part > 1 ? Real(1) : part;
    return within * within * std::fma(Real(-2), within, Real(3));
  }
  if constexpr (op == multiply_add) return std::fma(a, b, c);
  if constexpr (op == multiply_subtract) return std::fma(a, b, -c);
  if constexpr (op == subtract_product) return std::fma(-a, b, c);
}

inline constexpr std::size_t formula_ops = static_cast<std::size_t>(FormulaOp::subtract_product) + 1;

// Operands of an operation.
constexpr int formula_operands(FormulaOp op) { return op < FormulaOp::add ? 1 : op < FormulaOp::select ? 2 : 3; }

// The operation that is known when the program runs.
template <class Real>
HD inline Real formula_apply(FormulaOp op, Real a, Real b, Real c, std::uint64_t seed) {
  Real value = 0;
  [&]<std::size_t... number>(std::index_sequence<number...>) {
    (void)((static_cast<std::size_t>(op) == number &&
            (value = formula_apply<static_cast<FormulaOp>(number)>(a, b, c, seed), true)) ||
           ...);
  }
  (std::make_index_sequence<formula_ops>());
  return value;
}

}  // namespace simreel
