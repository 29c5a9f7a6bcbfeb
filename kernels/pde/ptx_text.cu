#include "kernels/pde/ptx_text.h"

#include <bit>
#include <cstdint>
#include <utility>

namespace simreel {
namespace {

std::string hexadecimal(std::uint64_t bits, int digits) {
  std::string text(static_cast<std::size_t>(digits), '0');
  for (std::size_t i = text.size(); i-- > 0; bits >>= 4) text[i] = "0123456789ABCDEF"[bits & 15];
  return text;
}

}  // namespace

template <class Real>
std::string PdePtxText<Real>::literal(double number) const {
  if constexpr (is_float)
    return "0f" + hexadecimal(std::bit_cast<std::uint32_t>(static_cast<float>(number)), 8);
  else
    return "0d" + hexadecimal(std::bit_cast<std::uint64_t>(number), 16);
}

template <class Real>
std::string PdePtxText<Real>::apply(FormulaOp function, const std::string& a, const std::string& b,
                                    const std::string& c) {
  const std::string zero = literal(0), one = literal(1);
  const auto truth = [&](const std::string& condition) { return pick(condition, one, zero); };
  const auto both = [&](const char* how) {
    const std::string first = compare("neu", a, zero), second = compare("neu", b, zero), to = predicate();
    add(std::string(how) + ".pred " + to + ", " + first + ", " + second);
    return truth(to);
  };
  const auto floor = [&](const std::string& x) { return op("cvt.rmi" + type, x); };
  switch (function) {
    case FormulaOp::negate: return op("neg", a);
    case FormulaOp::logical_not: return truth(compare("eq", a, zero));
    case FormulaOp::sqrt: return op("sqrt.rn", a);
    case FormulaOp::abs: return op("abs", a);
    case FormulaOp::floor: return floor(a);
    case FormulaOp::ceil: return op("neg", floor(op("neg", a)));
    case FormulaOp::sign: return pick(compare("gt", a, zero), one, pick(compare("lt", a, zero), literal(-1), a));
    case FormulaOp::add: return sum(a, b);
    case FormulaOp::subtract: return op("sub.rn", a, b);
    case FormulaOp::multiply: return op("mul.rn", a, b);
    case FormulaOp::divide: return op("div.rn", a, b);
    case FormulaOp::min: return pick(compare("lt", b, a), b, a);
    case FormulaOp::max: return pick(compare("lt", a, b), b, a);
    case FormulaOp::step: return pick(compare("lt", b, a), zero, one);
    case FormulaOp::less: return truth(compare("lt", a, b));
    case FormulaOp::less_equal: return truth(compare("le", a, b));
    case FormulaOp::equal: return truth(compare("eq", a, b));
    case FormulaOp::unequal: return truth(compare("neu", a, b));
    case FormulaOp::logical_and: return both("and");
    case FormulaOp::logical_or: return both("or");
    case FormulaOp::select: return pick(compare("neu", a, zero), b, c);
    case FormulaOp::clamp: return pick(compare("lt", a, b), b, pick(compare("lt", c, a), c, a));
    case FormulaOp::mix: return fma(c, op("sub.rn", b, a), a);
    case FormulaOp::smoothstep: {
      const std::string part = op("div.rn", op("sub.rn", c, a), op("sub.rn", b, a));
      const std::string below = pick(compare("gt", part, one), one, part);
      const std::string within = pick(compare("lt", part, zero), zero, below);
      return op("mul.rn", op("mul.rn", within, within), fma(literal(-2), within, literal(3)));
    }
    case FormulaOp::multiply_add: return fma(a, b, c);
    case FormulaOp::multiply_subtract: return fma(a, b, op("neg", c));
    case FormulaOp::subtract_product: return fma(op("neg", a), b, c);
    default: return "";
  }
}

template <class Real>
std::string PdePtxText<Real>::wide(const std::string& narrow) {
  if constexpr (!is_float) return narrow;
  const std::string to = "%w" + std::to_string(wides++);
  add("cvt.f64.f32 " + to + ", " + narrow);
  return to;
}
template <class Real>
std::string PdePtxText<Real>::rounded(const std::string& wide) {
  const std::string to = value();
  add(std::string(is_float ? "cvt.rn.f32.f64 " : "mov.f64 ") + to + ", " + wide);
  return to;
}

template <class Real>
std::string PdePtxText<Real>::call(const std::string& name, const std::vector<PdePtxArgument>& arguments) {
  const std::string to = "%w" + std::to_string(wides++);
  std::string list;
  body += "  {\n";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = "g" + std::to_string(i);
    body += "  .param " + arguments[i].space + " " + argument + ";\n";
    add("st.param." + arguments[i].type + " [" + argument + "], " + arguments[i].value);
    list += (i > 0 ? ", " : "") + argument;
  }
  body += "  .param .b64 result;\n";
  add("call.uni (result), " + name + ", (" + list + ")");
  add("ld.param.f64 " + to + ", [result]");
  body += "  }\n";
  return to;
}

template <class Real>
std::string PdePtxText<Real>::coordinate(const std::string& base, int offset, const std::string& count,
                                         const std::string& repeats) {
  const std::string plain = integer(), rest = integer(), raised = integer(), wrapped = integer(), to = integer();
  const std::string below = predicate();
  add("add.s32 " + plain + ", " + base + ", " + std::to_string(offset));
  add("rem.s32 " + rest + ", " + plain + ", " + count);
  add("add.s32 " + raised + ", " + rest + ", " + count);
  add("setp.lt.s32 " + below + ", " + rest + ", 0");
  add("selp.b32 " + wrapped + ", " + raised + ", " + rest + ", " + below);
  add("selp.b32 " + to + ", " + wrapped + ", " + plain + ", " + repeats);
  return to;
}
template <class Real>
std::string PdePtxText<Real>::real(const std::string& whole) {
  const std::string to = value();
  add("cvt.rn" + type + ".s32 " + to + ", " + whole);
  return to;
}

namespace {

// A predicate: whether a flag is set. Arguments are read where they are needed, which holds no register.
template <class Real>
void flag(PdePtxText<Real>& t, const std::string& to, int bit) {
  t.add("ld.param.u32 %r2, [flags_]");
  t.add("and.b32 %r2, %r2, " + std::to_string(bit));
  t.add("setp.ne.s32 " + to + ", %r2, 0");
}

// Stores the cells of a thread in one row, and their copies beyond the left and right sides: they repeat the cells of a
// periodic side, and mirror those of others.
template <class Real>
void store(PdePtxText<Real>& t, const std::string& at, const std::array<std::string, pde_quad>& cells) {
  const std::string size = std::to_string(t.bytes), number = std::to_string(t.labels++);
  for (int first = 0; first < pde_quad; first += t.vector) {
    std::string list;
    for (int i = 0; i < t.vector; ++i) list += (i > 0 ? ", " : "") + cells[static_cast<std::size_t>(first + i)];
    t.add("@%full st.global.v" + std::to_string(t.vector) + t.type + " [" + at + "+" + std::to_string(first * t.bytes) +
          "], {" + list + "}");
  }
  t.add("@%full bra whole" + number);
  for (int i = 0; i + 1 < pde_quad; ++i) {
    t.add("add.s32 %r2, %x, " + std::to_string(i));
    t.add("setp.lt.s32 %here, %r2, %nx");
    t.add("@%here st.global" + t.type + " [" + at + "+" + std::to_string(i * t.bytes) + "], " +
          cells[static_cast<std::size_t>(i)]);
  }
  t.body += "whole" + number + ":\n";
  t.add("@!%edge bra past" + number);
  flag(t, "%repeats", pde_periodic_x);
  t.add("mul.wide.s32 %step, %nx, " + size);
  t.add("mad.lo.s32 %r2, %x, -2, -1");
  t.add("mul.wide.s32 %left, %r2, " + size);
  t.add("selp.b64 %left, %step, %left, %repeats");
  t.add("neg.s64 %step, %step");
  t.add("sub.s32 %r2, %nx, %x");
  t.add("mad.lo.s32 %r2, %r2, 2, -1");
  t.add("mul.wide.s32 %right, %r2, " + size);
  t.add("selp.b64 %right, %step, %right, %repeats");
  t.add("add.s64 %left, %left, " + at);
  t.add("add.s64 %right, %right, " + at);
  t.add("selp.b64 %step, " + size + ", -" + size + ", %repeats");
  for (int i = 0; i < pde_quad; ++i) {
    const std::string& cell = cells[static_cast<std::size_t>(i)];
    t.add("add.s32 %r2, %x, " + std::to_string(i));
    t.add("setp.lt.s32 %here, %r2, %halo");
    t.add("@%here st.global" + t.type + " [%left], " + cell);
    t.add("sub.s32 %r3, %nx, %halo");
    t.add("setp.ge.s32 %here, %r2, %r3");
    t.add("setp.lt.and.s32 %here, %r2, %nx, %here");
    t.add("@%here st.global" + t.type + " [%right], " + cell);
    t.add("add.s64 %left, %left, %step");
    t.add("add.s64 %right, %right, %step");
  }
  t.body += "past" + number + ":\n";
}

}  // namespace

template <class Real>
std::string pde_ptx_frame(PdePtxText<Real>& t, int inputs, int outputs, int uniforms, int rows,
                          const std::vector<std::vector<std::array<std::string, pde_quad>>>& results,
                          std::string_view name) {
  const std::string size = std::to_string(t.bytes);
  std::string arguments, registers, load;
  const auto argument = [&](const std::string& type, const std::string& what) {
    arguments += (arguments.empty() ? "" : ", ") + (".param " + type) + " " + what + "_";
    registers += "  .reg " + type + " %" + what + ";\n";
    load += "  ld.param" + type + " %" + what + ", [" + what + "_];\n";
  };
  std::vector<std::string> arrays;
  for (int i = 0; i < inputs; ++i) arrays.push_back("in" + std::to_string(i));
  for (int o = 0; o < outputs; ++o) arrays.push_back("out" + std::to_string(o));
  for (const std::string& array : arrays) argument(".u64", array);
  for (int u = 0; u < uniforms; ++u) argument(t.type, "u" + std::to_string(u));
  for (const char* const what : {"seed", "number"}) argument(".u64", what);
  for (const char* const what : {"nx", "ny", "pitch32", "from", "to", "y0", "whole_ny", "halo", "flags"})
    argument(".u32", what);

  // Where the thread is, and what it may store. Cells beyond nx are computed and not stored.
  std::string head = load;
  const auto add = [&](const std::string& instruction) { head += "  " + instruction + ";\n"; };
  add("mov.u32 %r0, %ctaid.x");
  add("mov.u32 %r1, %tid.x");
  add("mad.lo.s32 %x, %r0, " + std::to_string(pde_block_x) + ", %r1");
  add("shl.b32 %x, %x, 2");
  add("mov.u32 %r0, %ctaid.y");
  add("mov.u32 %r1, %tid.y");
  add("mad.lo.s32 %y, %r0, " + std::to_string(pde_block_y) + ", %r1");
  add("mad.lo.s32 %y, %y, " + std::to_string(rows) + ", %from");
  add("setp.ge.s32 %full, %x, %nx");
  add("setp.ge.s32 %edge, %y, %to");
  add("or.pred %full, %full, %edge");
  add("@%full ret");
  add("add.s32 %whole_y, %y, %y0");
  for (const auto& [to, bit] : {std::pair{"%periodic_x", pde_periodic_x}, std::pair{"%periodic_y", pde_periodic_y}}) {
    add("and.b32 %r0, %flags, " + std::to_string(bit));
    add(std::string("setp.ne.s32 ") + to + ", %r0, 0");
  }
  add("mul.wide.s32 %at, %y, %pitch32");
  add("cvt.s64.s32 %pitch, %x");
  add("add.s64 %at, %at, %pitch");
  add("mul.lo.s64 %at, %at, " + size);
  add("mul.wide.s32 %pitch, %pitch32, " + size);
  for (const std::string& array : arrays) {
    add("cvta.to.global.u64 %" + array + ", %" + array);
    add("add.s64 %" + array + ", %" + array + ", %at");
  }

  std::string computed;
  std::swap(computed, t.body);
  t.add("add.s32 %r0, %x, " + std::to_string(pde_quad));
  t.add("setp.le.s32 %full, %r0, %nx");
  flag(t, "%edge", pde_fill_columns);
  t.add("sub.s32 %r1, %nx, %halo");  // the first cell that is copied to the left
  t.add("setp.gt.s32 %here, %r0, %r1");
  t.add("setp.lt.s32 %row, %x, %halo");
  t.add("or.pred %here, %here, %row");
  t.add("and.pred %edge, %edge, %here");
  for (int y = 0; y < rows; ++y) {
    const auto at = [&](std::size_t o) {
      const std::string to = "%out" + std::to_string(o);
      return y == 0 ? to : t.address("mad.lo.s64", "%pitch, " + std::to_string(y) + ", " + to);
    };
    const auto cells = [&](std::size_t o) { return results[o][static_cast<std::size_t>(y)]; };
    for (std::size_t o = 0; o < results.size(); ++o) store(t, at(o), cells(o));
    const std::string middle = "middle" + std::to_string(y);
    flag(t, "%row", pde_fill_rows);
    t.add("add.s32 %r0, %y, " + std::to_string(y));
    t.add("sub.s32 %r1, %ny, %halo");
    t.add("setp.lt.s32 %below, %r0, %halo");
    t.add("setp.ge.s32 %here, %r0, %r1");
    t.add("or.pred %here, %here, %below");
    t.add("and.pred %row, %row, %here");
    t.add("@!%row bra " + middle);
    t.add("mad.lo.s32 %r1, %r0, -2, -1");
    t.add("sub.s32 %r0, %ny, %r0");
    t.add("mad.lo.s32 %r0, %r0, 2, -1");
    t.add("selp.b32 %r0, %r1, %r0, %below");
    t.add("sub.s32 %r1, 0, %ny");
    t.add("selp.b32 %r1, %ny, %r1, %below");
    flag(t, "%repeats", pde_periodic_y);
    t.add("selp.b32 %r0, %r1, %r0, %repeats");
    t.add("cvt.s64.s32 %offset, %r0");
    t.add("mul.lo.s64 %offset, %offset, %pitch");
    for (std::size_t o = 0; o < results.size(); ++o) store(t, t.address("add.s64", at(o) + ", %offset"), cells(o));
    t.body += middle + ":\n";
  }

  const auto count = [](int of) { return "<" + std::to_string(of + 1) + ">"; };
  registers += "  .reg " + t.type + " %v" + count(t.values) + ";\n  .reg .f64 %w" + count(t.wides) +
               ";\n  .reg .b64 %a" + count(t.addresses) + ", %at, %pitch, %offset, %left, %right, %step;\n" +
               "  .reg .b32 %i" + count(t.integers) + ", %x, %y, %whole_y, %r0, %r1, %r2, %r3;\n  .reg .pred %p" +
               count(t.predicates) + ", %full, %edge, %row, %below, %here, %repeats, %periodic_x, %periodic_y;\n";
  const std::string text = ".visible .entry " + std::string(name) + "(" + arguments + ")\n.maxntid " +
                           std::to_string(pde_block_x * pde_block_y) + ", 1, 1\n{\n" + registers + head + computed +
                           t.body + "  ret;\n}\n";
  return text;
}

template struct PdePtxText<float>;
template struct PdePtxText<double>;
template std::string pde_ptx_frame(PdePtxText<float>&, int, int, int, int,
                                   const std::vector<std::vector<std::array<std::string, pde_quad>>>&,
                                   std::string_view);
template std::string pde_ptx_frame(PdePtxText<double>&, int, int, int, int,
                                   const std::vector<std::vector<std::array<std::string, pde_quad>>>&,
                                   std::string_view);

}  // namespace simreel
