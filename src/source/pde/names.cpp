#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "formula/parser.h"
#include "source/pde/system.h"

namespace simreel {

void fail_in(const PlacedText& formula, const std::string& message) {
  fail_at(formula.text, formula.place, std::min(formula.text.find('='), formula.text.size()), message);
}

PdeNames::PdeNames(const PdeOptions& options, Expressions& expressions, PdeSystem* system)
    : options_(options), expressions_(expressions), system_(system) {
  names_.complex = true;
  names_.complex_fields = std::ranges::any_of(options.fields, &PdeField::complex);
  for (const PdeParameter& parameter : options.parameters) names_.names.push_back(parameter.name);
  for (const PdeField& field : options.fields) names_.names.push_back(field.name);
  if (system != nullptr) names_.spacing = options.spacing;
  names_.nine = options.nine;
  if (system != nullptr && !options.obstacles.empty()) names_.open = [system](int node) { return system->open(node); };
  names_.find = [this](std::string_view name, std::string& mistake) { return find(name, mistake, allowed_); };
}

FormulaValue PdeNames::parse(const PlacedText& text, unsigned allowed) {
  if (text.text.empty() && text.place.source.empty())
    return {expressions_.constant(0)};  // that it is missing was noted
  constexpr std::size_t deepest = 100;
  if (resolving_.size() > deepest)
    fail_in(text, fmt::format("more than {} names are defined by each other; write some of them out", deepest));
  const unsigned before = std::exchange(allowed_, allowed);
  FormulaParser parser(text.text, text.place, allowed, expressions_, &names_);
  const FormulaValue value = parser.parse();
  allowed_ = before;
  used_ |= parser.used();
  return value;
}

int PdeNames::parse_real(const PlacedText& text, unsigned allowed, std::string_view what) {
  const FormulaValue value = parse(text, allowed);
  if (value.im >= 0) fail_in(text, fmt::format("{} is complex here; take re(...), im(...) or abs(...)", what));
  return value.re;
}

void PdeNames::check(const PdeParameter& parameter) {
  if (parameter.value.is_file()) system_->values(parameter.value, false, false);  // opens it
  if (!parameter.value.is_formula()) return;
  resolving_.push_back(parameter.name);
  parse(parameter.value.text, Formula::x | Formula::y | Formula::t);
  resolving_.pop_back();
}

void PdeNames::give_up(std::string_view name) {
  wrong_.push_back(name);
  resolving_.clear();
}

FormulaValue PdeNames::find(std::string_view name, std::string& mistake, unsigned allowed) {
  if (std::ranges::find(resolving_, name) != resolving_.end()) {
    mistake = fmt::format("is defined by itself: {} -> {}", fmt::join(resolving_, " -> "), name);
    return {};
  }
  const auto field = std::ranges::find(options_.fields, name, &PdeField::name);
  if (field != options_.fields.end()) return this->field(*field, mistake);
  if (std::ranges::find(wrong_, name) != wrong_.end()) return {expressions_.constant(0)};
  const auto parameter = std::ranges::find(options_.parameters, name, &PdeParameter::name);
  return this->parameter(static_cast<std::size_t>(parameter - options_.parameters.begin()), mistake, allowed);
}

FormulaValue PdeNames::field(const PdeField& field, std::string& mistake) {
  if (system_ == nullptr) {
    mistake = "is a field, which has no value here";
    return {};
  }
  if (const auto known = std::ranges::find(fields_, field.name, &std::pair<std::string_view, FormulaValue>::first);
      known != fields_.end())
    return known->second;
  if (std::ranges::find(wrong_, field.name) != wrong_.end())
    return {expressions_.constant(0), field.complex ? expressions_.constant(0) : -1};
  FormulaValue value;
  if (!field.algebraic) {
    int part = 0;
    for (const PdeField& other : options_.fields) {
      if (&other == &field) break;
      if (!other.algebraic) part += other.parts();
    }
    value = {expressions_.array(part), field.complex ? expressions_.array(part + 1) : -1};
  } else {
    resolving_.push_back(field.name);
    value = parse(field.rate, Formula::x | Formula::y | Formula::t);
    resolving_.pop_back();
    if (value.im >= 0 && !field.complex)
      fail_in(field.rate, fmt::format("the value of {} is complex; write type = \"complex\" for this field, or take "
                                      "re(...), im(...) or abs(...)",
                                      field.name));
    if (field.complex && value.im < 0) value.im = expressions_.constant(0);
    if (field.own_sides) {
      const int first = system_->stored_arrays();
      system_->stored.push_back({&field, {value.re}, first});
      if (field.complex) system_->stored.back().values.push_back(value.im);
      value = {expressions_.array(pde_stored + first), field.complex ? expressions_.array(pde_stored + first + 1) : -1};
    }
  }
  fields_.emplace_back(field.name, value);
  return value;
}

// It is computed once then, in double precision.
bool PdeNames::changes_in_space_only(const PdeParameter& parameter, unsigned allowed) const {
  Expressions alone = system_->expressions.alike();
  PdeNames names(options_, alone);
  names.resolving_ = resolving_;
  try {
    if (names.parse(parameter.value.text, allowed).im >= 0) return false;
  } catch (const UsageError&) {
    return false;  // it names a file; a mistake shows again
  }
  return (names.used() & (Formula::x | Formula::y)) != 0 && (names.used() & Formula::t) == 0;
}

FormulaValue PdeNames::parameter(std::size_t index, std::string& mistake, unsigned allowed) {
  const PdeParameter& parameter = options_.parameters[index];
  if (!parameter.used) parameter.used = true;
  if (!parameter.value.is_text) return {expressions_.constant(parameter.value.number)};
  if (parameter.value.is_file()) {
    if (system_ == nullptr) {
      mistake = fmt::format("is the file {}, which has no value here", parameter.value.text.text);
      return {};
    }
    return {expressions_.array(pde_coefficients + system_->coefficient(parameter))};
  }
  const std::pair key(index, allowed);
  if (const auto known = parameters_.find(key); known != parameters_.end()) return known->second;
  resolving_.push_back(parameter.name);
  const bool stored = system_ != nullptr && changes_in_space_only(parameter, allowed);
  const FormulaValue value = stored
                                 ? FormulaValue{expressions_.array(pde_coefficients + system_->coefficient(parameter))}
                                 : parse(parameter.value.text, allowed);
  resolving_.pop_back();
  parameters_.emplace(key, value);
  return value;
}

}  // namespace simreel
