#include "formula/compile.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace simreel {

// Whether values are whole in all cells, as far as the operations tell.
bool Expressions::is_whole(const Node& n) const {
  const auto whole = [&](int operand) { return operand < 0 || node(operand).whole; };
  if (n.kind == Kind::constant) return std::floor(n.value) == n.value;
  if (n.kind == Kind::variable) return n.variable != Variable::t;
  if (n.kind != Kind::apply) return false;
  switch (n.op) {
    case FormulaOp::logical_not:
    case FormulaOp::floor:
    case FormulaOp::ceil:
    case FormulaOp::round:
    case FormulaOp::sign:
    case FormulaOp::step:
    case FormulaOp::less:
    case FormulaOp::less_equal:
    case FormulaOp::equal:
    case FormulaOp::unequal:
    case FormulaOp::logical_and:
    case FormulaOp::logical_or: return true;
    case FormulaOp::negate:
    case FormulaOp::abs:
    case FormulaOp::add:
    case FormulaOp::subtract:
    case FormulaOp::multiply:
    case FormulaOp::mod:
    case FormulaOp::min:
    case FormulaOp::max:
    case FormulaOp::clamp: return whole(n.a) && whole(n.b) && whole(n.c);
    case FormulaOp::select: return whole(n.b) && whole(n.c);
    case FormulaOp::pow: return whole(n.a) && whole(n.b) && node(n.b).kind == Kind::constant && node(n.b).value >= 0;
    case FormulaOp::divide:
      return whole(n.a) && node(n.b).kind == Kind::constant && std::floor(1 / node(n.b).value) == 1 / node(n.b).value;
    default: return false;
  }
}

int Expressions::add(Node node) {
  for (const int operand : {node.a, node.b, node.c})
    if (operand >= 0) node.even &= nodes_[static_cast<std::size_t>(operand)].even;
  node.whole = is_whole(node);
  int what = 0;
  if (node.kind == Kind::variable) what = static_cast<int>(node.variable);
  if (node.kind == Kind::apply) what = static_cast<int>(node.op);
  if (node.kind == Kind::difference) what = static_cast<int>(node.difference);
  const Key key{static_cast<int>(node.kind),
                what,
                node.a,
                node.b,
                node.c,
                node.index,
                node.ox,
                node.oy,
                std::bit_cast<std::uint64_t>(node.value),
                static_cast<int>(node.pace)};
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
  if (variable == Variable::nx && nx_ > 0) return constant(nx_);
  if (variable == Variable::ny && ny_ > 0) return constant(ny_);
  Node node;
  node.kind = Kind::variable;
  node.variable = variable;
  node.pace = variable == Variable::x ? Pace::block : Pace::row;
  node.even = variable != Variable::x && variable != Variable::y;
  if (node.even) return add(node);
  const Axis& axis = variable == Variable::x ? x_ : y_;
  if (axis.scale == 1 && axis.offset == 0) return add(node);
  return apply(FormulaOp::add, apply(FormulaOp::multiply, add(node), constant(axis.scale)), constant(axis.offset));
}

int Expressions::array(int index) { return leaf(Kind::array, index); }
int Expressions::random(int stream) { return leaf(Kind::random, stream); }

int Expressions::leaf(Kind kind, int index) {
  Node node;
  node.kind = kind;
  node.index = index;
  node.pace = Pace::block;
  node.even = false;
  return add(node);
}

bool Expressions::is_constant(int node, double value) const {
  const Node& n = nodes_[static_cast<std::size_t>(node)];
  return n.kind == Kind::constant && n.value == value;
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
  // What changes no bit of a number: 1 x, x 1, x - 0; not x + 0, which is 0 for x = -0.
  if (op == FormulaOp::multiply && is_constant(a, 1)) return b;
  if (op == FormulaOp::multiply && is_constant(b, 1)) return a;
  if (op == FormulaOp::multiply && is_constant(a, -1)) return apply(FormulaOp::negate, b);
  if (op == FormulaOp::subtract && is_constant(b, 0) && !std::signbit(node(b).value)) return a;
  Node node;
  node.kind = Kind::apply;
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

int Expressions::difference(Node wanted) {
  const bool shifted = wanted.difference == Difference::shift;
  const Node of = node(wanted.a);
  if (of.even) return shifted ? wanted.a : constant(0);
  if (of.kind == Kind::apply && of.op == FormulaOp::negate) {
    wanted.a = of.a;
    return apply(FormulaOp::negate, difference(wanted));
  }
  if (of.kind == Kind::apply && of.op == FormulaOp::multiply && (node(of.a).even || node(of.b).even)) {
    const int factor = node(of.a).even ? of.a : of.b;
    wanted.a = node(of.a).even ? of.b : of.a;
    return apply(FormulaOp::multiply, factor, difference(wanted));
  }
  if (shifted && of.kind == Kind::array) {
    Node there = of;
    there.ox += wanted.ox, there.oy += wanted.oy;
    return add(there);
  }
  return add(wanted);
}

int Expressions::difference(Difference difference, int of, double factor) {
  Node node;
  node.kind = Kind::difference;
  node.difference = difference;
  node.a = of;
  node.value = factor;
  node.pace = Pace::block;
  return this->difference(node);
}

int Expressions::shift(int of, int ox, int oy) {
  Node node;
  node.kind = Kind::difference;
  node.a = of;
  node.ox = ox, node.oy = oy;
  node.pace = Pace::block;
  return difference(node);
}

// Equal parts are one, so each is moved once, whatever uses it; without recursion, as they may nest deeply.
int Expressions::at_time(int of, int time) {
  const auto place = [](int n) { return static_cast<std::size_t>(n); };
  std::vector<int> moved(place(of) + 1, -1);  // -1: nothing needs it
  moved[place(of)] = of;
  for (int n = of; n >= 0; --n)
    if (moved[place(n)] >= 0 && node(n).kind == Kind::apply)
      for (const int operand : {node(n).a, node(n).b, node(n).c})
        if (operand >= 0) moved[place(operand)] = operand;
  const auto at = [&](int n) { return n < 0 ? -1 : moved[place(n)]; };
  for (int n = 0; n <= of; ++n) {
    if (at(n) < 0) continue;
    const Node from = node(n);  // as nodes are added
    if (from.kind == Kind::variable && from.variable == Variable::t) moved[place(n)] = time;
    if (from.kind == Kind::apply) moved[place(n)] = apply(from.op, at(from.a), at(from.b), at(from.c));
  }
  return at(of);
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
    if (node.kind != Kind::apply) {
      place[n] = fresh();
      if (node.kind == Kind::constant)
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
      if (source.kind == Kind::apply && source.pace == Pace::block &&
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
