#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/limits.h"
#include "base/text.h"
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
  for (const PdeField& field : options.fields) names_.names.push_back(field.name);
  for (const PdeParameter& parameter : options.parameters) names_.names.push_back(parameter.name);
  for (std::size_t i = 0; i < names_.names.size(); ++i) place_.try_emplace(names_.names[i], i);
  if (system != nullptr) names_.spacing = options.spacing;
  names_.nine = options.nine;
  if (system != nullptr && !options.obstacles.empty()) names_.open = [system](int node) { return system->open(node); };
  names_.find = [this](std::string_view name, std::string& mistake) { return find(name, mistake, allowed_); };
}
PdeNames::~PdeNames() = default;

FormulaValue PdeNames::parse(const PlacedText& text, unsigned allowed) {
  if (text.text.empty() && text.place.source.empty())
    return {expressions_.constant(0)};  // that it is missing was noted
  const unsigned outer = std::exchange(allowed_, allowed), outer_used = std::exchange(used_, 0);
  FormulaParser parser(text.text, text.place, allowed, expressions_, &names_);
  const FormulaValue value = parser.parse();
  options_.keys.remark(parser.remark());
  if (system_ != nullptr)
    for (const int node : {value.re, value.im})
      if (const int reach = node < 0 ? 0 : system_->reach(node); reach > static_cast<int>(limits::stencil_reach))
        fail_in(text, fmt::format("through its operators and fields this reads cells {} away, and at most {} can be; "
                                  "take fewer operators within each other",
                                  reach, limits::stencil_reach));
  allowed_ = outer;
  last_used_ = used_ | parser.used();
  used_ = last_used_ | outer_used;
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
  wrong_.insert(name);
  resolving_.clear();
}

std::optional<FormulaValue> PdeNames::find(std::string_view name, std::string& mistake, unsigned allowed) {
  const auto place = place_.find(name);
  if (place == place_.end()) return {};
  if (std::ranges::find(resolving_, name) != resolving_.end()) {
    mistake = fmt::format("is defined by itself: {} -> {}", fmt::join(resolving_, " -> "), name);
    return {};
  }
  const std::size_t fields = options_.fields.size();
  if (place->second < fields) return field(options_.fields[place->second], mistake);
  if (wrong_.contains(name)) return FormulaValue{expressions_.constant(0)};
  return parameter(place->second - fields, mistake, allowed);
}

FormulaValue PdeNames::field(const PdeField& field, std::string& mistake) {
  if (system_ == nullptr) {
    mistake = "is a field, which has no value here";
    return {};
  }
  if (const auto known = fields_.find(field.name); known != fields_.end()) return known->second;
  if (wrong_.contains(field.name)) return {expressions_.constant(0), field.complex ? expressions_.constant(0) : -1};
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
  fields_.emplace(field.name, value);
  return value;
}

// It is computed once then, in double precision.
bool PdeNames::changes_in_space_only(std::size_t index, unsigned allowed) {
  constexpr std::size_t most = std::size_t{1} << 17;  // of all parameters, more than a scene has room for
  if (!apart_) apart_ = std::make_unique<PdeApart>(options_, system_->expressions.alike(most));
  PdeNames& apart = apart_->names;
  apart.resolving_.clear();
  apart.names_.depth = names_.depth;
  try {
    std::string mistake;
    if (apart.parameter(index, mistake, allowed).im >= 0 || !mistake.empty()) return false;
  } catch (const UsageError&) {
    return false;  // it names a file; a mistake shows again
  }
  const unsigned used = apart.parameters_.at({index, allowed}).used;
  return (used & (Formula::x | Formula::y)) != 0 && (used & Formula::t) == 0;
}

FormulaValue PdeNames::parameter(std::size_t index, std::string& mistake, unsigned allowed) {
  const PdeParameter& parameter = options_.parameters[index];
  if (!parameter.used) parameter.used = true;
  if (!parameter.value.is_text) return {expressions_.constant(parameter.value.number)};
  if (parameter.value.is_file()) {
    if (system_ == nullptr) {
      mistake = fmt::format(
          "is the file {}, whose values only rates and values of fields can use; give a file of what is wanted here "
          "itself, as initial = {}",
          parameter.value.text.text, quote(parameter.value.text.text));
      return {};
    }
    return {expressions_.array(pde_coefficients + system_->coefficient(parameter))};
  }
  const std::pair key(index, allowed);
  if (const auto known = parameters_.find(key); known != parameters_.end()) {
    used_ |= known->second.used;
    return known->second.value;
  }
  resolving_.push_back(parameter.name);
  const bool stored = system_ != nullptr && changes_in_space_only(index, allowed);
  const FormulaValue value = stored
                                 ? FormulaValue{expressions_.array(pde_coefficients + system_->coefficient(parameter))}
                                 : parse(parameter.value.text, allowed);
  resolving_.pop_back();
  parameters_.emplace(key, Known{value, stored ? 0 : last_used_});
  return value;
}

}  // namespace simreel
