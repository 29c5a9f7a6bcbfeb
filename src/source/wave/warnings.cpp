// What `check` and `render` say about wave scenes that run and yet show less than they seem to.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "source/wave/options.h"

namespace simreel {
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

// What is wrong with a droplet that is not seen, or only in part; empty if nothing is.
std::string unseen(const WaveOptions& o, const DropletOptions& droplet, std::int64_t last_step) {
  const Table& keys = *droplet.keys;
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

// Whether all cells of a source are looked at.
bool bears_cells(const WaveSourceOptions& source, const WaveOptions& o, const Scene& scene) {
  if (source.shape == SourceShape::point) return true;
  const double cells = static_cast<double>(o.grid[0]) * o.grid[1], of_a_cell = 10.0 * (1 + source.points.size());
  return scene.effort->bears(cells * (source.weight.cost() + of_a_cell), cells * sizeof(WaveSourceCell));
}

// What is wrong with a source that is not seen, or that the grid cannot carry; empty if nothing is.
std::string unheard(const WaveOptions& o, const WaveSourceOptions& source, const Scene& scene) {
  const auto place = [&](std::string_view key) {
    return source.keys.position(source.keys.has(key) ? key : "shape").before();
  };
  if (source.amplitude == 0) return place("amplitude") + "this source has amplitude 0";
  const double end = static_cast<double>(scene.animation.last_step()) * o.timestep;
  if (source.from >= end)
    return fmt::format(
        "{}this source begins at time {:.6g}, and the last frame shows time {:.6g}; take an earlier time, or more "
        "frames or steps_per_frame in [animation]",
        place("from"), source.from, end);
  if (!source.moves() && bears_cells(source, o, scene) &&
      wave_source_cells(source, o.grid[0], o.grid[1], scene.seed, 0).empty())
    return fmt::format("{}this source lies outside the grid of {} x {} cells",
                       place(source.shape == SourceShape::line ? "points" : "position"), o.grid[0], o.grid[1]);
  if (source.signal) return "";
  const double cells = o.lowest / (source.frequency * o.spacing);
  constexpr double fewest = 8;
  if (cells < fewest)
    return fmt::format(
        "{}waves of this frequency are {:.3g} cells long{}; below {:g} they travel too slowly, most so along the axes; "
        "take a frequency of at most {:.4g}, or more cells of a smaller spacing",
        place("frequency"), cells, o.lowest < o.speed ? " where they are slowest" : "", fewest,
        o.lowest / (fewest * o.spacing));
  return "";
}

}  // namespace

std::vector<std::string> covered_sources(const WaveOptions& o, const LbmGeometry& geometry, std::size_t pitch,
                                         const Scene& scene) {
  std::vector<std::string> lines;
  for (const WaveSourceOptions& source : o.sources) {
    if (source.moves() || !bears_cells(source, o, scene)) continue;
    const std::vector<WaveSourceCell> cells = wave_source_cells(source, o.grid[0], o.grid[1], scene.seed, 0);
    const bool covered = !cells.empty() && std::ranges::all_of(cells, [&](const WaveSourceCell& cell) {
      return geometry.cell[static_cast<std::size_t>(cell.y) * pitch + static_cast<std::size_t>(cell.x)] < 0;
    });
    if (covered)
      lines.push_back(fmt::format("{}this source lies in an obstacle, so it drives nothing",
                                  source.keys.position("shape").before()));
  }
  return lines;
}

std::vector<PlannedGrid::Thing> wave_things(const WaveOptions& o) {
  std::vector<PlannedGrid::Thing> things;
  const auto add = [&](const Table& keys, const char* name, double x, double y, double reach) {
    things.push_back({keys.position("position").before() + name, {x - reach, y - reach}, {x + reach, y + reach}});
  };
  for (const DropletOptions& droplet : o.droplets)
    if (droplet.keys)
      add(*droplet.keys, "this droplet", droplet.drop.center_x, droplet.drop.center_y, droplet.drop.radius);
  for (const WaveSourceOptions& source : o.sources)
    if (!source.moves() && (source.shape == SourceShape::point || source.shape == SourceShape::disk))
      add(source.keys, "this source", source.position[0], source.position[1],
          source.shape == SourceShape::disk ? source.radius : 0);
  return things;
}

std::vector<std::string> wave_warnings(const WaveOptions& o, const Table& keys, const Scene& scene) {
  std::vector<std::string> warnings;
  const std::int64_t last_step = scene.animation.last_step();
  for (const DropletOptions& droplet : o.droplets)
    if (droplet.keys)
      if (std::string text = unseen(o, droplet, last_step); !text.empty()) warnings.push_back(std::move(text));
  for (const WaveSourceOptions& source : o.sources)
    if (std::string text = unheard(o, source, scene); !text.empty()) warnings.push_back(std::move(text));
  std::ranges::move(cut_obstacles(o.obstacles, o.grid[0], o.grid[1]), std::back_inserter(warnings));
  const bool given = o.initial == WaveInitial::given;
  const bool moves_at_start = given || (o.initial != WaveInitial::rest && o.amplitude != 0);
  if (!moves_at_start && o.sources.empty() && !anything_falls(o, scene.seed, last_step))
    warnings.push_back(fmt::format(
        "{}nothing moves the surface, so it stays flat: add a [[solver.droplet]], [solver.rain], [[solver.source]]{}",
        keys.position("").before(),
        wave_is_walled(o.boundary) ? ", initial = \"mode\" or \"noise\"" : " or initial = \"noise\""));
  return warnings;
}

}  // namespace simreel
