#include "source/pde/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/limits.h"
#include "base/text.h"

namespace simreel {
namespace {

constexpr unsigned everywhere = Formula::x | Formula::y | Formula::t;

// Of `few` cells that are spread over all, or are in the middle of them.
Expressions::Axis axis_of(int all, int few, bool middle) {
  const double scale = static_cast<double>(all) / few;
  return middle ? Expressions::Axis{1.0, static_cast<double>((all - few) / 2)}
                : Expressions::Axis{scale, 0.5 * scale - 0.5};
}

}  // namespace

PdeSystem::PdeSystem(const PdeOptions& options, int nx, int ny, const Scene* scene, bool middle)
    : expressions(options.grid, axis_of(options.grid[0], nx, middle), axis_of(options.grid[1], ny, middle)),
      options_(options),
      nx_(nx),
      ny_(ny),
      seed_(scene != nullptr ? scene->seed : 0),
      scene_(scene) {
  PdeNames names(options_, expressions, this);
  // Where mistakes are collected, each is one, and what has it is 0 in the rest.
  Table keys = options_.keys;
  const auto note = [&](std::string_view name, const auto& read) {
    bool right = false;
    keys.note([&] {
      read();
      right = true;
    });
    if (!right) names.give_up(name);
  };
  for (const PdeParameter& parameter : options_.parameters) note(parameter.name, [&] { names.check(parameter); });
  for (const PdeField& field : options_.fields) {
    std::string mistake;
    if (field.algebraic) note(field.name, [&] { names.field(field, mistake); });
  }
  for (const PdeField& field : options_.fields) {
    if (field.algebraic) continue;
    note("", [&] {
      for (int part = 0; part < field.parts(); ++part)
        initial_.push_back(values(field.initial, part == 1, field.complex));
    });
    note("", [&] { add_parts(field, names); });
  }
  for (const PdeField& field : options_.fields) {
    std::string mistake;
    note("", [&] { add_shown(field, names.field(field, mistake)); });
  }
  for (const PdeMeasure& measure : options_.measures)
    note("", [&] {
      const int node = names.parse_real(measure.formula, everywhere, fmt::format("the measure {}", measure.name));
      constexpr double infinity = std::numeric_limits<double>::infinity();
      measures.push_back(in_fluid(node, measure.kind == PdeMeasure::Kind::min   ? infinity
                                        : measure.kind == PdeMeasure::Kind::max ? -infinity
                                                                                : 0));
    });
  note("", [&] { hold(names); });
  scene_ = nullptr;
  apart_.reset();
}

void PdeSystem::add_parts(const PdeField& field, PdeNames& names) {
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
  noise = noise < 0 ? -1 : in_fluid(noise);
  parts.push_back({&field, false, in_fluid(rate.re), noise, {}});
  if (field.complex)
    parts.push_back({&field, true, in_fluid(rate.im >= 0 ? rate.im : expressions.constant(0)), noise, {}});
}

// What obstacles hold.
void PdeSystem::hold(PdeNames& names) {
  for (std::size_t n = 0; n < options_.obstacles.size(); ++n)
    for (const PdeObstacle::Held& held : options_.obstacles[n].held)
      for (std::size_t part = 0; part < parts.size(); ++part) {
        const PdeField& field = *parts[part].field;
        if (&field != &options_.fields[held.field]) continue;
        const bool imaginary = parts[part].imaginary;
        held_.push_back({part, static_cast<std::int8_t>(-1 - static_cast<int>(n)),
                         values(held.value, imaginary, field.complex, everywhere)});
        if (!held_.back().values.formula.uses(Formula::t)) continue;
        const FormulaValue value = names.parse(held.value.text, everywhere);
        std::vector<bool> blocks(options_.obstacles.size());
        blocks[n] = true;
        parts[part].held.push_back({open_but(blocks), !imaginary      ? value.re
                                                      : value.im >= 0 ? value.im
                                                                      : expressions.constant(0)});
      }
}

int PdeSystem::open(int node) {
  if (options_.obstacles.empty()) return -1;
  std::vector<std::uint32_t> bit_of_part;
  for (std::size_t f = 0; f < options_.fields.size(); ++f)
    if (!options_.fields[f].algebraic)
      bit_of_part.insert(bit_of_part.end(), static_cast<std::size_t>(options_.fields[f].parts()), 1U << f);
  while (fields_of_.size() <= static_cast<std::size_t>(node)) {
    const Expressions::Node& n = expressions.node(static_cast<int>(fields_of_.size()));
    std::uint32_t fields = 0;
    for (const int operand : {n.a, n.b, n.c})
      if (operand >= 0) fields |= fields_of_[static_cast<std::size_t>(operand)];
    if (n.kind == Expressions::Kind::array && n.index < pde_stored)
      fields = bit_of_part[static_cast<std::size_t>(n.index)];
    else if (n.kind == Expressions::Kind::array && n.index < pde_coefficients)
      for (const Stored& one : stored)
        for (std::size_t i = 0; i < one.values.size(); ++i)
          if (n.index == pde_stored + one.first + static_cast<int>(i))
            fields = fields_of_[static_cast<std::size_t>(one.values[i])];
    fields_of_.push_back(fields);
  }
  std::vector<bool> blocks;
  for (const PdeObstacle& obstacle : options_.obstacles) {
    bool blocked = false;
    for (std::size_t f = 0; f < options_.fields.size(); ++f)
      blocked = blocked || ((fields_of_[static_cast<std::size_t>(node)] >> f & 1) != 0 && !obstacle.holds(f));
    blocks.push_back(blocked);
  }
  return open_but(blocks);
}

int PdeSystem::reach(int node) {
  while (reaches_.size() <= static_cast<std::size_t>(node)) {
    const Expressions::Node& n = expressions.node(static_cast<int>(reaches_.size()));
    int reach = 0;
    const auto add = [&](int of) { reach = std::max(reach, reaches_[static_cast<std::size_t>(of)]); };
    for (const int operand : {n.a, n.b, n.c})
      if (operand >= 0) add(operand);
    for (const Stored& one : stored)
      if (n.kind == Expressions::Kind::array && n.index - pde_stored - one.first >= 0 &&
          n.index - pde_stored - one.first < static_cast<int>(one.values.size()))
        std::ranges::for_each(one.values, add);
    reach += std::max(std::abs(n.ox), std::abs(n.oy));
    if (n.kind == Expressions::Kind::difference && n.difference != Expressions::Difference::shift)
      reach += n.difference == Expressions::Difference::bilaplacian ? 2 : 1;
    reaches_.push_back(reach);
  }
  return reaches_[static_cast<std::size_t>(node)];
}

int PdeSystem::open_but(const std::vector<bool>& blocks) {
  if (std::ranges::find(blocks, true) == blocks.end()) return -1;
  static const PdeValue none;
  auto known = std::ranges::find(coefficients_, blocks, &Values::blocks);
  if (known == coefficients_.end()) {
    coefficients_.push_back({&none, {}, GridValues(1), blocks});
    known = coefficients_.end() - 1;
  }
  return expressions.array(pde_coefficients + static_cast<int>(known - coefficients_.begin()));
}

int PdeSystem::in_fluid(int node, double elsewhere) {
  const int open = open_but(std::vector<bool>(options_.obstacles.size(), true));
  return open < 0 ? node : expressions.apply(FormulaOp::select, open, node, expressions.constant(elsewhere));
}

std::int8_t PdeSystem::cell(int x, int y) const {
  const auto cell = [](double place) { return static_cast<std::size_t>(place + 0.5); };
  return options_.solids
      ->cell[cell(expressions.y().at(y)) * static_cast<std::size_t>(options_.grid[0]) + cell(expressions.x().at(x))];
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
  shown.push_back({field.name + ".arg", expressions.apply(FormulaOp::atan2, value.im, value.re), false, true});
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

PdeSystem::Values PdeSystem::values(const PdeValue& from, bool imaginary, bool complex, unsigned allowed) {
  Values values{&from, {}, GridValues(imaginary ? 0 : from.number), {}};
  if (from.is_formula()) {
    // What formulas have in common is parsed once, until there is much of it.
    constexpr std::size_t most = limits::formula_parts;
    if (!apart_ || apart_->expressions.size() > most)
      apart_ = std::make_unique<PdeApart>(options_, Expressions(2 * most));
    Expressions& alone = apart_->expressions;
    PdeNames& names = apart_->names;
    const FormulaValue value = names.parse(from.text, allowed);
    if (value.im >= 0 && !complex)
      fail_in(from.text, fmt::format("\"{}\" is complex here; take re(...), im(...) or abs(...)", from.key));
    const int root = !imaginary ? value.re : value.im >= 0 ? value.im : alone.constant(0);
    values.formula = Formula::of(alone, root, names.used(), from.text);
  } else if (from.is_text && !imaginary && scene_ != nullptr) {
    if (!from.opened)
      from.opened = GridValues(from.text, from.keys, from.key, *scene_, options_.grid[0], options_.grid[1]);
    values.given = *from.opened;
  }
  return values;
}

void PdeSystem::row(const Values& values, int j, std::span<double> out, int from) const {
  const auto each = [&](const auto& value) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = value(from + static_cast<int>(i));
  };
  if (!values.blocks.empty())
    return each([&](int i) {
      const std::int8_t solid = cell(i, j);
      return solid < 0 && values.blocks[static_cast<std::size_t>(-1 - solid)] ? 0.0 : 1.0;
    });
  const auto [nx, ny] = options_.grid;
  const bool formula = values.from->is_formula();
  if (nx_ == nx && ny_ == ny)
    return formula ? values.formula.row({nx, ny, seed_}, from, j, 0, out) : values.given.row(j, out, from);
  each([&, nx = nx, ny = ny](int i) {
    const double x = expressions.x().at(i), y = expressions.y().at(j);
    return formula ? values.formula.at({nx, ny, seed_}, x, y, 0) : values.given.at(x, y);
  });
}

void PdeSystem::initial_row(std::size_t part, int j, std::span<double> out) const {
  row(initial_[part], j, out);
  for (const Held& held : held_) {
    if (held.part != part) continue;
    for (int i = 0, end = 0; i < nx_; i = std::max(i + 1, end)) {  // its cells that follow each other
      for (end = i; end < nx_ && cell(end, j) == held.cell;) ++end;
      row(held.values, j, out.subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(end - i)), i);
    }
  }
}

void PdeSystem::coefficient_row(std::size_t coefficient, int j, std::span<double> out) const {
  row(coefficients_[coefficient], j, out);
}

template <class Use>
void PdeSystem::for_values(const Use& use) const {
  for (const auto* list : {&initial_, &coefficients_})
    for (const Values& values : *list) use(values);
  for (const Held& held : held_) use(held.values);
}

void PdeSystem::check_values(Effort& effort) const {
  std::vector<double> row;
  for_values([&](const Values& values) {
    if (!values.from->is_text) return;
    const double cost = values.from->is_formula() ? values.formula.cost() : values.given.cost();
    look_over(nx_, ny_, effort.share(look_cost(nx_, ny_, cost)), [&](int j, int from, int count) {
      row.resize(static_cast<std::size_t>(count));
      this->row(values, j, row, from);
      const auto bad = std::ranges::find_if(row, [](double value) { return !(std::fabs(value) < 1e38); });
      if (bad == row.end()) return;
      const std::string message =
          fmt::format("the value at the cell [{}, {}] is {}", from + (bad - row.begin()), j, *bad);
      if (values.from->is_formula()) fail_in(values.from->text, message);
      values.from->keys.fail(values.from->key, message);
    });
  });
}

std::vector<std::string> PdeSystem::files() const {
  std::vector<std::string> files;
  for_values([&](const Values& values) {
    if (!values.given.file().empty()) files.push_back(values.given.file());
  });
  return files;
}

std::size_t PdeSystem::host_bytes() const {
  std::size_t bytes = options_.solids ? options_.solids->cell.size() + options_.solids->outline.bytes : 0;
  for_values([&](const Values& values) { bytes += values.given.bytes(); });
  return bytes;
}

}  // namespace simreel
