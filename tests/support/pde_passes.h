#pragma once
// Passes of equations for tests and benchmarks of the engines: a builder, and the systems whose speed is measured.

#include "kernels/pde/pass.h"

#include "tests/support/test.h"

namespace simreel::test {

struct PassBuilder {
  PdePass pass;

  int add(const PdeNode& node) {
    pass.nodes.push_back(node);
    return static_cast<int>(pass.nodes.size()) - 1;
  }
  int leaf(PdeKind kind, int index = -1) {
    PdeNode node;
    node.kind = kind, node.index = index;
    return add(node);
  }
  int constant(double value) {
    PdeNode node;
    node.value = value;
    return add(node);
  }
  int load(int array, int ox = 0, int oy = 0) {
    PdeNode node;
    node.kind = PdeKind::load, node.index = array, node.ox = ox, node.oy = oy;
    return add(node);
  }
  int difference(PdeKind kind, int array, double factor = 1) {
    PdeNode node;
    node.kind = kind, node.index = array, node.value = factor;
    return add(node);
  }
  int apply(FormulaOp function, int a, int b = -1, int c = -1) {
    PdeNode node;
    node.kind = PdeKind::apply, node.function = function, node.a = a, node.b = b, node.c = c;
    return add(node);
  }
  int multiply(int a, int b) { return apply(FormulaOp::multiply, a, b); }
  int multiply_add(int a, int b, int c) { return apply(FormulaOp::multiply_add, a, b, c); }
};

// Some steps of a system: `arrays` arrays, and passes with the arrays that each reads and writes.
struct PdeSystem {
  struct Step {
    PdePass pass;
    std::vector<int> inputs, outputs;
  };
  std::string name;
  int arrays = 0, state = 0;  // the first `state` arrays are the state before and after
  int values_moved = 0;       // read and written of memory for a cell and step of time, at least
  int steps = 1;              // steps of time in all passes
  std::vector<Step> passes;
};

// u, v; a step of Euler from 0, 1 to 2, 3, and one back.
inline PdeSystem gray_scott() {
  PassBuilder b;
  const int u = b.load(0), v = b.load(1), uvv = b.multiply(u, b.multiply(v, v)), dt = b.constant(1);
  const int spread_u =
      b.apply(FormulaOp::multiply_subtract, b.constant(0.16), b.difference(PdeKind::laplacian, 0), uvv);
  const int rate_u = b.multiply_add(b.constant(0.037), b.apply(FormulaOp::subtract, b.constant(1), u), spread_u);
  const int spread_v = b.multiply_add(b.constant(0.08), b.difference(PdeKind::laplacian, 1), uvv);
  const int rate_v = b.apply(FormulaOp::subtract_product, b.constant(0.097), v, spread_v);
  b.pass.inputs = 2;
  b.pass.outputs = {b.multiply_add(dt, rate_u, u), b.multiply_add(dt, rate_v, v)};
  return {"Gray-Scott, Euler", 4, 2, 4, 2, {{b.pass, {0, 1}, {2, 3}}, {b.pass, {2, 3}, {0, 1}}}};
}

// c; the chemical potential is an intermediate.
inline PdeSystem cahn_hilliard() {
  PassBuilder b;
  const int c = b.load(0), cubed = b.multiply(b.multiply(c, c), c), less = b.apply(FormulaOp::subtract, cubed, c);
  const int mu = b.apply(FormulaOp::subtract_product, b.constant(0.5), b.difference(PdeKind::laplacian, 0), less);
  b.pass.inputs = 1;
  b.pass.intermediates = {mu};
  b.pass.outputs = {b.multiply_add(b.constant(0.02), b.difference(PdeKind::laplacian, 1), c)};
  return {"Cahn-Hilliard, Euler", 2, 1, 2, 2, {{b.pass, {0}, {1}}, {b.pass, {1}, {0}}}};
}

// A = re + i im, in the classical Runge-Kutta scheme. Arrays: 0, 1: the state; 2 to 5: stages; 6, 7: the sum.
inline PdeSystem ginzburg_landau() {
  const double step = 0.05;
  struct Stage {
    int in, to;
    double step, weight;
  };
  PdeSystem system{"Ginzburg-Landau, Runge-Kutta", 8, 2, 32, 1, {}};
  for (const Stage& stage : {Stage{0, 2, step / 2, step / 6}, Stage{2, 4, step / 2, step / 3},
                             Stage{4, 2, step, step / 3}, Stage{2, -1, 0, step / 6}}) {
    PassBuilder b;
    const bool first = stage.in == 0, last = stage.to < 0;
    const int re = b.load(0), im = b.load(1);
    const int abs2 = b.multiply_add(re, re, b.multiply(im, im));
    const int lap_re = b.difference(PdeKind::laplacian, 0), lap_im = b.difference(PdeKind::laplacian, 1);
    const int half = b.constant(0.5), turn = b.constant(-1.3);
    // A + (1 + b i) lap A - (1 + d i) abs2 A
    const int spread_re = b.apply(FormulaOp::subtract_product, half, lap_im, lap_re);
    const int spread_im = b.multiply_add(half, lap_re, lap_im);
    const int turned_re = b.apply(FormulaOp::subtract_product, turn, im, re);
    const int turned_im = b.multiply_add(turn, re, im);
    const int rates[] = {b.apply(FormulaOp::subtract_product, abs2, turned_re, b.apply(FormulaOp::add, re, spread_re)),
                         b.apply(FormulaOp::subtract_product, abs2, turned_im, b.apply(FormulaOp::add, im, spread_im))};
    std::vector<int> inputs{stage.in, stage.in + 1}, outputs;
    for (int part = 0; part < 2; ++part) {
      const auto from = [&](int array) {
        inputs.push_back(array + part);
        return b.load(static_cast<int>(inputs.size()) - 1);
      };
      const int sum = first ? b.load(part) : from(6);
      b.pass.outputs.push_back(b.multiply_add(b.constant(stage.weight), rates[part], sum));
      outputs.push_back((last ? 0 : 6) + part);
      if (last) continue;
      const int state = first ? b.load(part) : from(0);
      b.pass.outputs.push_back(b.multiply_add(b.constant(stage.step), rates[part], state));
      outputs.push_back(stage.to + part);
    }
    b.pass.inputs = static_cast<int>(inputs.size());
    system.passes.push_back({b.pass, inputs, outputs});
  }
  return system;
}

}  // namespace simreel::test
