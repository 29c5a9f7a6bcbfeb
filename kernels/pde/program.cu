#include "kernels/pde/program.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>

#include "kernels/base/formula_value.h"

namespace simreel {

std::array<int, 3> pde_operands(const PdeNode& node) {
  if (node.kind != PdeKind::apply) return {-1, -1, -1};
  const int count = formula_operands(node.function);
  return {node.a, count > 1 ? node.b : -1, count > 2 ? node.c : -1};
}

// Without recursion: a formula may nest deeply.
std::vector<int> pde_order(const PdePass& pass, const std::vector<int>& roots) {
  std::vector<int> order;
  std::vector<char> seen(pass.nodes.size(), 0);
  for (const int root : roots) {
    std::vector<int> open{root};
    while (!open.empty()) {
      const int node = open.back();
      if (seen[static_cast<std::size_t>(node)]) {
        open.pop_back();
        continue;
      }
      const auto before = open.size();
      const auto needs = pde_operands(pass.nodes[static_cast<std::size_t>(node)]);
      for (const int need : {needs[2], needs[1], needs[0]})
        if (need >= 0 && !seen[static_cast<std::size_t>(need)]) open.push_back(need);
      if (open.size() > before) continue;
      seen[static_cast<std::size_t>(node)] = true;
      order.push_back(node);
      open.pop_back();
    }
  }
  return order;
}

namespace {

bool is_difference(PdeKind kind) { return pde_reach(kind) > 0; }

int reach_of(const PdeNode& node) {
  return node.kind == PdeKind::load ? std::max(std::abs(node.ox), std::abs(node.oy)) : pde_reach(node.kind);
}

class Compiler {
 public:
  Compiler(const PdePass& pass, const std::vector<int>& roots, PdeProgramOptions wishes)
      : pass_(pass), roots_(roots), wishes_(wishes), order_(pde_order(pass, roots)), place_(pass.nodes.size()) {
    find_scalars();
    find_last_uses();
  }

  PdeProgram compile() {
    for (std::size_t i = 0; i < order_.size(); ++i) add(i);
    for (std::size_t k = 0; k < roots_.size(); ++k)
      if (!(place(roots_[k]).place == PdePlace::output && place(roots_[k]).index == static_cast<int>(k))) {
        PdeStep copy;
        copy.kind = PdeKind::load;
        copy.to = {PdePlace::output, static_cast<int>(k)};
        copy.a = place(roots_[k]);
        program_.cells.push_back(copy);
      }
    return std::move(program_);
  }

 private:
  const PdeNode& node(int number) const { return pass_.nodes[static_cast<std::size_t>(number)]; }
  PdeOperand& place(int number) { return place_[static_cast<std::size_t>(number)]; }

  void find_scalars() {
    scalar_.assign(pass_.nodes.size(), 0);
    for (const int n : order_) {
      const PdeKind kind = node(n).kind;
      bool is = kind == PdeKind::constant || kind == PdeKind::uniform || (kind == PdeKind::row && wishes_.rows);
      if (kind == PdeKind::apply && wishes_.rows) {
        is = true;
        for (const int operand : pde_operands(node(n)))
          if (operand >= 0) is = is && scalar_[static_cast<std::size_t>(operand)];
      }
      scalar_[static_cast<std::size_t>(n)] = is;
    }
  }

  void find_last_uses() {
    last_use_.assign(pass_.nodes.size(), 0);
    std::vector<char> apart(static_cast<std::size_t>(pass_.inputs), 1);  // arrays read at their own cell only
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const PdeNode& n = node(order_[i]);
      for (const int operand : pde_operands(n))
        if (operand >= 0) last_use_[static_cast<std::size_t>(operand)] = i;
      if (pde_reads(n.kind) && n.index < pass_.inputs && reach_of(n) > 0)
        apart[static_cast<std::size_t>(n.index)] = false;
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const PdeNode& n = node(order_[i]);
      if (n.kind == PdeKind::load && n.index < pass_.inputs && apart[static_cast<std::size_t>(n.index)])
        last_in_place_ = std::max(last_in_place_, last_use_[static_cast<std::size_t>(order_[i])]);
    }
    root_.assign(pass_.nodes.size(), -1);
    for (std::size_t k = roots_.size(); k-- > 0;) {
      root_[static_cast<std::size_t>(roots_[k])] = static_cast<int>(k);
      // Copies at the end read these.
      last_use_[static_cast<std::size_t>(roots_[k])] = order_.size();
    }
  }

  int constant(double value) {
    const auto [found, fresh] =
        constants_.try_emplace(std::bit_cast<std::uint64_t>(value), static_cast<int>(program_.constants.size()));
    if (fresh) program_.constants.push_back(value);
    return found->second;
  }

  void add(std::size_t at) {
    const int number = order_[at];
    const PdeNode& n = node(number);
    PdeOperand& to = place(number);
    if (n.kind == PdeKind::constant) {
      to = {PdePlace::constant, constant(n.value)};
    } else if (n.kind == PdeKind::uniform) {
      to = {PdePlace::uniform, n.index};
    } else if (n.kind == PdeKind::load) {
      to = {PdePlace::cell, n.index, n.ox, n.oy};
    } else {
      PdeStep step;
      step.kind = n.kind;
      step.function = n.function;
      step.array = n.index;
      if (is_difference(n.kind)) step.a = {PdePlace::constant, constant(n.value)};
      const auto needs = pde_operands(n);
      PdeOperand* const targets[] = {&step.a, &step.b, &step.c};
      for (std::size_t i = 0; i < 3; ++i)
        if (needs[i] >= 0) *targets[i] = place(needs[i]);
      if (scalar_[static_cast<std::size_t>(number)]) {
        step.to = to = {PdePlace::scalar, program_.scalars++};
        program_.row.push_back(step);
        return;
      }
      for (std::size_t i = 0; i < 3; ++i) release(needs[i], at);
      step.to = to = target(number, at);
      program_.cells.push_back(step);
    }
  }

  // A step may overwrite an operand that it is the last to use: values are taken one by one.
  void release(int number, std::size_t at) {
    if (number < 0 || last_use_[static_cast<std::size_t>(number)] != at) return;
    const PdeOperand& held = place(number);
    if (held.place == PdePlace::temporary && std::ranges::find(free_, held.index) == free_.end())
      free_.push_back(held.index);
  }

  PdeOperand target(int number, std::size_t at) {
    const int root = root_[static_cast<std::size_t>(number)];
    if (root >= 0 && !(wishes_.in_place && at < last_in_place_)) return {PdePlace::output, root};
    if (free_.empty()) return {PdePlace::temporary, program_.temporaries++};
    const int held = free_.back();
    free_.pop_back();
    return {PdePlace::temporary, held};
  }

  const PdePass& pass_;
  const std::vector<int>& roots_;
  PdeProgramOptions wishes_;
  std::vector<int> order_;
  std::vector<PdeOperand> place_;
  std::vector<char> scalar_;
  std::vector<std::size_t> last_use_;  // place in the order of the last node that uses a node
  std::vector<int> root_;              // the first output that is a node
  std::size_t last_in_place_ = 0;      // the last use of an input that may be an output
  std::map<std::uint64_t, int> constants_;
  std::vector<int> free_;
  PdeProgram program_;
};

}  // namespace

PdeProgram pde_program(const PdePass& pass, const std::vector<int>& roots, PdeProgramOptions wishes) {
  return Compiler(pass, roots, wishes).compile();
}

std::vector<int> pde_depths(const PdePass& pass) {
  std::vector<int> depths(pass.intermediates.size(), 0);
  const auto need = [&](const std::vector<int>& roots, int beyond) {
    for (const int n : pde_order(pass, roots)) {
      const PdeNode& node = pass.nodes[static_cast<std::size_t>(n)];
      if (!pde_reads(node.kind) || node.index < pass.inputs) continue;
      int& depth = depths[static_cast<std::size_t>(node.index - pass.inputs)];
      depth = std::max(depth, beyond + reach_of(node));
    }
  };
  need(pass.outputs, 0);
  for (std::size_t i = depths.size(); i-- > 0;) need({pass.intermediates[i]}, depths[i]);
  return depths;
}

int pde_reach(const PdePass& pass) {
  const std::vector<int> depths = pde_depths(pass);
  int reach = depths.empty() ? 0 : *std::ranges::max_element(depths);
  const auto need = [&](const std::vector<int>& roots, int beyond) {
    for (const int n : pde_order(pass, roots)) {
      const PdeNode& node = pass.nodes[static_cast<std::size_t>(n)];
      if (pde_reads(node.kind) && node.index < pass.inputs) reach = std::max(reach, beyond + reach_of(node));
    }
  };
  need(pass.outputs, 0);
  for (std::size_t i = 0; i < depths.size(); ++i) need({pass.intermediates[i]}, depths[i]);
  return reach;
}

int pde_uniform_count(const PdePass& pass) {
  int count = 0;
  for (const PdeNode& node : pass.nodes)
    if (node.kind == PdeKind::uniform) count = std::max(count, node.index + 1);
  return count;
}

}  // namespace simreel
