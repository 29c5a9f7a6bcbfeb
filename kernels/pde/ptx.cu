#include "kernels/pde/ptx.h"

#include <array>
#include <bit>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/pde/program.h"
#include "kernels/pde/ptx_nodes.h"

namespace simreel {
namespace {

template <class Real>
class Kernel final : public PdePtxNodes<Real> {
 public:
  Kernel(const PdePass& pass, int uniforms, int rows)
      : PdePtxNodes<Real>(pass), uniforms_(uniforms), rows_(rows), near_(inputs(), 0) {
    for (const PdeNode& n : pass.nodes)
      if (pde_reads(n.kind) && n.index < pass.inputs && (n.kind != PdeKind::load || n.ox != 0 || n.oy != 0))
        near_[static_cast<std::size_t>(n.index)] = 1;
    for (const int root : pass.intermediates)
      for (const int index : pde_order(pass, {root}))
        if (pde_reads(pass.nodes[static_cast<std::size_t>(index)].kind))
          if (const int array = pass.nodes[static_cast<std::size_t>(index)].index; array < pass.inputs)
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
        if (this->too_long()) return std::nullopt;
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
    if (fresh) known->second = t_.address("mad.lo.s64", "%pitch", y, base);
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
      return loads_[{array, x, y}] = t_.op(how, "[" + from + "+" + std::to_string(x * t_.bytes) + "]");
    }
    for (int first = 0; first < pde_quad; first += t_.vector) {
      std::vector<std::string> values;
      for (int i = 0; i < t_.vector; ++i) values.push_back(loads_[{array, first + i, y}] = t_.value());
      t_.add("$$ $, [$+$]", how, t_.type_of(t_.vector), t_.list_of(values), from, first * t_.bytes);
    }
    return loads_[{array, x, y}];
  }

  // Vectors are stored from registers.
  std::string stored(const std::string& value) {
    if (value.empty() || value.front() == '%') return value;
    return t_.op("mov", value);
  }

  std::string array(int number, int x, int y) override {
    if (number < pass_.inputs) return load(number, x, y);
    return node(pass_.intermediates[static_cast<std::size_t>(number - pass_.inputs)], x, y);
  }

  std::string column(int x) override {
    std::string& known = columns_[x];
    if (known.empty()) known = t_.coordinate("%x", x, "%nx", "%periodic_x");
    return known;
  }
  std::string row(int y) override {
    std::string& known = rows_of_grid_[y];
    if (known.empty()) known = t_.coordinate("%whole_y", y, "%whole_ny", "%periodic_y");
    return known;
  }

  std::string uniform(int index) override { return "%u" + std::to_string(index); }

  using PdePtxNodes<Real>::node, PdePtxNodes<Real>::pass_, PdePtxNodes<Real>::t_;
  int uniforms_, rows_;
  std::vector<char> near_;  // of each input: whether others than its own cell are read
  std::map<std::pair<int, int>, std::string> addresses_;
  std::map<std::tuple<int, int, int>, std::string> loads_;
  std::map<int, std::string> columns_, rows_of_grid_;
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
    const std::string call = std::string(" ").append(name).append("(");
    if (functions.find(call) != std::string::npos) return;
    const std::size_t found = all.find(call);
    if (found == std::string_view::npos) throw std::logic_error("no PTX of " + std::string(name));
    const std::size_t from = all.rfind(begin, found), to = all.find(begin, found);
    functions += all.substr(from, to == std::string_view::npos ? to : to - from);
  };
  for (const PdeNode& n : pass.nodes) {
    if (n.kind == PdeKind::normal) add("pde_normal");
    if (n.kind == PdeKind::apply && pde_function_name(n.function)) add(pde_function_name(n.function));
  }
  if (functions.empty()) return ".version 7.0\n.target sm_70\n.address_size 64\n";
  return std::string(all.substr(0, all.find(begin))) + functions;
}

}  // namespace simreel
