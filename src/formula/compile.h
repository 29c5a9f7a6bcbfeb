#pragma once
// Expressions -> program: folds constants, shares equal parts, and keeps what does not depend on x out of the loop.

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "kernels/base/formula.h"

namespace simreel {

// Expressions under construction, named by numbers. Each refers to earlier ones only.
class Expressions {
 public:
  enum class Variable { x, y, t, nx, ny };
  static constexpr std::size_t max = 4000;

  int constant(double value);
  int variable(Variable);
  int apply(FormulaOp, int a, int b = -1, int c = -1);

  std::size_t size() const { return nodes_.size(); }
  FormulaProgram compile(int root) const;

 private:
  // How often a value changes: never, once a row at most, with every x.
  enum class Pace { constant, row, block };
  struct Node {
    bool leaf = true;
    FormulaOp op = FormulaOp::add;
    int a = -1, b = -1, c = -1;
    Variable variable = Variable::x;
    double value = 0;
    Pace pace = Pace::constant;
  };

  int add(const Node&);
  bool is_constant(int node, double value) const;

  std::vector<Node> nodes_;
  // Equal nodes are one: leaf or not, op or variable, operands, bits of the value, pace.
  std::map<std::tuple<bool, int, int, int, int, std::uint64_t, int>, int> known_;
};

}  // namespace simreel
