#include "source/wave/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace simreel {
namespace {

constexpr std::string_view boundaries[] = {"fixed", "free", "periodic", "absorbing"};
constexpr std::string_view initial_states[] = {"rest", "mode", "noise"};
constexpr std::string_view starts[] = {"rest", "kick"};

// Von Neumann: with lambda = c dt / dx the scheme is stable while 8 lambda^2 <= 4 - 2 k dt, which without damping is
// lambda <= 1 / sqrt(2). The largest dt is the root of that quadratic.
double largest_timestep(const WaveOptions& o) {
  const double rate = o.speed / o.spacing, half_damping = o.damping / 4;
  return 1 / (half_damping + std::sqrt(half_damping * half_damping + 2 * rate * rate));
}

constexpr double most_drops = 1000;  // a step; more would be noise, and a run that never ends

double default_radius(const WaveOptions& o) { return std::max(3.0, o.side() / 50.0); }

void check(const Table& keys, const WaveOptions& o) {
  const double largest = largest_timestep(o);
  // A hair of tolerance: 1/sqrt(2) written with 16 digits may lie above the limit.
  if (o.timestep > largest * (1 + 1e-12)) {
    const double unit = std::pow(10, std::floor(std::log10(largest)) - 6);
    const double named = std::floor(largest / unit) * unit;  // rounded down, so that it is stable as it is printed
    keys.fail(
        "timestep",
        fmt::format(
            "the time step is unstable: c dt / dx = {:.6g}, but it must be at most 1/sqrt(2) = 0.707107{}; the largest "
            "timestep is {:.7g}",
            o.courant_number(),
            o.damping > 0 ? fmt::format(", with this damping {:.6g}", o.speed * largest / o.spacing) : "", named));
  }
  if (o.rain.rate * o.timestep > most_drops)
    keys.fail("rain", fmt::format("rate = {:.6g} is more than {} droplets a step; the largest rate is {:.6g}",
                                  o.rain.rate, most_drops, most_drops / o.timestep));
  if (o.initial != WaveInitial::mode) keys.refuse_without("initial = \"mode\"", "mode");
  if (o.initial == WaveInitial::rest)
    keys.refuse_without("initial = \"mode\" or \"noise\"; droplets have their own", "amplitude");
  if (o.initial == WaveInitial::mode && o.boundary != WaveBoundary::fixed)
    keys.fail("initial",
              "a mode stands between fixed walls; use boundary = \"fixed\", or initial = \"rest\" with droplets");
  if (o.initial == WaveInitial::mode && (o.mode[0] > o.grid[0] || o.mode[1] > o.grid[1]))
    keys.fail("mode",
              fmt::format("a grid of {} x {} cells has no more than that many half waves", o.grid[0], o.grid[1]));
}

void read_start(Table& keys, WaveStart& start) {
  keys.choose("start", start, starts,
              "rest: the pulse adds no velocity; kick: it also moves the surface with the velocity -amplitude exp(-r^2 "
              "/ radius^2) / timestep, so that its energy grows as 1 / timestep^2");
}

}  // namespace

int WaveOptions::side() const {
  const auto [shorter, longer] = std::minmax(grid[0], grid[1]);
  return shorter > 1 ? shorter : longer;
}

WaveOptions read_wave_options(Table& keys) {
  const Range positive = Range::between(1e-30, 1e30);  // so that squares of ratios stay finite
  WaveOptions o;
  keys.require("grid", "grid = [512, 512]");
  keys.read("grid", o.grid, "number of cells along x and y", Range::between(1, 1 << 24));
  keys.read("speed", o.speed, "wave speed c, length per unit of time", positive);
  keys.read("spacing", o.spacing, "distance of neighbouring cells dx = dy, units of length", positive);
  o.damping = 0.6 * o.speed / (o.side() * o.spacing);  // amplitudes halve in two to three crossings
  keys.read("damping", o.damping,
            {"rate k of the damping, per unit of time", "0.6 speed / (shorter side of the grid)", "0.002"},
            Range::between(0, 1e30));
  o.timestep = std::min(0.5 * o.spacing / o.speed, 0.72 * largest_timestep(o));
  keys.read("timestep", o.timestep,
            {"simulated time of a step dt; c dt / dx must be at most 1/sqrt(2), with damping less",
             "0.5 spacing / speed, with much damping less", "0.05"},
            Range::above(0));
  keys.choose("boundary", o.boundary, boundaries, "what lies beyond the sides; an absorbing one lets waves out");
  keys.choose("initial", o.initial, initial_states,
              {"state at step 0: rest, a standing wave between fixed walls, or random heights from the seed",
               "\"rest\"; without this key, droplets and rain there are both", "\"rest\""});
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
    o.droplets.push_back(droplet);
    o.droplet_keys.push_back(entry);
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
  o.made_up = !keys.has("rain") && !keys.has("initial") && o.droplets.empty();
  if (keys.has("rain") || o.made_up) o.rain.rate = rate;
  if (o.made_up) {
    DropletOptions first;
    first.drop = {(o.grid[0] - 1) / 3.0, (o.grid[1] - 1) / 3.0, default_radius(o)};
    o.droplets.push_back(first);
  }
  check(keys, o);
  return o;
}

std::string wave_summary(const WaveOptions& o) {
  return fmt::format("wave, {} x {} cells, {}, {} boundary, c dt / dx = {:.4g}", o.grid[0], o.grid[1],
                     precision_names[static_cast<int>(o.precision)], boundaries[static_cast<int>(o.boundary)],
                     o.courant_number());
}

namespace {

// Whether any of the droplets that fall up to the last step moves the surface.
bool anything_falls(const WaveOptions& o, std::uint64_t seed, std::int64_t last_step) {
  std::vector<DropletOptions> real;
  for (const DropletOptions& droplet : o.droplets)
    if (droplet.drop.amplitude != 0) real.push_back(droplet);
  RainOptions rain = o.rain;
  if (rain.amplitude == 0) rain.rate = 0;
  return Droplets(real, rain, seed, o.grid[0], o.grid[1], o.timestep).next_step() <= last_step;
}

// What is wrong with a droplet that nobody sees, or not all of; empty if nothing is.
std::string unseen(const WaveOptions& o, const DropletOptions& droplet, const Table& keys, std::int64_t last_step) {
  const auto& [x, y, radius, amplitude, start] = droplet.drop;
  if (x < -0.5 || y < -0.5 || x > o.grid[0] - 0.5 || y > o.grid[1] - 0.5)
    return fmt::format("{}this droplet falls outside the grid of {} x {} cells; positions are 0 to {} and 0 to {}",
                       keys.position("position").before(), o.grid[0], o.grid[1], o.grid[0] - 1, o.grid[1] - 1);
  const double end = static_cast<double>(last_step) * o.timestep;
  if (Droplets({droplet}, {}, 0, 1, 1, o.timestep).next_step() > last_step)
    return fmt::format(
        "{}this droplet falls at time {:.6g}, after the last frame, which shows time {:.6g}; take an earlier time, or "
        "more frames or steps_per_frame in [animation]",
        keys.position("time").before(), droplet.time, end);
  if (amplitude == 0) return fmt::format("{}this droplet has amplitude 0", keys.position("amplitude").before());
  return "";
}

}  // namespace

std::vector<std::string> wave_warnings(const WaveOptions& o, const Table& keys, const Scene& scene) {
  std::vector<std::string> warnings;
  const std::int64_t last_step = scene.animation.last_step();
  for (std::size_t i = 0; i < o.droplet_keys.size(); ++i)
    if (std::string text = unseen(o, o.droplets[i], o.droplet_keys[i], last_step); !text.empty())
      warnings.push_back(std::move(text));
  const bool moves_at_start = o.initial != WaveInitial::rest && o.amplitude != 0;
  if (!moves_at_start && !anything_falls(o, scene.seed, last_step))
    warnings.push_back(fmt::format(
        "{}nothing moves the surface, so it stays flat: add a [[solver.droplet]], [solver.rain]{}",
        keys.position("").before(),
        o.boundary == WaveBoundary::fixed ? ", initial = \"mode\" or \"noise\"" : " or initial = \"noise\""));
  return warnings;
}

std::vector<std::string> wave_facts(const WaveOptions& o) {
  if (!o.made_up) return {};
  return {
      fmt::format("without initial, droplet and rain: a droplet at [{:.4g}, {:.4g}], and rain of {:.3g} droplets per "
                  "unit of time, radius {:.3g}",
                  o.droplets[0].drop.center_x, o.droplets[0].drop.center_y, o.rain.rate, o.rain.radius)};
}

Look wave_look(const WaveOptions& o) {
  constexpr double crossing = 3;  // seconds of video in which a wave crosses the shorter side
  Look look;
  look.steps_per_second = o.side() / o.courant_number() / crossing;
  return look;
}

}  // namespace simreel
