#include "kernels/base/formula.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "kernels/base/formula_value.h"
#include "kernels/base/launch.h"

namespace simreel {
namespace {

// One step over the first values of its registers.
template <FormulaOp op>
void over_block(const FormulaStep& step, double* memory, int count, std::uint64_t seed) {
  const auto place = [memory](std::uint16_t number) { return memory + std::ptrdiff_t{number} * formula_block; };
  double* const to = place(step.to);
  const double *const a = place(step.a), *const b = place(step.b), *const c = place(step.c);
  SIMREEL_INDEPENDENT
  for (int i = 0; i < count; ++i) to[i] = formula_apply<op>(a[i], b[i], c[i], seed);
}

constexpr auto all_over_block = []<std::size_t... number>(std::index_sequence<number...>) {
  return std::array{&over_block<static_cast<FormulaOp>(number)>...};
}
(std::make_index_sequence<formula_ops>());

void run(const std::vector<FormulaStep>& steps, double* memory, int count, std::uint64_t seed) {
  for (const FormulaStep& step : steps) all_over_block[static_cast<std::size_t>(step.op)](step, memory, count, seed);
}

}  // namespace

double formula_value(FormulaOp op, double a, double b, double c, std::uint64_t seed) {
  return formula_apply(op, a, b, c, seed);
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
