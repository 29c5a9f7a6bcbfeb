#include "formula/compile.h"

#include <algorithm>
#include <array>
#include <bit>

namespace simreel {

int Expressions::add(const Node& node) {
  const auto key =
      std::tuple(node.leaf, node.leaf ? static_cast<int>(node.variable) : static_cast<int>(node.op), node.a, node.b,
                 node.c, std::bit_cast<std::uint64_t>(node.value), static_cast<int>(node.pace));
  const auto [found, fresh] = known_.try_emplace(key, static_cast<int>(nodes_.size()));
  if (fresh) nodes_.push_back(node);
  return found->second;
}

int Expressions::constant(double value) {
  Node node;
  node.value = value;
  return add(node);
}

int Expressions::variable(Variable variable) {
  Node node;
  node.variable = variable;
  node.pace = variable == Variable::x ? Pace::block : Pace::row;
  return add(node);
}

bool Expressions::is_constant(int node, double value) const {
  const Node& n = nodes_[static_cast<std::size_t>(node)];
  return n.pace == Pace::constant && n.value == value;
}

int Expressions::apply(FormulaOp op, int a, int b, int c) {
  // Small powers are products, which are faster and round less.
  if (op == FormulaOp::pow) {
    if (is_constant(b, 1)) return a;
    if (is_constant(b, 2)) return apply(FormulaOp::multiply, a, a);
    if (is_constant(b, 3)) return apply(FormulaOp::multiply, apply(FormulaOp::multiply, a, a), a);
    if (is_constant(b, 4)) {
      const int square = apply(FormulaOp::multiply, a, a);
      return apply(FormulaOp::multiply, square, square);
    }
  }
  Node node;
  node.leaf = false;
  node.op = op;
  node.a = a, node.b = b, node.c = c;
  double values[3] = {};
  const int operands[] = {a, b, c};
  for (std::size_t i = 0; i < 3; ++i) {
    if (operands[i] < 0) continue;
    const Node& operand = nodes_[static_cast<std::size_t>(operands[i])];
    node.pace = std::max(node.pace, operand.pace);
    values[i] = operand.value;
  }
  // The seed is not known yet.
  if (op == FormulaOp::noise) node.pace = std::max(node.pace, Pace::row);
  if (node.pace == Pace::constant) return constant(formula_value(op, values[0], values[1], values[2], 0));
  return add(node);
}

FormulaProgram Expressions::compile(int root) const {
  const auto count = static_cast<std::size_t>(root) + 1;
  const auto operands = [&](const Node& node) { return std::array{node.a, node.b, node.c}; };
  std::vector<int> last_use(count, -1);  // -1: nothing needs it
  last_use[static_cast<std::size_t>(root)] = static_cast<int>(count);
  for (int n = root; n >= 0; --n) {
    if (last_use[static_cast<std::size_t>(n)] < 0) continue;
    for (const int operand : operands(nodes_[static_cast<std::size_t>(n)]))
      if (operand >= 0)
        last_use[static_cast<std::size_t>(operand)] = std::max(last_use[static_cast<std::size_t>(operand)], n);
  }
  FormulaProgram program;
  program.registers = 0;
  std::vector<std::uint16_t> place(count, 0);
  std::vector<std::uint16_t> free;  // registers of values of the block that nothing needs any more
  const auto fresh = [&] { return static_cast<std::uint16_t>(program.registers++); };
  for (std::size_t n = 0; n < count; ++n) {
    if (last_use[n] < 0) continue;
    const Node& node = nodes_[n];
    if (node.leaf) {
      place[n] = fresh();
      if (node.pace == Pace::constant)
        program.constants.emplace_back(place[n], node.value);
      else
        (node.variable == Variable::x    ? program.x
         : node.variable == Variable::y  ? program.y
         : node.variable == Variable::t  ? program.t
         : node.variable == Variable::nx ? program.nx
                                         : program.ny) = place[n];
      continue;
    }
    const auto at = [&](int operand) {
      return operand < 0 ? std::uint16_t{0} : place[static_cast<std::size_t>(operand)];
    };
    const FormulaStep step{node.op, 0, at(node.a), at(node.b), at(node.c)};
    if (node.pace == Pace::row) {
      place[n] = fresh();
      program.row.push_back(step);
      program.row.back().to = place[n];
      continue;
    }
    // A step may overwrite an operand that it is the last to use: values are taken one by one.
    for (const int operand : operands(node)) {
      if (operand < 0 || last_use[static_cast<std::size_t>(operand)] != static_cast<int>(n)) continue;
      const Node& source = nodes_[static_cast<std::size_t>(operand)];
      if (!source.leaf && source.pace == Pace::block &&
          std::ranges::find(free, place[static_cast<std::size_t>(operand)]) == free.end())
        free.push_back(place[static_cast<std::size_t>(operand)]);
    }
    if (free.empty()) {
      place[n] = fresh();
    } else {
      place[n] = free.back();
      free.pop_back();
    }
    program.block.push_back(step);
    program.block.back().to = place[n];
  }
  program.result = place[static_cast<std::size_t>(root)];
  return program;
}

}  // namespace simreel
