#include "source/pde/passes.h"

#include <algorithm>
#include <map>

namespace simreel {
namespace {

using Node = Expressions::Node;
using Kind = Expressions::Kind;
using Difference = Expressions::Difference;

class Emitter {
 public:
  Emitter(const Expressions& from, std::span<const int> roots) : from_(from), roots_(roots) {}

  PdeWork emit() {
    for (const int root : roots_) count(root);
    work_.pass.inputs = static_cast<int>(arrays_.size());
    for (const auto& [array, place] : arrays_) work_.arrays.push_back(array);
    std::ranges::sort(work_.arrays);
    for (const int root : intermediates_) {
      work_.pass.intermediates.push_back(copy_itself(root));
      done_.erase(root);  // what else needs it reads it
      ++ready_;
    }
    for (const int root : roots_) work_.pass.outputs.push_back(copy(root));
    work_.reach = pde_reach(work_.pass);
    return std::move(work_);
  }

 private:
  // Whether a node is one value for the whole grid, which the host computes.
  static bool is_uniform(const Node& node) { return node.even && node.kind != Kind::constant; }

  // Counts uses, and finds the arrays and the intermediates, each after those that it needs.
  void count(int n) {
    if (n < 0 || uses_[n]++ > 0) return;
    const Node& node = from_.node(n);
    if (is_uniform(node)) return;
    if (node.kind == Kind::array) arrays_[node.index] = 0;
    for (const int operand : {node.a, node.b, node.c}) count(operand);
    if (node.kind != Kind::difference || is_array(node.a)) return;
    if (std::ranges::find(intermediates_, node.a) == intermediates_.end()) intermediates_.push_back(node.a);
  }

  bool is_array(int n) const {
    const Node& node = from_.node(n);
    return node.kind == Kind::array && node.ox == 0 && node.oy == 0;
  }
  int place_of_array(int array) const {
    return static_cast<int>(std::ranges::lower_bound(work_.arrays, array) - work_.arrays.begin());
  }
  int place_of(int n) const {  // of what a difference is taken of
    if (is_array(n)) return place_of_array(from_.node(n).index);
    return work_.pass.inputs + static_cast<int>(std::ranges::find(intermediates_, n) - intermediates_.begin());
  }

  int add(const PdeNode& node) {
    work_.pass.nodes.push_back(node);
    return static_cast<int>(work_.pass.nodes.size()) - 1;
  }

  // A product that nothing else uses, which a sum may take in.
  bool is_spare_product(int n) const {
    const Node& node = from_.node(n);
    return node.kind == Kind::apply && node.op == FormulaOp::multiply && !node.even && uses_.at(n) == 1;
  }

  int copy(int n) {
    if (n < 0) return -1;
    if (const auto done = done_.find(n); done != done_.end()) return done->second;
    // An intermediate that was computed is read, not computed again.
    const auto kept = std::find(intermediates_.begin(), intermediates_.begin() + ready_, n);
    if (kept != intermediates_.begin() + ready_) {
      PdeNode load;
      load.kind = PdeKind::load;
      load.index = place_of(n);
      return done_[n] = add(load);
    }
    return copy_itself(n);
  }

  int copy_itself(int n) {
    const Node& node = from_.node(n);
    PdeNode to;
    if (is_uniform(node)) {
      to.kind = PdeKind::uniform;
      to.index = static_cast<int>(work_.uniforms.size());
      work_.uniforms.push_back(from_.compile(n));
    } else if (node.kind == Kind::constant) {
      to.value = node.value;
    } else if (node.kind == Kind::variable) {
      to.kind = node.variable == Expressions::Variable::x ? PdeKind::column : PdeKind::row;
    } else if (node.kind == Kind::random) {
      to.kind = PdeKind::normal;
      to.index = node.index;
    } else if (node.kind == Kind::array) {
      to.kind = PdeKind::load;
      to.index = place_of_array(node.index);
      to.ox = node.ox, to.oy = node.oy;
    } else if (node.kind == Kind::difference) {
      constexpr PdeKind kinds[] = {PdeKind::load,        PdeKind::laplacian, PdeKind::laplacian_nine,
                                   PdeKind::bilaplacian, PdeKind::slope_x,   PdeKind::slope_y};
      to.kind = kinds[static_cast<std::size_t>(node.difference)];
      to.index = place_of(node.a);
      to.ox = node.ox, to.oy = node.oy;
      to.value = node.difference == Difference::shift ? 0 : node.value;
    } else {
      to.kind = PdeKind::apply;
      apply(node, to);
    }
    return done_[n] = add(to);
  }

  void apply(const Node& node, PdeNode& to) {
    const bool sum = node.op == FormulaOp::add, difference = node.op == FormulaOp::subtract;
    const auto fuse = [&](FormulaOp op, int product, int other) {
      to.function = op;
      to.a = copy(from_.node(product).a);
      to.b = copy(from_.node(product).b);
      to.c = copy(other);
    };
    if ((sum || difference) && is_spare_product(node.a))
      return fuse(sum ? FormulaOp::multiply_add : FormulaOp::multiply_subtract, node.a, node.b);
    if ((sum || difference) && is_spare_product(node.b))
      return fuse(sum ? FormulaOp::multiply_add : FormulaOp::subtract_product, node.b, node.a);
    to.function = node.op;
    to.a = copy(node.a);
    to.b = copy(node.b);
    to.c = copy(node.c);
  }

  const Expressions& from_;
  std::span<const int> roots_;
  std::map<int, int> uses_;
  std::map<int, int> arrays_;
  std::vector<int> intermediates_;  // nodes
  std::ptrdiff_t ready_ = 0;        // of them
  std::map<int, int> done_;         // node -> node of the pass
  PdeWork work_;
};

}  // namespace

PdeWork make_work(const Expressions& from, std::span<const int> roots) { return Emitter(from, roots).emit(); }

}  // namespace simreel
