#pragma once
// Runs the PTX that engines of equations write, thread by thread on the host: it knows the instructions that they use,
// and the functions that they call. Threads of a warp wait for each other where they exchange values.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/formula_value.h"
#include "kernels/pde/cell.h"

namespace simreel::test {

class PtxMachine {
 public:
  PtxMachine(const std::string& text, const std::string& kernel) {
    const std::size_t entry = text.find(".entry " + kernel + "("), open = text.find("\n{\n", entry);
    if (entry == std::string::npos) throw std::logic_error("no kernel " + kernel);
    std::string list = text.substr(entry, text.find(")\n", entry) - entry);
    for (std::size_t at = list.find(".param"); at != std::string::npos; at = list.find(".param", at)) {
      const std::vector<std::string> words = split(list.substr(at, list.find(',', at) - at), " ");
      parameters_.push_back({words[2], words[1].ends_with("64") ? 8u : 4u});
      at += 6;
    }
    for (const std::string& line : split(text.substr(open + 3, text.find("\n}\n", open) - open - 3), "\n")) add(line);
    for (const auto& [from, label] : jumps_) steps_[from].jumps = true, steps_[from].target = labels_.at(label);
    for (const char* const name : {"%ctaid.x", "%ctaid.y", "%tid.x", "%tid.y"}) number(name);
    lanes_.assign(warp, first_);
  }

  void launch(unsigned blocks_x, unsigned blocks_y, unsigned threads_x, unsigned threads_y, void** arguments) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      parameters_[i].value = 0;
      std::memcpy(&parameters_[i].value, arguments[i], parameters_[i].bytes);
    }
    for (unsigned by = 0; by < blocks_y; ++by)
      for (unsigned bx = 0; bx < blocks_x; ++bx)
        for (unsigned ty = 0; ty < threads_y; ++ty)
          for (unsigned tx = 0; tx < threads_x; tx += warp) {
            for (unsigned lane = 0; lane < warp; ++lane) {
              registers_ = lanes_[lane].data();
              place("%ctaid.x") = bx, place("%ctaid.y") = by, place("%tid.x") = tx + lane, place("%tid.y") = ty;
            }
            run_warp();
          }
  }

 private:
  using Word = std::uint64_t;
  static constexpr unsigned warp = 32;
  struct Exchange {
    std::string how;  // up, down or idx
    std::size_t to, from, lane;
  };
  struct Step {
    std::function<void()> run;
    std::optional<Exchange> exchange;
    int condition = -1;
    bool inverted = false, ends = false, jumps = false;
    std::size_t target = 0;
  };
  struct Parameter {
    std::string name;
    unsigned bytes;
    Word value = 0;
  };

  void run_warp() {
    std::array<std::size_t, warp> at{};
    while (true) {
      unsigned ended = 0;
      for (unsigned lane = 0; lane < warp; ++lane) {
        registers_ = lanes_[lane].data();
        at[lane] = until_exchange(at[lane]);
        ended += at[lane] == steps_.size() ? 1 : 0;
      }
      if (ended == warp) return;
      if (std::ranges::any_of(at, [&](std::size_t place) { return place != at[0]; }))
        throw std::logic_error("threads of a warp exchange values at different places");
      const Exchange& exchange = *steps_[at[0]].exchange;
      std::array<Word, warp> values{};
      for (unsigned lane = 0; lane < warp; ++lane) values[lane] = lanes_[lane][exchange.from];
      for (unsigned lane = 0; lane < warp; ++lane) {
        const auto by = static_cast<unsigned>(lanes_[lane][exchange.lane]);
        const unsigned source = exchange.how == "up" ? lane - by : exchange.how == "down" ? lane + by : by;
        lanes_[lane][exchange.to] = values[source < warp ? source : lane];
        ++at[lane];
      }
    }
  }
  // The step at which the thread stops; past the last one at its end.
  std::size_t until_exchange(std::size_t at) {
    while (at < steps_.size()) {
      const Step& step = steps_[at];
      if (step.exchange) return at;
      ++at;
      if (step.condition >= 0 && (registers_[step.condition] != 0) == step.inverted) continue;
      if (step.ends) return steps_.size();
      if (step.jumps) at = step.target;
      if (step.run) step.run();
    }
    return at;
  }

  static std::vector<std::string> split(std::string_view text, std::string_view by) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t to = std::min(text.find(by, from), text.size());
      std::string part(text.substr(from, to - from));
      part.erase(0, part.find_first_not_of(" "));
      if (!part.empty()) parts.push_back(part);
      from = to + by.size();
    }
    return parts;
  }

  // The number of a register, or of one that holds a literal.
  std::size_t number(const std::string& name) {
    const auto [known, fresh] = numbers_.try_emplace(name, first_.size());
    if (fresh) {
      Word value = 0;
      if (name.starts_with("0f") || name.starts_with("0d"))
        value = std::stoull(name.substr(2), nullptr, 16);
      else if (name.front() != '%' && name.find_first_not_of("-0123456789") == std::string::npos)
        value = static_cast<Word>(std::stoll(name));
      first_.push_back(value);
    }
    return known->second;
  }
  Word& place(const std::string& name) { return registers_[number(name)]; }
  Word& at(std::size_t i) { return registers_[i]; }
  template <class T>
  T get(std::size_t i) const {
    T value;
    std::memcpy(&value, registers_ + i, sizeof value);
    return value;
  }
  template <class T>
  void set(std::size_t i, T value) {
    registers_[i] = 0;
    std::memcpy(registers_ + i, &value, sizeof value);
  }

  void add(std::string line) {
    if (line.starts_with(".reg") || line.starts_with(".param") || line == "{" || line == "}") return;
    if (line.ends_with(":")) {
      labels_[line.substr(0, line.size() - 1)] = steps_.size();
      return;
    }
    line.pop_back();  // ;
    Step step;
    if (line.front() == '@') {
      const std::size_t end = line.find(' ');
      step.inverted = line[1] == '!';
      step.condition = static_cast<int>(number(line.substr(step.inverted ? 2 : 1, end - (step.inverted ? 2 : 1))));
      line.erase(0, end + 1);
    }
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string op = line.substr(0, space), rest = line.substr(std::min(space + 1, line.size()));
    if (op == "ret")
      step.ends = true;
    else if (op == "bra")
      jumps_.emplace_back(steps_.size(), rest);
    else if (op.starts_with("shfl.sync."))
      step.exchange = exchange(op, rest);
    else if (op == "mov.b64" && line.find('{') != std::string::npos)
      step.run = halves(rest);
    else
      step.run = op.starts_with("ld.global") || op.starts_with("st.global") ? memory(op, rest)
                 : op.starts_with("call")                                   ? call(rest)
                 : op.ends_with("f64") && !op.starts_with("cvt")            ? arithmetic<double>(op, rest)
                 : op.ends_with("f32") && !op.starts_with("cvt")            ? arithmetic<float>(op, rest)
                                                                            : whole(op, rest);
    steps_.push_back(step);
  }

  Exchange exchange(const std::string& op, const std::string& rest) {
    const std::string how = op.substr(10, op.rfind('.') - 10);
    const std::vector<std::string> names = split(rest, ",");
    if (names.at(3) != (how == "up" ? "0" : "31") || names.at(4) != "-1") throw std::logic_error("unknown " + op);
    return {how, number(names[0]), number(names[1]), number(names[2])};
  }

  // A number of 64 bits from two of 32, or the other way.
  std::function<void()> halves(std::string rest) {
    const bool apart = rest.front() == '{';
    std::erase_if(rest, [](char c) { return c == '{' || c == '}'; });
    const std::vector<std::string> names = split(rest, ",");
    const std::size_t a = number(names.at(0)), b = number(names.at(1)), c = number(names.at(2));
    if (apart) return [=, this] { at(a) = at(c) & 0xffffffff, at(b) = at(c) >> 32; };
    return [=, this] { at(a) = (at(b) & 0xffffffff) | at(c) << 32; };
  }

  std::function<void()> memory(const std::string& op, const std::string& rest) {
    const bool stores = op.front() == 's';
    const std::size_t bytes = op.ends_with("64") ? 8 : 4, open = rest.find('['), close = rest.find(']');
    std::string address = rest.substr(open + 1, close - open - 1);
    const std::size_t plus = address.find('+');
    const std::int64_t offset = plus == std::string::npos ? 0 : std::stoll(address.substr(plus + 1));
    const std::size_t base = number(address.substr(0, plus));
    std::string list = stores ? rest.substr(close + 2) : rest.substr(0, open - 2);
    std::erase_if(list, [](char c) { return c == '{' || c == '}'; });
    std::vector<std::size_t> values;
    for (const std::string& name : split(list, ",")) values.push_back(number(name));
    return [=, this] {
      const Word from = at(base) + static_cast<Word>(offset);
      if (from % (bytes * values.size()) != 0) throw std::logic_error("an address that is not aligned");
      for (std::size_t i = 0; i < values.size(); ++i) {
        char* const cell = std::bit_cast<char*>(from + i * bytes);
        if (stores) {
          std::memcpy(cell, &at(values[i]), bytes);
        } else {
          at(values[i]) = 0;
          std::memcpy(&at(values[i]), cell, bytes);
        }
      }
    };
  }

  std::function<void()> call(const std::string& rest) {
    const std::string name = split(rest, ",")[1].substr(4);  // after pde_
    const std::size_t result = number("result"), g0 = number("g0"), g1 = number("g1");
    if (name == "normal") {
      const std::size_t g2 = number("g2"), g3 = number("g3"), g4 = number("g4");
      return [=, this] { set(result, pde_normal(at(g0), at(g1), get<int>(g2), get<int>(g3), get<int>(g4))); };
    }
    static const std::map<std::string, FormulaOp> functions = {
        {"sin", FormulaOp::sin},     {"cos", FormulaOp::cos},     {"tan", FormulaOp::tan},    {"asin", FormulaOp::asin},
        {"acos", FormulaOp::acos},   {"atan", FormulaOp::atan},   {"exp", FormulaOp::exp},    {"log", FormulaOp::log},
        {"tanh", FormulaOp::tanh},   {"round", FormulaOp::round}, {"pow", FormulaOp::pow},    {"mod", FormulaOp::mod},
        {"hypot", FormulaOp::hypot}, {"atan2", FormulaOp::atan2}, {"noise", FormulaOp::noise}};
    const FormulaOp op = functions.at(name);
    const std::size_t seed = number("g2");
    return [=, this] { set(result, formula_apply(op, get<double>(g0), get<double>(g1), 0.0, at(seed))); };
  }

  template <class T>
  std::function<void()> arithmetic(const std::string& op, const std::string& rest) {
    const std::vector<std::string> names = split(rest, ",");
    if (op.starts_with("ld.param") || op.starts_with("st.param")) return whole(op, rest);
    std::vector<std::size_t> n;
    for (const std::string& name : names) n.push_back(number(name));
    n.resize(4, n.back());
    const auto [to, i, j, k] = std::array{n[0], n[1], n[2], n[3]};
    const std::string kind = op.substr(0, op.rfind('.'));
    if (kind.starts_with("setp")) {
      const std::string how = kind.substr(5);
      return [=, this] {
        const T a = get<T>(i), b = get<T>(j);
        at(to) = how == "lt" ? a < b : how == "le" ? a <= b : how == "gt" ? a > b : how == "eq" ? a == b : !(a == b);
      };
    }
    if (kind == "add.rn") return [=, this] { set(to, get<T>(i) + get<T>(j)); };
    if (kind == "sub.rn") return [=, this] { set(to, get<T>(i) - get<T>(j)); };
    if (kind == "mul.rn") return [=, this] { set(to, get<T>(i) * get<T>(j)); };
    if (kind == "div.rn") return [=, this] { set(to, get<T>(i) / get<T>(j)); };
    if (kind == "fma.rn") return [=, this] { set(to, std::fma(get<T>(i), get<T>(j), get<T>(k))); };
    if (kind == "neg") return [=, this] { set(to, -get<T>(i)); };
    if (kind == "abs") return [=, this] { set(to, std::fabs(get<T>(i))); };
    if (kind == "sqrt.rn") return [=, this] { set(to, std::sqrt(get<T>(i))); };
    if (kind == "mov") return [=, this] { at(to) = at(i); };
    if (kind == "selp") return [=, this] { at(to) = at(k) != 0 ? at(i) : at(j); };
    throw std::logic_error("unknown instruction " + op);
  }

  // What is not arithmetic of numbers with a point.
  std::function<void()> whole(const std::string& op, const std::string& rest) {
    const std::vector<std::string> names = split(rest, ",");
    const auto inner = [](const std::string& name) { return name.substr(1, name.size() - 2); };
    if (op.starts_with("ld.param")) {
      const std::size_t to = number(names[0]);
      const auto found = std::ranges::find(parameters_, inner(names[1]), &Parameter::name);
      if (found == parameters_.end()) {
        const std::size_t result = number(inner(names[1]));
        return [=, this] { at(to) = at(result); };
      }
      const auto which = static_cast<std::size_t>(found - parameters_.begin());
      return [=, this] { at(to) = parameters_[which].value; };
    }
    if (op.starts_with("st.param")) {
      const std::size_t to = number(inner(names[0])), from = number(names[1]);
      return [=, this] { at(to) = at(from); };
    }
    std::vector<std::size_t> n;
    for (const std::string& name : names) n.push_back(number(name));
    n.resize(4, n.back());
    const auto [to, i, j, k] = std::array{n[0], n[1], n[2], n[3]};
    const auto narrow = [this](std::size_t from) { return std::int64_t{get<std::int32_t>(from)}; };
    const auto wide = [this](std::size_t from) { return static_cast<std::int64_t>(at(from)); };
    const auto low = [this](std::size_t into, std::int64_t value) { set(into, static_cast<std::int32_t>(value)); };
    if (op.starts_with("mov") || op.starts_with("cvta")) return [=, this] { at(to) = at(i); };
    if (op == "mad.lo.s32") return [=] { low(to, narrow(i) * narrow(j) + narrow(k)); };
    if (op == "mad.lo.s64") return [=, this] { set(to, wide(i) * wide(j) + wide(k)); };
    if (op == "shl.b32") return [=] { low(to, narrow(i) << narrow(j)); };
    if (op == "add.s32") return [=] { low(to, narrow(i) + narrow(j)); };
    if (op == "mul.lo.s32") return [=] { low(to, narrow(i) * narrow(j)); };
    if (op == "min.s32") return [=] { low(to, std::min(narrow(i), narrow(j))); };
    if (op == "max.s32") return [=] { low(to, std::max(narrow(i), narrow(j))); };
    if (op == "div.s32") return [=] { low(to, narrow(i) / narrow(j)); };
    if (op == "neg.s32") return [=] { low(to, -narrow(i)); };
    if (op == "setp.eq.s64") return [=, this] { at(to) = at(i) == at(j); };
    if (op == "sub.s32") return [=] { low(to, narrow(i) - narrow(j)); };
    if (op == "rem.s32") return [=] { low(to, narrow(i) % narrow(j)); };
    if (op == "and.b32") return [=] { low(to, narrow(i) & narrow(j)); };
    if (op == "add.s64") return [=, this] { set(to, wide(i) + wide(j)); };
    if (op == "neg.s64") return [=, this] { set(to, -wide(i)); };
    if (op == "mul.wide.s32") return [=, this] { set(to, narrow(i) * narrow(j)); };
    if (op == "mul.lo.s64") return [=, this] { set(to, wide(i) * wide(j)); };
    if (op == "cvt.s64.s32") return [=, this] { set(to, narrow(i)); };
    if (op == "or.pred") return [=, this] { at(to) = at(i) | at(j); };
    if (op == "and.pred") return [=, this] { at(to) = at(i) & at(j); };
    if (op.starts_with("selp")) return [=, this] { at(to) = at(k) != 0 ? at(i) : at(j); };
    if (op == "cvt.f64.f32") return [=, this] { set(to, double{get<float>(i)}); };
    if (op == "cvt.rn.f32.f64") return [=, this] { set(to, static_cast<float>(get<double>(i))); };
    if (op == "cvt.rn.f32.s32") return [=, this] { set(to, static_cast<float>(narrow(i))); };
    if (op == "cvt.rn.f64.s32") return [=, this] { set(to, static_cast<double>(narrow(i))); };
    if (op == "cvt.rmi.f32.f32") return [=, this] { set(to, std::floor(get<float>(i))); };
    if (op == "cvt.rmi.f64.f64") return [=, this] { set(to, std::floor(get<double>(i))); };
    const bool and_third = op.find(".and.") != std::string::npos;
    const auto compare = [=, this](auto holds) {
      return [=, this] { at(to) = holds(narrow(i), narrow(j)) && (!and_third || at(k) != 0); };
    };
    if (op.starts_with("setp.lt")) return compare(std::less<>());
    if (op.starts_with("setp.le")) return compare(std::less_equal<>());
    if (op.starts_with("setp.gt")) return compare(std::greater<>());
    if (op.starts_with("setp.ge")) return compare(std::greater_equal<>());
    if (op.starts_with("setp.eq")) return compare(std::equal_to<>());
    if (op.starts_with("setp.ne")) return compare(std::not_equal_to<>());
    throw std::logic_error("unknown instruction " + op);
  }

  std::vector<Parameter> parameters_;
  std::vector<Step> steps_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
  std::map<std::string, std::size_t> labels_, numbers_;
  std::vector<Word> first_;  // values of registers before a thread begins
  std::vector<std::vector<Word>> lanes_;
  Word* registers_ = nullptr;  // of the thread that runs
};

}  // namespace simreel::test
