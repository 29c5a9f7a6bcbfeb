#pragma once
// Expressions -> program: folds constants, shares equal parts, and keeps what does not depend on x out of the loop.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/limits.h"
#include "kernels/base/formula.h"

namespace simreel {

// Expressions under construction, named by numbers. Each refers to earlier ones only.
class Expressions {
 public:
  enum class Variable { x, y, t, nx, ny };
  enum class Kind : std::uint8_t { constant, variable, array, random, apply, difference };
  // Of the values of an expression around a cell; kernels/pde/pass.h has their sums. `shift`: the value of a cell near.
  enum class Difference : std::uint8_t { shift, laplacian, laplacian_nine, bilaplacian, slope_x, slope_y };
  // How often a value changes: never, once a row at most, with every x.
  enum class Pace { constant, row, block };
  struct Node {
    Kind kind = Kind::constant;
    FormulaOp op = FormulaOp::add;
    Variable variable = Variable::x;
    Difference difference = Difference::shift;
    int a = -1, b = -1, c = -1;
    int index = -1;      // of an array, or of a stream of random numbers
    int ox = 0, oy = 0;  // where an array, or a shift, is read
    double value = 0;    // of a constant; the factor of a difference
    Pace pace = Pace::constant;
    bool even = true;    // it has the same value in all cells
    bool whole = false;  // it is a whole number in all cells
  };

  // Where cells lie in the grid along an axis.
  struct Axis {
    double scale = 1, offset = 0;
    double at(int cell) const { return scale * cell + offset; }
  };

  Expressions() = default;
  // Of `max` nodes; a parser refuses formulas of more.
  explicit Expressions(std::size_t max) : max_(max) {}
  // nx and ny are those of the grid, and constants.
  Expressions(const std::array<int, 2>& grid, const Axis& x, const Axis& y, std::size_t max = limits::formula_parts)
      : nx_(grid[0]), ny_(grid[1]), x_(x), y_(y), max_(max) {}
  // Without nodes.
  Expressions alike(std::size_t max = limits::formula_parts) const { return {{nx_, ny_}, x_, y_, max}; }
  const Axis& x() const { return x_; }
  const Axis& y() const { return y_; }

  int constant(double value);
  int variable(Variable);
  int apply(FormulaOp, int a, int b = -1, int c = -1);
  // Value `index` of a cell, of an array over the grid. No program can be compiled from what depends on it.
  int array(int index);
  // A random number of each cell, of mean 0 and variance 1.
  int random(int stream);
  // `factor` times a difference of an expression. What is the same in all cells is taken out of it.
  int difference(Difference, int of, double factor);
  int shift(int of, int ox, int oy);
  // An expression without differences, at another time.
  int at_time(int of, int time);

  // Of comparisons, joined by and, or, not: a value that is above 0 where `of` is true, and elsewhere not, and that
  // passes 0 evenly there, as the sides of a comparison do that meet. Other expressions are returned as they are.
  int margin(int of);

  std::size_t size() const { return nodes_.size(); }
  std::size_t max() const { return max_; }
  const Node& node(int n) const { return nodes_[static_cast<std::size_t>(n)]; }
  bool is_constant(int node, double value) const;
  FormulaProgram compile(int root) const;

 private:
  int add(Node);
  bool is_whole(const Node&) const;
  int leaf(Kind, int index);
  int difference(Node);
  using Distances = std::map<int, std::optional<int>>;  // of nodes that were looked at: parts are shared
  std::optional<int> distance(int of, Distances& known);

  std::vector<Node> nodes_;
  // Equal nodes are one.
  using Key = std::tuple<int, int, int, int, int, int, int, int, std::uint64_t, int>;
  std::map<Key, int> known_;
  int nx_ = 0, ny_ = 0;  // 0: unknown
  Axis x_, y_;
  std::size_t max_ = limits::formula_parts;
};

}  // namespace simreel
