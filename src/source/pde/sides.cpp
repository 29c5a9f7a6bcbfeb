#include "source/pde/sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace simreel {
namespace {

using SideKind = PdeSideOptions::Kind;

Formula formula_of(const PdeSystem& system, const PdeField& field, std::size_t side, std::size_t which,
                   bool imaginary) {
  const PdeValue& from = field.sides[side].values[which];
  if (!from.is_text) return {};
  Expressions alone = system.expressions.alike();
  PdeNames names(system.options(), alone);
  const FormulaValue value = names.parse(from.text, (side < 2 ? Formula::y : Formula::x) | Formula::t);
  if (value.im >= 0 && (!field.complex || which == 1))
    fail_in(from.text, which == 1 ? std::string("b of a side is a real number; take re(...) or im(...)")
                                  : fmt::format("the {} side of {} is complex, and {} is real; take re(...) or im(...)",
                                                pde_side_names[side], field.name, field.name));
  const int root = !imaginary || which == 1 ? value.re : value.im >= 0 ? value.im : alone.constant(0);
  return Formula::of(alone, root, names.used(), from.text);
}

// Along the side.
std::vector<double> values_of(const PdeSystem& system, std::size_t side, const PdeValue& from, const Formula& formula,
                              double time) {
  const FormulaGrid grid{system.nx(), system.ny(), system.seed()};
  std::vector<double> values(static_cast<std::size_t>(side < 2 ? system.ny() : system.nx()), from.number);
  if (!from.is_text) return values;
  if (side >= 2)
    formula.row(grid, 0, 0, time, values);
  else if (!formula.uses(Formula::y))
    std::ranges::fill(values, formula.at(grid, 0, 0, time));
  else
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = formula.at(grid, 0, static_cast<double>(j), time);
  return values;
}

// From the k-th cell inside to the k-th outside.
double distance_of(const PdeSystem& system, int k) { return (2 * k + 1) * system.options().spacing; }

}  // namespace

void check_pde_side(const PdeSystem& system, const PdeField& field, std::size_t side) {
  const PdeSideOptions& options = field.sides[side];
  if (options.kind == SideKind::periodic || options.kind == SideKind::free) return;
  std::array<std::vector<double>, 2> values;
  for (std::size_t which = 0; which < 2; ++which) {
    const PdeValue& from = options.values[which];
    values[which] = values_of(system, side, from, formula_of(system, field, side, which, false), 0);
    const auto bad = std::ranges::find_if(values[which], [](double value) { return !std::isfinite(value); });
    if (bad != values[which].end())
      fail_in(from.text,
              fmt::format("it is {} at place {} along the side at time 0", *bad, bad - values[which].begin()));
  }
  if (options.kind != SideKind::mixed) return;
  constexpr int deepest = 16;  // cells outside
  for (const double b : values[1])
    for (int k = 0; k < deepest; ++k)
      if (1 + b * distance_of(system, k) / 2 == 0)
        field.keys.fail("boundary",
                        "mixed = [a, {:.6g}] has no value beyond the {} side with this spacing; b below 0 must not be "
                        "-2/((2 k + 1) spacing)",
                        b, pde_side_names[side]);
}

template <class Real>
PdeSideArrays<Real>::PdeSideArrays(const Executor& executor, const PdeSystem& system, const PdeField& field,
                                   bool imaginary, int halo)
    : system_(&system), field_(&field), imaginary_(imaginary), halo_(halo) {
  PdeSide<Real>* const given[] = {&given_.left, &given_.right, &given_.bottom, &given_.top};
  for (std::size_t i = 0; i < 4; ++i) {
    const PdeSideOptions& options = field.sides[i];
    if (options.kind == SideKind::periodic || options.kind == SideKind::free || halo == 0) continue;
    Side& side = sides_[i];
    for (std::size_t which = 0; which < 2; ++which) {
      side.formulas[which] = formula_of(system, field, i, which, imaginary);
      side.changes = side.changes || side.formulas[which].uses(Formula::t);
    }
    const auto cells = static_cast<std::size_t>(i < 2 ? system.ny() : system.nx());
    side.factor = Buffer<Real>(executor, cells * static_cast<std::size_t>(halo));
    side.offset = Buffer<Real>(executor, cells * static_cast<std::size_t>(halo));
    *given[i] = {side.factor.data(), side.offset.data(), cells};
    set(i, 0);
  }
}

template <class Real>
void PdeSideArrays<Real>::set(std::size_t i, double time) {
  const PdeSideOptions& options = field_->sides[i];
  Side& side = sides_[i];
  const auto cells = static_cast<std::size_t>(i < 2 ? system_->ny() : system_->nx());
  PdeValue first = options.values[0];
  if (imaginary_) first.number = 0;
  const std::vector<double> values = values_of(*system_, i, first, side.formulas[0], time),
                            slopes = values_of(*system_, i, options.values[1], side.formulas[1], time);
  std::vector<Real> factor, offset;
  for (int k = 0; k < halo_; ++k)
    for (std::size_t place = 0; place < cells; ++place) {
      const double distance = distance_of(*system_, k), value = values[place], b = slopes[place];
      double f = 1, o = distance * value;
      if (options.kind == SideKind::value) f = -1, o = 2 * value;
      if (options.kind == SideKind::mixed) {
        f = (1 - b * distance / 2) / (1 + b * distance / 2);
        o = value * distance / (1 + b * distance / 2);
      }
      factor.push_back(static_cast<Real>(f));
      offset.push_back(static_cast<Real>(o));
    }
  side.factor.upload(factor.data());
  side.offset.upload(offset.data());
}

template <class Real>
const PdeSides<Real>& PdeSideArrays<Real>::at(double time) {
  if (time != time_)
    for (std::size_t i = 0; i < 4; ++i)
      if (sides_[i].changes) set(i, time);
  time_ = time;
  return given_;
}

template <class Real>
std::size_t PdeSideArrays<Real>::bytes(const PdeSystem& system, int halo) {
  return 4 * sizeof(Real) * static_cast<std::size_t>(halo) * static_cast<std::size_t>(system.nx() + system.ny());
}

template class PdeSideArrays<float>;
template class PdeSideArrays<double>;

}  // namespace simreel
