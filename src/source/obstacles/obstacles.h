#pragma once
// The solid cells of a flow: shapes that a scene lists, painted cell by cell. A cell is solid if its centre is inside a
// shape; integer coordinates are centres.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/outline.h"
#include "kernels/lbm/lbm.h"
#include "scene/scene.h"
#include "source/grid_values.h"

namespace simreel {

enum class ObstacleShape { circle, rectangle, polygon, image, porous, formula };

struct ObstacleOptions {
  ObstacleShape shape = ObstacleShape::circle;
  std::array<double, 2> center{}, min{}, max{};  // cells
  double radius = 10;                            // cells, > 0
  std::vector<std::array<double, 2>> points;     // at least three corners; even-odd rule, sides included
  std::filesystem::path file;  // PNG, JPEG, BMP or another format of stb_image, stretched to min .. max
  double threshold = 0.5;      // image: a pixel of lower luminance (0 to 1) is solid; transparent pixels count as white
  double porosity = 0.7;       // porous: fluid share of min .. max; grains are placed at random until it is reached
  double grain = 8;            // porous: diameter of a grain, cells
  PlacedText solid_text;       // formula
  GridValues solid;            // what it stands for; solid where it is above 0
  double rotation = 0;         // circle: radians a step, counter-clockwise
  double period = 0;           // circle: steps, > 0 if it swings: rotation * sin(2 pi step / period)
  Table keys;                  // its table, for the place in messages

  // The lowest and the highest coordinates of a circle or a polygon; of others min and max.
  std::pair<std::array<double, 2>, std::array<double, 2>> bounds() const;
};

// Reads [[solver.obstacle]], whose documentation says `meaning`; opens no file. Throws UsageError for shapes
// without a required key. Circles that turn are for solvers that move them.
std::vector<ObstacleOptions> read_obstacles(Table& solver, int nx, int ny, std::string_view meaning,
                                            bool with_rotation);

// Resolves the paths of images, and reads the formulas and arrays. Throws UsageError.
void open_obstacles(std::vector<ObstacleOptions>&, const Scene&, int nx, int ny);

// The files that they are read from.
std::vector<std::string> files_of(const std::vector<ObstacleOptions>&);

// Obstacles that reach beyond the grid by more than a cell and are cut off there, one line each.
std::vector<std::string> cut_obstacles(const std::vector<ObstacleOptions>&, int nx, int ny);

// The cells of a grid as the kernels need them, in host memory.
struct LbmGeometry {
  std::vector<std::int8_t> cell;    // see LbmCells
  std::vector<std::uint32_t> edge;  // see LbmCells
  std::vector<LbmBox> boxes;        // for each obstacle: the cells that may touch it
  std::vector<LbmBox> extents;      // for each obstacle: the cells it was painted on
  double fluid = 0;                 // number of fluid cells
  Outline outline;                  // the obstacles as they were described
  // For each obstacle that has one: a function of the cells that falls to 0 at the border and is below it inside.
  using Level = std::function<double(int x, int y)>;
  std::vector<Level> levels;
};

// Paints the obstacles; later ones overwrite earlier ones. Throws UsageError for an image that cannot be read, an
// obstacle that covers no cell, a porosity that is unreachable because of earlier obstacles, and a grid without fluid.
LbmGeometry paint_obstacles(const std::vector<ObstacleOptions>&, int nx, int ny, std::size_t pitch, std::uint64_t seed);

// Whether the scene's `effort` allows them to be painted; if not, a remark says so.
bool bears_painting(const std::vector<ObstacleOptions>&, int nx, int ny, const Scene&);

// What paint_obstacles gives, in memory until a solver is made of it; for a further solver it is painted again. Several
// threads may take at once.
class ObstacleMap {
 public:
  ObstacleMap(std::vector<ObstacleOptions> obstacles, int nx, int ny, std::size_t pitch, const Scene&);

  // Until the first `take`; if it was not painted, which `check` leaves on a large grid, there are no cells.
  const LbmGeometry& geometry() const { return *painted_; }
  bool painted() const { return !painted_->cell.empty(); }
  LbmGeometry take();

 private:
  LbmGeometry paint() const { return paint_obstacles(obstacles_, nx_, ny_, pitch_, seed_); }

  std::vector<ObstacleOptions> obstacles_;
  int nx_, ny_;
  std::size_t pitch_;
  std::uint64_t seed_;
  std::mutex mutex_;
  std::optional<LbmGeometry> painted_;
};

// Whether a path of fluid cells leads from an inlet to an outlet.
bool is_passable(const LbmGeometry&, int nx, int ny, std::size_t pitch, const std::array<LbmSide, 4>& sides);

}  // namespace simreel
