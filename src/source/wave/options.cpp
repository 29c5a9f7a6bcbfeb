#include "source/wave/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace simreel {
namespace {

constexpr std::string_view side_names[] = {"left", "right", "bottom", "top"};
constexpr std::string_view walls[] = {"fixed", "free", "absorbing"};
constexpr int default_layer = 16;
constexpr std::string_view initial_states[] = {"rest", "mode", "noise"};
constexpr std::string_view starts[] = {"rest", "kick"};

// Von Neumann: with lambda = c dt / dx the scheme is stable while 8 lambda^2 <= 4 - 2 k dt, which without damping is
// lambda <= 1 / sqrt(2). The largest dt is the root of that quadratic.
double largest_timestep(const WaveOptions& o) {
  const double rate = o.speed / o.spacing, half_damping = o.damping / 4;
  return 1 / (half_damping + std::sqrt(half_damping * half_damping + 2 * rate * rate));
}

constexpr double max_drops = 1000;  // a step; more would be noise, and a run that never ends

double default_radius(const WaveOptions& o) { return std::max(3.0, o.side() / 50.0); }

void check(const Table& keys, const WaveOptions& o) {
  const double largest = largest_timestep(o);
  // A hair of tolerance: 1/sqrt(2) written with 16 digits may lie above the limit.
  if (o.timestep > largest * (1 + 1e-12)) {
    const double unit = std::pow(10, std::floor(std::log10(largest)) - 6);
    const double named = std::floor(largest / unit) * unit;  // rounded down, so that it is stable as it is printed
    keys.fail(
        "timestep",
        "the time step is unstable: c dt / dx = {:.6g}, but it must be at most 1/sqrt(2) = 0.707107{}; the largest "
        "timestep is {:.7g}",
        o.courant_number(),
        o.damping > 0 ? fmt::format(", with this damping {:.6g}", o.speed * largest / o.spacing) : "", named);
  }
  if (o.rain.rate * o.timestep > max_drops)
    keys.fail("rain", "rate = {:.6g} is more than {} droplets a step; the largest rate is {:.6g}", o.rain.rate,
              max_drops, max_drops / o.timestep);
  if (o.initial != WaveInitial::mode) keys.refuse_without("initial = \"mode\"", "mode");
  if (o.initial == WaveInitial::rest || o.initial == WaveInitial::given)
    keys.refuse_without("initial = \"mode\" or \"noise\"; droplets have their own", "amplitude");
  if (o.initial == WaveInitial::mode && o.medium)
    keys.fail("initial", "a mode needs fixed walls of a uniform tank without sources; write the heights as a formula");
  if (o.initial == WaveInitial::mode && !wave_is_walled(o.boundary))
    keys.fail("initial", "a mode needs fixed walls; use boundary = \"fixed\", or initial = \"rest\" with droplets");
  if (o.initial == WaveInitial::mode && (o.mode[0] > o.grid[0] || o.mode[1] > o.grid[1]))
    keys.fail("mode", "a grid of {} x {} cells has no more than that many half waves", o.grid[0], o.grid[1]);
}

void read_start(Table& keys, WaveStart& start) {
  keys.choose("start", start, starts,
              "rest: the pulse adds no velocity; kick: it also moves the surface with the velocity -amplitude exp(-r^2 "
              "/ radius^2) / timestep, so that its energy grows as 1 / timestep^2");
}

// Before values are computed on it.
void check_size(const Table& keys, const WaveOptions& o) {
  const std::size_t cells = static_cast<std::size_t>(o.grid[0]) * static_cast<std::size_t>(o.grid[1]);
  check_grid_memory(keys, 4 * cells * sizeof(float), cells * sizeof(float), "a number for each cell");
}

void read_speed(Table& keys, WaveOptions& o, const Scene* scene, const Range& positive) {
  PlacedText text;
  std::array<double, 2> grey = {0.5, 1};
  const bool is_text = keys.read_number_or_text(
      "speed", o.speed, text, values_form,
      "wave speed c, length per unit of time; where it differs, the largest one decides on the time step", positive);
  keys.read("speed_range", grey, {"speed as a grey image: the speeds of black and of white", "[0.5, 1]", "[0.5, 1]"});
  const bool image = is_text && !Formula::is_formula(text.text) && !text.text.ends_with(".npy");
  if (!image) keys.refuse_without("an image as speed", "speed_range");
  o.lowest = o.speed;
  if (!is_text) return;
  o.medium = true;
  if (scene == nullptr) {
    o.speed = o.lowest = 1;
    return;
  }
  check_size(keys, o);
  o.speeds = GridValues(text, keys, "speed", *scene, o.grid[0], o.grid[1], grey[0], grey[1]);
  const GridValues::Extremes extremes = o.speeds.extremes();
  if (extremes.low < positive.low || extremes.high > positive.high)
    o.speeds.fail(fmt::format(
        "the speed is {:.6g} somewhere; it must be above 0 everywhere; for walls there is [[solver.obstacle]]",
        extremes.low < positive.low ? extremes.low : extremes.high));
  o.speed = extremes.high;
  o.lowest = extremes.low;
}

// Sides of different kinds. Returns whether the scene names any.
bool read_side_table(Table& keys, WaveOptions& o) {
  const bool given = keys.has_table("boundary");
  if (!given && keys.has("boundary")) return false;
  Table sides = keys.table("boundary", "sides of different kinds");
  for (std::size_t i = 0; i < 4; ++i)
    sides.choose(side_names[i], o.sides[i], wave_boundaries,
                 {"fixed: u = 0 one cell outside; free: reflects with the same sign; periodic, with the opposite side; "
                  "absorbing: a layer lets waves out",
                  "\"fixed\"", "\"free\""});
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}})
    if (wave_wraps(o.sides[i]) != wave_wraps(o.sides[i + 1]))
      sides.fail(side_names[wave_wraps(o.sides[i]) ? i : i + 1], "\"{}\" and \"{}\" must both be periodic, or neither",
                 side_names[i], side_names[i + 1]);
  return given;
}

void read_sides(Table& keys, WaveOptions& o) {
  const bool absorber = keys.has_table("absorber");
  if (!keys.has_table("boundary")) {
    if (absorber) o.boundary = WaveBoundary::absorbing;
    keys.choose(
        "boundary", o.boundary, wave_boundaries,
        {"what lies beyond the sides, as one name, or as a table with a name for each; absorbing ones let waves "
         "out, with [solver.absorber] of the default width to 2e-8 of their energy at angles up to 80 degrees",
         "\"fixed\"; with [solver.absorber] \"absorbing\"", "\"fixed\""});
  }
  o.sides.fill(o.boundary);
  const bool table = read_side_table(keys, o);
  const bool absorbs = std::ranges::any_of(o.sides, wave_absorbs);
  Table layer = keys.table("absorber", "perfectly matched layers at the sides that absorb, inside the grid");
  int width = std::clamp(std::min(o.grid[0], o.grid[1]) / 4, 4, default_layer);
  layer.read("width", width, {"width of the layers, cells", "16; on a small grid a quarter of its shorter side", "16"},
             Range::between(4, 256));
  if (absorber && !absorbs)
    keys.fail("absorber", "no side absorbs; write boundary = \"absorbing\", or name such a side in [solver.boundary]");
  const bool alike = std::ranges::all_of(o.sides, [&](WaveBoundary side) { return side == o.sides[0]; });
  if (absorber || (table && (!alike || absorbs))) o.medium = true;
  if (alike) o.boundary = o.sides[0];
  if (absorbs) o.layer = width;
}

// What the plain kernels do at the sides without a layer, if that is one thing, and whether the layers fit.
void settle_sides(const Table& keys, WaveOptions& o) {
  if (!o.medium) {
    o.layer = 0;
    return;
  }
  o.boundary = WaveBoundary::fixed;
  for (const WaveBoundary side : o.sides)
    if (!wave_absorbs(side)) o.boundary = side;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    const int layers = wave_absorbs(o.sides[2 * axis]) + wave_absorbs(o.sides[2 * axis + 1]);
    if (layers * o.layer >= o.grid[axis])
      keys.fail("grid",
                "absorbing layers of {} cells leave none of {} cells between them; make grid "
                "larger, or width in [solver.absorber] smaller",
                o.layer, o.grid[axis]);
  }
}

void read_initial(Table& keys, WaveOptions& o, const Scene* scene) {
  PlacedText text;
  int index = static_cast<int>(o.initial);
  if (keys.choose_or_text(
          "initial", index, initial_states, text, is_values_text,
          "heights as a formula \"= ...\" of x and y, a grey image (black 0, white 1), or a .npy file",
          {"state at step 0: rest, a standing wave between fixed walls, random heights from the seed, or given heights",
           "\"rest\"; a scene without initial, droplet, rain and source gets a droplet and rain", "\"rest\""})) {
    o.initial = WaveInitial::given;
    if (scene != nullptr) {
      check_size(keys, o);
      o.height = GridValues(text, keys, "initial", *scene, o.grid[0], o.grid[1]);
      o.height.extremes();
    }
  } else {
    o.initial = static_cast<WaveInitial>(index);
  }
  double number = 0;
  const bool moving = keys.has("initial_velocity");
  if (keys.read_number_or_text("initial_velocity", number, text, values_form,
                               "velocity at step 0, units of height per unit of time; for rest and given heights")) {
    if (scene != nullptr) {
      check_size(keys, o);
      o.velocity = GridValues(text, keys, "initial_velocity", *scene, o.grid[0], o.grid[1]);
      o.velocity.extremes();
    }
  } else {
    o.velocity = GridValues(number);
  }
  if (o.initial == WaveInitial::mode || o.initial == WaveInitial::noise)
    keys.refuse_without("initial = \"rest\" or given heights", "initial_velocity");
  if (moving) o.initial = WaveInitial::given;
}

void read_wave_obstacles(Table& keys, WaveOptions& o, const Scene* scene) {
  o.obstacles = read_obstacles(keys, o.grid[0], o.grid[1],
                               "solid cells, which reflect waves; where two overlap the later one counts", false);
  for (ObstacleOptions& obstacle : o.obstacles)
    obstacle.keys.choose("wall", o.walls.emplace_back(), walls,
                         "fixed: u = 0 in it, so waves are reflected with the opposite sign; free: with the same sign; "
                         "absorbing: not reflected where they meet it head-on");
  if (scene != nullptr) open_obstacles(o.obstacles, *scene, o.grid[0], o.grid[1]);
}

}  // namespace

int WaveOptions::side() const {
  const auto [shorter, longer] = std::minmax(grid[0], grid[1]);
  return shorter > 1 ? shorter : longer;
}

WaveOptions read_wave_options(Table& keys, const Scene* scene) {
  const Range positive = Range::between(1e-30, 1e30);  // so that squares of ratios stay finite
  WaveOptions o;
  keys.require("grid", "grid = [512, 512]");
  keys.read("grid", o.grid, "number of cells along x and y", Range::between(1, 1 << 24));
  read_speed(keys, o, scene, positive);
  keys.read("spacing", o.spacing, "distance of neighbouring cells dx = dy, units of length", positive);
  o.damping = keys.has("source") ? 0 : 0.6 * o.speed / (o.side() * o.spacing);  // halves in two to three crossings
  keys.read(
      "damping", o.damping,
      {"rate k of the damping, per unit of time", "0.6 speed / (shorter side of the grid); with sources 0", "0.002"},
      Range::between(0, 1e30));
  o.timestep = std::min(0.5 * o.spacing / o.speed, 0.72 * largest_timestep(o));
  keys.read("timestep", o.timestep,
            {"simulated time of a step dt; c dt / dx must be at most 1/sqrt(2), with damping less",
             "0.5 spacing / speed, with much damping less", "0.05"},
            Range::above(0));
  read_sides(keys, o);
  read_initial(keys, o, scene);
  keys.read("mode", o.mode, "initial = \"mode\": number of half waves along x and y", Range::between(1, 1 << 24));
  keys.read("amplitude", o.amplitude, "initial = \"mode\" or \"noise\": largest height, units of height");
  keys.choose("precision", o.precision, std::span(precision_names).first(2),
              "floating-point type of the state and of the arithmetic");
  keys.choose("kernel", o.kernel, wave_kernels,
              "naive takes one step per pass over memory, tiled several; all give the same bits");
  for (Table& entry :
       keys.tables("droplet", "a Gaussian pulse -amplitude exp(-r^2 / radius^2) added to the height at one step")) {
    DropletOptions droplet;
    droplet.drop.radius = default_radius(o);
    std::array<double, 2> position = {(o.grid[0] - 1) / 2.0, (o.grid[1] - 1) / 2.0};
    entry.read("time", droplet.time, "when it falls, simulated time", Range::at_least(0));
    entry.read("position", position, {"where it falls, cells", "the middle of the grid"});
    entry.read("radius", droplet.drop.radius,
               {"distance at which the pulse has fallen to 1/e, cells; it is cut off beyond twice this along x or y",
                "a fiftieth of the shorter side of the grid, at least 3", "3"},
               Range::above(0));
    entry.read("amplitude", droplet.drop.amplitude,
               "depth of the pulse, units of height; a negative one raises the surface");
    read_start(entry, droplet.drop.start);
    droplet.drop.center_x = position[0];
    droplet.drop.center_y = position[1];
    droplet.keys = entry;
    o.droplets.push_back(droplet);
  }
  Table rain = keys.table(
      "rain", "random droplets, a Poisson process in time, from the scene's seed; without this table there are none");
  double rate = 2 * o.speed / (o.side() * o.spacing);
  rain.read("rate", rate,
            {"mean number of droplets per unit of simulated time; at most 1000 a step",
             "2 speed / (shorter side of the grid)", "2"},
            Range::at_least(0));
  o.rain.radius = default_radius(o);
  rain.read("radius", o.rain.radius, {"as of a droplet, cells", "as of a droplet", "3"}, Range::above(0));
  rain.read("amplitude", o.rain.amplitude, "depth of each pulse, units of height");
  read_start(rain, o.rain.start);
  read_wave_obstacles(keys, o, scene);
  o.sources = read_wave_sources(keys, o.grid[0], o.grid[1], o.speed, o.spacing);
  if (!o.obstacles.empty() || !o.sources.empty()) o.medium = true;
  settle_sides(keys, o);
  o.made_up = !keys.has("rain") && o.initial != WaveInitial::given && !keys.has("initial") && o.droplets.empty() &&
              o.sources.empty();
  if (keys.has("rain") || o.made_up) o.rain.rate = rate;
  if (o.made_up) {
    DropletOptions first;
    first.drop = {(o.grid[0] - 1) / 3.0, (o.grid[1] - 1) / 3.0, default_radius(o)};
    o.droplets.push_back(first);
  }
  // Without a scene a speed may be unknown, which decides on the time step.
  if (scene != nullptr || !o.medium) check(keys, o);
  return o;
}

std::string wave_summary(const WaveOptions& o) {
  const auto name = [&](std::size_t side) { return wave_boundaries[static_cast<int>(o.sides[side])]; };
  const bool alike = std::ranges::all_of(o.sides, [&](WaveBoundary side) { return side == o.sides[0]; });
  return fmt::format("wave, {} x {} cells, {}, {}{}, c dt / dx = {:.4g}{}", o.grid[0], o.grid[1],
                     precision_names[static_cast<int>(o.precision)],
                     alike ? fmt::format("{} boundary", name(0))
                           : fmt::format("{}, {}, {} and {} sides", name(0), name(1), name(2), name(3)),
                     o.layer > 0 ? fmt::format(" in layers of {} cells", o.layer) : "", o.courant_number(),
                     o.lowest < o.speed ? " at most" : "");
}

std::vector<std::string> wave_facts(const WaveOptions& o) {
  if (!o.made_up) return {};
  return {
      fmt::format("without initial, droplet and rain: a droplet at [{:.4g}, {:.4g}], and rain of {:.3g} droplets per "
                  "unit of time, radius {:.3g}",
                  o.droplets[0].drop.center_x, o.droplets[0].drop.center_y, o.rain.rate, o.rain.radius)};
}

std::optional<Rectangle> without_layers(const WaveOptions& o) {
  if (o.layer == 0) return {};
  struct Axis {
    int first, count, sides;  // sides that absorb
  };
  const auto inside = [&](std::size_t axis) {
    const int low = wave_absorbs(o.sides[2 * axis]), high = wave_absorbs(o.sides[2 * axis + 1]);
    return Axis{low * o.layer, o.grid[axis] - (low + high) * o.layer, low + high};
  };
  Axis x = inside(0), y = inside(1);
  const auto narrow = [&](std::size_t axis, Axis& part, int other) {
    const int cells = static_cast<int>(std::lround(static_cast<double>(other) * o.grid[axis] / o.grid[1 - axis]));
    const int spare = part.count - cells;
    if (spare <= 0 || part.sides == 0 || spare > part.count / 10) return;
    if (wave_absorbs(o.sides[2 * axis])) part.first += part.sides == 2 ? spare / 2 : spare;
    part.count = cells;
  };
  narrow(0, x, y.count);
  narrow(1, y, x.count);
  return Rectangle{x.first, y.first, x.count, y.count};
}

ViewDefaults wave_look(const WaveOptions& o) {
  // Seconds of video in which a wave crosses the shorter side, and in which one that then is gone goes from corner to
  // corner.
  constexpr double crossing = 3, video = 10;
  const double nx = o.grid[0], ny = o.grid[1];
  const bool leaves = std::ranges::all_of(o.sides, wave_absorbs) && o.sources.empty() && o.rain.rate == 0;
  ViewDefaults look;
  look.steps_per_second = (leaves ? std::sqrt(nx * nx + ny * ny) / video : o.side() / crossing) / o.courant_number();
  return look;
}

}  // namespace simreel
