#pragma once
// A formula as a program of a register machine, evaluated on the host over rows of values in blocks, so that one
// instruction is one loop that vectorises. src/formula/ compiles text into it. The bits depend on neither the machine
// nor the way rows are cut: every value is computed alone, with + - * /, sqrt, fma and the functions of math.h and
// elementary.h.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simreel {

enum class FormulaOp : std::uint8_t {
  // One operand.
  negate,
  logical_not,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  exp,
  log,
  sqrt,
  tanh,
  abs,
  floor,
  ceil,
  round,
  sign,
  // Two.
  add,
  subtract,
  multiply,
  divide,
  pow,
  mod,
  min,
  max,
  hypot,
  atan2,
  step,
  less,
  less_equal,
  equal,
  unequal,
  logical_and,
  logical_or,
  noise,
  // Three.
  select,
  clamp,
  mix,
  smoothstep,
  multiply_add,       // a b + c, rounded once
  multiply_subtract,  // a b - c
  subtract_product,   // c - a b
};

// Operands and the result are numbers of registers.
struct FormulaStep {
  FormulaOp op = FormulaOp::add;
  std::uint16_t to = 0, a = 0, b = 0, c = 0;
};

inline constexpr int formula_block = 128;  // values of a register

struct FormulaProgram {
  std::vector<std::pair<std::uint16_t, double>> constants;  // their registers, which nothing else writes
  int x = -1, y = -1, t = -1, nx = -1, ny = -1;             // the registers of the variables; -1: unused
  std::vector<FormulaStep> row;                             // once a row: what x has no part in
  std::vector<FormulaStep> block;
  int registers = 1;
  std::uint16_t result = 0;
};

// What the variables of a row are; x is x0, x0 + 1, ... along it.
struct FormulaRow {
  double x0 = 0, y = 0, t = 0, nx = 0, ny = 0;
  std::uint64_t seed = 0;  // of noise
};

// Prepares memory for formula_row: the values of constants. Resizes it.
void formula_start(const FormulaProgram&, std::vector<double>& memory);
// Evaluates a row of any length. `memory` was prepared for this program, and serves one thread at a time.
void formula_row(const FormulaProgram&, const FormulaRow&, std::vector<double>& memory, std::span<double> out);

// One step on single values.
double formula_value(FormulaOp, double a, double b, double c, std::uint64_t seed);

}  // namespace simreel
