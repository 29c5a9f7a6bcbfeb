#pragma once
// Several steps of a pass as one kernel, in PTX text, where its outputs are its inputs in the next step. A warp
// computes a strip of columns, row after row: a row of the state before all steps comes from memory, then a row of the
// state after the first step can be computed, which lies as far behind as the pass reaches, and so on. All rows that
// are needed again stay in registers, and neighbours' values come from other threads of the warp. So nothing but the
// last state is stored. Columns and rows around those of a warp are computed by more than one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/pde/pass.h"

namespace simreel {

struct PdeStepsForm {
  int steps = 4;       // of a launch
  int cells = 4;       // of a thread in a row: 1, 2 or 4
  bool sides = false;  // that do not repeat cells; all of them mirror cells,
  bool rules = false;  // or some have rules
};

inline constexpr int pde_warps = 4;  // of a block, one beside the other

// The columns that a warp computes for others, on either side, and those that it stores.
constexpr int pde_margin(const PdeStepsForm& form, int reach) {
  return (form.steps * reach + form.cells - 1) / form.cells * form.cells;
}
constexpr int pde_strip(const PdeStepsForm& form, int reach) { return 32 * form.cells - 2 * pde_margin(form, reach); }

enum PdeStepsFlags : std::int32_t { pde_steps_wrap = 4, pde_steps_end_below = 8, pde_steps_end_above = 16 };

// A kernel `name`. `next`: the input that each output is in the next step; none is named twice, and inputs that none
// names stay the same. A pass that reads beyond the sides of intermediates must not have `sides`.
// Arguments: the inputs, the outputs, of each step the uniforms as Real; if there are rules, of each output, left,
// right, bottom and top: factor, offset and, as 32 bits, the stride. Then as 32 bits nx, ny, pitch, the rows from and
// to, y0, whole_ny, halo, the rows of a warp, and the flags of PdeFlags and above. Threads are blocks of 32 by
// pde_warps.
template <class Real>
std::optional<std::string> pde_ptx_steps(const PdePass&, const std::vector<int>& next, int uniforms,
                                         const PdeStepsForm&, std::string_view name);

// Registers that a thread needs at least, as 32 bits.
int pde_steps_registers(const PdePass&, const std::vector<int>& next, const PdeStepsForm&, std::size_t value_bytes);

}  // namespace simreel
