#include "kernels/pde/loops.h"

#include <array>
#include <cstddef>
#include <utility>

#include "kernels/base/formula_value.h"
#include "kernels/pde/difference.h"

namespace simreel {
namespace {

template <class Real>
void copy(Real* to, const Real* const* from, int count, std::uint64_t) {
  const Real* const a = from[0];
  SIMREEL_INDEPENDENT
  for (int i = 0; i < count; ++i) to[i] = a[i];
}
template <class Real>
void spread(Real* to, const Real* const* from, int count, std::uint64_t) {
  const Real a = *from[0];
  SIMREEL_INDEPENDENT
  for (int i = 0; i < count; ++i) to[i] = a;
}

template <class Real, PdeKind kind>
void difference(Real* to, const Real* const* from, int count, std::uint64_t) {
  const Real *const r0 = from[0], *const r1 = from[1], *const r2 = from[2], *const r3 = from[3], *const r4 = from[4];
  const Real factor = *from[5];
  SIMREEL_INDEPENDENT
  for (int i = 0; i < count; ++i)
    to[i] = pde_difference<kind>(factor, [=](int ox, int oy) {
      return (oy == -2 ? r0 : oy == -1 ? r1 : oy == 0 ? r2 : oy == 1 ? r3 : r4)[i + ox];
    });
}

template <class Real, FormulaOp op, int mask>
void function(Real* to, const Real* const* from, int count, std::uint64_t seed) {
  const Real *const a = from[0], *const b = from[1], *const c = from[2];
  const Real one_a = mask & 1 ? *a : Real(0), one_b = mask & 2 ? *b : Real(0), one_c = mask & 4 ? *c : Real(0);
  SIMREEL_INDEPENDENT
  for (int i = 0; i < count; ++i) {
    Real at_a = one_a, at_b = one_b, at_c = one_c;
    if constexpr ((mask & 1) == 0) at_a = a[i];
    if constexpr (formula_operands(op) > 1 && (mask & 2) == 0) at_b = b[i];
    if constexpr (formula_operands(op) > 2 && (mask & 4) == 0) at_c = c[i];
    to[i] = formula_apply<op>(at_a, at_b, at_c, seed);
  }
}

template <class Real, FormulaOp op, std::size_t... mask>
constexpr std::array<PdeLoop<Real>, 7> masks(std::index_sequence<mask...>) {
  return {function<Real, op, static_cast<int>(mask)>...};
}

// For each function and each mask but that of values of the row alone.
template <class Real, std::size_t... op>
constexpr std::array<std::array<PdeLoop<Real>, 7>, formula_ops> functions(std::index_sequence<op...>) {
  return {masks<Real, static_cast<FormulaOp>(op)>(
      std::make_index_sequence<(std::size_t{1} << formula_operands(static_cast<FormulaOp>(op))) - 1>())...};
}

}  // namespace

template <class Real>
PdeLoop<Real> pde_loop(PdeKind kind, FormulaOp op, int mask) {
  static constexpr auto table = functions<Real>(std::make_index_sequence<formula_ops>());
  switch (kind) {
    case PdeKind::laplacian: return difference<Real, PdeKind::laplacian>;
    case PdeKind::laplacian_nine: return difference<Real, PdeKind::laplacian_nine>;
    case PdeKind::bilaplacian: return difference<Real, PdeKind::bilaplacian>;
    case PdeKind::slope_x: return difference<Real, PdeKind::slope_x>;
    case PdeKind::slope_y: return difference<Real, PdeKind::slope_y>;
    case PdeKind::load: return mask == 0 ? copy<Real> : spread<Real>;
    default: return table[static_cast<std::size_t>(op)][static_cast<std::size_t>(mask)];
  }
}

template PdeLoop<float> pde_loop(PdeKind, FormulaOp, int);
template PdeLoop<double> pde_loop(PdeKind, FormulaOp, int);

}  // namespace simreel
