#pragma once
// A pass as straight programs of a register machine, one for each intermediate and one for the outputs: what the
// engine of the CPU and the interpreter of the GPU run.

#include <array>
#include <vector>

#include "kernels/pde/pass.h"

namespace simreel {

enum class PdePlace : std::uint8_t {
  none,
  constant,  // number `index` of the program's constants
  uniform,   // number `index` of the uniforms of a run
  scalar,    // a value of the row
  cell,      // of array `index`, at (ox, oy)
  temporary,
  output,  // the cell of output `index`
};

struct PdeOperand {
  PdePlace place = PdePlace::none;
  int index = 0, ox = 0, oy = 0;
};

// `kind` load: `to` = a. column, row and normal (of stream `array`): `to` is that. A difference of `array`, with the
// factor a. apply: a function of a, b, c.
struct PdeStep {
  PdeKind kind = PdeKind::apply;
  FormulaOp function = FormulaOp::add;
  PdeOperand to, a, b, c;
  int array = -1;
};

struct PdeProgram {
  std::vector<double> constants;
  std::vector<PdeStep> row;    // once a row: what depends on neither column nor arrays; empty if not asked for
  std::vector<PdeStep> cells;  // for each cell
  int scalars = 0, temporaries = 0;
};

struct PdeProgramOptions {
  bool rows = false;      // a part for rows
  bool in_place = false;  // outputs may be inputs that are read at their own cell: store nothing that is read later
};

PdeProgram pde_program(const PdePass&, const std::vector<int>& roots, PdeProgramOptions);

// The nodes that an operation is applied to, -1 for none; all of them for other kinds.
std::array<int, 3> pde_operands(const PdeNode&);
// The nodes that roots need, operands first.
std::vector<int> pde_order(const PdePass&, const std::vector<int>& roots);

// How far away from a cell a difference reads its array.
constexpr int pde_reach(PdeKind kind) {
  return kind == PdeKind::bilaplacian ? 2 : kind >= PdeKind::laplacian && kind <= PdeKind::slope_y ? 1 : 0;
}
constexpr bool pde_reads(PdeKind kind) { return kind == PdeKind::load || pde_reach(kind) > 0; }
// How many cells beyond those of the outputs each intermediate is needed.
std::vector<int> pde_depths(const PdePass&);

}  // namespace simreel
