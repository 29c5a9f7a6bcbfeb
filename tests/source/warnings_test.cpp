// Warnings that need files of images, or many bodies; tests/messages/warnings.txt has the others.

#include <fmt/format.h>

#include "base/error.h"
#include "source/nbody/options.h"
#include "source/solver.h"
#include "tests/support/places.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

const std::string wave = "[animation]\nframes = 11\nsteps_per_frame = 10\n[solver]\nkind = \"wave\"\ntimestep = 0.5\n";
const std::string drop = "grid = [64, 36]\n[[solver.droplet]]\n";

// One golden stores a driven flow in half on purpose, and is warned of its accuracy.
TEST(Warnings, OfNoShippedScene) {
  for (const char* folder : {"scenes", "tests/golden"})
    for (const std::filesystem::path& scene : test::scenes_in(folder))
      for (const std::string& warning : plan_solver(load_scene(scene)).texts.warnings)
        EXPECT_TRUE(test::says(warning, "half storage"));
}

// An image of 8 x 4 pixels: white, with as many opaque columns.
std::string tga(const test::Folder& folder, int opaque) {
  std::string bytes("\0\0\2\0\0\0\0\0\0\0\0\0\x08\0\x04\0\x20\x08", 18);
  for (int i = 0; i < 8 * 4; ++i) bytes += std::string("\xff\xff\xff") + (i % 8 < opaque ? '\xff' : '\0');
  std::ofstream(folder / "logo.tga", std::ios::binary) << bytes;
  return (folder / "logo.tga");
}

TEST(Warnings, OfImagesThatAreStretched) {
  const test::Folder folder;
  std::ofstream(folder / "map.pgm", std::ios::binary) << "P5 8 4 255\n" << std::string(32, '\0');
  const std::string file = (folder / "map.pgm");
  const auto remarks = [](const std::string& text) { return plan_solver(parse_scene(text, "x.toml")).texts.remarks; };
  const std::string square = wave + "grid = [64, 64]\n[[solver.droplet]]\nposition = [60, 60]\n";
  const std::string image = fmt::format("[[solver.obstacle]]\nshape = \"image\"\nfile = \"{}\"\n", file);
  const std::string words = "has 8 x 4 pixels and is stretched over 32 x 32 cells; 32 x 16 would keep its proportions";
  EXPECT_EQ(remarks(square + image + "max = [31, 31]\n"), std::vector{fmt::format("x.toml:12:1: {} {}", file, words)});
  EXPECT_EQ(remarks(square + image + "max = [31, 15]\n"), std::vector<std::string>());
  EXPECT_EQ(remarks(square + image + "max = [31, 15]\nmin = [0, 0]\n"), std::vector<std::string>());
  const std::string speed = wave + "grid = [32, 64]\ninitial = \"noise\"\n";
  EXPECT_EQ(
      remarks(speed + fmt::format("speed = \"{}\"\n", file)),
      std::vector{fmt::format("x.toml:9:1: {} has 8 x 4 pixels and is stretched over 32 x 64 cells; 32 x 16 would keep "
                              "its proportions",
                              file)});
  EXPECT_EQ(remarks(wave + "grid = [62, 32]\ninitial = \"noise\"\n" + fmt::format("speed = \"{}\"\n", file)),
            std::vector<std::string>());
}

TEST(Warnings, OfAMaskThatIsTransparentOnly) {
  const test::Folder folder;
  const auto refusal = [&](int opaque) {
    return test::thrown([&] {
      plan_solver(parse_scene(
          wave + drop + fmt::format("[[solver.obstacle]]\nshape = \"image\"\nfile = \"{}\"\n", tga(folder, opaque)),
          "x.toml"));
    });
  };
  EXPECT_TRUE(test::says(refusal(3),
                         "logo.tga is darker than threshold = 0.5, so nothing is solid; transparent ones count as "
                         "white: paint the shape black"));
  EXPECT_TRUE(refusal(8).ends_with("so nothing is solid")) << refusal(8);
}

// Of many bodies in a file some stand for all, and no mass is lost or doubled: circles around a sun.
TEST(Warnings, OfManyBodiesKnowTheirEnergies) {
  Bodies bodies;
  bodies.resize(250'000);
  bodies.position[0].w = 1;
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    const double x = 1 + 1e-5 * static_cast<double>(i);
    bodies.position[i] = {x, 0, 0, 0};
    bodies.velocity[i] = {0, 1 / std::sqrt(x), 0, 0};
  }
  NbodyOptions options;
  options.bodies.softening = 0;
  options.read = std::make_shared<const Bodies>(bodies);
  EXPECT_NEAR(virial_ratio(options), 0.5, 1e-9);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.position[i].w = 1 / static_cast<double>(bodies.size());
    bodies.velocity[i] = {i % 2 == 0 ? 1.0 : -1.0, 0, 0, 0};
  }
  options.bodies.softening = 1000;  // as if all were as far from each other
  options.read = std::make_shared<const Bodies>(bodies);
  EXPECT_NEAR(virial_ratio(options), 1000, 0.1);
}

}  // namespace
}  // namespace simreel
