#pragma once
// The solid part of a flow's grid: shapes that a scene lists, painted cell by cell. A cell is solid where its centre
// lies inside; whole numbers are centres.

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "kernels/lbm/lbm.h"
#include "scene/scene.h"

namespace simreel {

enum class Shape { circle, rectangle, polygon, image, porous };

struct ObstacleOptions {
  Shape shape = Shape::circle;
  std::array<double, 2> center{}, min{}, max{};  // cells
  double radius = 10;                            // cells, > 0
  std::vector<std::array<double, 2>> points;  // at least three corners; inside is where a ray crosses an odd number of
                                              // sides, and the sides themselves
  std::filesystem::path file;                 // PNG, JPEG, BMP or another format of stb_image, laid over min to max
  double threshold = 0.5;  // image: luminance, 0 to 1, below which a pixel is solid; transparent counts as white
  double porosity = 0.7;   // porous: fluid part of min to max; grains are placed at random until it is reached
  double grain = 8;        // porous: diameter of a grain, cells
  Table keys;              // where it stands, for messages
};

// [[solver.obstacle]], with `file` as the scene writes it. Throws UsageError for shapes that lack what they need.
std::vector<ObstacleOptions> read_obstacles(Table& solver, int nx, int ny);

// What the kernels want to know of a grid's cells, in host memory.
struct LbmGeometry {
  std::vector<std::int8_t> cell;    // see LbmCells
  std::vector<std::uint32_t> edge;  // see LbmCells
  std::vector<LbmBox> boxes;        // of each obstacle: the cells that may touch it
  std::vector<LbmBox> extents;      // of each obstacle: the cells it was painted on
  double fluid = 0;                 // number of fluid cells
};

// Paints the obstacles; where they overlap the later one counts. Throws UsageError for an image that cannot be read, an
// obstacle that covers no cell, a porosity that obstacles painted before leave out of reach, and a grid without fluid.
LbmGeometry paint_obstacles(const std::vector<ObstacleOptions>&, int nx, int ny, std::size_t pitch, std::uint64_t seed);

// Whether fluid gets from a cell at an inlet to one at an outlet. `cell` as in LbmGeometry.
bool is_passable(const LbmGeometry&, int nx, int ny, std::size_t pitch, const std::array<LbmSide, 4>& sides);

}  // namespace simreel
