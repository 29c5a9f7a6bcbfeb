#pragma once
// A pass of a system of equations over a grid, as a graph of values: what each cell of the output arrays is, from the
// cells around it in the input arrays. The engines (engine.h) compute it with the same bits. Nothing here knows of
// texts, schemes or sides; src/source/pde makes passes.
//
// Arithmetic is that of Real, float or double, rounded to nearest; constants and uniforms are rounded once. Functions
// that are not + - * / sqrt fma, comparisons or choices (kernels/base/formula_value.h) are taken in double and rounded.
// Bits are the same where values are finite: a CPU and a GPU write other bits for what is not a number.

#include <cstdint>
#include <vector>

#include "kernels/base/formula.h"

namespace simreel {

enum class PdeKind : std::uint8_t {
  // Leaves.
  constant,  // `value`
  uniform,   // number `index` of the uniforms of a run: the same in all cells, as the time is
  column,    // x and y of the cell in the whole grid; beyond a periodic side those of the cell that stands for it
  row,
  load,    // array `index` at the cell (ox, oy) away
  normal,  // a random number, mean 0 and variance 1, of the cell, of stream `index` and of the run's number
           // (kernels/pde/cell.h)
  // Differences of array `index`, times `value`: w, e, s, n are the neighbours, and c the cell itself.
  laplacian,       // ((w + e) + (s + n)) - 4 c
  laplacian_nine,  // fma(-20, c, fma(4, (w + e) + (s + n), (sw + se) + (nw + ne)))
  bilaplacian,     // fma(20, c, fma(-8, (w + e) + (s + n), fma(2, (sw + se) + (nw + ne), (ww + ee) + (ss + nn))))
  slope_x,         // e - w
  slope_y,         // n - s
  // `function` of nodes a, b and c, as many as it takes.
  apply,
};

struct PdeNode {
  PdeKind kind = PdeKind::constant;
  FormulaOp function = FormulaOp::add;
  int a = -1, b = -1, c = -1;  // earlier nodes; -1: none
  int index = -1;
  int ox = 0, oy = 0;
  double value = 0;
};

struct PdePass {
  std::vector<PdeNode> nodes;
  // Arrays that `load` and differences name: those below `inputs` are given to a run, with their halos. Array inputs +
  // i is node intermediates[i] of every cell that is needed of it; it refers to arrays before it only.
  int inputs = 0;
  std::vector<int> intermediates;
  std::vector<int> outputs;  // nodes
};

// How many cells away a pass reads its inputs, or computes intermediates.
int pde_reach(const PdePass&);
// How many uniforms a run of it must give.
int pde_uniform_count(const PdePass&);

}  // namespace simreel
