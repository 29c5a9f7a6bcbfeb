#pragma once
// The steps of programs as loops over a block of a row, for the CPU.

#include <cstdint>

#include "kernels/pde/program.h"

namespace simreel {

// `from`: the operands of a function, as values of a row, or as one value where the mask says so (1: a, 2: b, 4: c);
// for a difference the rows y - 2 to y + 2 of its array, and its factor.
template <class Real>
using PdeLoop = void (*)(Real* to, const Real* const* from, int count, std::uint64_t seed);

inline constexpr int pde_loop_operands = 6;

// Of a load, a difference or a function.
template <class Real>
PdeLoop<Real> pde_loop(PdeKind, FormulaOp, int mask);

}  // namespace simreel
