#include "source/pde/sides.h"

#include <fmt/format.h>

#include <algorithm>

namespace simreel {
namespace {

using SideKind = PdeSideOptions::Kind;

}  // namespace

Formula pde_side_formula(const PdeSystem& system, const PdeField& field, std::size_t side, bool imaginary) {
  const PdeSideOptions& options = field.sides[side];
  if (!options.value.is_text) return {};
  Expressions alone(system.nx(), system.ny());
  PdeNames names(system.options(), alone);
  const FormulaValue value = names.parse(options.value.text, (side < 2 ? Formula::y : Formula::x) | Formula::t);
  if (value.im >= 0 && !field.complex)
    fail_in(options.value.text, fmt::format("the {} side of {} is complex, and {} is real; take re(...) or im(...)",
                                            pde_side_names[side], field.name, field.name));
  const int root = !imaginary ? value.re : value.im >= 0 ? value.im : alone.constant(0);
  return Formula::of(alone, root, names.used(), options.value.text);
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
    side.formula = pde_side_formula(system, field, i, imaginary);
    side.changes = side.formula.uses(Formula::t);
    const auto cells = static_cast<std::size_t>(i < 2 ? system.ny() : system.nx());
    side.factor = Buffer<Real>(executor, cells * static_cast<std::size_t>(halo));
    side.offset = Buffer<Real>(executor, cells * static_cast<std::size_t>(halo));
    *given[i] = {side.factor.data(), side.offset.data(), cells};
    side.number = imaginary ? 0 : options.value.number;
    set(i, 0);
  }
}

template <class Real>
void PdeSideArrays<Real>::set(std::size_t i, double time) {
  const PdeSideOptions& options = field_->sides[i];
  Side& side = sides_[i];
  const FormulaGrid grid{system_->nx(), system_->ny(), 0};
  const auto cells = static_cast<std::size_t>(i < 2 ? system_->ny() : system_->nx());
  std::vector<double> values(cells, side.number);
  if (options.value.is_text) {
    if (i >= 2) {
      side.formula.row(grid, 0, 0, time, values);
    } else if (!side.formula.uses(Formula::y)) {
      std::ranges::fill(values, side.formula.at(grid, 0, 0, time));
    } else {
      for (std::size_t j = 0; j < cells; ++j) values[j] = side.formula.at(grid, 0, static_cast<double>(j), time);
    }
  }
  std::vector<Real> factor, offset;
  const double h = system_->options().spacing;
  for (int k = 0; k < halo_; ++k)
    for (const double value : values) {
      const double distance = (2 * k + 1) * h;  // from the k-th cell inside to the k-th outside
      double f = 1, o = distance * value;
      if (options.kind == SideKind::value) f = -1, o = 2 * value;
      if (options.kind == SideKind::mixed) {
        const double a = imaginary_ ? 0 : options.mixed[0], b = options.mixed[1];
        f = (1 - b * distance / 2) / (1 + b * distance / 2);
        o = a * distance / (1 + b * distance / 2);
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
