#pragma once
// Random passes of equations: all kinds of nodes, all functions, intermediates of intermediates. And light ones, of
// which several steps are taken at once.

#include "kernels/base/formula_value.h"
#include "kernels/pde/ptx_nodes.h"
#include "tests/support/pde_passes.h"

namespace simreel::test {

struct RandomPass {
  PdePass pass;
  std::vector<bool> apart;  // inputs that are read at their own cell only
};

class PassMaker {
 public:
  explicit PassMaker(unsigned seed) : random_(seed) {}

  RandomPass make() {
    const int inputs = 1 + below(4);
    for (int i = 0; i < inputs; ++i) result_.apart.push_back(i > 0 && below(3) == 0);
    b_.pass.inputs = inputs;
    for (int m = below(4); m > 0; --m) b_.pass.intermediates.push_back(tree(8));
    in_outputs_ = true;
    for (int o = 1 + below(4); o > 0; --o) {
      // Some outputs are equal, and some used by others.
      const bool again = !b_.pass.outputs.empty() && below(4) == 0;
      b_.pass.outputs.push_back(again ? b_.pass.outputs[index(b_.pass.outputs)] : tree(14));
    }
    result_.pass = b_.pass;
    return result_;
  }

  // Without random numbers and functions of a library, and with a reach of two cells at most; an output for each input
  // that it is in the next step, within -3 and 3.
  RandomPass make_light(std::vector<int>& next) {
    light_ = true;
    const int inputs = 1 + below(3), intermediates = below(3) == 0 ? 1 : 0;
    deepest_ = intermediates > 0 || below(2) == 0 ? 1 : 2;
    for (int i = 0; i < inputs; ++i) result_.apart.push_back(i > 0 && below(3) == 0);
    b_.pass.inputs = inputs;
    for (int m = 0; m < intermediates; ++m) b_.pass.intermediates.push_back(tree(6));
    in_outputs_ = true;
    next.resize(static_cast<std::size_t>(inputs));
    std::iota(next.begin(), next.end(), 0);
    std::shuffle(next.begin(), next.end(), random_);
    next.resize(1 + index(next));
    for (std::size_t o = 0; o < next.size(); ++o)
      b_.pass.outputs.push_back(b_.apply(FormulaOp::clamp, tree(10), b_.constant(-3), b_.constant(3)));
    result_.pass = b_.pass;
    return result_;
  }

  static constexpr int uniforms = 3;

 private:
  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  double between(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  template <class List>
  std::size_t index(const List& list) {
    return static_cast<std::size_t>(below(static_cast<int>(list.size())));
  }

  int leaf() {
    const int arrays = b_.pass.inputs + static_cast<int>(b_.pass.intermediates.size()), array = below(arrays);
    const bool apart = array < b_.pass.inputs && result_.apart[array];
    // Neighbours' values of an intermediate are read, and so are those of what it reads.
    if (apart && !in_outputs_) return b_.load(0);
    switch (below(10)) {
      case 0: return b_.constant(between(-2, 2));
      case 1: return b_.leaf(PdeKind::uniform, below(uniforms));
      case 2: return b_.multiply(b_.constant(0.01), b_.leaf(below(2) == 0 ? PdeKind::column : PdeKind::row));
      case 3: return light_ ? b_.load(0) : b_.leaf(PdeKind::normal, below(3));
      case 4: return b_.load(array);
      case 5: return apart ? b_.load(array) : b_.load(array, offset(), offset());
      default:
        if (apart) return b_.load(array);
        auto kind = static_cast<PdeKind>(static_cast<int>(PdeKind::laplacian) + below(5));
        if (kind == PdeKind::bilaplacian && deepest_ < 2) kind = PdeKind::laplacian;
        return b_.difference(kind, array, between(-1, 1));
    }
  }
  int offset() { return below(2 * deepest_ + 1) - deepest_; }
  // A node of about so many operations; the nodes of the tree share some.
  int tree(int size) {
    std::vector<int> have;
    for (int i = 0; i < 4; ++i) have.push_back(leaf());
    for (int i = below(size); i >= 0; --i) {
      if (below(4) == 0) have.push_back(leaf());
      // Arithmetic is as frequent as all functions together.
      constexpr FormulaOp frequent[] = {
          FormulaOp::add,          FormulaOp::subtract,          FormulaOp::multiply,
          FormulaOp::multiply_add, FormulaOp::multiply_subtract, FormulaOp::subtract_product};
      auto op = below(2) == 0 ? frequent[below(6)] : static_cast<FormulaOp>(below(static_cast<int>(formula_ops)));
      if (light_ && pde_function_name(op)) op = frequent[below(6)];
      const auto recent = [&] { return have[have.size() - 1 - std::min(index(have), index(have))]; };
      const int a = recent(), b = recent(), c = recent(), count = formula_operands(op);
      int made = b_.apply(op, a, count > 1 ? b : -1, count > 2 ? c : -1);
      // Keep most values finite.
      if (below(3) == 0) made = b_.apply(FormulaOp::clamp, made, b_.constant(-3), b_.constant(3));
      have.push_back(made);
    }
    return have.back();
  }

  std::mt19937 random_;
  PassBuilder b_;
  RandomPass result_;
  bool in_outputs_ = false, light_ = false;
  int deepest_ = 2;  // cells that a node reads away
};

}  // namespace simreel::test
