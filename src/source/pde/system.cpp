#include "source/pde/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace simreel {
namespace {

constexpr unsigned everywhere = Formula::x | Formula::y | Formula::t;

}  // namespace

PdeSystem::PdeSystem(const PdeOptions& options, int nx, int ny, const Scene* scene)
    : expressions(nx, ny),
      options_(options),
      nx_(nx),
      ny_(ny),
      seed_(scene != nullptr ? scene->seed : 0),
      scene_(scene) {
  PdeNames names(options_, expressions, this);
  for (const PdeField& field : options_.fields) {
    if (field.algebraic) continue;
    const FormulaValue rate = names.parse(field.rate, everywhere);
    if (rate.im >= 0 && !field.complex)
      fail_in(field.rate, fmt::format("the rate of {} is complex; write type = \"complex\" for this field, or take "
                                      "re(...), im(...) or abs(...)",
                                      field.name));
    int noise = -1;
    if (field.noise.is_text)
      noise = names.parse_real(field.noise.text, everywhere, fmt::format("the noise of {}", field.name));
    else if (field.noise.number != 0)
      noise = expressions.constant(field.noise.number);
    parts.push_back({&field, false, rate.re, noise});
    if (field.complex) parts.push_back({&field, true, rate.im >= 0 ? rate.im : expressions.constant(0), noise});
    for (int part = 0; part < field.parts(); ++part)
      initial_.push_back(values(field.initial, part == 1, field.complex));
  }
  for (const PdeField& field : options_.fields) {
    std::string mistake;
    add_shown(field, names.field(field, mistake));
  }
  for (const PdeMeasure& measure : options_.measures)
    measures.push_back(names.parse_real(measure.formula, everywhere, fmt::format("the measure {}", measure.name)));
  for (const PdeParameter& parameter : options_.parameters) names.check(parameter);
  scene_ = nullptr;
}

int PdeSystem::stored_arrays() const {
  return stored.empty() ? 0 : stored.back().first + static_cast<int>(stored.back().values.size());
}

void PdeSystem::add_shown(const PdeField& field, FormulaValue value) {
  if (!field.complex) {
    shown.push_back({field.name, value.re, false, false});
    return;
  }
  shown.push_back({field.name + ".re", value.re, true, false});
  shown.push_back({field.name + ".im", value.im, true, false});
  shown.push_back({field.name + ".abs", expressions.apply(FormulaOp::hypot, value.re, value.im), false, false});
  shown.push_back({field.name + ".arg", expressions.apply(FormulaOp::atan2, value.im, value.re), true, true});
}

int PdeSystem::coefficient(const PdeParameter& parameter) {
  const auto known = std::ranges::find(coefficients_, &parameter.value, &Values::from);
  if (known != coefficients_.end()) return static_cast<int>(known - coefficients_.begin());
  if (coefficients_.size() >= static_cast<std::size_t>(pde_slots - pde_coefficients))
    parameter.value.keys.fail(parameter.value.key,
                              "there are more than {} parameters that change in space; write some of them out",
                              pde_slots - pde_coefficients);
  coefficients_.push_back(values(parameter.value, false, false));
  return static_cast<int>(coefficients_.size()) - 1;
}

PdeSystem::Values PdeSystem::values(const PdeValue& from, bool imaginary, bool complex) {
  Values values{&from, {}, GridValues(imaginary ? 0 : from.number)};
  if (from.is_formula()) {
    Expressions alone;
    PdeNames names(options_, alone);
    const FormulaValue value = names.parse(from.text, Formula::x | Formula::y);
    if (value.im >= 0 && !complex)
      fail_in(from.text, fmt::format("\"{}\" is complex here; take re(...), im(...) or abs(...)", from.key));
    const int root = !imaginary ? value.re : value.im >= 0 ? value.im : alone.constant(0);
    values.formula = Formula::of(alone, root, names.used(), from.text);
  } else if (from.is_text && !imaginary && scene_ != nullptr) {
    values.given = GridValues(from.text, from.keys, from.key, *scene_, options_.grid[0], options_.grid[1]);
  }
  return values;
}

void PdeSystem::row(const Values& values, int j, std::span<double> out) const {
  if (values.from->is_formula()) return values.formula.row({nx_, ny_, seed_}, 0, j, 0, out);
  const auto place = [](int cell, int cells, int of) { return (cell + 0.5) * of / cells - 0.5; };
  if (nx_ == options_.grid[0] && ny_ == options_.grid[1]) return values.given.row(j, out);
  for (int i = 0; i < nx_; ++i)
    out[static_cast<std::size_t>(i)] =
        values.given.at(place(i, nx_, options_.grid[0]), place(j, ny_, options_.grid[1]));
}

void PdeSystem::initial_row(std::size_t part, int j, std::span<double> out) const { row(initial_[part], j, out); }

void PdeSystem::coefficient_row(std::size_t coefficient, int j, std::span<double> out) const {
  row(coefficients_[coefficient], j, out);
}

void PdeSystem::check_values() const {
  std::vector<double> row(static_cast<std::size_t>(nx_));
  for (const auto* list : {&initial_, &coefficients_})
    for (const Values& values : *list) {
      if (!values.from->is_text) continue;
      for (int j = 0; j < ny_; ++j) {
        this->row(values, j, row);
        const auto bad = std::ranges::find_if(row, [](double value) { return !(std::fabs(value) < 1e38); });
        if (bad == row.end()) continue;
        const std::string message = fmt::format("the value at the cell [{}, {}] is {}", bad - row.begin(), j, *bad);
        if (values.from->is_formula()) fail_in(values.from->text, message);
        values.from->keys.fail(values.from->key, message);
      }
    }
}

std::vector<std::string> PdeSystem::files() const {
  std::vector<std::string> files;
  for (const auto* list : {&initial_, &coefficients_})
    for (const Values& values : *list)
      if (!values.given.file().empty()) files.push_back(values.given.file());
  return files;
}

std::size_t PdeSystem::host_bytes() const {
  std::size_t bytes = 0;
  for (const auto* list : {&initial_, &coefficients_})
    for (const Values& values : *list) bytes += values.given.bytes();
  return bytes;
}

}  // namespace simreel
