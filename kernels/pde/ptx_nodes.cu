#include "kernels/pde/ptx_nodes.h"

#include <utility>

#include "kernels/base/formula_value.h"
#include "kernels/pde/program.h"

namespace simreel {

const char* pde_function_name(FormulaOp op) {
  switch (op) {
    case FormulaOp::sin: return "pde_sin";
    case FormulaOp::cos: return "pde_cos";
    case FormulaOp::tan: return "pde_tan";
    case FormulaOp::asin: return "pde_asin";
    case FormulaOp::acos: return "pde_acos";
    case FormulaOp::atan: return "pde_atan";
    case FormulaOp::exp: return "pde_exp";
    case FormulaOp::log: return "pde_log";
    case FormulaOp::tanh: return "pde_tanh";
    case FormulaOp::round: return "pde_round";
    case FormulaOp::pow: return "pde_pow";
    case FormulaOp::mod: return "pde_mod";
    case FormulaOp::hypot: return "pde_hypot";
    case FormulaOp::atan2: return "pde_atan2";
    case FormulaOp::noise: return "pde_noise";
    default: return nullptr;
  }
}

template <class Real>
PdePtxNodes<Real>::PdePtxNodes(const PdePass& pass) : pass_(pass), moves_(pass.nodes.size(), 0) {
  for (std::size_t i = 0; i < pass.nodes.size(); ++i) {
    const PdeNode& n = pass.nodes[i];
    // A value that is the same along a column or a row is computed once for it.
    moves_[i] = n.kind == PdeKind::constant || n.kind == PdeKind::uniform ? 0
                : n.kind == PdeKind::column                               ? 1
                : n.kind == PdeKind::row                                  ? 2
                                                                          : 3;
    if (n.kind == PdeKind::apply) {
      moves_[i] = 0;
      for (const int operand : pde_operands(n))
        if (operand >= 0) moves_[i] |= moves_[static_cast<std::size_t>(operand)];
    }
  }
}

template <class Real>
bool PdePtxNodes<Real>::too_long() const {
  constexpr int most_instructions = 40000;
  return t_.instructions > most_instructions;
}

template <class Real>
std::string& PdePtxNodes<Real>::place(int number, int x, int y) {
  const int moves = moves_[static_cast<std::size_t>(number)];
  return values_[{number, moves & 1 ? x : 0, moves & 2 ? y : 0}];
}

template <class Real>
std::string PdePtxNodes<Real>::node(int root, int x, int y) {
  if (too_long()) return "";
  auto [order, unknown] = orders_.try_emplace(root);
  if (unknown) order->second = pde_order(pass_, {root});
  for (const int number : order->second)
    if (place(number, x, y).empty()) {
      std::string value = fresh(pass_.nodes[static_cast<std::size_t>(number)], x, y);
      place(number, x, y) = std::move(value);
    }
  return place(root, x, y);
}

template <class Real>
std::string PdePtxNodes<Real>::fresh(const PdeNode& n, int x, int y) {
  const auto at = [&](int ox, int oy) { return array(n.index, x + ox, y + oy); };
  const auto cross = [&] {
    const std::string across = t_.sum(at(-1, 0), at(1, 0)), up = t_.sum(at(0, -1), at(0, 1));
    return t_.sum(across, up);
  };
  const auto corners = [&] {
    const std::string below = t_.sum(at(-1, -1), at(1, -1)), above = t_.sum(at(-1, 1), at(1, 1));
    return t_.sum(below, above);
  };
  const auto times = [&](const std::string& value) { return t_.op("mul.rn", t_.literal(n.value), value); };
  switch (n.kind) {
    case PdeKind::constant: return t_.literal(n.value);
    case PdeKind::uniform: return uniform(n.index);
    case PdeKind::column: return t_.real(column(x));
    case PdeKind::row: return t_.real(row(y));
    case PdeKind::normal:
      return t_.rounded(t_.call("pde_normal", {{".b64", "u64", "%seed"},
                                               {".b64", "u64", "%number"},
                                               {".b32", "b32", std::to_string(n.index)},
                                               {".b32", "b32", column(x)},
                                               {".b32", "b32", row(y)}}));
    case PdeKind::load: return at(n.ox, n.oy);
    case PdeKind::laplacian: {
      const std::string sum = cross();
      return times(t_.op("sub.rn", sum, t_.op("mul.rn", t_.literal(4), at(0, 0))));
    }
    case PdeKind::laplacian_nine: {
      const std::string sum = cross(), diagonal = corners();
      return times(t_.fma(t_.literal(-20), at(0, 0), t_.fma(t_.literal(4), sum, diagonal)));
    }
    case PdeKind::bilaplacian: {
      const std::string sum = cross(), diagonal = corners();
      const std::string across = t_.sum(at(-2, 0), at(2, 0)), up = t_.sum(at(0, -2), at(0, 2));
      const std::string far = t_.fma(t_.literal(2), diagonal, t_.sum(across, up));
      return times(t_.fma(t_.literal(20), at(0, 0), t_.fma(t_.literal(-8), sum, far)));
    }
    case PdeKind::slope_x: return times(t_.op("sub.rn", at(1, 0), at(-1, 0)));
    case PdeKind::slope_y: return times(t_.op("sub.rn", at(0, 1), at(0, -1)));
    case PdeKind::apply: break;
  }
  std::string operands[3];
  const auto numbers = pde_operands(n);
  for (std::size_t i = 0; i < 3; ++i)
    if (numbers[i] >= 0) operands[i] = place(numbers[i], x, y);
  const auto& [a, b, c] = operands;
  if (const char* const name = pde_function_name(n.function)) {
    std::vector<PdePtxArgument> arguments;
    for (int i = 0; i < formula_operands(n.function); ++i) arguments.push_back({".b64", "f64", t_.wide(operands[i])});
    if (n.function == FormulaOp::noise) arguments.push_back({".b64", "u64", "%seed"});
    return t_.rounded(t_.call(name, arguments));
  }
  return t_.apply(n.function, a, b, c);
}

template class PdePtxNodes<float>;
template class PdePtxNodes<double>;

}  // namespace simreel
