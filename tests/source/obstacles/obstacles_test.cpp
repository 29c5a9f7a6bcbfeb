#include "source/obstacles/obstacles.h"

#include <fmt/format.h>

#include "base/error.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

// Which cells of a grid are solid, a row a line, the top row first.
std::string picture(const std::string& keys, int nx, int ny) {
  Scene scene = parse_scene(fmt::format("[solver]\nkind = \"lbm\"\ngrid = [{}, {}]\n", nx, ny) + keys, "flow.toml");
  scene.file = test::root() / "tests/obstacle/flow.toml";
  std::vector<ObstacleOptions> obstacles = read_obstacles(scene.solver, nx, ny, "solid cells", true);
  for (ObstacleOptions& obstacle : obstacles) obstacle.file = scene.resolve(obstacle.file.string());
  const LbmGeometry geometry = paint_obstacles(obstacles, nx, ny, static_cast<std::size_t>(nx), 3);
  std::string text;
  for (int y = ny - 1; y >= 0; --y) {
    for (int x = 0; x < nx; ++x) text += geometry.cell[y * nx + x] < 0 ? '#' : '.';
    text += '\n';
  }
  return text;
}

TEST(Obstacles, ShapesCoverTheCellsWhoseCentresLieInside) {
  EXPECT_EQ(picture("[[solver.obstacle]]\ncenter = [3, 2]\nradius = 1.5\n", 8, 5),
            "........\n"
            "..###...\n"
            "..###...\n"
            "..###...\n"
            "........\n");
  EXPECT_EQ(picture("[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [5.5, 1]\nmax = [99, 2.9]\n", 8, 5),
            "........\n"
            "........\n"
            "......##\n"
            "......##\n"
            "........\n");
  EXPECT_EQ(picture("[[solver.obstacle]]\nshape = \"polygon\"\npoints = [[0.5, 0.5], [6.5, 0.5], [0.5, 4.5]]\n", 8, 5),
            ".#......\n"
            ".##.....\n"
            ".####...\n"
            ".#####..\n"
            "........\n");
}

TEST(Obstacles, DarkPixelsOfAnImageAreSolid) {
  const test::Folder folder;
  std::ofstream(folder / "shape.pgm", std::ios::binary) << "P5 4 2 255\n"
                                                        << std::string("\x00\x64\xff\xff\xff\xff\xff\x00", 8);
  const std::string image =
      fmt::format("[[solver.obstacle]]\nshape = \"image\"\nfile = \"{}\"\n", folder / "shape.pgm");
  EXPECT_EQ(picture(image, 8, 4),
            "####....\n"
            "####....\n"
            "......##\n"
            "......##\n");
  EXPECT_EQ(picture(image + "threshold = 0.2\nmin = [1, 1]\nmax = [4, 2]\n", 6, 4),
            "......\n"
            ".#....\n"
            "....#.\n"
            "......\n");
}

// Of a picture finer than the grid each cell takes the mean of its pixels, not the one in its middle.
TEST(Obstacles, CellsTakeTheMeanOfTheirPixels) {
  const test::Folder folder;
  std::ofstream(folder / "fine.pgm", std::ios::binary) << "P5 6 3 255\n"
                                                       << std::string(
                                                              "\x00\x00\x00\xff\xff\xff"
                                                              "\x00\xff\x00\xff\x00\xff"
                                                              "\x00\x00\x00\xff\xff\xff",
                                                              18);
  EXPECT_EQ(picture(fmt::format("[[solver.obstacle]]\nshape = \"image\"\nfile = \"{}\"\n", folder / "fine.pgm"), 2, 1),
            "#.\n");
}

TEST(Obstacles, ImagesOfEveryKindOfPngGiveTheSameCells) {
  const std::string expected =
      "##..\n"
      "...#\n";
  const auto image = [](const std::string& name) {
    return fmt::format("[[solver.obstacle]]\nshape = \"image\"\nfile = \"{}\"\n",
                       (test::root() / "tests/obstacle" / name).string());
  };
  for (const char* name :
       {"grey.png", "grey16.png", "palette.png", "rgb.png", "rgb16.png", "rgba.png", "grey_alpha.png"})
    EXPECT_EQ(picture(image(name), 4, 2), expected) << name;
}

TEST(Obstacles, PorousMediaReachTheirPorosityToTheCell) {
  for (const double porosity : {0.3, 0.62, 0.9}) {
    const std::string text = picture(
        fmt::format(
            "[[solver.obstacle]]\nshape = \"porous\"\nporosity = {}\ngrain = 6\nmin = [10, 0]\nmax = [89, 49]\n",
            porosity),
        100, 50);
    EXPECT_EQ(std::ranges::count(text, '#'), std::llround((1 - porosity) * 80 * 50));
  }
}

TEST(Obstacles, PorosityCountsWhatOtherObstaclesCover) {
  const std::string half = "[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [0, 0]\nmax = [31, 63]\n";
  const std::string porous = "[[solver.obstacle]]\nshape = \"porous\"\nporosity = ";
  EXPECT_EQ(std::ranges::count(picture(half + porous + "0.4\n", 64, 64), '.'), std::llround(0.4 * 64 * 64));
}

// Grains whose centres lie far outside the grid paint nothing, so none is drawn there.
TEST(Obstacles, PorousMediaMayReachFarBeyondTheGrid) {
  const std::string text = picture(
      "[[solver.obstacle]]\nshape = \"porous\"\nporosity = 0.6\ngrain = 5\nmin = [-1e9, -1e300]\nmax = [1e9, 1e300]\n",
      60, 40);
  EXPECT_EQ(std::ranges::count(text, '#'), std::llround(0.4 * 60 * 40));
  for (const char* side : {"min = [50, -1e9]\nmax = [1e9, 1e9]\n", "min = [-1e9, -1e9]\nmax = [9, 1e9]\n"})
    EXPECT_EQ(std::ranges::count(
                  picture("[[solver.obstacle]]\nshape = \"porous\"\nporosity = 0.01\ngrain = 1e9\n" + std::string(side),
                          60, 40),
                  '#'),
              std::llround(0.99 * 10 * 40));
}

TEST(Obstacles, HugeShapesCoverTheCellsOfTheGrid) {
  EXPECT_EQ(picture("[[solver.obstacle]]\ncenter = [-1e9, 1]\nradius = 1000000002.5\n", 5, 3),
            "###..\n"
            "###..\n"
            "###..\n");
  EXPECT_EQ(
      picture("[[solver.obstacle]]\nshape = \"polygon\"\npoints = [[-1e9, -1e9], [1e9, 1e9], [-1e9, 1e9]]\n", 4, 4),
      "####\n"
      "###.\n"
      "##..\n"
      "#...\n");
}

// A comb, five and two cells wide in turn.
TEST(Obstacles, APolygonMayHaveManyCorners) {
  constexpr int rows = 1500;
  std::string points = "[-1, -0.5]", expected;
  for (int y = 0; y < rows; ++y) {
    points += fmt::format(", [{0}, {1}], [{0}, {2}]", y % 2 == 0 ? 4.5 : 1.5, y - 0.5, y + 0.5);
    expected = (y % 2 == 0 ? "#####.\n" : "##....\n") + expected;
  }
  points += fmt::format(", [-1, {}]", rows - 0.5);
  EXPECT_EQ(picture("[[solver.obstacle]]\nshape = \"polygon\"\npoints = [" + points + "]\n", 6, rows), expected);
}

TEST(Obstacles, APolygonIsAsSymmetricAsItsCorners) {
  EXPECT_EQ(picture("[[solver.obstacle]]\nshape = \"polygon\"\npoints = [[3, 0], [6, 3], [3, 6], [0, 3]]\n", 7, 7),
            "...#...\n"
            "..###..\n"
            ".#####.\n"
            "#######\n"
            ".#####.\n"
            "..###..\n"
            "...#...\n");
}

}  // namespace
}  // namespace simreel
