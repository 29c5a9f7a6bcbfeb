// Enlarged obstacles: their edges follow the shapes that the scene describes, not the cells.

#include <fmt/format.h>

#include "picture/rasterizer.h"
#include "raster/field/field_painter.h"
#include "source/obstacles/obstacles.h"
#include "tests/support/backends.h"
#include "tests/support/draw_context.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

LbmGeometry paint(const std::string& keys, int nx, int ny) {
  Scene scene = parse_scene(fmt::format("[solver]\nkind = \"lbm\"\ngrid = [{}, {}]\n", nx, ny) + keys, "flow.toml");
  return paint_obstacles(read_obstacles(scene.solver, nx, ny, "solid cells", true), nx, ny,
                         static_cast<std::size_t>(nx), 3);
}

// How much of each pixel is covered, rows upwards.
struct Coverage {
  int width, height;
  std::vector<std::uint8_t> codes;

  Coverage(const std::string& keys, int nx, int ny, int zoom)
      : width(zoom * nx),
        height(zoom * ny),
        codes(coverage_codes(paint(keys, nx, ny).outline, nx, ny, {width, height})) {}
  double at(int x, int y) const { return (codes[(height - 1 - y) * width + x] - 1) / 254.0; }
  double area() const {
    double sum = 0;
    for (const std::uint8_t code : codes) sum += (code - 1) / 254.0;
    return sum;
  }
};

TEST(Outline, EnlargedCirclesHaveTheirAreaAndASmoothEdge) {
  constexpr int zoom = 8;
  constexpr double radius = 10.3, x0 = 19.3, y0 = 20.6;
  const Coverage cover(fmt::format("[[solver.obstacle]]\ncenter = [{}, {}]\nradius = {}\n", x0, y0, radius), 40, 41,
                       zoom);
  const double area = std::numbers::pi * radius * radius * zoom * zoom;
  EXPECT_NEAR(cover.area(), area, 0.001 * area);
  for (int y = 0; y < cover.height; ++y)
    for (int x = 0; x < cover.width; ++x) {
      // A pixel is covered as its distance from the circle says, but for the curvature within it.
      const double dx = x + 0.5 - (x0 + 0.5) * zoom, dy = y + 0.5 - (y0 + 0.5) * zoom, r = std::hypot(dx, dy);
      const double inside = radius * zoom - r, reach = (std::fabs(dx) + std::fabs(dy)) / r / 2;  // of the pixel
      if (inside > reach + 0.01) {
        EXPECT_EQ(cover.at(x, y), 1) << x << ", " << y;
      } else if (inside < -reach - 0.01) {
        EXPECT_EQ(cover.at(x, y), 0) << x << ", " << y;
      } else {
        EXPECT_NEAR(cover.at(x, y), 0.5 + inside / (2 * reach), 0.2) << x << ", " << y;
      }
      // The ramp is monotone: nothing is covered less than its neighbour further out.
      const int nearer_x = x + (dx > 1 ? -1 : dx < -1 ? 1 : 0), nearer_y = y + (dy > 1 ? -1 : dy < -1 ? 1 : 0);
      EXPECT_GE(cover.at(nearer_x, y), cover.at(x, y)) << x << ", " << y;
      EXPECT_GE(cover.at(x, nearer_y), cover.at(x, y)) << x << ", " << y;
    }
}

TEST(Outline, CoversWhatTheShapesSay) {
  // The sides of a rectangle lie between its cells and the next.
  EXPECT_NEAR(Coverage("[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [3, 2]\nmax = [6, 4]\n", 12, 8, 5).area(),
              4 * 3 * 25, 1e-9);
  const std::string triangle = "[[solver.obstacle]]\nshape = \"polygon\"\npoints = [[2, 1], [17, 3], [6, 9]]\n";
  EXPECT_NEAR(Coverage(triangle, 20, 12, 6).area(), 0.5 * (15 * 8 - 4 * 2) * 36, 2);
  // What lies in two shapes counts once.
  EXPECT_EQ(Coverage(triangle + triangle, 20, 12, 6).codes, Coverage(triangle, 20, 12, 6).codes);
  // A shape at the edge of the grid is cut off there.
  EXPECT_NEAR(Coverage("[[solver.obstacle]]\ncenter = [-0.5, 9.5]\nradius = 6\n", 20, 20, 8).area(),
              std::numbers::pi * 18 * 64, 4);
}

TEST(Outline, OfAnImageLiesWhereItsInterpolatedLuminanceMeetsTheThreshold) {
  const test::Folder folder;
  std::ofstream(folder / "ramp.pgm", std::ios::binary) << "P5 4 2 255\n"
                                                       << std::string("\x00\x00\xff\xff\x00\x00\xff\xff", 8);
  const std::string image = fmt::format("[[solver.obstacle]]\nshape = \"image\"\nfile = \"{}\"\n", folder / "ramp.pgm");
  EXPECT_NEAR(Coverage(image, 8, 4, 10).area(), 4 * 4 * 100, 1e-6);
  // From 0 in the middle of the second pixel to 1 in the middle of the third, two cells further.
  EXPECT_NEAR(Coverage(image + "threshold = 0.25\n", 8, 4, 10).area(), (4 - 0.5) * 4 * 100, 1);
}

TEST(Outline, OfPorousMediaIsThatOfTheirGrains) {
  const std::string porous = "[[solver.obstacle]]\nshape = \"porous\"\nporosity = 0.7\ngrain = 7\n";
  const LbmGeometry geometry = paint(porous, 100, 60);
  const Coverage cover(porous, 100, 60, 4);
  EXPECT_NEAR(cover.area() / (4 * 4 * 100 * 60), 0.3, 0.01);
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 100; ++x) {
      const bool solid = geometry.cell[y * 100 + x] < 0;
      EXPECT_GE(cover.at(4 * x + 2, 4 * y + 2) + cover.at(4 * x + 1, 4 * y + 1), solid ? 0.7 : 0);
      EXPECT_LE(cover.at(4 * x + 2, 4 * y + 2) + cover.at(4 * x + 1, 4 * y + 1), solid ? 2 : 1.3);
    }
}

// A flow of speed `fluid` everywhere, NaN in solid cells, as a rasterizer shows it in greys from 0 to 1.
std::vector<Color> draw(const Executor& executor, const LbmGeometry& geometry, int nx, int ny, Size size,
                        bool outlined) {
  std::vector<float> values(geometry.cell.size(), 0.25f);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (geometry.cell[i] < 0) values[i] = std::numeric_limits<float>::quiet_NaN();
  Buffer<float> value(executor, values);
  Buffer<std::int8_t> cell(executor, geometry.cell);
  ViewOptions view;
  view.colormap = "gray";
  view.range = RangeMode::fixed;
  view.size = size;
  view.obstacle = {255, 0, 0, 255};
  Rasterizer rasterizer(executor, view);
  rasterizer.draw(FieldView<float>{value.data(), nx, ny, static_cast<std::size_t>(nx), cell.data(),
                                   outlined ? &geometry.outline : nullptr},
                  0);
  return test::canvas_of(executor, rasterizer, size);
}

TEST(Outline, IsWhatAPictureShows) {
  constexpr int nx = 50, ny = 30, zoom = 8;
  const LbmGeometry geometry = paint("[[solver.obstacle]]\ncenter = [21.2, 14.1]\nradius = 9\n", nx, ny);
  const Size size{zoom * nx, zoom * ny};
  const std::vector<Color> canvas = draw(Executor::cpu(1), geometry, nx, ny, size, true);
  for (const Executor& executor : test::executors())
    EXPECT_EQ(draw(executor, geometry, nx, ny, size, true), canvas) << executor.name();
  double area = 0;
  for (const Color color : canvas) {
    area += (color.r - 64) / 191.0;  // the fluid is (64, 64, 64), the obstacle (255, 0, 0)
    EXPECT_EQ(color.g, color.b);
    EXPECT_NEAR(color.g, 64 * (255 - color.r) / 191.0, 1) << "the fluid's colour under the edge is its own";
  }
  const double circle = std::numbers::pi * 81 * zoom * zoom;
  EXPECT_NEAR(area, circle, 0.001 * circle);
}

TEST(Outline, ChangesNothingInAPictureThatIsNotEnlarged) {
  const LbmGeometry geometry = paint("[[solver.obstacle]]\ncenter = [21.2, 14.1]\nradius = 9\n", 50, 30);
  const Executor cpu = Executor::cpu(2);
  for (const Size size : {Size{50, 30}, Size{33, 20}})
    EXPECT_EQ(draw(cpu, geometry, 50, 30, size, true), draw(cpu, geometry, 50, 30, size, false)) << size.width;
}

}  // namespace
}  // namespace simreel
