#include "kernels/pde/ptx_text.h"

#include <algorithm>
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

std::string numbered(std::string name, std::int64_t number) { return name += std::to_string(number); }

}  // namespace

template <class Real>
void PdePtxText<Real>::append(std::string_view lines, std::initializer_list<std::string> operands) {
  auto next = operands.begin();
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) continue;
    const bool instruction = line.back() != ':';
    if (instruction) body += "  ", ++instructions;
    for (const char c : line)
      if (c == '$')
        body += *next++;
      else
        body += c;
    body += instruction ? ";\n" : "\n";
  }
}

template <class Real>
std::string PdePtxText<Real>::list_of(std::span<const std::string> cells) {
  if (cells.size() == 1) return cells.front();
  std::string list;
  for (const std::string& cell : cells) list += (list.empty() ? "{" : ", ") + cell;
  return list + "}";
}

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
    const std::string first = compare("neu", a, zero), second = compare("neu", b, zero);
    return truth(set(predicate(), std::string(how) + ".pred", first, second));
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
  return is_float ? set(numbered("%w", wides++), "cvt.f64.f32", narrow) : narrow;
}
template <class Real>
std::string PdePtxText<Real>::rounded(const std::string& wide) {
  return set(value(), is_float ? "cvt.rn.f32.f64" : "mov.f64", wide);
}

template <class Real>
std::string PdePtxText<Real>::call(const std::string& name, const std::vector<PdePtxArgument>& arguments) {
  const std::string to = numbered("%w", wides++);
  std::string list;
  body += "  {\n";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = numbered("g", i);
    body += "  .param " + arguments[i].space + " " + argument + ";\n";
    add("st.param.$ [$], $", arguments[i].type, argument, arguments[i].value);
    list += (i > 0 ? ", " : "") + argument;
  }
  body += "  .param .b64 result;\n";
  add("call.uni (result), $, ($)", name, list);
  add("ld.param.f64 $, [result]", to);
  body += "  }\n";
  return to;
}

template <class Real>
std::string PdePtxText<Real>::coordinate(const std::string& base, int offset, const std::string& count,
                                         const std::string& repeats) {
  const std::string plain = integer(), rest = integer(), raised = integer(), wrapped = integer(), to = integer();
  const std::string below = predicate();
  add("add.s32 $, $, $", plain, base, offset);
  add("rem.s32 $, $, $", rest, plain, count);
  add("add.s32 $, $, $", raised, rest, count);
  add("setp.lt.s32 $, $, 0", below, rest);
  add("selp.b32 $, $, $, $", wrapped, raised, rest, below);
  add("selp.b32 $, $, $, $", to, wrapped, plain, repeats);
  return to;
}
template <class Real>
std::string PdePtxText<Real>::real(const std::string& whole) {
  return set(value(), "cvt.rn" + type + ".s32", whole);
}

namespace {

// A predicate: whether a flag is set. Arguments are read where they are needed, which holds no register.
template <class Real>
void flag(PdePtxText<Real>& t, const char* to, int bit) {
  t.add("ld.param.u32 %r2, [flags_]");
  t.add("and.b32 %r2, %r2, $", bit);
  t.add("setp.ne.s32 $, %r2, 0", to);
}

// Stores the cells of a thread in one row, and their copies beyond the left and right sides: they repeat the cells of a
// periodic side, and mirror those of others.
template <class Real>
void store(PdePtxText<Real>& t, const std::string& at, const std::array<std::string, pde_quad>& cells) {
  const int number = t.labels++;
  for (int first = 0; first < pde_quad; first += t.vector)
    t.add("@%full st.global$ [$+$], $", t.type_of(t.vector), at, first * t.bytes,
          t.list_of(std::span(cells).subspan(static_cast<std::size_t>(first), t.vector)));
  t.add("@%full bra whole$", number);
  for (int i = 0; i + 1 < pde_quad; ++i) {
    t.add("add.s32 %r2, %x, $", i);
    t.add("setp.lt.s32 %here, %r2, %nx");
    t.add("@%here st.global$ [$+$], $", t.type, at, i * t.bytes, cells[static_cast<std::size_t>(i)]);
  }
  t.add("whole$:", number);
  t.add("@!%edge bra past$", number);
  flag(t, "%repeats", pde_periodic_x);
  t.add(R"(
    mul.wide.s32 %step, %nx, $
    mad.lo.s32 %r2, %x, -2, -1
    mul.wide.s32 %left, %r2, $
    selp.b64 %left, %step, %left, %repeats
    neg.s64 %step, %step
    sub.s32 %r2, %nx, %x
    mad.lo.s32 %r2, %r2, 2, -1
    mul.wide.s32 %right, %r2, $
    selp.b64 %right, %step, %right, %repeats
    add.s64 %left, %left, $
    add.s64 %right, %right, $
    selp.b64 %step, $, $, %repeats)",
        t.bytes, t.bytes, t.bytes, at, at, t.bytes, -t.bytes);
  for (int i = 0; i < pde_quad; ++i) {
    const std::string& cell = cells[static_cast<std::size_t>(i)];
    t.add(R"(
      add.s32 %r2, %x, $
      setp.lt.s32 %here, %r2, %halo
      @%here st.global$ [%left], $
      sub.s32 %r3, %nx, %halo
      setp.ge.s32 %here, %r2, %r3
      setp.lt.and.s32 %here, %r2, %nx, %here
      @%here st.global$ [%right], $
      add.s64 %left, %left, %step
      add.s64 %right, %right, %step)",
          i, t.type, cell, t.type, cell);
  }
  t.add("past$:", number);
}

}  // namespace

template <class Real>
std::string pde_ptx_frame(PdePtxText<Real>& t, int inputs, int outputs, int uniforms, int rows,
                          const std::vector<std::vector<std::array<std::string, pde_quad>>>& results,
                          std::string_view name) {
  std::string arguments, registers, computed = std::exchange(t.body, "");
  const auto argument = [&](const std::string& type, const std::string& what) {
    arguments += (arguments.empty() ? "" : ", ") + (".param " + type) + " " + what + "_";
    registers += "  .reg " + type + " %" + what + ";\n";
    t.add("ld.param$ %$, [$_]", type, what, what);
  };
  std::vector<std::string> arrays;
  for (int i = 0; i < inputs; ++i) arrays.push_back(numbered("in", i));
  for (int o = 0; o < outputs; ++o) arrays.push_back(numbered("out", o));
  for (const std::string& array : arrays) argument(".u64", array);
  for (int u = 0; u < uniforms; ++u) argument(t.type, "u" + std::to_string(u));
  for (const char* const what : {"seed", "number"}) argument(".u64", what);
  for (const char* const what : {"nx", "ny", "pitch32", "from", "to", "y0", "whole_ny", "halo", "flags"})
    argument(".u32", what);

  // Where the thread is, and what it may store. Cells beyond nx are computed and not stored.
  t.add(R"(
    mov.u32 %r0, %ctaid.x
    mov.u32 %r1, %tid.x
    mad.lo.s32 %x, %r0, $, %r1
    shl.b32 %x, %x, 2
    mov.u32 %r0, %ctaid.y
    mov.u32 %r1, %tid.y
    mad.lo.s32 %y, %r0, $, %r1
    mad.lo.s32 %y, %y, $, %from
    setp.ge.s32 %full, %x, %nx
    setp.ge.s32 %edge, %y, %to
    or.pred %full, %full, %edge
    @%full ret
    add.s32 %whole_y, %y, %y0
    and.b32 %r0, %flags, $
    setp.ne.s32 %periodic_x, %r0, 0
    and.b32 %r0, %flags, $
    setp.ne.s32 %periodic_y, %r0, 0
    mul.wide.s32 %at, %y, %pitch32
    cvt.s64.s32 %pitch, %x
    add.s64 %at, %at, %pitch
    mul.lo.s64 %at, %at, $
    mul.wide.s32 %pitch, %pitch32, $)",
        pde_block_x, pde_block_y, rows, pde_periodic_x, pde_periodic_y, t.bytes, t.bytes);
  for (const std::string& array : arrays) {
    t.add("cvta.to.global.u64 %$, %$", array, array);
    t.add("add.s64 %$, %$, %at", array, array);
  }

  computed = std::exchange(t.body, "") + computed;
  t.add("add.s32 %r0, %x, $", pde_quad);
  t.add("setp.le.s32 %full, %r0, %nx");
  flag(t, "%edge", pde_fill_columns);
  t.add(R"(
    sub.s32 %r1, %nx, %halo
    setp.gt.s32 %here, %r0, %r1
    setp.lt.s32 %row, %x, %halo
    or.pred %here, %here, %row
    and.pred %edge, %edge, %here)");  // %r1: the first cell that is copied to the left
  for (int y = 0; y < rows; ++y) {
    const auto at = [&](std::size_t o) {
      const std::string to = "%out" + std::to_string(o);
      return y == 0 ? to : t.address("mad.lo.s64", "%pitch", y, to);
    };
    const auto cells = [&](std::size_t o) { return results[o][static_cast<std::size_t>(y)]; };
    for (std::size_t o = 0; o < results.size(); ++o) store(t, at(o), cells(o));
    flag(t, "%row", pde_fill_rows);
    t.add(R"(
      add.s32 %r0, %y, $
      sub.s32 %r1, %ny, %halo
      setp.lt.s32 %below, %r0, %halo
      setp.ge.s32 %here, %r0, %r1
      or.pred %here, %here, %below
      and.pred %row, %row, %here
      @!%row bra middle$
      mad.lo.s32 %r1, %r0, -2, -1
      sub.s32 %r0, %ny, %r0
      mad.lo.s32 %r0, %r0, 2, -1
      selp.b32 %r0, %r1, %r0, %below
      sub.s32 %r1, 0, %ny
      selp.b32 %r1, %ny, %r1, %below)",
          y, y);
    flag(t, "%repeats", pde_periodic_y);
    t.add(R"(
      selp.b32 %r0, %r1, %r0, %repeats
      cvt.s64.s32 %offset, %r0
      mul.lo.s64 %offset, %offset, %pitch)");
    for (std::size_t o = 0; o < results.size(); ++o) store(t, t.address("add.s64", at(o), "%offset"), cells(o));
    t.add("middle$:", y);
  }

  const auto count = [](int of) { return "<" + std::to_string(of + 1) + ">"; };
  registers += "  .reg " + t.type + " %v" + count(t.values) + ";\n  .reg .f64 %w" + count(t.wides) +
               ";\n  .reg .b64 %a" + count(t.addresses) + ", %at, %pitch, %offset, %left, %right, %step;\n" +
               "  .reg .b32 %i" + count(t.integers) + ", %x, %y, %whole_y, %r0, %r1, %r2, %r3;\n  .reg .pred %p" +
               count(t.predicates) + ", %full, %edge, %row, %below, %here, %repeats, %periodic_x, %periodic_y;\n";
  const std::string text = ".visible .entry " + std::string(name) + "(" + arguments + ")\n.maxntid " +
                           std::to_string(pde_block_x * pde_block_y) + ", 1, 1\n{\n" + registers + computed + t.body +
                           "  ret;\n}\n";
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
