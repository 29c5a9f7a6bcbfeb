// Scenes in which nothing will be seen, or less than was meant: plan_solver warns of them, with place and way out.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>

#include "base/error.h"
#include "source/nbody/options.h"
#include "source/solver.h"
#include "tests/support/places.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

std::vector<std::string> warnings_of(const std::string& text) {
  return plan_solver(parse_scene(text, "x.toml")).texts.warnings;
}

// Expects one warning, which starts and ends so.
void expect_one(const std::string& text, const std::string& start, const std::string& words) {
  const std::vector<std::string> warnings = warnings_of(text);
  ASSERT_EQ(warnings.size(), 1u) << fmt::format("{}\n{}", text, fmt::join(warnings, "\n"));
  EXPECT_EQ(warnings[0].substr(0, start.size()), start) << warnings[0];
  EXPECT_NE(warnings[0].find(words), std::string::npos) << warnings[0];
}

void expect_none(const std::string& text) { EXPECT_EQ(warnings_of(text), std::vector<std::string>()) << text; }

const std::string wave = "[animation]\nframes = 11\nsteps_per_frame = 10\n[solver]\nkind = \"wave\"\ntimestep = 0.5\n";
const std::string drop = "grid = [64, 36]\n[[solver.droplet]]\n";

TEST(Warnings, OfDropletsOutsideTheGrid) {
  const std::string words = "outside the grid of 64 x 36 cells; positions are 0 to 63 and 0 to 35";
  expect_one(wave + drop + "[[solver.droplet]]\nposition = [64, 5]\n", "x.toml:10:1: ", words);
  expect_one(wave + drop + "[[solver.droplet]]\nposition = [5, -1]\n", "x.toml:10:1: ", words);
  expect_none(wave + drop + "position = [63, 35]\n");
  expect_none(wave + drop + "position = [-0.5, 35.5]\n");
}

// The last of 11 frames shows step 100, time 50.
TEST(Warnings, OfDropletsAfterTheLastFrame) {
  expect_one(wave + drop + "[[solver.droplet]]\ntime = 50.1\n", "x.toml:10:1: ",
             "falls at time 50.1, after the last frame, which shows time 50; take an earlier time, or more frames");
  expect_none(wave + drop + "time = 50\n");
}

TEST(Warnings, OfASurfaceThatStaysFlat) {
  const std::string words = "nothing moves the surface, so it stays flat: add a [[solver.droplet]]";
  const std::vector<std::string> late = warnings_of(wave + drop + "time = 51\n");
  ASSERT_EQ(late.size(), 2u);
  EXPECT_EQ(late[1].find("x.toml:4:1: " + words), 0u) << late[1];
  const std::vector<std::string> still = warnings_of(wave + drop + "amplitude = 0\n");
  ASSERT_EQ(still.size(), 2u);
  EXPECT_EQ(still[0], "x.toml:9:1: this droplet has amplitude 0");
  EXPECT_EQ(still[1].find("x.toml:4:1: " + words), 0u) << still[1];
  const std::string grid = "grid = [64, 36]\n";
  expect_one(wave + grid + "[solver.rain]\nrate = 1\namplitude = 0\n", "x.toml:4:1: ", words);
  expect_one(wave + grid + "[solver.rain]\nrate = 1e-9\n", "x.toml:4:1: ", words);
  expect_one(wave + grid + "initial = \"noise\"\namplitude = 0\n", "x.toml:4:1: ", words);
  expect_none(wave + grid + "[solver.rain]\nrate = 1\n");
  expect_none(wave + grid + "initial = \"noise\"\n");
  expect_none(wave + grid + "initial = \"mode\"\n");
}

const std::string lbm = "[solver]\nkind = \"lbm\"\ngrid = [64, 36]\nviscosity = 0.1\n";

TEST(Warnings, OfAFlowThatNothingDrives) {
  expect_one(lbm + "initial = \"rest\"\n",
             "x.toml:1:1: ", "nothing drives the flow, so it stays at rest: give it a force, an inlet");
  expect_one(lbm + "velocity = 0\ninitial = \"uniform\"\n",
             "x.toml:5:1: ", "nothing drives the flow, so it stays at rest: velocity is 0");
  expect_none(lbm + "initial = \"uniform\"\n");
  expect_none(lbm + "force = [1e-6, 0]\n");
  expect_none(lbm + "[solver.boundary]\ntop = \"moving\"\n");
  expect_none(lbm);  // a shear layer by default
  const std::string dye = "initial = \"rest\"\n[solver.tracer]\nbands = 4\n";
  expect_one(lbm + dye + "[view]\nfield = \"tracer\"\n", "x.toml:1:1: ", "nothing drives the flow");
  expect_none(lbm + dye + "diffusivity = 0.1\n[view]\nfield = \"tracer\"\n");
}

TEST(Warnings, OfATracerWithoutDye) {
  const std::string flow = lbm + "initial = \"uniform\"\n";
  const std::string view = "[view]\nfield = \"tracer\"\n";
  expect_one(flow + view, "x.toml:7:1: ", "field = \"tracer\", but the flow carries no dye; add [solver.tracer]");
  expect_one(flow + "[solver.tracer]\ndiffusivity = 0.1\n" + view, "x.toml:9:1: ", "the flow carries no dye");
  expect_none(flow + "[solver.tracer]\nbands = 2\n" + view);
  expect_none(flow + "[[solver.tracer.spot]]\n" + view);
}

TEST(Warnings, OfObstaclesCutOffAtTheEdge) {
  const std::string flow = lbm + "initial = \"uniform\"\n[[solver.obstacle]]\n";
  expect_one(flow + "center = [5, 18]\nradius = 8\n", "x.toml:7:1: ",
             "this circle reaches 3 cells beyond the left of the 64 x 36 grid and is cut off there; move it");
  expect_one(flow + "radius = 20\n", "x.toml:6:1: ", "this circle reaches 2.5 cells beyond the bottom of");
  expect_one(flow + "shape = \"rectangle\"\nmin = [50, 4]\nmax = [80, 9]\n",
             "x.toml:9:1: ", "this rectangle reaches 17 cells beyond the right of");
  expect_one(flow + "shape = \"polygon\"\npoints = [[9, 9], [20, 40], [30, 9]]\n",
             "x.toml:8:1: ", "this polygon reaches 5 cells beyond the top of");
  expect_none(flow + "center = [8, 18]\nradius = 8.5\n");
  expect_none(flow + "shape = \"rectangle\"\nmin = [60, -1]\nmax = [64, 9]\n");
  expect_none(flow + "shape = \"porous\"\n");
}

// One golden stores a driven flow in half on purpose, and is warned of its accuracy.
TEST(Warnings, OfNoShippedScene) {
  for (const char* folder : {"scenes", "tests/golden"})
    for (const std::filesystem::path& scene : test::scenes_in(folder))
      for (const std::string& warning : plan_solver(load_scene(scene)).texts.warnings)
        EXPECT_NE(warning.find("half storage"), std::string::npos) << warning;
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
  EXPECT_NE(refusal(3).find("logo.tga is darker than threshold = 0.5, so nothing is solid; transparent ones count as "
                            "white: paint the shape black"),
            std::string::npos)
      << refusal(3);
  EXPECT_TRUE(refusal(8).ends_with("so nothing is solid")) << refusal(8);
}

const std::string body_file = "[solver]\nkind = \"nbody\"\ninitial = \"file\"\n";

// The planets of the sun in astronomical units, days and masses of the sun.
TEST(Warnings, OfGravityInOtherUnits) {
  const test::Folder folder;
  std::ofstream(folder / "b.csv") << "x,y,vx,vy,mass\n0,0,0,0,1\n1,0,0,0.0172,1e-6\n0,5.2,-0.00754,0,1e-3\n";
  const std::string scene = body_file + fmt::format("file = \"{}\"\n", (folder / "b.csv"));
  expect_none(scene + "G = 2.96e-4\n");
  expect_one(scene, "the bodies have 0.00015 times as much kinetic as potential energy",
             "is G = 1 that of their units? With 0.000");
  expect_one(scene + "G = 6.67e-11\n", "the bodies have ", "nothing holds them together");
  std::ofstream(folder / "b.csv") << "x,y,vx,vy,mass\n0,0,0,0,1\n1,0,0,0,1\n0,5.2,0,0,1\n";
  expect_none(scene);
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

// Water and air in m^2/s, and gravity in m/s^2, are far from what cells and steps have.
TEST(Warnings, OfValuesInSI) {
  const std::string flow = "[solver]\nkind = \"lbm\"\ngrid = [96, 48]\n", units = "in m^2/s goes into [solver.units]";
  const std::string past = "[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\n[[solver.obstacle]]\nradius = 5\n";
  const auto words_of = [](const std::string& text) {
    try {
      return fmt::format("{}", fmt::join(warnings_of(text), "\n"));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
  };
  for (const std::string collision : {"bgk", "trt", "mrt", "central"})
    for (const std::string& rest : {std::string("initial = \"uniform\"\n"), past, "outlet_layer = 0\n" + past}) {
      const std::string given = "collision = \"" + collision + "\"\nviscosity = ";
      EXPECT_NE(words_of(flow + given + "1.5e-5\n" + rest).find(units), std::string::npos) << collision << rest;
      EXPECT_EQ(words_of(flow + given + "0.001\n" + rest).find(units), std::string::npos) << collision << rest;
    }
  EXPECT_NE(words_of(flow + "velocity = 1.5\ninitial = \"uniform\"\n").find("in m/s goes into [solver.units]"),
            std::string::npos);
  const std::string force = "in m/s^2 is to be multiplied by step^2 / cell, which `check` prints where [solver.units]";
  for (const std::string given : {"[0, -9.81]", "{y = \"= -9.81\"}", "{y = \"= -9.81 + x\"}"})
    EXPECT_NE(words_of(flow + "force = " + given + "\n").find(force), std::string::npos) << given;
}

TEST(Warnings, OfBodiesWithoutMassAndLight) {
  const test::Folder folder;
  std::ofstream(folder / "b.csv") << "x,y,vx,vy,mass\n0,0,0,0,1\n1,0,0,1,0\n0,2,-0.7,0,0\n";
  const std::string scene = body_file + fmt::format("file = \"{}\"\n[view]\n", (folder / "b.csv")),
                    density = "field = \"density\"\n";
  expect_one(scene + density, "most bodies have mass 0 and give no light", "weight = \"one\" in [view]");
  expect_none(scene + density + "weight = \"one\"\n");
  expect_none(scene);
}

TEST(Remarks, OfKeysWithoutMeaningThatHaveTheirDefault) {
  const std::string usual = "; it is the default, and changes nothing";
  struct Case {
    std::string scene, key, usual, other;
  };
  const std::string flow = "[solver]\nkind = \"lbm\"\ngrid = [64, 32]\n",
                    bodies = "[solver]\nkind = \"nbody\"\nbodies = 8\n",
                    tank = "[solver]\nkind = \"wave\"\ngrid = [32, 16]\n", view = "[view]\n";
  for (const Case& c :
       {Case{tank, "mode", "[1, 1]", "[2, 1]"},
        Case{tank + "[[solver.source]]\nshape = \"disk\"\n", "points", "[]", "[[0, 0], [1, 1]]"},
        Case{tank + "[[solver.source]]\nshape = \"line\"\npoints = [[1, 1], [9, 9]]\n", "position", "[15.5, 7.5]",
             "[15, 7.5]"},
        Case{tank + "[[solver.source]]\nsignal = \"= t\"\n", "phase", "0.0", "1"},
        Case{flow, "outlet", "\"characteristic\"", "\"pressure\""},
        Case{flow + "[[solver.obstacle]]\nshape = \"rectangle\"\nmax = [5, 5]\n", "center", "[31.5, 15.5]", "[3, 3]"},
        Case{bodies, "virial", "0", "1"}, Case{bodies, "thickness", "0.05", "0.1"},
        Case{bodies, "mass_ratio", "1.0", "2"}, Case{tank + view, "trails", "0", "1"},
        Case{tank + view, "radius_unit", "\"pixels\"", "\"world\""}, Case{tank + view, "layers", "false", "true"},
        Case{bodies + view, "layers", "false", "true"}, Case{bodies + view, "levels", "0", "8"}}) {
    const auto texts = [&](const std::string& value) {
      return plan_solver(parse_scene(c.scene + c.key + " = " + value + "\n", "x.toml")).texts.remarks;
    };
    const std::vector<std::string> remarks = texts(c.usual);
    ASSERT_EQ(remarks.size(), 1u) << c.scene << c.key;
    EXPECT_NE(remarks[0].find("\"" + c.key + "\""), std::string::npos) << remarks[0];
    EXPECT_TRUE(remarks[0].ends_with(usual)) << remarks[0];
    EXPECT_THROW(texts(c.other), UsageError) << c.scene << c.key;
  }
}

TEST(Warnings, OfFramesOfMillionsOfSteps) {
  const std::string scene = "[solver]\nkind = \"nbody\"\nbodies = 3\n";
  expect_one(scene + "timestep = 1e-9\n[animation]\nsteps_per_frame = 1000000\n",
             "x.toml:4:1: a frame takes 1e+06 steps of 1e-09", "take a larger timestep, or fewer steps_per_frame");
  expect_none(scene + "timestep = 1e-9\n[animation]\nsteps_per_frame = 999999\n");
}

}  // namespace
}  // namespace simreel
