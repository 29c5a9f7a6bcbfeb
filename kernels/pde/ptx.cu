#include "kernels/pde/ptx.h"

#include <array>
#include <bit>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/base/formula_value.h"
#include "kernels/pde/program.h"
#include "kernels/pde/ptx_text.h"

namespace simreel {
namespace {

constexpr int most_instructions = 40000;

// The function of a library that is an operation; null for what is an instruction or a few.
const char* function_name(FormulaOp op) {
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
class Kernel {
 public:
  Kernel(const PdePass& pass, int uniforms, int rows)
      : pass_(pass), uniforms_(uniforms), rows_(rows), moves_(pass.nodes.size(), 0), near_(inputs(), 0) {
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
    for (const PdeNode& n : pass.nodes)
      if (pde_reads(n.kind) && n.index < pass.inputs && (n.kind != PdeKind::load || n.ox != 0 || n.oy != 0))
        near_[static_cast<std::size_t>(n.index)] = 1;
    for (const int root : pass.intermediates)
      for (const int node : pde_order(pass, {root}))
        if (pde_reads(pass.nodes[static_cast<std::size_t>(node)].kind))
          if (const int array = pass.nodes[static_cast<std::size_t>(node)].index; array < pass.inputs)
            near_[static_cast<std::size_t>(array)] = 1;
  }

  std::optional<std::string> text(std::string_view name) {
    std::vector<std::vector<std::array<std::string, pde_quad>>> results;
    for (const int output : pass_.outputs) {
      results.emplace_back();
      for (int y = 0; y < rows_; ++y) {
        results.back().emplace_back();
        for (int x = 0; x < pde_quad; ++x)
          results.back().back()[static_cast<std::size_t>(x)] = stored(node(output, x, y));
        if (t_.instructions > most_instructions) return std::nullopt;
      }
    }
    return pde_ptx_frame(t_, pass_.inputs, static_cast<int>(pass_.outputs.size()), uniforms_, rows_, results, name);
  }

 private:
  std::size_t inputs() const { return static_cast<std::size_t>(pass_.inputs); }

  // The address of the thread's first cell in the row `y` up.
  std::string address(int array, int y) {
    std::string base = "%in" + std::to_string(array);
    if (y == 0) return base;
    auto [known, fresh] = addresses_.try_emplace({array, y}, "");
    if (fresh) known->second = t_.address("mad.lo.s64", "%pitch, " + std::to_string(y) + ", " + base);
    return known->second;
  }
  // Values of the thread's own cells come in vectors.
  std::string load(int array, int x, int y) {
    auto [known, fresh] = loads_.try_emplace({array, x, y}, "");
    if (!fresh) return known->second;
    // Only what no output overwrites may be kept in the cache for what does not change.
    const std::string how = near_[static_cast<std::size_t>(array)] ? "ld.global.nc" : "ld.global";
    const std::string from = address(array, y);
    if (x < 0 || x >= pde_quad) {
      const std::string value = t_.value();
      t_.add(how + t_.type + " " + value + ", [" + from + "+" + std::to_string(x * t_.bytes) + "]");
      return loads_[{array, x, y}] = value;
    }
    for (int first = 0; first < pde_quad; first += t_.vector) {
      std::string list;
      for (int i = 0; i < t_.vector; ++i) {
        const std::string value = t_.value();
        list += (i > 0 ? ", " : "") + value;
        loads_[{array, first + i, y}] = value;
      }
      t_.add(how + ".v" + std::to_string(t_.vector) + t_.type + " {" + list + "}, [" + from + "+" +
             std::to_string(first * t_.bytes) + "]");
    }
    return loads_[{array, x, y}];
  }

  // Vectors are stored from registers.
  std::string stored(const std::string& value) {
    if (value.empty() || value.front() == '%') return value;
    const std::string to = t_.value();
    t_.add("mov" + t_.type + " " + to + ", " + value);
    return to;
  }

  std::string array(int number, int x, int y) {
    if (number < pass_.inputs) return load(number, x, y);
    return node(pass_.intermediates[static_cast<std::size_t>(number - pass_.inputs)], x, y);
  }

  std::string& place(int number, int x, int y) {
    const int moves = moves_[static_cast<std::size_t>(number)];
    return values_[{number, moves & 1 ? x : 0, moves & 2 ? y : 0}];
  }
  std::string node(int root, int x, int y) {
    if (t_.instructions > most_instructions) return "";  // the text is given up
    for (const int number : order(root))
      if (place(number, x, y).empty()) {
        std::string value = fresh(pass_.nodes[static_cast<std::size_t>(number)], x, y);
        place(number, x, y) = std::move(value);
      }
    return place(root, x, y);
  }
  const std::vector<int>& order(int root) {
    auto [known, fresh] = orders_.try_emplace(root);
    if (fresh) known->second = pde_order(pass_, {root});
    return known->second;
  }

  std::string column(int x) {
    std::string& known = columns_[x];
    if (known.empty()) known = t_.coordinate("%x", x, "%nx", "%periodic_x");
    return known;
  }
  std::string row(int y) {
    std::string& known = rows_of_grid_[y];
    if (known.empty()) known = t_.coordinate("%whole_y", y, "%whole_ny", "%periodic_y");
    return known;
  }

  std::string fresh(const PdeNode& n, int x, int y) {
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
      case PdeKind::uniform: return "%u" + std::to_string(n.index);
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
    if (const char* const name = function_name(n.function)) {
      std::vector<PdePtxArgument> arguments;
      for (int i = 0; i < formula_operands(n.function); ++i) arguments.push_back({".b64", "f64", t_.wide(operands[i])});
      if (n.function == FormulaOp::noise) arguments.push_back({".b64", "u64", "%seed"});
      return t_.rounded(t_.call(name, arguments));
    }
    return t_.apply(n.function, a, b, c);
  }

  const PdePass& pass_;
  int uniforms_, rows_;
  PdePtxText<Real> t_;
  std::vector<int> moves_;  // of each node: 1: along x, 2: along y
  std::vector<char> near_;  // of each input: whether others than its own cell are read
  std::map<std::pair<int, int>, std::string> addresses_;
  std::map<std::tuple<int, int, int>, std::string> loads_, values_;
  std::map<int, std::string> columns_, rows_of_grid_;
  std::map<int, std::vector<int>> orders_;
};

}  // namespace

template <class Real>
std::optional<std::string> pde_ptx(const PdePass& pass, int uniforms, int rows, std::string_view name) {
  return Kernel<Real>(pass, uniforms, rows).text(name);
}
template std::optional<std::string> pde_ptx<float>(const PdePass&, int, int, std::string_view);
template std::optional<std::string> pde_ptx<double>(const PdePass&, int, int, std::string_view);

std::string pde_ptx_head(const PdePass& pass) {
  std::string functions;
  const std::string_view all = pde_functions();
  constexpr std::string_view begin = ".visible .func";
  const auto add = [&](std::string_view name) {
    if (functions.find(" " + std::string(name) + "(") != std::string::npos) return;
    const std::size_t found = all.find(" " + std::string(name) + "(");
    if (found == std::string_view::npos) throw std::logic_error("no PTX of " + std::string(name));
    const std::size_t from = all.rfind(begin, found), to = all.find(begin, found);
    functions += all.substr(from, to == std::string_view::npos ? to : to - from);
  };
  for (const PdeNode& n : pass.nodes) {
    if (n.kind == PdeKind::normal) add("pde_normal");
    if (n.kind == PdeKind::apply && function_name(n.function)) add(function_name(n.function));
  }
  if (functions.empty()) return ".version 7.0\n.target sm_75\n.address_size 64\n";
  return std::string(all.substr(0, all.find(begin))) + functions;
}

}  // namespace simreel
