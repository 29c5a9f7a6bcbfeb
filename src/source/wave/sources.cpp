#include "source/wave/sources.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/base/elementary.h"
#include "kernels/base/math.h"
#include "kernels/base/random.h"

namespace simreel {
namespace {

constexpr std::string_view shapes[] = {"point", "line", "disk", "formula"};
constexpr std::string_view modes[] = {"soft", "hard"};
constexpr std::string_view signals[] = {"sin"};
constexpr double pi = 3.14159265358979323846;

const std::pair<std::string_view, std::vector<SourceShape>> keys_of_shapes[] = {
    {"position", {SourceShape::point, SourceShape::disk}},
    {"x", {SourceShape::point, SourceShape::disk}},
    {"y", {SourceShape::point, SourceShape::disk}},
    {"radius", {SourceShape::disk}},
    {"points", {SourceShape::line}},
    {"weight", {SourceShape::formula}},
};

double smooth(double part) {
  const double within = std::clamp(part, 0.0, 1.0);
  return within * within * (3 - 2 * within);
}

// The distance of a point to the segment from a to b.
double distance(double x, double y, const std::array<double, 2>& a, const std::array<double, 2>& b) {
  const double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
  const double along = square > 0 ? std::clamp(((x - a[0]) * dx + (y - a[1]) * dy) / square, 0.0, 1.0) : 0.0;
  return exact::hypot(x - a[0] - along * dx, y - a[1] - along * dy);
}

WaveSourceOptions read_source(Table& entry, int nx, int ny, double speed, double spacing) {
  WaveSourceOptions o;
  o.keys = entry;
  entry.choose("shape", o.shape, shapes,
               "what it drives: a point, a line one cell wide, a disk, or the weights of a formula");
  o.position = {(nx - 1) / 2.0, (ny - 1) / 2.0};
  entry.read("position", o.position, {"point, disk: centre, cells", "the middle of the grid"});
  for (std::size_t i = 0; i < 2; ++i) {
    PlacedText text;
    const std::string_view key = i == 0 ? "x" : "y";
    if (entry.read_number_or_text(key, o.position[i], text, "a formula \"= ...\" of t, for a source that moves",
                                  {i == 0 ? "point, disk: column of the centre, instead of that of position, cells"
                                          : "point, disk: row of the centre, instead of that of position, cells",
                                   "that of position", "\"= 100 + 5 * t\""}))
      o.path[i] = Formula::parse(text, Formula::t);
  }
  entry.read("radius", o.radius, "disk: radius, cells", Range::above(0));
  entry.read("points", o.points,
             {"line: its corners, two or more, cells", "required by a line", "[[20, 0], [20, 100]]"});
  PlacedText weight;
  entry.read(
      "weight", weight,
      {"formula: the share of each cell, \"= ...\" of x and y", "required by a formula", "\"= exp(-r^2 / 100)\""});
  entry.choose("mode", o.mode, modes,
               "soft: adds to the wave, which passes through; hard: sets the height, which reflects waves");
  PlacedText signal;
  int name = 0;
  if (entry.choose_or_text("signal", name, signals, signal, Formula::is_formula, "a formula \"= ...\" of t",
                           "height over time, times amplitude"))
    o.signal = Formula::parse(signal, Formula::t);
  o.frequency = speed / (20 * spacing);
  entry.read("frequency", o.frequency, {"signal = \"sin\": oscillations per unit of time", "waves of 20 cells", "0.05"},
             Range::above(0));
  entry.read("amplitude", o.amplitude,
             "factor of the signal, units of height; a straight soft line sends waves of this height to both sides");
  entry.read("phase", o.phase, "signal = \"sin\": phase at `from`, radians");
  entry.read("from", o.from, "when it begins, simulated time", Range::at_least(0));
  entry.read("until", o.until, {"when it ends, simulated time", "never", "100"}, Range::above(0));
  if (!o.signal) o.ramp = 1 / o.frequency;
  entry.read("ramp", o.ramp,
             {"time in which it grows at its beginning, and fades at its end", "a period of a sine, else 0", "20"},
             Range::at_least(0));
  for (const auto& [key, owners] : keys_of_shapes)
    if (std::ranges::find(owners, o.shape) == owners.end())
      entry.refuse(key, fmt::format("for shape = \"{}\"", shapes[static_cast<int>(o.shape)]));
  if (o.shape == SourceShape::line) {
    entry.require("points", "points = [[20, 0], [20, 100]]");
    if (entry.has("points") && o.points.size() < 2) entry.fail("points", "a line needs two points or more");
  }
  if (o.shape == SourceShape::formula) {
    entry.require("weight", "weight = \"= exp(-r^2 / 100)\"");
    if (!weight.text.empty()) {
      o.weight = Formula::parse(weight, Formula::x | Formula::y);
      entry.remark(o.weight.remark());
    }
  }
  if (o.signal) {
    entry.refuse_without("signal = \"sin\"", "frequency");
    entry.refuse_without("signal = \"sin\"", "phase");
  }
  if (o.until <= o.from)
    entry.fail("until", "\"until\" is {:.6g}, which must be after \"from\", {:.6g}", o.until, o.from);
  return o;
}

}  // namespace

double WaveSourceOptions::value(double time) const {
  if (time < from || time > until) return 0;
  const double shape_of_time =
      signal ? signal->at({}, 0, 0, time) : exact::sin(2 * pi * frequency * (time - from) + phase);
  const double envelope = ramp > 0 ? smooth((time - from) / ramp) * smooth((until - time) / ramp) : 1;
  return amplitude * envelope * shape_of_time;
}

std::array<double, 2> WaveSourceOptions::place(double time) const {
  std::array<double, 2> at = position;
  for (std::size_t i = 0; i < 2; ++i)
    if (path[i]) at[i] = path[i]->at({}, 0, 0, time);
  return at;
}

std::vector<WaveSourceOptions> read_wave_sources(Table& solver, int nx, int ny, double speed, double spacing) {
  std::vector<WaveSourceOptions> sources;
  for (Table& entry : solver.tables("source", "what drives the wave at each step, like a loudspeaker"))
    sources.push_back(read_source(entry, nx, ny, speed, spacing));
  return sources;
}

std::vector<WaveSourceCell> wave_source_cells(const WaveSourceOptions& o, int nx, int ny, std::uint64_t seed,
                                              double time) {
  std::vector<WaveSourceCell> cells;
  std::array<double, 2> low = {0, 0}, high = {nx - 1.0, ny - 1.0};
  const auto at = o.place(time);
  if (!std::isfinite(at[0]) || !std::isfinite(at[1])) return cells;
  const double reach = o.shape == SourceShape::disk ? o.radius + 0.5 : 1;
  if (o.shape == SourceShape::point || o.shape == SourceShape::disk)
    for (std::size_t i = 0; i < 2; ++i)
      low[i] = std::max(low[i], at[i] - reach), high[i] = std::min(high[i], at[i] + reach);
  if (o.shape == SourceShape::line)
    for (std::size_t i = 0; i < 2; ++i) {
      const auto coordinate = [i](const auto& point) { return point[i]; };
      low[i] = std::max(low[i], std::ranges::min(o.points, {}, coordinate)[i] - 1);
      high[i] = std::min(high[i], std::ranges::max(o.points, {}, coordinate)[i] + 1);
    }
  if (low[0] > high[0] || low[1] > high[1]) return cells;
  const int x0 = static_cast<int>(std::ceil(low[0])), x1 = static_cast<int>(std::floor(high[0]));
  std::vector<double> weights(static_cast<std::size_t>(std::max(0, x1 - x0 + 1)));
  for (int y = static_cast<int>(std::ceil(low[1])); y <= static_cast<int>(std::floor(high[1])); ++y) {
    if (o.shape == SourceShape::formula) o.weight.row({nx, ny, seed}, x0, y, time, weights);
    for (int x = x0; x <= x1; ++x) {
      double& weight = weights[static_cast<std::size_t>(x - x0)];
      switch (o.shape) {
        case SourceShape::point:
          weight = std::max(0.0, 1 - std::abs(x - at[0])) * std::max(0.0, 1 - std::abs(y - at[1]));
          break;
        case SourceShape::disk:
          weight = std::clamp(o.radius + 0.5 - exact::hypot(x - at[0], y - at[1]), 0.0, 1.0);
          break;
        case SourceShape::line: {
          double nearest = 1;
          for (std::size_t i = 0; i + 1 < o.points.size(); ++i)
            nearest = std::min(nearest, distance(x, y, o.points[i], o.points[i + 1]));
          weight = 1 - nearest;
          break;
        }
        case SourceShape::formula: break;
      }
      if (weight != 0) cells.push_back({x, y, weight});
    }
  }
  return cells;
}

Droplets::Droplets(std::vector<DropletOptions> listed, const RainOptions& rain, std::uint64_t seed, int nx, int ny,
                   double timestep)
    : listed_(std::move(listed)), rain_(rain), seed_(seed), nx_(nx), ny_(ny), timestep_(timestep) {
  std::ranges::stable_sort(listed_, {}, &DropletOptions::time);
  std::ranges::reverse(listed_);
  if (rain_.rate > 0) draw_rain();
}

void Droplets::draw_rain() {
  const auto unit = [&](std::uint64_t stream) { return random_unit(seed_, stream, rain_drawn_); };
  const double before = next_rain_ ? next_rain_->time : 0;
  const double gap = -exact::log(1 - unit(0)) / rain_.rate;
  const double x = unit(1) * nx_ - 0.5, y = unit(2) * ny_ - 0.5;
  next_rain_ = DropletOptions{before + gap, {x, y, rain_.radius, rain_.amplitude, rain_.start}};
  ++rain_drawn_;
}

std::int64_t Droplets::step_at(double time) const {
  // The product of a whole number and the time step may round to just below a time that is meant to be that multiple.
  const double step = std::ceil(time / timestep_ * (1 - 1e-12));
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  return step < 9e18 ? static_cast<std::int64_t>(step) : never;
}

std::int64_t Droplets::next_step() const {
  std::int64_t step = std::numeric_limits<std::int64_t>::max();
  if (!listed_.empty()) step = step_at(listed_.back().time);
  if (next_rain_) step = std::min(step, step_at(next_rain_->time));
  return step;
}

WaveDroplet Droplets::pop() {
  if (next_rain_ && (listed_.empty() || next_rain_->time < listed_.back().time)) {
    const WaveDroplet drop = next_rain_->drop;
    draw_rain();
    return drop;
  }
  const WaveDroplet drop = listed_.back().drop;
  listed_.pop_back();
  return drop;
}

}  // namespace simreel
