#include "source/lbm/heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "kernels/lbm/lbm.h"
#include "source/lbm/options.h"

namespace simreel {
namespace {

constexpr std::string_view wall_names[] = {"insulated", "hot", "cold"};
constexpr double smallest_heat_margin = 1e-6;  // of 1 / odd - 1/2, which float still resolves
constexpr double even_grid_peclet = 10;        // velocity / diffusivity up to which T does not overshoot at obstacles
constexpr double cells_of_a_layer = 3;         // fewest that resolve the temperature beside a wall

const Range temperatures = Range::between(-1e30, 1e30);  // float holds them

std::string flux_key(std::string_view side) { return fmt::format("{}_flux", side); }

// `temperature` and `flux` of a wall. Returns whether the scene says anything.
bool read_wall(Table& keys, std::string_view temperature, std::string_view flux, HeatOptions& h, HeatWall& wall,
               KeyText text, KeyText flux_text) {
  int name = wall.has_temperature() ? 1 : 0;
  double value = 0, gradient = 0;
  const bool number = keys.read_either(temperature, name, wall_names, value, "a temperature", text, temperatures);
  keys.read(flux, gradient, flux_text, temperatures);
  if (number || name > 0) wall = {HeatWall::Kind::fixed, number ? value : name == 1 ? h.hot : h.cold};
  if (!keys.has(flux)) return keys.has(temperature);
  if (wall.has_temperature())
    keys.fail(flux, "a wall has a temperature or a flux of heat, not both; leave out {} or {}", temperature, flux);
  wall = {HeatWall::Kind::flux, gradient};
  return true;
}

void read_walls(Table& heat, LbmOptions& o) {
  HeatOptions& h = o.heat;
  bool given = false;
  const std::array<LbmSide, 4> sides = o.sides();
  for (std::size_t i = 0; i < 4; ++i)
    given |= read_wall(
        heat, lbm_side_names[i], flux_key(lbm_side_names[i]), h, h.sides[i],
        {i < 3 ? "temperature of the side: `hot`, `cold` or a number; insulated: no heat passes"
               : "the side opposite to bottom",
         "\"insulated\"; an inlet: \"cold\"; if no side and no obstacle has a temperature or a flux: bottom \"hot\" "
         "and "
         "top \"cold\"",
         "\"insulated\""},
        "heat that enters through the side, over the diffusivity: by how much the temperature rises per cell towards "
        "it; below 0 heat leaves");
  h.obstacles.resize(o.obstacles.size());
  for (std::size_t n = 0; n < o.obstacles.size(); ++n) {
    Table& entry = o.obstacles[n].keys;
    given |= read_wall(entry, "temperature", "flux", h, h.obstacles[n],
                       "[solver.heat]: temperature of its wall, `hot`, `cold` or a number; insulated: no heat passes",
                       "[solver.heat]: heat that its wall gives, over the diffusivity: by how much the temperature "
                       "rises per cell towards it");
    if (!h.on)
      for (const char* key : {"temperature", "flux"}) entry.refuse_without("[solver.heat]", key);
  }
  if (!h.on) return;
  for (std::size_t i = 0; i < 4; ++i) {
    HeatWall& wall = h.sides[i];
    const std::string key = heat.has(lbm_side_names[i]) ? std::string(lbm_side_names[i]) : flux_key(lbm_side_names[i]);
    const char* const boundary = "[solver.boundary]";
    if (wall.kind != HeatWall::Kind::insulated && sides[i] == LbmSide::periodic)
      heat.fail(key, "the {} side is periodic, so it has no temperature; make it a \"wall\" in {}", lbm_side_names[i],
                boundary);
    if (wall.kind != HeatWall::Kind::insulated && sides[i] == LbmSide::outlet)
      heat.fail(key, "fluid leaves through the {} side with the temperature that it has; leave the key out",
                lbm_side_names[i]);
    if (sides[i] != LbmSide::inlet) continue;
    if (wall.kind == HeatWall::Kind::flux || heat.has(lbm_side_names[i]) != wall.has_temperature())
      heat.fail(key, "the {} side is an inlet, whose fluid has a temperature: \"cold\", \"hot\" or a number",
                lbm_side_names[i]);
    wall = {HeatWall::Kind::inflow, wall.has_temperature() ? wall.value : h.cold};
  }
  const bool walled = o.bottom != LbmSide::periodic && o.bottom != LbmSide::outlet && o.top != LbmSide::outlet;
  if (given || o.has(LbmSide::inlet) || !walled) return;
  h.sides[2] = {HeatWall::Kind::fixed, h.hot};
  h.sides[3] = {HeatWall::Kind::fixed, h.cold};
}

// Temperatures, where the fluid starts, and what has no weight.
void read_temperatures(Table& heat, const LbmOptions& o, HeatOptions& h) {
  std::vector<double> given;
  for (const HeatWall& wall : h.walls())
    if (wall.has_temperature()) given.push_back(wall.value);
  const bool agree = !given.empty() && std::ranges::min(given) == std::ranges::max(given);
  h.lone = agree && given[0] != h.hot && given[0] != h.cold && !heat.has("hot") && !heat.has("cold");
  if (given.empty() || agree) given.insert(given.end(), {h.hot, h.cold});
  h.low = std::ranges::min(given);
  h.high = std::ranges::max(given);
  h.across = h.differ(0) && !h.differ(2);
  h.height = h.across ? o.grid[0] : o.grid[1];
  heat.read("height", h.height,
            {"length of the Rayleigh and the Nusselt number, cells",
             "from the left to the right side if only these have temperatures, else from bottom to top", "100"},
            Range{0, 1e9, true});
  const auto inlet = std::ranges::find(h.sides, HeatWall::Kind::inflow, &HeatWall::kind);
  const std::size_t side = h.across ? 0 : 2;
  const bool linear = h.differ(side), heated = h.has(HeatWall::Kind::fixed) || h.has(HeatWall::Kind::flux);
  if (inlet != h.sides.end())
    h.start = inlet->value;
  else if (!linear)
    h.start = heated ? h.low : 0.5 * (h.low + h.high);
  double start = h.start.value_or(0);
  const bool text =
      heat.read_number_or_text("initial", start, h.initial_text, values_form,
                               {"temperature at step 0",
                                "linear between two opposite sides that have temperatures, else that of an inlet, else "
                                "the lowest one",
                                "0"},
                               temperatures);
  if (heat.has("initial") && !text) h.start = start;
  h.reference = h.start ? *h.start : 0.5 * (h.sides[side].value + h.sides[side + 1].value);
  heat.read("reference", h.reference,
            {"the temperature at which fluid has no buoyancy",
             "that of the fluid at step 0, or the middle between two opposite sides", "0.5"},
            temperatures);
  const auto heats = [](const HeatWall& w) {
    return w.kind == HeatWall::Kind::fixed || w.kind == HeatWall::Kind::flux;
  };
  const bool layer = heats(h.sides[2]) || heats(h.sides[3]);
  h.perturbation = layer && !heat.has("initial") ? 0.01 : 0;
  heat.read("perturbation", h.perturbation,
            {"how much rolls of random phases change the temperature at step 0, in shares of the largest difference of "
             "temperature",
             "0.01 where the bottom or the top has a temperature or a flux, else 0", "0.01"},
            Range::between(0, 0.5));
}

void read_numbers(Table& heat, LbmOptions& o, HeatOptions& h, const Table& keys) {
  if (h.rayleigh > 0)
    for (const char* key : {"diffusivity", "buoyancy"})
      if (heat.has(key))
        heat.fail(key, "the Rayleigh number tells this already; leave out \"rayleigh\" or \"{}\"", key);
  if (heat.has("diffusivity") && heat.has("prandtl"))
    heat.fail("prandtl",
              "both \"diffusivity\" and \"prandtl\" are given, and one follows from the other; leave one out");
  if (h.rayleigh == 0 && !heat.has("buoyancy") && h.diffusivity == 0 && !heat.has("prandtl"))
    heat.require("rayleigh", "rayleigh = 1e6, or diffusivity and buoyancy");
  const double cubed = h.height * h.height * h.height;
  const bool known = keys.has("viscosity") || o.reynolds > 0 || o.has(LbmSide::inlet) || o.has(LbmSide::moving);
  if (h.rayleigh > 0 && !known) {
    if (o.velocity == 0)
      keys.fail("velocity", "a Rayleigh number needs a \"velocity\" other than 0: the free-fall speed");
    o.viscosity = std::abs(o.velocity) * h.height * std::sqrt(h.prandtl / h.rayleigh);
  }
  if (h.diffusivity == 0) h.diffusivity = o.viscosity / h.prandtl;
  if (heat.has("diffusivity")) h.prandtl = o.viscosity / h.diffusivity;
  if (h.rayleigh > 0) h.buoyancy = h.rayleigh * o.viscosity * h.diffusivity / (h.span() * cubed);
  if (h.rayleigh == 0) h.rayleigh = h.buoyancy * h.span() * cubed / (o.viscosity * h.diffusivity);
  if (3 * h.diffusivity < smallest_heat_margin)
    heat.fail(heat.has("diffusivity") ? "diffusivity" : "rayleigh",
              "the diffusivity is {:.3g} and must be at least {:.3g}: take more cells, a higher velocity or a lower "
              "Rayleigh number",
              h.diffusivity, smallest_heat_margin / 3);
  const double mach = h.free_fall() * std::sqrt(3.0);
  if (!(mach <= 0.71))
    heat.fail(
        heat.has("buoyancy") ? "buoyancy" : "rayleigh",
        "fluid that falls freely through the height reaches {:.4g} cells a step, Mach {:.2f}, where the method is "
        "never stable; take a lower viscosity, velocity or buoyancy: below 0.06 it is nearly incompressible",
        h.free_fall(), mach);
}

}  // namespace

double HeatOptions::free_fall() const { return std::sqrt(std::abs(buoyancy) * span() * height); }

bool HeatOptions::between_sides() const {
  const auto insulated = [&](std::size_t side) { return sides[side].kind == HeatWall::Kind::insulated; };
  const std::size_t side = across ? 0 : 2, other = 2 - side;
  return obstacles.empty() && differ(side) && insulated(other) && insulated(other + 1);
}

std::vector<HeatWall> HeatOptions::walls() const {
  std::vector<HeatWall> walls(sides.begin(), sides.end());
  walls.insert(walls.end(), obstacles.begin(), obstacles.end());
  return walls;
}

bool HeatOptions::has(HeatWall::Kind kind) const { return std::ranges::count(walls(), kind, &HeatWall::kind) > 0; }

bool HeatOptions::differ(std::size_t side) const {
  const HeatWall &a = sides[side], &b = sides[side + 1];
  return a.has_temperature() && b.has_temperature() && a.value != b.value;
}

bool HeatOptions::has_nusselt() const {
  return on && std::ranges::any_of(walls(), [this](const HeatWall& wall) { return is_hottest(wall); });
}

bool heats_sideways(const Table& keys) {
  return std::ranges::any_of(std::array{"left", "right", "left_flux", "right_flux"},
                             [&](const char* key) { return keys.text_of(fmt::format("heat.{}", key)).has_value(); });
}

void read_heat(Table& keys, LbmOptions& o) {
  HeatOptions& h = o.heat;
  h.keys = keys.table("heat", "a temperature that the flow carries, and whose buoyancy drives it");
  Table& heat = h.keys;
  h.on = keys.has("heat");
  heat.read("rayleigh", h.rayleigh,
            "Rayleigh number g beta (high - low) height^3 / (viscosity diffusivity) of the largest difference of "
            "temperature; without viscosity, reynolds, inlet and moving side, `velocity` is then the free-fall speed "
            "sqrt(g beta (high - low) height), from which the viscosity follows; 0: not given",
            Range::at_least(0));
  heat.read("prandtl", h.prandtl, "Prandtl number viscosity / diffusivity; 0.71: air, 7: water", Range::above(0));
  heat.read("diffusivity", h.diffusivity,
            {"diffusivity of heat, cells^2 per step, instead of prandtl", "viscosity / prandtl", "0.03"},
            Range::above(0));
  heat.read("buoyancy", h.buoyancy,
            {"acceleration upwards per unit of temperature, g beta, cells per step^2, instead of rayleigh; 0: the "
             "temperature does not act on the flow",
             "from rayleigh", "1e-5"});
  heat.read("hot", h.hot, "the temperature that `hot` means", temperatures);
  heat.read("cold", h.cold, "the temperature that `cold` means", temperatures);
  if (!(h.hot > h.cold))
    heat.fail(heat.has("hot") ? "hot" : "cold", "\"hot\" is {} and \"cold\" {}; hot must be above cold", h.hot, h.cold);
  read_walls(heat, o);
  read_temperatures(heat, o, h);
  if (!h.on) return;
  read_numbers(heat, o, h, keys);
  if (o.precision == Precision::float16)
    keys.fail("precision",
              "half storage rounds away what heat changes in a step; take precision = \"float\" with [solver.heat]");
  if (o.kernel == LbmKernel::split)
    keys.fail("kernel", "\"split\" has no temperature; take kernel = \"single\" with [solver.heat]");
}

void open_heat(HeatOptions& h, const Scene& scene, std::array<int, 2> grid) {
  if (!h.on || h.initial_text.text.empty()) return;
  if (!is_values_text(h.initial_text.text))
    h.keys.fail("initial", "\"initial\" is {}; it must be a number, or {} (.png, .jpg, .bmp, .npy)",
                quote(shorten(h.initial_text.text, 60)), values_form);
  h.initial = GridValues(h.initial_text, h.keys, "initial", scene, grid[0], grid[1], h.low, h.high);
  h.initial.extremes();
}

// A layer at a wall, cells; 0: none. Nu = 0.143 Ra^0.299 holds for a cavity that is heated from the side (Markatos,
// Pericleous 1984, Int. J. Heat Mass Transfer 27, 755), and within a third for a layer that is heated from below.
static double layer_of(const HeatOptions& h) {
  return h.has_nusselt() && h.rayleigh > 0 ? h.height / (2 * std::max(1.0, 0.143 * std::pow(h.rayleigh, 0.299))) : 0;
}

static std::string in_words(const HeatOptions& h, double temperature) {
  return fmt::format("{}{}", temperature, temperature == h.cold ? " (cold)" : temperature == h.hot ? " (hot)" : "");
}

std::vector<std::string> heat_facts(const LbmOptions& o) {
  const HeatOptions& h = o.heat;
  if (!h.on) return {};
  std::string line =
      fmt::format("heat: Rayleigh number {:.4g}, Prandtl number {:.4g}, diffusivity {:.4g}, height {:.4g}", h.rayleigh,
                  h.prandtl, h.diffusivity, h.height);
  line += fmt::format(", temperatures from {} to {}", in_words(h, h.low), in_words(h, h.high));
  std::vector<std::string> facts = {line};
  if (h.buoyancy != 0)
    facts.push_back(
        fmt::format("free fall through the height: {:.4g} cells a step, {:.4g} steps; diffusion through "
                    "it: {:.4g} steps",
                    h.free_fall(), h.height / h.free_fall(), h.height * h.height / h.diffusivity));
  if (const double layer = layer_of(h); layer > 0)
    facts.push_back(fmt::format("expected at walls: layers of temperature about {:.3g} cells thick", layer));
  return facts;
}

std::vector<std::string> heat_warnings(const LbmOptions& o) {
  const HeatOptions& h = o.heat;
  std::vector<std::string> warnings;
  if (!h.on) return warnings;
  const char* const number = h.keys.has("rayleigh") ? "rayleigh" : "buoyancy";
  const auto warn = [&](std::string_view key, const std::string& text) {
    warnings.push_back(fmt::format("{}: {}", h.keys.position(key).text(), text));
  };
  if (const double layer = layer_of(h); layer > 0 && layer < cells_of_a_layer)
    warn(number,
         fmt::format("the layers of temperature at walls are about {:.2g} cells thick; numbers need {} or more: "
                     "take {:.0f} cells in height, or a lower Rayleigh number",
                     layer, cells_of_a_layer, std::ceil(h.height * cells_of_a_layer / layer)));
  if (o.bottom == LbmSide::periodic && h.buoyancy != 0 && h.obstacles.empty())
    warn(number, "bottom and top are periodic, so nothing holds up fluid whose mean temperature is not the reference");
  if (h.lone && !h.keys.has("initial"))
    warn("initial",
         fmt::format("only one temperature is given, so the scene also has those of \"cold\", {}, and \"hot\", {}, and "
                     "the fluid starts at {}; give it an \"initial\" temperature, or set \"hot\" and \"cold\"",
                     h.cold, h.hot, *h.start));
  const double stream = std::max({o.given_speed() * o.drive.peak, o.channel_peak(), o.drive.fastest});
  if (!h.obstacles.empty() && stream / h.diffusivity > even_grid_peclet)
    warnings.push_back(fmt::format(
        "{}: velocity / diffusivity is {:.3g}; above about {} beside obstacles the temperature overshoots and heat is "
        "wrong: take a lower Prandtl or Reynolds number, or more cells at the same Reynolds number",
        h.keys.position("").text(), stream / h.diffusivity, even_grid_peclet));
  const bool changes = !h.start || std::ranges::any_of(h.walls(), [&](const HeatWall& wall) {
    return wall.kind == HeatWall::Kind::flux || (wall.has_temperature() && wall.value != *h.start);
  });
  if (h.initial_text.text.empty() && h.perturbation == 0 && !changes)
    warn("initial",
         "the temperature is the same everywhere and stays so; give a side or an obstacle another, or an "
         "initial formula");
  return warnings;
}

std::vector<std::string> heat_diagnostics(const HeatOptions& h) {
  std::vector<std::string> names;
  if (h.on) names.push_back("temperature");
  if (h.has_nusselt()) names.push_back("nusselt");
  if (h.on && h.between_sides()) names.push_back("nusselt_flow");
  return names;
}

}  // namespace simreel
