#include "source/lbm/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/math.h"
#include "source/lbm/options.h"

namespace simreel {
namespace {

constexpr double fewest_cells = 5;      // interface widths across a drop: its pressure is then right to 1 %
constexpr double fastest_ripple = 0.1;  // of waves as short as the interface, cells a step
constexpr double largest_squeeze = 1;   // of the gas, under the pressure of moving liquid

void read_disks(Table& phases, std::string_view key, std::string_view meaning, bool liquid, const LbmOptions& o,
                std::vector<PhaseDisk>& disks) {
  for (Table& entry : phases.tables(key, meaning)) {
    PhaseDisk disk;
    disk.liquid = liquid;
    disk.center = {(o.grid[0] - 1) / 2.0, (o.grid[1] - 1) / 2.0};
    disk.radius = std::min(o.grid[0], o.grid[1]) / 5.0;
    entry.read("center", disk.center, {"centre at step 0, cells", "the middle of the grid", "[100, 100]"});
    entry.read("radius", disk.radius, {"radius at step 0, cells", "a fifth of the shorter side", "20"},
               Range::above(0));
    entry.read("velocity", disk.velocity, "velocity at step 0, cells per step");
    const double speed = std::hypot(disk.velocity[0], disk.velocity[1]);
    if (speed > 0.3)
      entry.fail("velocity", "a speed of {:.4g} cells a step is too fast; it must be at most 0.3, better below 0.05",
                 speed);
    const auto nearest = [&](std::size_t axis) { return std::clamp(disk.center[axis], -0.5, o.grid[axis] - 0.5); };
    if (!(std::hypot(disk.center[0] - nearest(0), disk.center[1] - nearest(1)) < disk.radius))
      entry.fail("center", "the disk covers no cell of the grid, {} x {}", o.grid[0], o.grid[1]);
    disks.push_back(disk);
  }
}

// (1 + tanh(2 d / W)) / 2
double phase_at(double distance, double width) { return 1 / (1 + exact::exp(-4 * distance / width)); }

// How far a place lies inside a disk, or inside its nearest image beyond periodic sides.
double inside(const PhaseDisk& disk, double x, double y, const LbmOptions& o) {
  const auto nearest = [](double d, double n, LbmSide side) {
    return side == LbmSide::periodic ? d - n * std::floor(d / n + 0.5) : d;
  };
  const double dx = nearest(x - disk.center[0], o.grid[0], o.left);
  const double dy = nearest(y - disk.center[1], o.grid[1], o.bottom);
  return disk.radius - std::sqrt(dx * dx + dy * dy);
}

void refuse_others(Table& keys, const LbmOptions& o) {
  if (o.heat.on) keys.fail("heat", "a flow has one of [solver.heat] and [solver.phases]; leave one of them out");
  if (o.dyed) keys.fail("tracer", "a flow of two phases carries no dye; leave out [solver.tracer] or [solver.phases]");
  if (!o.obstacles.empty())
    keys.fail("obstacle", "a flow of two phases has no obstacles yet; leave out [[solver.obstacle]]");
  if (keys.has("particles"))
    keys.fail("particles", "a flow of two phases carries no particles yet; leave out [[solver.particles]]");
  for (std::size_t i = 0; i < 4; ++i)
    if (o.sides()[i] == LbmSide::inlet || o.sides()[i] == LbmSide::outlet)
      keys.table("boundary", "")
          .fail(lbm_side_names[i], "with [solver.phases] a side is \"periodic\", \"wall\", \"moving\" or \"slip\"");
  if (o.collision != LbmCollision::central || o.smagorinsky > 0)
    keys.fail(o.smagorinsky > 0 ? "smagorinsky" : "collision",
              "[solver.phases] has a collision of its own, of central moments without eddies; leave the key out");
  if (o.precision == Precision::float16)
    keys.fail("precision",
              "half storage cannot hold the density of a gas; take precision = \"float\" with [solver.phases]");
  if (o.kernel == LbmKernel::fused || o.kernel == LbmKernel::split)
    keys.fail("kernel", "[solver.phases] takes one step at a time; leave \"kernel\" out");
  for (const std::string_view key :
       {std::string_view("initial"), lbm_initial_keys[0], lbm_initial_keys[1], lbm_initial_keys[2]})
    if (keys.has(key) && (o.given || o.initial != LbmInitial::rest))
      keys.fail(key,
                "a flow of two phases starts at rest, but for the velocity of a [[solver.phases.drop]]; leave out "
                "initial, initial_ux, initial_uy and initial_density");
}

}  // namespace

double PhasesOptions::fall() const { return std::sqrt(std::abs(fluids.gravity[1]) * atwood() * grid[1]); }

double PhasesOptions::speed() const {
  if (!on) return 0;
  double fastest = fall();
  for (const PhaseDisk& disk : disks) fastest = std::max(fastest, std::hypot(disk.velocity[0], disk.velocity[1]));
  return fastest;
}

const PhaseDisk* PhasesOptions::largest() const {
  const PhaseDisk* largest = nullptr;
  for (const PhaseDisk& disk : disks)
    if (!largest || disk.radius > largest->radius) largest = &disk;
  return largest;
}

double PhasesOptions::capillary_time() const {
  const PhaseDisk* const disk = largest();
  const double radius = disk ? disk->radius : std::min(grid[0], grid[1]) / 4.0;
  return std::sqrt(radius * radius * radius / fluids.surface_tension);
}

double PhasesOptions::pace() const {
  double steps = fluids.surface_tension > 0 ? 2 * capillary_time() : 1000;
  if (speed() > 0) steps = std::min(steps, grid[1] / speed());
  constexpr double seconds = 1.5;
  return std::max(1.0, steps / seconds);
}

void read_phases(Table& keys, LbmOptions& o) {
  PhasesOptions& s = o.phases;
  LbmFluids& f = s.fluids;
  s.keys = keys.table("phases", "two fluids that do not mix, a liquid and a gas, with surface tension");
  Table& phases = s.keys;
  s.on = keys.has("phases");
  s.grid = o.grid;
  f.density_ratio = 100;
  f.surface_tension = 0.001;
  phases.read("density_ratio", f.density_ratio, "density of the liquid, which is 1, over that of the gas",
              Range::between(1, 10000));
  f.liquid_viscosity = o.viscosity;
  f.gas_viscosity = std::max(0.1, o.viscosity);
  phases.read("gas_viscosity", f.gas_viscosity,
              {"kinematic viscosity of the gas, cells^2 per step; `viscosity` is that of the liquid",
               "0.1, or that of the liquid where it is higher", "0.1"},
              Range::between(1e-9, 1000));
  phases.read("surface_tension", f.surface_tension,
              "surface tension, of a liquid of density 1, cells^3 per step^2; a drop of radius R swings in about "
              "2.6 sqrt(R^3 / tension) steps",
              Range::between(0, 0.2));
  double gravity = 0;
  phases.read("gravity", gravity, "acceleration downwards, cells per step^2; about 1e-6 to 1e-5",
              Range::between(-0.01, 0.01));
  f.gravity[1] = -gravity;
  int rests = 0;
  constexpr std::string_view fluids[] = {"gas", "liquid"};
  phases.choose("at_rest", rests, fluids,
                "the fluid that gravity leaves alone, while the other one falls or rises by the difference: what most "
                "of the grid holds, or what lies above");
  f.still = rests == 0 ? 1 / f.density_ratio : 1;
  phases.read("interface_width", f.width,
              "cells between the phases: the phase at the distance d from the interface is (1 + tanh(2 d / width)) / 2",
              Range::between(3, 20));
  phases.read("mobility", f.mobility,
              "how strongly the interface keeps its shape, cells^2 per step; at least the speed of the flow",
              Range::between(0, 0.2));
  phases.read("contact_angle", f.angle, "angle through the liquid at which the interface meets walls, degrees",
              Range::between(10, 170));
  phases.read("level", s.level, {"height of a layer of liquid above the bottom side, cells; 0: none", "none", "40"},
              Range::at_least(0));
  phases.read("liquid", s.liquid_text,
              {"where the liquid is at step 0: a formula \"= ...\" of x and y for the distance to the interface in "
               "cells, above 0 in the liquid, such as \"= 60 + 4 * cos(2 * pi * x / nx) - y\"",
               "none", "\"= 40 - y\""});
  read_disks(phases, "drop", "a disk of liquid at step 0", true, o, s.disks);
  const bool drops = !s.disks.empty();
  read_disks(phases, "bubble", "a disk of gas at step 0, in liquid of `level` or `liquid`", false, o, s.disks);
  if (!s.on) return;
  refuse_others(keys, o);
  if (s.level == 0 && s.liquid_text.text.empty() && !drops)
    keys.fail("phases",
              "nothing says where the liquid is; give level = 40, a [[solver.phases.drop]] with center and radius, or "
              "liquid = \"= ...\"");
  if (s.level > 0 && o.bottom == LbmSide::periodic)
    phases.fail(
        "level",
        "a layer needs a bottom and a top, and these sides are periodic; set bottom = \"wall\" and top = \"wall\" "
        "in [solver.boundary], or give a band by liquid = \"= 20 - abs(y - 40)\"");
  if (gravity != 0 && s.fall() * std::sqrt(3.0) > 0.71)
    phases.fail("gravity",
                "liquid that falls through the height of the grid reaches {:.4g} cells a step, where the method is "
                "never stable; take a lower gravity: speeds below 0.06 are right",
                s.fall());
}

void open_phases(PhasesOptions& s, const Scene& scene) {
  if (!s.on || s.liquid_text.text.empty()) return;
  if (!Formula::is_formula(s.liquid_text.text))
    s.keys.fail("liquid", "\"liquid\" must be a formula \"= ...\" of x and y, the distance to the interface in cells");
  s.liquid = GridValues(s.liquid_text, s.keys, "liquid", scene, s.grid[0], s.grid[1]);
  s.liquid.extremes();
}

std::vector<std::string> phases_facts(const LbmOptions& o) {
  const PhasesOptions& s = o.phases;
  const LbmFluids& f = s.fluids;
  if (!s.on) return {};
  std::vector<std::string> facts = {fmt::format(
      "two phases: density ratio {:.4g}, viscosity of the gas {:.4g}, surface tension {:.4g}, interface {:.3g} cells "
      "wide",
      f.density_ratio, f.gas_viscosity, f.surface_tension, f.width)};
  const double gravity = std::abs(f.gravity[1]);
  std::string line;
  if (f.surface_tension > 0) line = fmt::format("capillary time {:.4g} steps", s.capillary_time());
  if (gravity > 0 && s.atwood() > 0)
    line += fmt::format("{}fall through the height: {:.4g} cells a step, {:.4g} steps", line.empty() ? "" : "; ",
                        s.fall(), s.grid[1] / s.fall());
  if (const PhaseDisk* const disk = s.largest()) {
    const double diameter = 2 * disk->radius, speed = std::max(std::hypot(disk->velocity[0], disk->velocity[1]), 0.0);
    line += fmt::format("{}of {:.4g} cells:", line.empty() ? "" : "; ", diameter);
    if (f.surface_tension > 0) {
      if (speed > 0) line += fmt::format(" Weber number {:.4g},", speed * speed * diameter / f.surface_tension);
      if (gravity > 0)
        line += fmt::format(" Bond number {:.4g},",
                            gravity * (1 - 1 / f.density_ratio) * diameter * diameter / f.surface_tension);
      line += fmt::format(" Ohnesorge number {:.3g},", f.liquid_viscosity / std::sqrt(f.surface_tension * diameter));
    }
    line += fmt::format(" Cahn number {:.3g}", f.width / diameter);
  }
  if (!line.empty()) facts.push_back(line);
  return facts;
}

std::vector<std::string> phases_warnings(const LbmOptions& o) {
  const PhasesOptions& s = o.phases;
  const LbmFluids& f = s.fluids;
  std::vector<std::string> warnings;
  if (!s.on) return warnings;
  const auto warn = [&](std::string_view key, const std::string& text) {
    warnings.push_back(fmt::format("{}: {}", s.keys.position(key).text(), text));
  };
  double smallest = 0;
  for (const PhaseDisk& disk : s.disks) smallest = smallest > 0 ? std::min(smallest, disk.radius) : disk.radius;
  if (smallest > 0 && 2 * smallest < fewest_cells * f.width)
    warn("drop", fmt::format("a disk is {:.4g} cells across and the interface {:.3g} wide, Cahn number {:.2g}; below "
                             "{:.3g} cells it dissolves or its pressure is wrong: take more cells",
                             2 * smallest, f.width, f.width / (2 * smallest), fewest_cells * f.width));
  const double ripple = std::sqrt(2 * std::acos(-1.0) * f.surface_tension / (2 * f.width));
  if (ripple > fastest_ripple)
    warn("surface_tension",
         fmt::format("the shortest waves of the interface run {:.2g} cells a step, which is near the speed of sound; "
                     "take a surface tension below {:.2g}",
                     ripple, 2 * f.width * fastest_ripple * fastest_ripple / (2 * std::acos(-1.0))));
  const double wall = o.has(LbmSide::moving) ? o.given_speed() : 0, speed = std::max(s.speed(), wall);
  const double head = std::abs(f.gravity[1]) * (smallest > 0 ? 2 * smallest : o.grid[1]);
  const double squeeze =
      3 * f.density_ratio * std::max({speed * speed, head, smallest > 0 ? f.surface_tension / smallest : 0});
  if (squeeze > largest_squeeze)
    warn("density_ratio",
         fmt::format("3 density_ratio p is {:.3g} for the pressure p of the liquid; above {} the gas is compressed and "
                     "the flow may end: take a lower ratio, or speeds, gravity and surface tension that are lower",
                     squeeze, largest_squeeze));
  if (speed > f.mobility * (2 - 4 / f.width))
    warn("mobility", fmt::format("a speed of {:.3g} may bend the interface out of shape; take mobility = {:.2g}, or "
                                 "lower speeds",
                                 speed, std::min(0.2, 1.1 * speed / (2 - 4 / f.width))));
  if (f.gravity[1] != 0 && o.bottom == LbmSide::periodic)
    warn("gravity", "bottom and top are periodic, so nothing holds up what falls, and it falls ever faster");
  return warnings;
}

template <class Real>
void start_phases(const Executor& executor, const LbmOptions& o, const LbmParams<Real>& p, Real* state) {
  const PhasesOptions& s = o.phases;
  const double width = s.fluids.width;
  const auto fill = [&](int y, const auto& values) {
    const std::span<double> phase = values(0), along = values(1), up = values(2);
    if (!s.liquid_text.text.empty())
      s.liquid.row(y, phase);
    else
      std::ranges::fill(phase, -1e6);
    for (std::size_t x = 0; x < phase.size(); ++x) {
      double distance = phase[x], ux = 0, uy = 0, shares = 0;
      if (s.level > 0) distance = std::max(distance, s.level - 0.5 - y);
      for (const PhaseDisk& disk : s.disks) {
        const double depth = inside(disk, static_cast<double>(x), y, o), share = phase_at(depth, width);
        distance = disk.liquid ? std::max(distance, depth) : std::min(distance, -depth);
        ux += share * disk.velocity[0];
        uy += share * disk.velocity[1];
        shares += share;
      }
      const double all = std::max(1.0, shares);  // where disks overlap
      phase[x] = phase_at(distance, width);
      along[x] = ux / all;
      up[x] = uy / all;
    }
  };
  start_by_rows(executor, p, 3, fill, [&](const double* given, std::size_t plane, int y, int rows) {
    lbm_phases_start(executor, p, LbmPhasesGiven{given, given + plane, given + 2 * plane, y, rows}, state);
  });
}

template void start_phases(const Executor&, const LbmOptions&, const LbmParams<float>&, float*);
template void start_phases(const Executor&, const LbmOptions&, const LbmParams<double>&, double*);

}  // namespace simreel
