#include "kernels/base/formula.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/base/elementary.h"
#include "kernels/base/launch.h"

namespace simreel {
namespace {

// Calls `use` with the function of an operation. Functions of one or two operands ignore the others.
#define SIMREEL_CASE(name, expression)                                                                  \
  case FormulaOp::name: {                                                                               \
    struct Function {                                                                                   \
      static double of([[maybe_unused]] double a, [[maybe_unused]] double b, [[maybe_unused]] double c, \
                       [[maybe_unused]] std::uint64_t seed) {                                           \
        return expression;                                                                              \
      }                                                                                                 \
    };                                                                                                  \
    return use.template operator()<Function>();                                                         \
  }

double truth(bool condition) { return condition ? 1.0 : 0.0; }

double smooth(double from, double to, double x) {
  const double part = (x - from) / (to - from), within = part < 0 ? 0.0 : part > 1 ? 1.0 : part;
  return within * within * std::fma(-2.0, within, 3.0);
}

template <class Use>
auto with_function(FormulaOp op, const Use& use) {
  switch (op) {
    SIMREEL_CASE(negate, -a)
    SIMREEL_CASE(logical_not, truth(a == 0))
    SIMREEL_CASE(sin, exact::sin(a))
    SIMREEL_CASE(cos, exact::cos(a))
    SIMREEL_CASE(tan, exact::tan(a))
    SIMREEL_CASE(asin, exact::asin(a))
    SIMREEL_CASE(acos, exact::acos(a))
    SIMREEL_CASE(atan, exact::atan(a))
    SIMREEL_CASE(exp, exact::exp(a))
    SIMREEL_CASE(log, exact::log(a))
    SIMREEL_CASE(sqrt, std::sqrt(a))
    SIMREEL_CASE(tanh, exact::tanh(a))
    SIMREEL_CASE(abs, std::fabs(a))
    SIMREEL_CASE(floor, std::floor(a))
    SIMREEL_CASE(ceil, -std::floor(-a))
    SIMREEL_CASE(round, exact::round(a))
    SIMREEL_CASE(sign, exact::sign(a))
    SIMREEL_CASE(add, a + b)
    SIMREEL_CASE(subtract, a - b)
    SIMREEL_CASE(multiply, a * b)
    SIMREEL_CASE(divide, a / b)
    SIMREEL_CASE(pow, exact::pow(a, b))
    SIMREEL_CASE(mod, exact::mod(a, b))
    SIMREEL_CASE(min, b < a ? b : a)
    SIMREEL_CASE(max, a < b ? b : a)
    SIMREEL_CASE(hypot, exact::hypot(a, b))
    SIMREEL_CASE(atan2, exact::atan2(a, b))
    SIMREEL_CASE(step, b < a ? 0.0 : 1.0)
    SIMREEL_CASE(less, truth(a < b))
    SIMREEL_CASE(less_equal, truth(a <= b))
    SIMREEL_CASE(equal, truth(a == b))
    SIMREEL_CASE(unequal, truth(a != b))
    SIMREEL_CASE(logical_and, truth((a != 0) & (b != 0)))
    SIMREEL_CASE(logical_or, truth((a != 0) | (b != 0)))
    SIMREEL_CASE(noise, exact::noise(a, b, seed))
    SIMREEL_CASE(select, a != 0 ? b : c)
    SIMREEL_CASE(clamp, a < b ? b : c < a ? c : a)
    SIMREEL_CASE(mix, std::fma(c, b - a, a))
    SIMREEL_CASE(smoothstep, smooth(a, b, c))
  }
  return use.template operator()<void>();
}
#undef SIMREEL_CASE

// One step over the first values of its registers.
struct OverBlock {
  const FormulaStep& step;
  double* memory;
  int count;
  std::uint64_t seed;

  template <class Function>
  void operator()() const {
    if constexpr (!std::is_void_v<Function>) {
      const auto place = [this](std::uint16_t number) { return memory + std::ptrdiff_t{number} * formula_block; };
      double* const to = place(step.to);
      const double *const a = place(step.a), *const b = place(step.b), *const c = place(step.c);
      const std::uint64_t key = seed;
      SIMREEL_INDEPENDENT
      for (int i = 0; i < count; ++i) to[i] = Function::of(a[i], b[i], c[i], key);
    }
  }
};

struct Single {
  double a, b, c;
  std::uint64_t seed;

  template <class Function>
  double operator()() const {
    if constexpr (std::is_void_v<Function>)
      return 0;
    else
      return Function::of(a, b, c, seed);
  }
};

void run(const std::vector<FormulaStep>& steps, double* memory, int count, std::uint64_t seed) {
  for (const FormulaStep& step : steps) with_function(step.op, OverBlock{step, memory, count, seed});
}

}  // namespace

double formula_value(FormulaOp op, double a, double b, double c, std::uint64_t seed) {
  return with_function(op, Single{a, b, c, seed});
}

void formula_start(const FormulaProgram& program, std::vector<double>& memory) {
  memory.assign(static_cast<std::size_t>(program.registers) * formula_block, 0.0);
  for (const auto& [number, value] : program.constants)
    std::fill_n(memory.begin() + std::ptrdiff_t{number} * formula_block, formula_block, value);
}

void formula_row(const FormulaProgram& program, const FormulaRow& row, std::vector<double>& memory,
                 std::span<double> out) {
  double* const values = memory.data();
  const auto place = [values](int number) { return values + std::ptrdiff_t{number} * formula_block; };
  const int width = static_cast<int>(std::min<std::size_t>(out.size(), formula_block));
  const auto set = [&](int number, double value) {
    if (number >= 0) std::fill_n(place(number), width, value);
  };
  set(program.y, row.y);
  set(program.t, row.t);
  set(program.nx, row.nx);
  set(program.ny, row.ny);
  run(program.row, values, 1, row.seed);
  for (const FormulaStep& step : program.row) set(step.to, *place(step.to));
  for (std::size_t from = 0; from < out.size(); from += formula_block) {
    const int count = static_cast<int>(std::min<std::size_t>(formula_block, out.size() - from));
    if (program.x >= 0)
      for (int i = 0; i < count; ++i)
        place(program.x)[i] = row.x0 + static_cast<double>(from + static_cast<std::size_t>(i));
    run(program.block, values, count, row.seed);
    std::copy_n(place(program.result), count, out.begin() + static_cast<std::ptrdiff_t>(from));
  }
}

}  // namespace simreel
