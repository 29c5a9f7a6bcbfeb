#include "source/pde/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <utility>

#include "base/numbers.h"
#include "base/text.h"
#include "formula/formula.h"
#include "formula/names.h"

namespace simreel {
namespace {

using Side = PdeSideOptions;
constexpr std::string_view side_kinds[] = {"periodic", "free"};
constexpr std::string_view laplacians[] = {"five", "nine"};
constexpr std::string_view types[] = {"real", "complex"};
constexpr std::string_view automatic[] = {"auto"};
constexpr std::string_view formula_form = "a formula \"= ...\"";

PdeValue read_value(Table& keys, std::string_view key, KeyText meaning, std::string_view form, bool files = false) {
  PdeValue value;
  value.keys = keys;
  value.key = key;
  value.is_text = keys.read_number_or_text(key, value.number, value.text, form, meaning);
  if (!value.is_text || value.is_formula()) return value;
  if (!files || !is_values_text(value.text.text))
    keys.fail(key, "{} is not a formula; a formula begins with =, as \"= {}\"", quote(shorten(value.text.text, 40)),
              shorten(value.text.text, 40));
  return value;
}

// A number is the formula of that number.
void read_formula(Table& keys, std::string_view key, PlacedText& text, KeyText meaning) {
  double number = 0;
  if (!keys.read_number_or_text(key, number, text, formula_form, meaning) && keys.has(key))
    text = {fmt::format("= {}", number), keys.position(key)};
}

// What other programs call the sides, and numbers, which may be values or slopes.
void explain_side(const Table& keys, std::string_view key, std::string_view side) {
  const std::optional<std::string> given = keys.text_of(key);
  if (!given) return;
  if (parse_number<double>(*given))
    keys.fail(
        key,
        "a number may be a value or a slope of the field at a side: {0} = {{ value = {1} }} or {0} = {{ slope = {1} }}",
        side, *given);
  constexpr std::pair<std::string_view, std::string_view> elsewhere[] = {
      {"dirichlet fixed value", "{ value = 0 }"},
      {"neumann flux slope", "{ slope = 0 }, or \"free\""},
      {"robin mixed", "{ mixed = [0, 1] }"},
      {"noflux no_flux no-flux zero_flux zero-flux insulated insulating reflecting reflective mirror wall", "\"free\""},
      {"cyclic wrap", "\"periodic\""}};
  for (const auto& [theirs, ours] : elsewhere)
    if (is_among(lower_case(*given), theirs)) keys.fail(key, "{} is written {} = {}", quote(*given), side, ours);
}

void check_name(const Table& keys, const std::string& name, std::string_view what) {
  if (name.empty() || !begins_name(name[0]) ||
      !std::ranges::all_of(name, [](char c) { return begins_name(c) || is_digit(c); }))
    keys.fail(name, "{} is not a valid name for a {}; a name has letters, digits and _, and begins with a letter",
              quote(shorten(name, 40)), what);
  if (is_formula_word(name))
    keys.fail(name, "{} has a meaning in every formula; choose another name for this {}", quote(name), what);
}

std::array<Side, 4> read_sides(Table& keys, const std::array<Side, 4>& before, bool of_all) {
  std::array<Side, 4> sides = before;
  if (!keys.has_table("boundary")) {
    explain_side(keys, "boundary", "boundary.left");
    int kind = 0;
    keys.choose("boundary", kind, side_kinds,
                {of_all ? "what lies beyond the sides of all fields: periodic, the opposite side; free, the mirror "
                          "image, so that nothing flows through; or a table by side"
                        : "the sides of this field, where they differ from those in [solver]",
                 of_all ? "\"periodic\"" : "those in [solver]", "\"periodic\""});
    if (keys.has("boundary")) {
      for (Side& side : sides) side = Side(), side.kind = static_cast<Side::Kind>(kind), side.named = true;
      return sides;
    }
  }
  const bool given = keys.has_table("boundary");
  Table table = keys.table("boundary", "sides of different kinds");
  if (given && of_all)
    for (Side& side : sides) side.kind = Side::Kind::free, side.named = true;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string_view name = pde_side_names[i];
    Side side = sides[i];
    const bool values = table.has_table(name);
    if (!values) {
      explain_side(table, name, name);
      int kind = 0;
      table.choose(name, kind, side_kinds,
                   {"periodic or free; or a table: { value = 0 }, { slope = 0 } or { mixed = [0, 1] }",
                    of_all ? "free, where boundary is a table; else periodic" : "as in [solver]", "\"free\""});
      if (table.has(name)) side = Side(), side.kind = static_cast<Side::Kind>(kind), side.named = true;
    }
    if (values || !table.has(name)) {
      Table one = table.table(name, "what a field is at this side, of numbers or formulas of the place along it and t");
      const bool along_y = i < 2;
      const std::string_view form = along_y ? "a formula \"= ...\" of y and t" : "a formula \"= ...\" of x and t";
      PdeValue value = read_value(one, "value", {"value of the field at the side", "unset", "0"}, form);
      PdeValue slope =
          read_value(one, "slope", {"derivative of the field along the outward normal", "unset", "0"}, form);
      std::array<double, 2> mixed = {0, 1};
      const bool both = one.has_table("mixed");
      if (!both)
        one.read("mixed", mixed, {"[a, b]: the derivative along the outward normal is a - b u", "unset", "[0, 1]"});
      Table parts;
      if (both || !one.has("mixed"))
        parts = one.table("mixed", "the same a and b, as numbers or formulas of the place along the side and t");
      const std::array<PdeValue, 2> formulas = {read_value(parts, "a", {"a in a - b u", "0", "1"}, form),
                                                read_value(parts, "b", {"b in a - b u", "0", "0.5"}, form)};
      const int count = one.has("value") + one.has("slope") + one.has("mixed");
      if (values && count != 1)
        table.fail(name, "a side has one of value, slope and mixed; for example {} = {{ value = 0 }}", name);
      if (values) {
        side.kind = one.has("value") ? Side::Kind::value : one.has("slope") ? Side::Kind::slope : Side::Kind::mixed;
        side.values = {one.has("value") ? value : slope, PdeValue()};
        if (one.has("mixed")) {
          side.values = formulas;
          if (!both)
            for (std::size_t k = 0; k < 2; ++k) side.values[k].number = mixed[k];
        }
        side.named = true;
      }
    }
    sides[i] = side;
  }
  return sides;
}

// Along an axis of which the scene names a side that is not periodic, sides that it does not name are free.
void settle_sides(PdeOptions& o) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    const auto open = [&](const PdeField& field) {
      return std::ranges::any_of(std::span(field.sides).subspan(i, 2),
                                 [](const Side& side) { return side.named && side.kind != Side::Kind::periodic; });
    };
    if (std::ranges::none_of(o.fields, open)) continue;
    const auto settle = [&](std::array<Side, 4>& sides) {
      for (Side& side : std::span(sides).subspan(i, 2))
        if (!side.named) side.kind = Side::Kind::free;
    };
    settle(o.sides);
    for (PdeField& field : o.fields) settle(field.sides);
  }
}

void check_periodic(const Table& keys, const std::array<Side, 4>& sides, const PdeOptions& o, std::string_view whose) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    const bool first = sides[i].kind == Side::Kind::periodic, second = sides[i + 1].kind == Side::Kind::periodic;
    if (first != second)
      keys.fail("boundary", "\"{}\" and \"{}\"{} must both be periodic, or neither", pde_side_names[i],
                pde_side_names[i + 1], whose);
    if (first != (i == 0 ? o.periodic_x() : o.periodic_y()))
      keys.fail("boundary",
                "\"{}\" and \"{}\" must be periodic for all fields, or for none; write so in boundary of [solver]",
                pde_side_names[i], pde_side_names[i + 1]);
  }
}

PdeField read_field(Table& all, const std::string& name, const PdeOptions& o) {
  PdeField field;
  field.name = name;
  Table keys = all.table(name, "a field: its rate, and what it is at step 0; or its value");
  field.keys = keys;
  int type = 0;
  keys.choose("type", type, types, "type of its values");
  field.complex = type == 1;
  read_formula(keys, "rate", field.rate,
               {"du/dt as a formula \"= ...\" of fields, parameters, x, y and t: docs/solvers/pde.md",
                "required, or value", "\"= lap(u)\""});
  PlacedText value;
  read_formula(keys, "value", value,
               {"instead of rate: the field is this formula at every moment", "unset", "\"= 2*x\""});
  field.algebraic = keys.has("value");
  if (field.algebraic && keys.has("rate")) keys.fail("value", "a field has a rate or a value; leave one of them out");
  if (field.algebraic) {
    field.rate = value;
    keys.refuse_without("a rate", "initial");
    keys.refuse_without("a rate", "noise");
  } else {
    keys.require("rate", "rate = \"= lap(u)\"");
    keys.require("initial", "initial = \"= exp(-(r/10)^2)\"");
  }
  field.initial = read_value(keys, "initial", {"the field at step 0", "required for a rate", "0"}, values_form, true);
  field.noise = read_value(keys, "noise",
                           {"amplitude of white noise: each step adds this times sqrt(timestep) times a random number "
                            "of mean 0 and variance 1 to each cell; scheme = \"euler\" only",
                            "none", "0.01"},
                           formula_form);
  if (keys.has("noise") && o.scheme != PdeSchemeKind::euler)
    keys.fail("noise", "noise is for scheme = \"euler\"; the other schemes gain no accuracy with it");
  field.own_sides = keys.has("boundary");
  field.sides = read_sides(keys, o.sides, false);
  return field;
}

void read_pde_obstacles(Table& keys, PdeOptions& o) {
  o.shapes = read_obstacles(keys, o.grid[0], o.grid[1],
                            "solid cells, which hold fields at values, or let nothing of them through; where two "
                            "overlap the later one counts",
                            false);
  for (ObstacleOptions& shape : o.shapes) {
    PdeObstacle& obstacle = o.obstacles.emplace_back();
    Table hold = shape.keys.table(
        "hold", "fields that have a value in this obstacle; through its border nothing of the others flows");
    for (const std::string& name : hold.names("u")) {
      const PdeValue value = read_value(hold, name,
                                        {"any field with a rate: its value in these cells, a number, a formula of x, y "
                                         "and t, a grey image, or a .npy file",
                                         "nothing flows through", "1"},
                                        "a formula \"= ...\" of x, y and t, a grey image, or a .npy file", true);
      const auto field = std::ranges::find(o.fields, name, &PdeField::name);
      if (field == o.fields.end() && !o.fields.empty()) {
        std::vector<std::string_view> names;
        for (const PdeField& known : o.fields) names.push_back(known.name);
        hold.fail(name, "{} is not a field; the fields are {}", quote(shorten(name, 40)), fmt::join(names, ", "));
      }
      if (field == o.fields.end()) continue;
      if (field->algebraic)
        hold.fail(name, "{} has a value everywhere already, and none can be held; hold the fields that it is made of",
                  name);
      obstacle.held.push_back({static_cast<std::size_t>(field - o.fields.begin()), value});
    }
  }
}

PdeMeasure read_measure(Table& keys, std::size_t number) {
  constexpr std::string_view kinds[] = {"integral", "mean", "min", "max"};
  constexpr std::string_view meanings[] = {"sum of a formula over all cells, times spacing^2",
                                           "mean of a formula over all cells", "its smallest value in a cell",
                                           "its largest value in a cell"};
  PdeMeasure measure;
  measure.name = fmt::format("measure{}", number);
  keys.read("name", measure.name, {"name of the column", "measure1, measure2, ...", "\"mass\""});
  int count = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    PlacedText text;
    read_formula(keys, kinds[i], text, {meanings[i], "one of integral, mean, min and max is required", "\"= x\""});
    if (!keys.has(kinds[i])) continue;
    measure.kind = static_cast<PdeMeasure::Kind>(i);
    measure.formula = text;
    ++count;
  }
  if (count > 1) keys.fail("name", "a measure has one of integral, mean, min and max");
  if (count == 0) keys.require("integral", "integral = \"= u\"; or mean, min or max");
  return measure;
}

}  // namespace

bool PdeValue::is_formula() const { return is_text && Formula::is_formula(text.text); }

bool PdeField::has_constant_rate() const {
  const std::string_view number = trim(std::string_view(rate.text).substr(rate.text.find('=') + 1));
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return algebraic || (error == std::errc() && end == number.data() + number.size());
}

PdeOptions read_pde_options(Table& keys) {
  PdeOptions o;
  o.keys = keys;
  keys.require("grid", "grid = [256, 256]");
  keys.read("grid", o.grid, "number of cells along x and y", Range::between(1, 1 << 24));
  keys.read("spacing", o.spacing, "distance of neighbouring cells, units of length", Range::between(1e-12, 1e12));
  int is_auto = 0;
  double timestep = 0;
  if (keys.read_either(
          "timestep", is_auto, automatic, timestep, "a number",
          {"simulated time of a step: 0.8 of the largest stable one, which `check` prints, or 1 where all rates are "
           "constant; or a number",
           "\"auto\"", "\"auto\""},
          Range::above(0)))
    o.timestep = timestep;
  keys.read("unchecked", o.unchecked, "whether a given timestep may be above the largest stable one");
  if (!o.timestep) keys.refuse_without("a number as timestep", "unchecked");
  keys.choose("scheme", o.scheme, pde_schemes,
              "time integration: euler, order 1; heun, 2; rk4, 4; rkc2, 2, for diffusion, whose steps grow with the "
              "square of its stages");
  keys.read("stages", o.stages, "scheme = \"rkc2\": evaluations of the rates in a step", Range::between(2, 64));
  if (o.scheme != PdeSchemeKind::rkc2) keys.refuse_without("scheme = \"rkc2\"", "stages");
  int points = 0;
  keys.choose("laplacian", points, laplacians, "points of lap(u): five, or nine, whose error has no direction");
  o.nine = points == 1;
  keys.choose("precision", o.precision, std::span(precision_names).first(2),
              "floating-point type of the state and of the arithmetic");
  o.sides = read_sides(keys, o.sides, true);
  Table parameters = keys.table("parameters", "names for formulas; each key is one");
  for (const std::string& name : parameters.names("F")) {
    check_name(parameters, name, "parameter");
    o.parameters.push_back({name, read_value(parameters, name,
                                             {"any name: a number, a formula of x, y, t and other parameters, a grey "
                                              "image (black 0, white 1), or a .npy file",
                                              "unset", "0.037"},
                                             values_form, true)});
  }
  if (!keys.has_table("fields")) keys.require("fields", "[solver.fields.u] with rate = \"= lap(u)\" and initial = 0");
  Table fields = keys.table("fields", "the unknowns; each has a table of its name");
  for (const std::string& name : fields.names("u")) {
    check_name(fields, name, "field");
    for (const PdeParameter& parameter : o.parameters)
      if (parameter.name == name) fields.fail(name, "{} is a parameter too; choose another name", quote(name));
    if (o.fields.size() == 32) fields.fail(name, "there are more than 32 fields; a system of so many does not fit");
    o.fields.push_back(read_field(fields, name, o));
  }
  read_pde_obstacles(keys, o);
  settle_sides(o);
  check_periodic(keys, o.sides, o, "");
  for (const PdeField& field : o.fields) check_periodic(field.keys, field.sides, o, fmt::format(" of {}", field.name));
  for (Table& entry : keys.tables("measure", "a number of every step, a column of .csv outputs")) {
    const PdeMeasure measure = read_measure(entry, o.measures.size() + 1);
    if (measure.name.empty() || measure.name.find_first_of(",\"\n\r{}") != std::string::npos)
      entry.fail("name", "{} is not a valid column name; leave out commas, quotes and braces",
                 quote(shorten(measure.name, 40)));
    if (measure.name == "step" || measure.name == "time" ||
        std::ranges::find(o.measures, measure.name, &PdeMeasure::name) != o.measures.end())
      entry.fail("name", "there is a column {} already; choose another name", quote(measure.name));
    o.measures.push_back(measure);
  }
  return o;
}

}  // namespace simreel
