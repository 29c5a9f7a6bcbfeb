// What `check` and `solvers` say of a flow.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "source/lbm/options.h"

namespace simreel {

std::string lbm_summary(const LbmOptions& o) {
  const auto name = [](LbmSide side) { return lbm_sides[static_cast<int>(side)]; };
  return fmt::format("lbm, {} x {} cells, {}, {}, left {}, right {}, bottom {}, top {}{}", o.grid[0], o.grid[1],
                     lbm_collisions[static_cast<int>(o.collision)], precision_names[static_cast<int>(o.precision)],
                     name(o.left), name(o.right), name(o.bottom), name(o.top),
                     o.obstacles.empty()
                         ? ""
                         : fmt::format(", {} obstacle{}", o.obstacles.size(), o.obstacles.size() == 1 ? "" : "s"));
}

std::vector<std::string> lbm_facts(const LbmOptions& o) {
  const double speed = o.fastest();
  std::string line = fmt::format("tau = {:.6g}, viscosity {:.4g}", o.tau(), o.viscosity);
  if (speed > 0)
    line += fmt::format(", Mach number {:.3g}, grid Reynolds number {:.4g}", o.mach(), speed / o.viscosity);
  if (o.reynolds > 0)
    line += fmt::format(", Reynolds number {:.4g}", o.reynolds);
  else if (speed > 0 && o.length > 0)
    line += fmt::format(", Reynolds number {:.4g}", speed * o.length / o.viscosity);
  std::vector<std::string> facts = {line};
  if (o.cell > 0)
    facts.push_back(fmt::format("a cell is {:.4g} m, a step {:.4g} s, velocity {:.4g} cells a step", o.cell, o.step,
                                std::abs(o.velocity)));
  std::ranges::move(heat_facts(o), std::back_inserter(facts));
  std::ranges::move(phases_facts(o), std::back_inserter(facts));
  if (o.ramp > 0) facts.push_back(fmt::format("the flow of the inlet rises over the first {} steps", o.ramp));
  if (o.made_up)
    facts.push_back("without initial, force and boundary: a shear layer that rolls up, all sides periodic");
  return facts;
}

namespace {

// The first obstacle that turns; null if none does.
const ObstacleOptions* rotor_of(const LbmOptions& o) {
  for (const ObstacleOptions& obstacle : o.obstacles)
    if (obstacle.rotation != 0) return &obstacle;
  return nullptr;
}

constexpr double compressible_mach = 0.1;        // errors of weak compressibility grow with its square
constexpr double unstable_margin = 0.005;        // of tau - 1/2
constexpr double coarse_margin = 1.5;            // errors of BGK grow with (tau - 1/2)^2
constexpr double resolved_grid_reynolds = 1000;  // of central, for which nothing that float resolves is too high

bool has_dye(const LbmOptions& o) { return o.tracer.stripes > 0 || o.tracer.spots > 0 || o.tracer_bands > 0; }

// Whether vortices reach an outlet as they are.
bool is_bare(const LbmOptions& o) { return o.has(LbmSide::outlet) && o.layer == 0; }

// Half of velocity / viscosity up to which flows past a circle of 20 cells stayed finite in 12,000 steps at velocity
// 0.1, with a layer before the outlet; without one all end far earlier. (docs/solvers/lbm.md)
double stable_grid_reynolds(const LbmOptions& o) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (o.obstacles.empty()) return infinity;
  switch (o.collision) {
    case LbmCollision::bgk: return is_bare(o) ? 5 : 25;
    case LbmCollision::trt: return 5;
    case LbmCollision::mrt: return o.fastest() > 0.075 || is_bare(o) ? 37 : 500;
    case LbmCollision::central: return is_bare(o) ? 50 : infinity;
  }
  return infinity;
}

// Whether the fluid is at rest for ever.
bool rests(const LbmOptions& o) {
  return o.given_speed() == 0 && !o.forced() && !o.given && !rotor_of(o) && o.heat.buoyancy == 0 && !o.phases.on;
}

}  // namespace

ViewDefaults lbm_look(const LbmOptions& o) {
  ViewDefaults look;
  look.particles = !o.particles.empty();
  if (o.heat.on && !o.heat.has(HeatWall::Kind::flux) && o.heat.initial_text.text.empty()) {
    const double start = o.heat.start.value_or(o.heat.low);
    look.limits = {std::min(start, o.heat.low), std::max(start, o.heat.high)};
  }
  // Between grains the flow turns everywhere; what differs is how fast it is.
  const bool porous = std::ranges::count(o.obstacles, ObstacleShape::porous, &ObstacleOptions::shape) > 0;
  const bool wake = o.has(LbmSide::inlet) && !o.obstacles.empty() && !porous;
  const bool differs = !o.texts.initial_text[1].text.empty() || !o.texts.initial_text[2].text.empty();
  if (o.dyed)
    look.field = "tracer";
  else if (o.heat.on)
    look.field = "temperature";
  else if (o.phases.on)
    look.field = "phase", look.limits = {0, 1};
  else if (wake || o.starts_periodic() || (differs && !o.has(LbmSide::inlet)))
    look.field = "vorticity";
  const double length = o.flows_along_x() ? o.grid[0] : o.grid[1];
  const double force = std::max({std::abs(o.force[0]), std::abs(o.force[1]), o.drive.strongest});
  const double speed =
      std::max({o.given_speed() * o.drive.peak, o.drive.fastest, std::sqrt(force * std::min(o.grid[0], o.grid[1]))});
  // Seconds of video in which the flow goes its length: through a channel, or around in a box.
  const double passing = o.initial == LbmInitial::shear_layer ? 5 : o.has(LbmSide::moving) ? 0.5 : 3;
  constexpr double turning = 2;  // seconds of video in which what alone drives the flow turns, or swings, once
  constexpr double falls = 2;    // through the height, in a second of video
  if (o.phases.on)
    look.steps_per_second = o.phases.pace();
  else if (!o.has(LbmSide::inlet) && o.heat.free_fall() > speed)
    look.steps_per_second = falls * o.heat.height / o.heat.free_fall();
  else if (speed > 0)
    look.steps_per_second = length / speed / passing;
  else if (const ObstacleOptions* const rotor = rotor_of(o))
    look.steps_per_second =
        (rotor->period > 0 ? rotor->period : 2 * std::acos(-1.0) / std::abs(rotor->rotation)) / turning;
  return look;
}

std::vector<std::string> lbm_warnings(const LbmOptions& o, const Table& keys, const Scene& scene) {
  std::vector<std::string> warnings;
  const bool shows_dye = scene.view.field == "tracer";
  if (shows_dye && !has_dye(o))
    warnings.push_back(
        fmt::format("{}field = \"tracer\", but the flow carries no dye; add [solver.tracer] with bands = 8{}, or a "
                    "[[solver.tracer.spot]]",
                    scene.view.field_position.before(), o.has(LbmSide::inlet) ? " or stripes = 8" : ""));
  if (rests(o) && !keys.text_of("heat.buoyancy") && !(shows_dye && has_dye(o) && o.tracer.diffusivity > 0))
    warnings.push_back(fmt::format("{}nothing drives the flow, so it stays at rest: {}",
                                   keys.position("velocity").before(),
                                   o.velocity == 0 ? "velocity is 0; give it one, or a force"
                                                   : "give it a force, an inlet and an outlet or a moving side in "
                                                     "[solver.boundary], a circle with rotation, or initial = "
                                                     "\"uniform\", \"taylor_green\" or \"shear_layer\""));
  const auto warn = [&](std::string_view key, const std::string& text) {
    warnings.push_back(fmt::format("{}: {}", keys.position(key).text(), text));
  };
  if (o.mach() > compressible_mach)
    warn(o.phases.on && o.phases.speed() >= o.fastest()           ? "phases"
         : o.heat.speed() >= o.fastest() && !keys.has("velocity") ? "heat"
         : o.given_speed() >= o.channel_peak()                    ? "velocity"
                                                                  : "force",
         fmt::format("the Mach number is {:.3g}; above {} the flow is no longer nearly incompressible", o.mach(),
                     compressible_mach));
  const bool central = o.collision == LbmCollision::central;
  const double grid_reynolds = o.fastest() / o.viscosity;
  const char* const viscous = keys.has("reynolds") ? "reynolds" : "viscosity";
  const char* const units =
      keys.has("viscosity") && o.viscosity < 1e-4 ? "; a viscosity in m^2/s goes into [solver.units]" : "";
  if (!central && o.tau() - 0.5 < unstable_margin)
    warn(viscous, fmt::format("tau = {:.6g} is close to 1/2, where the method becomes unstable; take collision = "
                              "\"central\", more cells or a higher velocity{}",
                              o.tau(), units));
  else if (grid_reynolds > stable_grid_reynolds(o))
    warn(viscous,
         fmt::format("velocity / viscosity is {:.4g}; past obstacles {} tends to diverge above {:.4g}{}: take {}, or a "
                     "lower Reynolds number{}",
                     grid_reynolds, lbm_collisions[static_cast<int>(o.collision)], stable_grid_reynolds(o),
                     is_bare(o) ? " where the outlet has no layer" : "",
                     central ? "outlet_layer = 20" : "collision = \"central\"", units));
  else if (central && grid_reynolds > resolved_grid_reynolds)
    warn(viscous, fmt::format("velocity / viscosity is {:.4g}: the layers at walls are thinner than a cell, so this "
                              "makes a picture, not a measurement; take more cells, or a lower Reynolds number where "
                              "numbers count{}",
                              grid_reynolds, units));
  std::ranges::move(heat_warnings(o), std::back_inserter(warnings));
  std::ranges::move(phases_warnings(o), std::back_inserter(warnings));
  if (o.precision == Precision::float16 && o.forced())
    warn("precision",
         "half storage rounds away part of what a force adds in a step: expect a flow that is some 10 % too slow; take "
         "precision = \"float\" where numbers count");
  if (o.collision == LbmCollision::bgk && o.tau() - 0.5 > coarse_margin)
    warn("viscosity", fmt::format("tau = {:.4g} is large: walls of bgk are misplaced by as much; take collision = "
                                  "\"trt\", or a lower viscosity",
                                  o.tau()));
  return warnings;
}

}  // namespace simreel
