#include "source/lbm/options.h"

#include <fmt/format.h>

#include <utility>

#include "kernels/lbm/split.h"

namespace simreel {
namespace {

constexpr std::string_view initial_states[] = {"rest", "uniform", "taylor_green", "shear_layer", "stream"};
constexpr std::string_view profiles[] = {"uniform", "parabolic"};
constexpr std::string_view reynolds_speeds[] = {"velocity", "mean"};
constexpr std::string_view walls[] = {"stairs", "curved"};
constexpr std::string_view outlets[] = {"pressure", "characteristic"};

// Above this the equilibrium of moving fluid is unstable for any relaxation time (|u| = sqrt(2) - 1 along an axis).
constexpr double largest_mach = 0.71;
constexpr double smallest_margin = 1e-6;  // of tau - 1/2, which float still resolves

void read_viscosity(Table& keys, LbmOptions& o) {
  keys.read(
      "viscosity", o.viscosity,
      {"kinematic viscosity nu, cells^2 per step; tau = 3 nu + 1/2",
       "inlet with an obstacle: for Reynolds number 150 of the first obstacle; a moving side: for 1000 of the shorter "
       "side; shear layer: velocity / 8; in these never below velocity / 8 and 0.002. Else 0.02",
       "0.02"},
      Range::above(0));
  keys.read("reynolds", o.reynolds,
            "Reynolds number velocity * length / viscosity, instead of the viscosity; 0: not given",
            Range::at_least(0));
  keys.read("length", o.length,
            "length in the Reynolds and the Strouhal number, cells; 0: not given, and the Strouhal number takes the "
            "width of the first obstacle",
            Range::at_least(0));
  keys.choose("reynolds_of", o.of_mean, reynolds_speeds,
              "the speed in the Reynolds and the Strouhal number: `velocity`, the largest of a parabolic inlet, or its "
              "mean, two thirds of that, as benchmarks of channels have it");
  if (o.reynolds == 0) return;
  if (keys.has("viscosity"))
    keys.fail("reynolds",
              "both \"viscosity\" and \"reynolds\" are given, and one follows from the other; leave one of them out");
  keys.require("length", "length = 20, the cells across the obstacle");
  if (o.length == 0) keys.fail("length", "a Reynolds number needs a \"length\" above 0, in cells");
  if (o.velocity == 0) keys.fail("velocity", "a Reynolds number needs a \"velocity\" other than 0");
  o.viscosity = o.speed_of_numbers() * o.length / o.reynolds;
}

// The width of an obstacle across the stream, cells.
double width_of(const ObstacleOptions& obstacle, std::size_t across) {
  if (obstacle.shape == ObstacleShape::circle) return 2 * obstacle.radius;
  if (obstacle.shape == ObstacleShape::porous) return obstacle.grain;
  const auto [low, high] = obstacle.bounds();
  return high[across] - low[across] + (obstacle.shape == ObstacleShape::polygon ? 0 : 1);
}

// The cells across what the Reynolds number is of, where the scene does not say.
double default_length(const LbmOptions& o) {
  return o.obstacles.empty() ? std::min(o.grid[0], o.grid[1])
                             : width_of(o.obstacles.front(), o.flows_along_x() ? 1 : 0);
}

// A flow given in SI units: the speed in cells a step is as high as is nearly incompressible, or lower where tau would
// exceed 1.
void read_units(Table& keys, LbmOptions& o) {
  constexpr double best_velocity = 0.05, greatest_viscosity = 1.0 / 6;
  double length = 1, velocity = 1, viscosity = 1e-3;
  Table units =
      keys.table("units", "the flow in SI units, also as [units]; velocity and viscosity in cells and steps follow");
  units.read("length", length, {"the length that `length` cells stand for, m", "required in [units]", "1"},
             Range::above(0));
  units.read("velocity", velocity, {"the speed that `velocity` stands for, m/s", "required in [units]", "1"},
             Range::above(0));
  units.read("viscosity", viscosity, {"kinematic viscosity, m^2/s", "required in [units]", "0.001"}, Range::above(0));
  if (!keys.has("units")) return;
  units.require("length", "length = 0.1");
  units.require("velocity", "velocity = 1.0");
  units.require("viscosity", "viscosity = 1e-6");
  if (keys.has("viscosity") || o.reynolds > 0)
    keys.fail(keys.has("viscosity") ? "viscosity" : "reynolds",
              "[units] tells the viscosity already; leave out one of them");
  if (o.length == 0) o.length = default_length(o);
  o.reynolds = velocity * length / viscosity;
  if (!keys.has("velocity")) o.velocity = std::min(best_velocity, greatest_viscosity * o.reynolds / o.length);
  o.viscosity = std::abs(o.velocity) * o.length / o.reynolds;
  o.cell = length / o.length;
  o.step = o.cell * std::abs(o.velocity) / velocity;
}

// For a flow that develops vortices and that the grid resolves.
double default_viscosity(const LbmOptions& o) {
  const double speed = std::abs(o.velocity), min = std::max(speed / 8, 0.002);
  if (speed == 0) return o.viscosity;
  if (o.has(LbmSide::inlet) && !o.obstacles.empty()) {
    const double length = o.length > 0 ? o.length : default_length(o);
    return std::max(speed * length / 150, min);
  }
  if (o.has(LbmSide::moving)) return std::max(speed * std::min(o.grid[0], o.grid[1]) / 1000, min);
  if (o.initial == LbmInitial::shear_layer) return min;
  return o.viscosity;
}

void read_force(Table& keys, LbmOptions& o) {
  if (!keys.has_table("force")) {
    keys.read(
        "force", o.force,
        "body force per unit of mass, cells per step^2; at most 0.01 in all, in most flows about 1e-6; as a table, x "
        "and y may be formulas");
    if (keys.has("force")) return;
  }
  o.texts.force_keys = keys.table("force", "a body force that differs from place to place, or in time");
  constexpr std::string_view form = "a formula \"= ...\" of x and y or of t, or a .npy file";
  o.texts.force_keys.read_number_or_text("x", o.force[0], o.texts.force[0], form, "along x, cells per step^2");
  o.texts.force_keys.read_number_or_text("y", o.force[1], o.texts.force[1], form, "along y, cells per step^2");
}

void read_start(Table& keys, LbmOptions& o) {
  const KeyText meanings[] = {"density at step 0, 1 + 3 p for the pressure p above that of fluid at rest",
                              "velocity along x at step 0, cells per step, instead of `initial`",
                              "velocity along y at step 0, cells per step, instead of `initial`"};
  for (std::size_t i = 0; i < 3; ++i)
    keys.read_number_or_text(lbm_initial_keys[i], o.texts.initial[i], o.texts.initial_text[i],
                             "a formula \"= ...\" of x and y, or a .npy file", meanings[i]);
  if (o.given && keys.has("initial"))
    keys.fail("initial",
              "the flow at step 0 is given twice; leave out initial, or initial_ux, initial_uy and initial_density");
}

void read_sides(Table& keys, LbmOptions& o) {
  if (o.starts_periodic()) o.bottom = o.top = LbmSide::periodic;
  if (heats_sideways(keys)) o.left = o.right = LbmSide::wall;
  Table boundary = keys.table("boundary", "what lies half a cell beyond the outermost cells");
  boundary.choose(
      "left", o.left, lbm_sides,
      {"the side at x = 0: a `moving` one slides along itself towards +x or +y and an `inlet` blows inwards, both with "
       "`velocity`; an `outlet` lets fluid leave; `slip` is a wall without friction",
       "\"periodic\"; \"wall\" where [solver.heat] names left or right", "\"periodic\""});
  boundary.choose("right", o.right, lbm_sides,
                  {"the side opposite to left; both are periodic, or neither",
                   "\"periodic\"; \"wall\" where [solver.heat] names left or right", "\"periodic\""});
  // Walls beside a body in a stream would have layers of their own, stronger than its wake.
  const bool stream = (o.left == LbmSide::inlet || o.right == LbmSide::inlet) && keys.has("obstacle");
  const bool channel = o.parabolic || !o.texts.profile.text.empty() || boundary.has("bottom") || boundary.has("top");
  if (stream && !channel) o.bottom = o.top = LbmSide::slip;
  constexpr std::string_view usual =
      "\"wall\"; taylor_green and shear_layer: \"periodic\"; an obstacle in a stream from the left or right, without "
      "profile, bottom and top: \"slip\"";
  boundary.choose("bottom", o.bottom, lbm_sides, {"the side at y = 0", usual, "\"wall\""});
  boundary.choose("top", o.top, lbm_sides,
                  {"the side opposite to bottom; both are periodic, or neither", usual, "\"wall\""});
  const std::array<LbmSide, 4> sides = o.sides();
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string key = fmt::format("{}_factor", lbm_side_names[i]);
    boundary.read(key, o.slide[i], "a side that is `moving`: what its `velocity` is multiplied by; -1: the other way",
                  Range::any());
    if (sides[i] != LbmSide::moving) boundary.refuse_without(fmt::format("{} = \"moving\"", lbm_side_names[i]), key);
  }
  const auto name = [](LbmSide side) { return lbm_sides[static_cast<std::size_t>(side)]; };
  for (std::size_t i = 0; i < 4; i += 2) {
    if ((sides[i] == LbmSide::periodic) == (sides[i + 1] == LbmSide::periodic)) continue;
    const std::size_t given = sides[i] == LbmSide::periodic ? i + 1 : i;
    const std::string_view side = lbm_side_names[given], other = lbm_side_names[given ^ 1];
    const LbmSide opposite = sides[given] == LbmSide::inlet    ? LbmSide::outlet
                             : sides[given] == LbmSide::outlet ? LbmSide::inlet
                                                               : sides[given];
    boundary.fail(side, "\"{}\" is \"{}\" and \"{}\" \"periodic\": both must be, or neither; say {} = \"{}\"", side,
                  name(sides[given]), other, other, name(opposite));
  }
  if (!o.has(LbmSide::inlet) || o.has(LbmSide::outlet)) return;
  const auto inlet = static_cast<std::size_t>(std::ranges::find(sides, LbmSide::inlet) - sides.begin());
  boundary.fail(lbm_side_names[inlet],
                "an inlet needs an outlet: without one the density grows without end; say {} = \"outlet\"",
                lbm_side_names[inlet ^ 1]);
}

void read_outlet(Table& keys, LbmOptions& o) {
  const bool along_x = o.left == LbmSide::outlet || o.right == LbmSide::outlet;
  const bool along_y = o.bottom == LbmSide::outlet || o.top == LbmSide::outlet;
  // The fewest from one outlet to the opposite side; 0 without outlets.
  const int cells = along_x && along_y ? std::min(o.grid[0], o.grid[1]) : along_x ? o.grid[0] : along_y ? o.grid[1] : 0;
  o.layer = std::min(20, cells / 4);
  keys.read("outlet_layer", o.layer,
            {"columns of raised viscosity before outlets, in which vortices end before they reach them; 0: none, which "
             "keeps a channel flow exact to the end",
             "20, at most a quarter of the cells to the opposite side; without an outlet 0", "20"},
            Range::between(0, 1 << 24));
  if (cells == 0 && o.layer > 0) keys.refuse_without("an outlet", "outlet_layer");
  if (o.layer > cells)
    keys.fail("outlet_layer", "a layer of {} columns does not fit into the {} cells before the outlet", o.layer, cells);
  o.outlet = cells == 0 || o.layer > 0 ? LbmOutlet::characteristic : LbmOutlet::pressure;
  keys.choose(
      "outlet", o.outlet, outlets,
      {"what outlets do: let sound leave and bring the density back to 1 slowly (characteristic), or hold it at "
       "1, from which sound comes back (pressure)",
       "\"characteristic\"; with outlet_layer = 0 \"pressure\"", "\"characteristic\""});
  if (cells == 0) keys.refuse_without("an outlet", "outlet");
}

void read_ramp(Table& keys, LbmOptions& o) {
  const bool along_x = o.left == LbmSide::inlet || o.right == LbmSide::inlet;
  const bool starts_still =
      !o.given && (o.initial == LbmInitial::rest || (o.initial == LbmInitial::stream && !keys.has("initial")));
  if (o.has(LbmSide::inlet) && starts_still) o.ramp = std::max(2000, 3 * o.grid[along_x ? 0 : 1]);
  keys.read(
      "ramp", o.ramp,
      {"steps in which the flow of inlets rises from 0, along a cosine, so that no sound starts with it; 0: the "
       "flow is there at once",
       "2000, at least three times the cells along the flow, where the fluid is at rest at first; otherwise 0", "2000"},
      Range::between(0, 1 << 30));
  if (o.ramp == 0) return;
  if (!o.has(LbmSide::inlet)) keys.refuse_without("an inlet", "ramp");
  if (o.given)
    keys.fail("ramp",
              "the inlet would hold up a fluid that moves at the start; leave out initial_ux, initial_uy and "
              "initial_density, or take ramp = 0");
  if (o.initial != LbmInitial::rest && o.initial != LbmInitial::stream)
    keys.fail("ramp",
              "the inlet would hold up a fluid that moves at the start; leave out initial = \"{}\" or take ramp = 0",
              initial_states[static_cast<int>(o.initial)]);
}

void read_tracer(Table& keys, LbmOptions& o) {
  Table tracer = keys.table("tracer", "dye that the flow carries, shown by [view] field = \"tracer\"");
  tracer.read("diffusivity", o.tracer.diffusivity, "diffusivity of the dye, cells^2 per step", Range::between(0, 0.2));
  tracer.read("stripes", o.tracer.stripes, "number of stripes of dye at inlets, with clear fluid between them; 0: none",
              Range::between(0, 1 << 20));
  if (o.tracer.stripes > 0 && !o.has(LbmSide::inlet)) tracer.refuse_without("an inlet", "stripes");
  tracer.read("bands", o.tracer_bands, "number of bands of dye at step 0, one above the other; 0: none",
              Range::between(0, 1 << 20));
  for (Table& entry : tracer.tables("spot", "a disk that is always full of dye; at most 16")) {
    TracerSpot spot;
    std::array<double, 2> position = {(o.grid[0] - 1) / 2.0, (o.grid[1] - 1) / 2.0};
    entry.read("position", position, {"centre, cells", "the middle of the grid"});
    entry.read("radius", spot.radius, "radius, cells", Range::above(0));
    spot.x = position[0];
    spot.y = position[1];
    if (o.tracer.spots == tracer_max_spots) entry.fail("position", "at most {} spots", tracer_max_spots);
    o.tracer.spot[o.tracer.spots++] = spot;
  }
}

void check_speed(const Table& keys, std::string_view key, double speed) {
  const double mach = speed * std::sqrt(3.0);
  if (mach > largest_mach)
    keys.fail(key,
              "a speed of {:.4g} is Mach {:.2f}, where the method is never stable; it must be at most "
              "{:.2f}, and below 0.06 for nearly incompressible flow; a speed in m/s goes into [solver.units]",
              speed, mach, largest_mach / std::sqrt(3.0));
}

void check(const Table& keys, const LbmOptions& o) {
  if (o.tau() - 0.5 < smallest_margin)
    keys.fail(keys.has("reynolds") ? "reynolds" : "viscosity",
              fmt::format("tau = {:.9g} cannot be told from 1/2; the viscosity is {:.3g} and must be at least {:.3g}: "
                          "take more cells, a higher "
                          "velocity or a lower Reynolds number; one in m^2/s goes into [solver.units]",
                          o.tau(), o.viscosity, smallest_margin / 3));
  check_speed(keys, "velocity", o.given_speed());
  if (std::hypot(o.force[0], o.force[1]) > lbm_largest_force)
    keys.fail("force",
              "a force of {:.4g} brings the fluid to the speed of sound within {:.0f} steps; it "
              "must be at most {}, and is {}",
              std::hypot(o.force[0], o.force[1]), std::ceil(1 / std::sqrt(3.0) / std::hypot(o.force[0], o.force[1])),
              lbm_largest_force, lbm_usual_force);
  if (o.has(LbmSide::inlet) && o.velocity < 0)
    keys.fail("velocity", "an inlet's velocity points into the grid and cannot be negative; exchange inlet and outlet");
  if (o.collision != LbmCollision::trt) keys.refuse_without("collision = \"trt\"", "magic");
  if (o.collision != LbmCollision::central && o.smagorinsky > 0)
    keys.refuse_without("collision = \"central\"", "smagorinsky");
  if (o.of_mean && !o.parabolic) keys.refuse_without("profile = \"parabolic\"", "reynolds_of");
  if ((o.parabolic || !o.texts.profile.text.empty()) && !o.has(LbmSide::inlet))
    keys.refuse_without("an inlet", "profile");
  if (o.reynolds == 0 && o.fastest() == 0)
    keys.refuse_without("a speed to go with it: an inlet, a moving wall or a flow at the start", "length");
  const bool periodic = o.left == LbmSide::periodic && o.bottom == LbmSide::periodic;
  if (!periodic && o.starts_periodic())
    keys.fail("initial", "\"{}\" is a flow of a periodic square; make all sides \"periodic\"",
              initial_states[static_cast<int>(o.initial)]);
  if (static_cast<double>(o.grid[0] + 64) * o.grid[1] > 4294967295.0)
    keys.fail("grid", "a grid has at most 2^32 cells");
}

}  // namespace

double LbmOptions::channel_peak() const {
  const auto peak = [&](double along, int width, LbmSide low) {
    return low == LbmSide::wall ? std::abs(along) * width * width / (8 * viscosity) : 0;
  };
  return obstacles.empty() ? std::max(peak(force[0], grid[1], bottom), peak(force[1], grid[0], left)) : 0;
}

double LbmOptions::given_speed() const {
  if ((initial == LbmInitial::rest || given) && !has(LbmSide::moving) && !has(LbmSide::inlet)) return 0;
  // The vertical speed of Taylor-Green vortices in a tall box is that many times the horizontal one.
  const bool stretched = !given && initial == LbmInitial::taylor_green && grid[1] > grid[0];
  double share = 0;  // of the fastest; the flow at the start and inlets have the whole
  for (std::size_t i = 0; i < slide.size(); ++i)
    if (sides()[i] == LbmSide::moving) share = std::max(share, std::abs(slide[i]));
  if (has(LbmSide::inlet) || !(initial == LbmInitial::rest || given)) share = std::max(share, 1.0);
  return std::abs(velocity) * share * (stretched ? static_cast<double>(grid[1]) / grid[0] : 1);
}

LbmOptions read_lbm_options(Table& keys) {
  LbmOptions o;
  int profile = 0;
  keys.require("grid", "grid = [400, 200]");
  keys.read("grid", o.grid, "number of cells along x and y, at most 2^32 together", Range::between(1, 1 << 24));
  keys.choose("collision", o.collision, lbm_collisions,
              "collision operator: one relaxation time (bgk), two (trt), those of Lallemand and Luo (mrt), or central "
              "moments (central), which stays finite at any viscosity");
  keys.read("velocity", o.velocity,
            "speed of inlets, moving walls and the initial flow, cells per step; at most 0.41 (Mach 0.71), better "
            "below 0.06");
  read_viscosity(keys, o);
  keys.read("magic", o.magic,
            "collision = \"trt\": the magic parameter (1 / w+ - 1/2) (1 / w- - 1/2) of the two relaxation rates",
            Range::above(0));
  keys.read(
      "smagorinsky", o.smagorinsky,
      "collision = \"central\": Smagorinsky's constant, which adds the viscosity of eddies smaller than a cell; 0.1 is "
      "usual, 0: none",
      Range::between(0, 1));
  keys.choose("precision", o.precision, precision_names,
              "floating-point type of the populations; half stores them so and computes in float");
  read_force(keys, o);
  o.given = gives_start(keys);
  const bool open = !keys.has("initial") && !o.given && !o.forced();
  const bool driven = keys.has("heat") || keys.has("phases");
  if (open && !driven && !keys.has("boundary")) o.initial = LbmInitial::shear_layer;
  keys.choose("initial", o.initial, initial_states,
              {"the flow at step 0; stream: a uniform flow from the inlet with a gust across it, which a ramp "
               "brings in",
               "without a force: \"stream\" with an inlet, \"shear_layer\" with periodic sides only and without "
               "[solver.heat]; else \"rest\"",
               "\"rest\""});
  read_start(keys, o);
  if (keys.choose_or_text(
          "profile", profile, profiles, o.texts.profile, Formula::is_formula, "a formula \"= ...\" of x, y and t",
          "velocity along an inlet: the same everywhere, a parabola with its peak at `velocity`, or what "
          "`velocity` is multiplied by at each place"))
    profile = 0;
  keys.choose(
      "kernel", o.kernel, lbm_kernels,
      "fused takes two steps per pass over memory, or one if the flow carries dye or heat or the caches of a CPU hold "
      "the grid; single always takes one; split is three kernels; all give the same bits");
  keys.choose("tile", o.tile, lbm_tiles,
              "kernel = \"split\" on a GPU: side of its tiles in shared memory, cells; 0: no shared memory");
  if (o.kernel == LbmKernel::split && o.precision == Precision::float16)
    keys.fail("kernel", "\"split\" works in float and double; take kernel = \"fused\" for half");
  o.parabolic = profile == 1;
  read_sides(keys, o);
  const bool all_periodic = o.left == LbmSide::periodic && o.bottom == LbmSide::periodic;
  if (open && o.has(LbmSide::inlet)) o.initial = LbmInitial::stream;
  o.made_up = open && !driven && all_periodic;
  if (o.made_up) o.initial = LbmInitial::shear_layer;
  read_outlet(keys, o);
  read_ramp(keys, o);
  int wall = 1;
  keys.choose("walls", wall, walls,
              "obstacles: curved, the walls of circles, polygons, images and formulas lie where the shape says, to "
              "1/256 of a cell, and others in the middle between cells; stairs, all in the middle");
  o.curved = wall == 1;
  o.obstacles = read_obstacles(keys, o.grid[0], o.grid[1],
                               "solid cells with no-slip walls; where two overlap the later one counts", true);
  if (o.obstacles.empty()) keys.refuse_without("an obstacle", "walls");
  read_tracer(keys, o);
  o.dyed = keys.has("tracer");
  read_units(keys, o);
  if (!keys.has("viscosity") && o.reynolds == 0) o.viscosity = default_viscosity(o);
  read_heat(keys, o);
  o.particles = read_particles(keys, o);
  read_phases(keys, o);
  check(keys, o);
  return o;
}

void open_lbm_drive(LbmOptions& o, const Table& keys, const Scene& scene) {
  o.drive = open_drive(o.texts, keys, scene, o.grid, o.sides());
}

void open_lbm_options(LbmOptions& o, const Table& keys, const Scene& scene) {
  open_obstacles(o.obstacles, scene, o.grid[0], o.grid[1]);
  open_lbm_drive(o, keys, scene);
  open_heat(o.heat, scene, o.grid);
  open_phases(o.phases, scene);
  check_speed(keys, "profile", o.given_speed() * o.drive.peak);
}

}  // namespace simreel
