#pragma once
// The instructions of a kernel, and the frame around them: arguments, coordinates, stores.

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/formula.h"
#include "kernels/pde/ptx.h"

namespace simreel {

struct PdePtxArgument {
  std::string space, type, value;  // ".b64", "f64", "%w3"
};

// Values are names of registers or literals.
template <class Real>
struct PdePtxText {
  static constexpr bool is_float = sizeof(Real) == 4;
  static constexpr int bytes = sizeof(Real), vector = 16 / bytes;
  const std::string type = is_float ? ".f32" : ".f64";

  std::string body;
  int values = 0, wides = 0, predicates = 0, addresses = 0, integers = 0, labels = 0, instructions = 0;

  // Appends lines of PTX, an instruction or a label each, in which every $ stands for the next operand.
  template <class... Operands>
  void add(std::string_view lines, const Operands&... operands) {
    append(lines, {text_of(operands)...});
  }
  std::string value() { return "%v" + std::to_string(values++); }
  std::string integer() { return "%i" + std::to_string(integers++); }
  std::string predicate() { return "%p" + std::to_string(predicates++); }
  std::string label(const std::string& stem) { return stem + std::to_string(labels++); }
  // The register `to`, after an instruction that sets it.
  template <class... Operands>
  std::string set(std::string to, std::string_view instruction, const Operands&... operands) {
    add("$ $$", instruction, to, (std::string() + ... + (", " + text_of(operands))));
    return to;
  }
  template <class... Operands>
  std::string address(std::string_view instruction, const Operands&... operands) {
    return set("%a" + std::to_string(addresses++), instruction, operands...);
  }
  template <class... Operands>
  std::string op(std::string_view name, const Operands&... operands) {
    return set(value(), std::string(name) + type, operands...);
  }
  // Of so many cells that are loaded or stored at once: ".v4.f32", and "{%v0, %v1, %v2, %v3}".
  std::string type_of(int cells) const { return (cells > 1 ? ".v" + std::to_string(cells) : "") + type; }
  static std::string list_of(std::span<const std::string> cells);

  std::string literal(double) const;
  std::string sum(const std::string& a, const std::string& b) { return op("add.rn", a, b); }
  std::string fma(const std::string& a, const std::string& b, const std::string& c) { return op("fma.rn", a, b, c); }
  std::string compare(const std::string& how, const std::string& a, const std::string& b) {
    return set(predicate(), "setp." + how + type, a, b);
  }
  std::string pick(const std::string& condition, const std::string& yes, const std::string& no) {
    return op("selp", yes, no, condition);
  }
  // Of operations that are not functions of a library.
  std::string apply(FormulaOp, const std::string& a, const std::string& b, const std::string& c);

  // In double, and back.
  std::string wide(const std::string& value);
  std::string rounded(const std::string& wide);
  // A function of a library, whose result is a double.
  std::string call(const std::string& name, const std::vector<PdePtxArgument>&);

  // The whole number base + offset, or the one that stands for it where `repeats`.
  std::string coordinate(const std::string& base, int offset, const std::string& count, const std::string& repeats);
  std::string real(const std::string& integer);

 private:
  static std::string text_of(int number) { return std::to_string(number); }
  static std::string text_of(std::string_view text) { return std::string(text); }
  void append(std::string_view lines, std::initializer_list<std::string> operands);
};

// `results`: of each output, of each row, of each cell of the thread.
template <class Real>
std::string pde_ptx_frame(PdePtxText<Real>&, int inputs, int outputs, int uniforms, int rows,
                          const std::vector<std::vector<std::array<std::string, pde_quad>>>& results,
                          std::string_view name);

}  // namespace simreel
