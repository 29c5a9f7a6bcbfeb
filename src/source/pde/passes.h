#pragma once
// Expressions -> passes of the engines.

#include <span>
#include <vector>

#include "formula/compile.h"
#include "kernels/base/formula.h"
#include "kernels/pde/pass.h"

namespace simreel {

struct PdeWork {
  PdePass pass;
  std::vector<int> arrays;               // Expressions::array of each input
  std::vector<FormulaProgram> uniforms;  // of x = y = 0 and the time
  int reach = 0;
};

// A pass that computes these nodes. The rule of fused products: docs/design/pde.md.
PdeWork make_work(const Expressions&, std::span<const int> roots);

}  // namespace simreel
