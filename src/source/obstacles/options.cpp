// The keys of [[solver.obstacle]].

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "source/obstacles/obstacles.h"

namespace simreel {
namespace {

constexpr std::string_view shapes[] = {"circle", "rectangle", "polygon", "image", "porous", "formula"};

constexpr double fastest_surface = 0.4;  // cells a step
constexpr double shortest_period = 20;   // steps

void read_rotation(Table& entry, ObstacleOptions& o) {
  entry.read("rotation", o.rotation,
             "circle: its rotation, radians per step, counter-clockwise; rises with the ramp of the inlet");
  entry.read("period", o.period,
             "circle: steps in which it swings to and fro, rotation * sin(2 pi step / period); 0: it turns one way",
             Range::at_least(0));
}
void check_rotation(const Table& entry, const ObstacleOptions& o) {
  if (o.period > 0 && o.period < shortest_period)
    entry.fail("period", "a swing takes {} steps or more", shortest_period);
  if (o.period > 0 && o.rotation == 0) entry.refuse_without("rotation", "period");
  if (std::abs(o.rotation) * o.radius > fastest_surface)
    entry.fail("rotation", "the surface moves {:.4g} cells a step; it must be at most {}, and better below 0.06",
               std::abs(o.rotation) * o.radius, fastest_surface);
}

const std::pair<std::string_view, std::vector<ObstacleShape>> keys_of_shapes[] = {
    {"center", {ObstacleShape::circle}},
    {"radius", {ObstacleShape::circle}},
    {"rotation", {ObstacleShape::circle}},
    {"period", {ObstacleShape::circle}},
    {"min", {ObstacleShape::rectangle, ObstacleShape::image, ObstacleShape::porous}},
    {"max", {ObstacleShape::rectangle, ObstacleShape::image, ObstacleShape::porous}},
    {"points", {ObstacleShape::polygon}},
    {"file", {ObstacleShape::image}},
    {"threshold", {ObstacleShape::image}},
    {"porosity", {ObstacleShape::porous}},
    {"grain", {ObstacleShape::porous}},
    {"solid", {ObstacleShape::formula}},
};

}  // namespace

std::vector<ObstacleOptions> read_obstacles(Table& solver, int nx, int ny, std::string_view meaning,
                                            bool with_rotation) {
  std::vector<ObstacleOptions> obstacles;
  for (Table& entry : solver.tables("obstacle", meaning)) {
    ObstacleOptions o;
    o.keys = entry;
    o.center = {(nx - 1) / 2.0, (ny - 1) / 2.0};
    o.min = {0, 0};
    o.max = {nx - 1.0, ny - 1.0};
    std::string file;
    entry.choose("shape", o.shape, shapes, "shape; a cell is solid where its centre lies inside");
    entry.read("center", o.center, {"circle: centre, cells", "the middle of the grid"});
    entry.read("radius", o.radius, "circle: radius, cells", Range::above(0));
    if (with_rotation) read_rotation(entry, o);
    entry.read("min", o.min, {"rectangle, image, porous: the lower left cell", "that of the grid"});
    entry.read("max", o.max,
               {"rectangle, image, porous: the upper right cell, which is part of it", "that of the grid"});
    entry.read("points", o.points,
               {"polygon: three corners or more, cells", "required by a polygon", "[[10, 10], [40, 10], [25, 30]]"});
    entry.read("file", file,
               {"image: path of a PNG, JPEG or BMP, relative to the scene, stretched from min to max; dark is solid",
                "required by an image", "\"shape.png\""});
    entry.read("threshold", o.threshold, "image: pixels of less luminance are solid; 0: none", Range::between(0, 1));
    entry.read("porosity", o.porosity, "porous: share of the cells from min to max that stays fluid, exact to a cell",
               Range::inside(0, 1));
    entry.read("grain", o.grain, "porous: diameter of the grains, cells; they are placed at random from the seed",
               Range::at_least(1));
    entry.read("solid", o.solid_text,
               {"formula: a cell is solid where this is above 0, or a comparison holds: a formula \"= ...\" of x and "
                "y, a grey image, or a .npy file",
                "required by a formula", "\"= 40 - hypot(x - 200, y - 100)\""});
    for (const auto& [key, owners] : keys_of_shapes)
      if (std::ranges::find(owners, o.shape) == owners.end())
        entry.refuse(key, fmt::format("for shape = \"{}\"", shapes[static_cast<int>(o.shape)]));
    if (o.shape == ObstacleShape::polygon) {
      entry.require("points", "points = [[10, 10], [40, 10], [25, 30]]");
      if (o.points.size() < 3 && entry.has("points")) entry.fail("points", "a polygon needs three corners or more");
    }
    if (o.shape == ObstacleShape::image) {
      entry.require("file", "file = \"shape.png\"");
      o.file = file;
    }
    if (o.shape == ObstacleShape::formula) {
      entry.require("solid", "solid = \"= 40 - hypot(x - 200, y - 100)\"");
      if (entry.has("solid") && !is_values_text(o.solid_text.text))
        entry.fail("solid", "\"solid\" is {}; it must be {} (.png, .jpg, .bmp, .npy)",
                   quote(shorten(o.solid_text.text, 60)), values_form);
    }
    check_rotation(entry, o);
    if (o.max[0] < o.min[0] || o.max[1] < o.min[1]) entry.fail("max", "\"max\" must not be below \"min\"");
    obstacles.push_back(std::move(o));
  }
  if (obstacles.size() > static_cast<std::size_t>(lbm_max_obstacles))
    obstacles.back().keys.fail("shape", "at most {} obstacles; an image can hold any number of shapes",
                               lbm_max_obstacles);
  return obstacles;
}

void open_obstacles(std::vector<ObstacleOptions>& obstacles, const Scene& scene, int nx, int ny) {
  for (ObstacleOptions& o : obstacles) {
    if (o.shape == ObstacleShape::image) o.file = scene.resolve(o.file.string());
    if (o.shape == ObstacleShape::formula)
      o.solid = GridValues(o.solid_text, o.keys, "solid", scene, nx, ny, 0, 1, true);
  }
}

std::vector<std::string> files_of(const std::vector<ObstacleOptions>& obstacles) {
  std::vector<std::string> files;
  for (const ObstacleOptions& o : obstacles)
    for (const std::string& file : {o.file.string(), o.solid.file()})
      if (!file.empty()) files.push_back(file);
  return files;
}

std::pair<std::array<double, 2>, std::array<double, 2>> ObstacleOptions::bounds() const {
  if (shape == ObstacleShape::circle)
    return {{center[0] - radius, center[1] - radius}, {center[0] + radius, center[1] + radius}};
  if (shape != ObstacleShape::polygon || points.empty()) return {min, max};
  std::array<double, 2> low = points[0], high = points[0];
  for (const auto& point : points)
    for (std::size_t i = 0; i < 2; ++i) {
      low[i] = std::min(low[i], point[i]);
      high[i] = std::max(high[i], point[i]);
    }
  return {low, high};
}

std::vector<std::string> cut_obstacles(const std::vector<ObstacleOptions>& obstacles, int nx, int ny) {
  std::vector<std::string> lines;
  for (const ObstacleOptions& o : obstacles) {
    const auto [low, high] = o.bounds();
    // A rectangle that is meant to end at the side often reaches a cell too far, which changes nothing.
    const std::pair<double, std::string_view> beyond[] = {
        {-low[0], "left"}, {high[0] - (nx - 1), "right"}, {-low[1], "bottom"}, {high[1] - (ny - 1), "top"}};
    const auto& [cells, side] = *std::ranges::max_element(beyond, {}, [](const auto& b) { return b.first; });
    if (cells <= 1) continue;
    const std::string_view key = o.shape == ObstacleShape::circle     ? "center"
                                 : o.shape == ObstacleShape::polygon  ? "points"
                                 : side == "left" || side == "bottom" ? "min"
                                                                      : "max";
    lines.push_back(
        fmt::format("{}this {} reaches {:.4g} cells beyond the {} of the {} x {} grid and is cut off there; "
                    "move it, make it smaller, or make grid larger",
                    o.keys.position(o.keys.has(key) ? key : "shape").before(), shapes[static_cast<int>(o.shape)], cells,
                    side, nx, ny));
  }
  return lines;
}

}  // namespace simreel
