#include "source/pde/sides.h"

#include <fmt/format.h>

#include <cmath>

#include "base/limits.h"

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

int cells_of(const PdeSystem& system, std::size_t side) { return side < 2 ? system.ny() : system.nx(); }

// At so many places along the side from `first` on, which may lie beyond its ends.
std::vector<double> values_of(const PdeSystem& system, std::size_t side, const PdeValue& from, const Formula& formula,
                              double time, int first, int count) {
  const FormulaGrid grid{system.nx(), system.ny(), system.seed()};
  std::vector<double> values(static_cast<std::size_t>(count), from.number);
  if (!from.is_text) return values;
  if (side >= 2)
    formula.row(grid, first, 0, time, values);
  else if (!formula.uses(Formula::y))
    std::ranges::fill(values, formula.at(grid, 0, 0, time));
  else
    for (std::size_t j = 0; j < values.size(); ++j)
      values[j] = formula.at(grid, 0, first + static_cast<double>(j), time);
  return values;
}

int wrapped(int place, int count) { return (place % count + count) % count; }

// From the k-th cell inside to the k-th outside.
double distance_of(const PdeSystem& system, int k) { return (2 * k + 1) * system.options().spacing; }

}  // namespace

void check_pde_side(const PdeSystem& system, const PdeField& field, std::size_t side, const Scene* scene) {
  const PdeSideOptions& options = field.sides[side];
  if (options.kind == SideKind::periodic || options.kind == SideKind::free) return;
  std::array<std::vector<double>, 2> values;
  for (std::size_t which = 0; which < 2; ++which) {
    const PdeValue& from = options.values[which];
    const Formula formula = formula_of(system, field, side, which, false);
    const int cells = cells_of(system, side);
    const double cost = side < 2 ? look_cost(1, cells, formula.cost()) : look_cost(cells, 1, formula.cost());
    Effort little(2e7, 0);
    const double share = (scene != nullptr ? *scene->effort : little).share(cost);
    values[which] = values_of(system, side, from, formula, 0, 0, std::max(1, static_cast<int>(cells * share)));
    const auto bad = std::ranges::find_if(values[which], [](double value) { return !std::isfinite(value); });
    if (bad != values[which].end())
      fail_in(from.text,
              fmt::format("it is {} at place {} along the side at time 0", *bad, bad - values[which].begin()));
  }
  if (options.kind != SideKind::mixed) return;
  for (const double b : values[1])
    for (int k = 0; k < static_cast<int>(limits::stencil_reach); ++k)
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
    const int beyond = i < 2 ? 0 : halo;
    const auto stride = static_cast<std::size_t>(cells_of(system, i) + 2 * beyond);
    side.factor = Buffer<Real>(executor, stride * static_cast<std::size_t>(halo));
    side.offset = Buffer<Real>(executor, stride * static_cast<std::size_t>(halo));
    *given[i] = {side.factor.data() + beyond, side.offset.data() + beyond, stride};
    set(i, 0);
  }
}

template <class Real>
void PdeSideArrays<Real>::set(std::size_t i, double time) {
  const PdeSideOptions& options = field_->sides[i];
  Side& side = sides_[i];
  const int cells = cells_of(*system_, i), beyond = i < 2 ? 0 : halo_;
  PdeValue value_or_slope = options.values[0];
  if (imaginary_) value_or_slope.number = 0;
  const auto along = [&](const PdeValue& from, const Formula& formula) {
    return values_of(*system_, i, from, formula, time, -beyond, cells + 2 * beyond);
  };
  const std::vector<double> values = along(value_or_slope, side.formulas[0]),
                            slopes = along(options.values[1], side.formulas[1]);
  const auto rule = [&](int k, int place) -> std::array<double, 2> {
    const auto at = static_cast<std::size_t>(place + beyond);
    const double distance = distance_of(*system_, k), value = values[at], b = slopes[at];
    if (options.kind == SideKind::value) return {-1, 2 * value};
    if (options.kind == SideKind::slope) return {1, distance * value};
    return {(1 - b * distance / 2) / (1 + b * distance / 2), value * distance / (1 + b * distance / 2)};
  };
  std::vector<Real> factor, offset;
  for (int k = 0; k < halo_; ++k)
    for (int place = -beyond; place < cells + beyond; ++place) {
      const bool inside = place >= 0 && place < cells;
      std::array<double, 2> here = rule(k, inside || !system_->options().periodic_x() ? place : wrapped(place, cells));
      // Where a formula has no value beyond the grid, that of the nearest place.
      if (!inside && !(std::isfinite(here[0]) && std::isfinite(here[1])))
        here = rule(k, std::clamp(place, 0, cells - 1));
      factor.push_back(static_cast<Real>(here[0]));
      offset.push_back(static_cast<Real>(here[1]));
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
  return 4 * sizeof(Real) * static_cast<std::size_t>(halo) *
         static_cast<std::size_t>(system.nx() + system.ny() + 2 * halo);
}

template class PdeSideArrays<float>;
template class PdeSideArrays<double>;

}  // namespace simreel
