// How scenes are shown that say little: what is chosen, and whether there is something to see.

#include <fmt/format.h>

#include "base/error.h"
#include "figure/space.h"
#include "raster/color/colormap.h"
#include "run/plan.h"
#include "run/render_loop.h"
#include "source/solver.h"
#include "tests/support/places.h"
#include "tests/support/recorder.h"

namespace simreel {
namespace {

Scene complete(const std::string& solver, const std::string& rest = "") {
  Scene scene = parse_scene("[solver]\n" + solver + rest, "x.toml");
  complete_scene(scene);
  return scene;
}

constexpr const char* small_view = "[view]\nsize = [160, 90]\n";

const std::string wave = "kind = \"wave\"\ngrid = [640, 360]\n";
const std::string box = "kind = \"lbm\"\ngrid = [320, 180]\n";
const std::string channel =
    "kind = \"lbm\"\ngrid = [240, 100]\n[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\n";
const std::string circle = "[[solver.obstacle]]\nshape = \"circle\"\ncenter = [50, 50]\nradius = 10\n";

TEST(ViewDefaults, AWaveCrossesTheGridInThreeSeconds) {
  const Scene scene = complete(wave);
  EXPECT_EQ(scene.view.field, "");
  EXPECT_EQ(scene.view.colormap, "glow");
  EXPECT_EQ(scene.view.range, RangeMode::symmetric);
  EXPECT_EQ(scene.animation.steps_per_frame, 4) << "360 cells at half a cell a step, 180 frames";
  const SolverPlan plan = plan_solver(scene);
  EXPECT_EQ(plan.timestep, 0.5);
  EXPECT_EQ(plan.texts.facts,
            std::vector<std::string>{"without initial, droplet and rain: a droplet at [213, 119.7], and rain "
                                     "of 0.00556 droplets per unit of time, radius 7.2"});
  EXPECT_TRUE(plan_solver(complete(wave + "initial = \"rest\"\n")).texts.facts.empty());
  EXPECT_TRUE(plan_solver(complete(wave + "[[solver.droplet]]\n")).texts.facts.empty());
  EXPECT_EQ(complete("kind = \"wave\"\ngrid = [64, 64]\n").animation.steps_per_frame, 1);
  EXPECT_EQ(complete("kind = \"wave\"\ngrid = [4096, 4096]\n").animation.steps_per_frame, 46);
  EXPECT_EQ(complete(wave, "[animation]\nfps = 30\n").animation.steps_per_frame, 8);
  EXPECT_EQ(complete(wave + "speed = 10\nspacing = 2\n").animation.steps_per_frame, 4);
  EXPECT_EQ(plan_solver(complete(wave + "speed = 10\nspacing = 2\n")).timestep, 0.1);
  EXPECT_LT(plan_solver(complete(wave + "damping = 10\n")).timestep, 0.2) << "as stable as without";
}

TEST(ViewDefaults, AFlowRollsUpOrShedsVortices) {
  const Scene layer = complete(box);
  EXPECT_EQ(layer.view.field, "vorticity");
  EXPECT_EQ(layer.view.colormap, "glow");
  EXPECT_EQ(layer.view.range, RangeMode::symmetric);
  EXPECT_EQ(layer.animation.steps_per_frame, 21) << "320 cells at 0.05 cells a step in 300 frames";
  EXPECT_EQ(plan_solver(layer).texts.facts.at(0).substr(0, 34), "tau = 0.51875, viscosity 0.00625, ");
  const Scene wake = complete(channel + circle);
  EXPECT_EQ(wake.view.field, "vorticity");
  EXPECT_EQ(wake.animation.steps_per_frame, 27) << "240 cells in 180 frames";
  EXPECT_EQ(plan_solver(wake).texts.facts.at(0).substr(0, 36), "tau = 0.52, viscosity 0.006667, Mach");
  EXPECT_EQ(complete(channel).view.field, "");
  EXPECT_EQ(complete(channel).view.colormap, "inferno");
  EXPECT_EQ(complete(channel).view.range, RangeMode::global) << "speeds have no sign";
  EXPECT_EQ(complete(channel + "[solver.tracer]\nstripes = 5\n").view.field, "tracer");
  EXPECT_EQ(complete(box, "[view]\nfield = \"ux\"\n").view.range, RangeMode::symmetric);
  EXPECT_EQ(complete(box, "[view]\nfield = \"density\"\n").view.colormap, "viridis");
}

TEST(ViewDefaults, AFlowThatTheSceneGivesHasItsOwnPace) {
  const std::string periodic = "[solver.boundary]\nbottom = \"periodic\"\ntop = \"periodic\"\n";
  const Scene layer = complete(box + "initial_ux = \"= 0.02 * tanh((y - 90) / 5)\"\n" + periodic);
  EXPECT_EQ(layer.animation.steps_per_frame, 89) << "320 cells at 0.02 cells a step in 180 frames";
  EXPECT_EQ(layer.view.field, "vorticity");
  EXPECT_EQ(complete(box + "initial_uy = 0.05\n").animation.steps_per_frame, 36);
  EXPECT_EQ(complete(box + "initial_uy = 0.05\n").view.field, "") << "between walls";
  for (const char* force : {"\"= 4e-6\"", "\"= 4e-6 * sin(pi * y / 90)\"", "\"= 4e-6 * cos(t)\"", "4e-6"})
    EXPECT_EQ(complete(box + fmt::format("force = {{ x = {} }}\n", force)).animation.steps_per_frame, 66)
        << "the speed is sqrt(4e-6 * 180), of " << force;
  EXPECT_EQ(complete("kind = \"lbm\"\ngrid = [240, 100]\nprofile = \"= 2\"\n[solver.boundary]\nleft = "
                     "\"inlet\"\nright = \"outlet\"\n")
                .animation.steps_per_frame,
            13);
}

TEST(ViewDefaults, AFlowThatACircleDrivesShowsItsTurns) {
  const std::string rotor = box + "initial = \"rest\"\n" + circle + "rotation = 0.003\n";
  EXPECT_EQ(complete(rotor).animation.steps_per_frame, 17) << "2 pi / 0.003 steps in 120 frames";
  EXPECT_EQ(complete(rotor + "period = 1200\n").animation.steps_per_frame, 10);
  EXPECT_TRUE(plan_solver(complete(rotor)).texts.warnings.empty());
  EXPECT_EQ(plan_solver(complete(box + "initial = \"rest\"\n" + circle)).texts.warnings.size(), 1u) << "it stands";
  EXPECT_EQ(complete(channel + circle + "rotation = 0.003\n").animation.steps_per_frame, 27) << "that of the stream";
}

TEST(ViewDefaults, AShearBetweenWallsIsShownAsVorticity) {
  EXPECT_EQ(complete(box + "initial_ux = \"= 0.02 * tanh((y - 90) / 5)\"\n").view.field, "vorticity");
  EXPECT_EQ(complete(box + "initial_density = \"= 1 + 0.01 * (r < 5)\"\n").view.field, "") << "a pulse has none";
}

TEST(ViewDefaults, PaperIsWhite) {
  const std::string paper = "[figure]\nwidth = \"85mm\"\n";
  EXPECT_EQ(complete(wave, paper).view.colormap, "RdBu_r");
  const Scene bodies = complete("kind = \"nbody\"\nbodies = 9\n", paper);
  EXPECT_EQ(bodies.view.background, (Color{255, 255, 255, 255}));
  EXPECT_EQ(bodies.view.colormap, "plasma");
  const Scene chosen = complete("kind = \"nbody\"\nbodies = 9\n", "[view]\ncolormap = \"stars\"\n" + paper);
  EXPECT_EQ(chosen.view.background, (Color{0, 0, 0, 255}));
}

TEST(ViewDefaults, NoWallsStandBesideABodyInAStream) {
  const auto sides = [](const std::string& solver) { return plan_solver(complete(solver)).texts.summary; };
  const std::string walls = "bottom wall, top wall", slip = "bottom slip, top slip";
  const auto has = [&](const std::string& solver, const std::string& words) {
    EXPECT_TRUE(test::says(sides(solver), words));
  };
  has(channel + circle, slip);
  has(channel, walls);
  has(channel + "top = \"wall\"\n" + circle, walls);
  has("profile = \"parabolic\"\n" + channel + circle, walls);
  has(box + circle + "[solver.boundary]\nleft = \"wall\"\nright = \"wall\"\n", walls);
}

TEST(ViewDefaults, BodiesAreLargeWhereTheyAreFew) {
  const auto bodies = [](int count, const std::string& rest = "") {
    return complete(fmt::format("kind = \"nbody\"\nbodies = {}\n", count), rest);
  };
  const Scene few = bodies(16), many = bodies(1'000'000);
  EXPECT_EQ(few.view.field, "speed");
  EXPECT_EQ(few.view.colormap, "stars");
  EXPECT_EQ(few.view.light.splat, LightOptions::Splat::gaussian);
  EXPECT_EQ(few.view.light.weight, LightOptions::Weight::one);
  EXPECT_EQ(few.view.light.radius, 11);
  EXPECT_EQ(few.view.light.trails, 3);
  EXPECT_EQ(few.view.light.contrast, 100);
  EXPECT_EQ(many.view.light.radius, 1.25);
  EXPECT_EQ(many.view.light.contrast, 10);
  EXPECT_EQ(many.view.light.trails, 0);
  EXPECT_EQ(bodies(200).view.light.trails, 1.5);
  EXPECT_EQ(bodies(201).view.light.trails, 0) << "they are longer than the way to the next body";
  EXPECT_EQ(bodies(16, "[view]\nsize = [270, 540]\n").view.light.radius, 2.75) << "a quarter of 1080 pixels";
  EXPECT_EQ(bodies(1000).animation.steps_per_frame, 2)
      << "2.5 times sqrt(radius^3 / (G mass)) a second of 50 steps each";
  EXPECT_EQ(bodies(1000).camera.pose.orbit, 0) << "nobody asked";
  const auto& at = bodies(1000).camera.pose.position;
  EXPECT_NEAR(std::sqrt(at[1] * at[1] + at[2] * at[2]), 2 / std::tan(3.14159265358979 / 8), 1e-6);
  EXPECT_EQ(bodies(1000, "[camera]\nposition = [0, 0, 3]\n").camera.pose.position, (std::array<double, 3>{0, 0, 3}));
  EXPECT_EQ(bodies(1000, "[camera]\nposition = [0, 0, 3]\n").camera.pose.orbit, 0);
  const Scene chosen = bodies(16, "[view]\nfield = \"density\"\nradius = 7\ntrails = 0\ncolormap = \"gray\"\n");
  EXPECT_EQ(chosen.view.light.weight, LightOptions::Weight::mass);
  EXPECT_EQ(chosen.view.light.radius, 7);
  EXPECT_EQ(chosen.view.light.trails, 0);
  EXPECT_EQ(chosen.view.colormap, "gray");
}

TEST(ViewDefaults, PlanetsAreSeenFromAboveAndWhole) {
  using Place = std::array<double, 3>;
  const Scene planets = complete("kind = \"nbody\"\ninitial = \"kepler\"\n[[solver.planet]]\naxis = 2\n");
  EXPECT_EQ(planets.camera.pose.position[0], 0);
  EXPECT_EQ(planets.camera.pose.position[1], 0);
  EXPECT_GT(planets.camera.pose.position[2], 2.2);
  const test::Folder folder;
  const auto filed = [&](const std::string& rows) {
    std::ofstream(folder / "b.csv") << "x,y,z,vx,vy,vz,mass\n" << rows;
    return complete(fmt::format("kind = \"nbody\"\ninitial = \"file\"\nfile = \"{}\"\n", (folder / "b.csv")));
  };
  // Orbits in the plane of x and z, and one far out.
  const std::string sun = "0,0,0,0,0,0,1\n";
  const Scene flat = filed(sun + "1,0,0,0,0,1,0\n0,0,2,-0.7,0,0,0\n3,0,0,0,0,0.58,0\n30,0,0,0,0,0.18,0\n");
  const auto& [target, position] = std::pair(flat.camera.pose.target, flat.camera.pose.position);
  EXPECT_NEAR(position[0], target[0], 1e-9);
  EXPECT_NEAR(position[2], target[2], 1e-9);
  EXPECT_GT(target[0] + flat.camera.pose.extent * 16 / 9, 31) << "the farthest, at the start";
  EXPECT_LT(flat.camera.pose.extent, 30 * 1.2) << "which goes a third of its way";
  EXPECT_EQ(flat.camera.pose.up, (Place{0, 0, 1}));
  EXPECT_EQ(flat.camera.pose.orbit, 0);
  EXPECT_EQ(flat.animation.steps_per_frame, 63) << "sixty turns of the narrowest in ten seconds";
  const Scene equal = filed("1,0,0,0,0,1,1\n-1,0,0,0,0,-1,1\n0,0,1,1,0,0,1\n");
  EXPECT_EQ(equal.camera.pose.up, (Place{0, 1, 0})) << "no body is the sun of the others";
}

// What shines on black vanishes on paper.
TEST(ViewDefaults, ColoursFollowTheBackground) {
  const auto colormap = [](const std::string& solver, const std::string& view) {
    return complete(solver, "[view]\n" + view).view.colormap;
  };
  const std::string bodies = "kind = \"nbody\"\nbodies = 50\n", paper = "background = \"#ffffff\"\n",
                    grey = "background = \"#202020\"\n";
  EXPECT_EQ(colormap(bodies, grey), "stars");
  EXPECT_EQ(colormap(bodies, paper), "plasma");
  EXPECT_EQ(colormap(bodies, paper + "field = \"density\"\n"), "magma_r");
  EXPECT_EQ(colormap(bodies, paper + "colormap = \"stars\"\n"), "stars");
  const std::string galaxies = "kind = \"nbody\"\ninitial = \"galaxies\"\nbodies = 900\n";
  EXPECT_EQ(colormap(galaxies, grey), "halos");
  EXPECT_EQ(colormap(galaxies, grey + "field = \"speed\"\n"), "stars");
  EXPECT_EQ(colormap(wave, grey), "glow");
  EXPECT_EQ(colormap(wave, paper), "RdBu_r");
  EXPECT_EQ(colormap(wave, paper + "scale = \"symlog\"\n"), "RdBu_r");
}

// Scales of length and time do not matter.
TEST(ViewDefaults, FollowsTheUnitsOfTheBodies) {
  const Scene one = complete("kind = \"nbody\"\nbodies = 100\n");
  const Scene large = complete("kind = \"nbody\"\nbodies = 100\nradius = 1e6\nmass = 1e3\nG = 1e-4\n");
  EXPECT_EQ(large.animation.steps_per_frame, one.animation.steps_per_frame);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(large.camera.pose.position[i], 1e6 * one.camera.pose.position[i], 1);
}

std::vector<std::vector<std::byte>> frames_of(Scene scene, const Executor& executor) {
  test::Recorder::Record record;
  PreparedRun run(scene, plan_solver(scene), executor, test::Recorder::into(record, scene.view.size));
  render({.run = run});
  return record.frames;
}

// At a tenth, the half and the end of ten seconds.
TEST(ViewDefaults, ScenesOfTwoLinesHaveSomethingToSee) {
  const Executor executor = Executor::cpu(2);
  for (const std::string& solver :
       {std::string("kind = \"wave\"\ngrid = [64, 64]\n"), std::string("kind = \"wave\"\ngrid = [100, 37]\n"),
        std::string("kind = \"wave\"\ngrid = [160, 90]\n[[solver.droplet]]\n"),
        std::string("kind = \"lbm\"\ngrid = [64, 64]\n"), std::string("kind = \"lbm\"\ngrid = [100, 37]\n"),
        std::string("kind = \"lbm\"\ngrid = [96, 40]\n[solver.boundary]\nleft = \"inlet\"\nright = "
                    "\"outlet\"\n[[solver.obstacle]]\ncenter = [20, 20]\nradius = 4\n"),
        std::string("kind = \"nbody\"\nbodies = 3\n"), std::string("kind = \"nbody\"\nbodies = 100\n")}) {
    SCOPED_TRACE(solver);
    const auto frames =
        frames_of(complete(solver, std::string(small_view) + "[animation]\nfps = 2\nframes = 20\n"), executor);
    ASSERT_EQ(frames.size(), 20u);
    for (const std::size_t shown : {2, 10, 19}) {
      std::set<std::uint32_t> colors;
      double sum = 0, squares = 0;
      const auto& bytes = frames[shown];
      for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto level = [&](std::size_t k) { return std::to_integer<std::uint32_t>(bytes[i + k]); };
        colors.insert(level(0) << 16 | level(1) << 8 | level(2));
        const double luma = 0.2126 * level(0) + 0.7152 * level(1) + 0.0722 * level(2);
        sum += luma;
        squares += luma * luma;
      }
      const double pixels = static_cast<double>(bytes.size()) / 3, mean = sum / pixels;
      EXPECT_GT(colors.size(), 60u) << "frame " << shown;
      EXPECT_GT(std::sqrt(squares / pixels - mean * mean), 4) << "frame " << shown;
      EXPECT_LT(mean, 200) << "frame " << shown;
    }
  }
}

TEST(ViewDefaults, TheExposureFollowsBodiesThatFallTogether) {
  const std::string bodies = "kind = \"nbody\"\ninitial = \"sphere\"\nvirial = 0\nbodies = 400\n";
  const std::string shown = "[view]\nsize = [160, 90]\nradius = 1\n", times = "[animation]\nfps = 8\nframes = 40\n";
  const Scene follows = complete(bodies, shown + times),
              fixed = complete(bodies, shown + "exposure = \"auto\"\n" + times);
  EXPECT_TRUE(follows.view.light.follows);
  EXPECT_FALSE(fixed.view.light.follows);
  EXPECT_FALSE(complete("kind = \"nbody\"\nbodies = 400\n").view.light.follows);
  const auto burnt = [](const Scene& scene) {
    const auto frames = frames_of(scene, Executor::cpu(2));
    const Color white = load_colormap(scene.view.colormap, "").back();
    std::size_t most = 0;
    for (const auto& bytes : frames) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < bytes.size(); i += 3)
        count += std::to_integer<int>(bytes[i]) == white.r && std::to_integer<int>(bytes[i + 1]) == white.g;
      most = std::max(most, count);
    }
    return most;
  };
  EXPECT_GT(burnt(fixed), 100u);
  EXPECT_LT(burnt(follows), 60u);
  const test::Folder folder;
  std::ofstream(folder / "b.csv") << "x,y,z,vx,vy,vz,mass\n1,0,0,0,0,0,1\n0,1,0,0,0,0,1\n0,0,1,0,0,0,1\n";
  const Scene filed = complete(fmt::format("kind = \"nbody\"\ninitial = \"file\"\nfile = \"{}\"\n", folder / "b.csv"));
  EXPECT_EQ(filed.view.field, "density");
  EXPECT_TRUE(filed.view.light.follows);
  const Scene bar = complete(bodies, shown + times + "[figure]\ncolorbar = \"right\"\n");
  EXPECT_NO_THROW(frames_of(bar, Executor::cpu(1))) << "a bar says what a density is";
}

TEST(ViewDefaults, ZeroIsTheMiddleOfASymmetricRange) {
  const Executor executor = Executor::cpu(1);
  const Scene scene = complete("kind = \"wave\"\ngrid = [64, 36]\ninitial = \"rest\"\n[[solver.droplet]]\ntime = 3\n",
                               "[view]\nsize = [64, 36]\n[animation]\nframes = 20\n");
  const auto frames = frames_of(scene, executor);
  const std::vector<Color> map = load_colormap("glow", "");
  const Color below = map[map.size() / 2 - 1], above = map[map.size() / 2];
  for (std::size_t i = 0; i < frames[0].size(); i += 3) {
    ASSERT_NEAR(std::to_integer<int>(frames[0][i]), (below.r + above.r) / 2.0, 1);
    ASSERT_NEAR(std::to_integer<int>(frames[0][i + 1]), (below.g + above.g) / 2.0, 1);
    ASSERT_NEAR(std::to_integer<int>(frames[0][i + 2]), (below.b + above.b) / 2.0, 1);
  }
  EXPECT_NE(frames[0], frames[19]);
  for (const int threads : {2, 3}) EXPECT_EQ(frames_of(scene, Executor::cpu(threads)), frames);
}

// Cells that only let waves out are not shown: what is left fills the picture, and has the pixels of the whole.
TEST(ViewDefaults, AbsorbingLayersAreNotShown) {
  const Executor executor = Executor::cpu(2);
  const auto scene = [](const std::string& solver, const std::string& view) {
    return complete("kind = \"wave\"\n" + solver + "[[solver.droplet]]\nposition = [30, 34]\n",
                    "[view]\nrange = [-0.1, 0.1]\nbackground = \"#ff00ff\"\n" + view +
                        "[animation]\nframes = 2\nsteps_per_frame = 20\n");
  };
  const std::string square = "grid = [64, 64]\n[solver.absorber]\nwidth = 8\n";
  const auto seen = frames_of(scene(square, "size = [48, 48]\n"), executor);
  const auto all = frames_of(scene(square, "size = [64, 64]\nlayers = true\n"), executor);
  ASSERT_EQ(seen.size(), 2u);
  for (std::size_t y = 0; y < 48; ++y) {
    const auto row = [&](const std::vector<std::byte>& frame, std::size_t at) {
      return std::vector<std::byte>(frame.begin() + static_cast<std::ptrdiff_t>(at),
                                    frame.begin() + static_cast<std::ptrdiff_t>(at + 3 * 48));
    };
    ASSERT_EQ(row(seen[1], 3 * 48 * y), row(all[1], 3 * (64 * (y + 8) + 8))) << "row " << y;
  }
  const auto part = [&](const std::string& solver) {
    const Rectangle cells = *plan_solver(scene(solver, "")).grid.without_layers;
    return std::array{cells.x, cells.y, cells.width, cells.height};
  };
  using Part = std::array<int, 4>;
  EXPECT_EQ(part("grid = [256, 144]\n[solver.absorber]\nwidth = 8\n"), (Part{14, 8, 228, 128})) << "still 16 to 9";
  EXPECT_EQ(part("grid = [800, 40]\n[solver.absorber]\nwidth = 8\n"), (Part{8, 8, 784, 24})) << "and no more of it";
  const std::string sides = "grid = [128, 72]\n[solver.absorber]\nwidth = 8\n[solver.boundary]\n";
  EXPECT_EQ(part(sides + "left = \"absorbing\"\n"), (Part{8, 0, 120, 72})) << "walls are shown";
  EXPECT_EQ(part(sides + "right = \"absorbing\"\ntop = \"absorbing\"\n"), (Part{0, 0, 114, 64}));
  const std::vector<std::byte> wide =
      frames_of(scene("grid = [256, 144]\n[solver.absorber]\nwidth = 8\n", "size = [320, 180]\n"), executor)[1];
  for (std::size_t i = 0; i < wide.size(); i += 3)
    ASSERT_NE((std::array{wide[i], wide[i + 1]}), (std::array{std::byte{255}, std::byte{0}})) << "no seams";
  EXPECT_THROW(plan_solver(scene("grid = [64, 64]\n", "layers = true\n")), UsageError);
}

// What is said of cells counts in the whole grid.
TEST(ViewDefaults, AxesCountTheCellsOfTheGridWithoutLayers) {
  const Scene scene =
      complete("kind = \"wave\"\ngrid = [256, 144]\n[solver.absorber]\nwidth = 8\n", "[figure]\naxes = \"ticks\"\n");
  const DrawContext stage = draw_context(scene, plan_solver(scene));
  const FigureSpace space(stage);
  EXPECT_EQ(space.x({0, 0, 400, 224}).low, 14);
  EXPECT_EQ(space.x({0, 0, 400, 224}).high, 242);
  EXPECT_EQ(space.y({0, 0, 400, 224}).low, 8);
  EXPECT_EQ(space.y({0, 0, 400, 224}).high, 136);
}

// Whether pixels of the picture's rim are lit.
bool reaches_the_rim(const std::vector<std::byte>& frame, Size size) {
  const auto lit = [&](int x, int y) { return frame[3 * (y * size.width + x)] > std::byte{0}; };
  for (int x = 0; x < size.width; ++x)
    if (lit(x, 0) || lit(x, size.height - 1)) return true;
  for (int y = 0; y < size.height; ++y)
    if (lit(0, y) || lit(size.width - 1, y)) return true;
  return false;
}

TEST(ViewDefaults, AFittedCameraHoldsWhatFliesApart) {
  const std::string bodies =
      "kind = \"nbody\"\ninitial = \"sphere\"\nbodies = 60\nvirial = 3\n[view]\nsize = [96, 54]\nfield = "
      "\"mass\"\nrange = [0, 1]\nradius = 1\ntrails = 0\n[animation]\nfps = 4\nframes = 40\n[camera]\n";
  const auto last = [&](const std::string& camera) {
    return frames_of(complete(bodies + camera), Executor::cpu(2)).back();
  };
  const Size size{96, 54};
  EXPECT_FALSE(reaches_the_rim(last(""), size));
  EXPECT_EQ(last("fit = \"all\"\n"), last(""));
  EXPECT_TRUE(reaches_the_rim(last("fit = \"first\"\n"), size));
  EXPECT_EQ(frames_of(complete(bodies + "fit = \"all\"\nfollow = \"group:0\"\n"), Executor::cpu(1)),
            frames_of(complete(bodies + "fit = \"all\"\nfollow = \"group:0\"\n"), Executor::cpu(3)));
  EXPECT_EQ(last("fit = \"group:0\"\n"), last("fit = \"all\"\n")) << "there is no other group";
  EXPECT_THROW(last("fit = \"group:3\"\n"), UsageError);
}

TEST(ViewDefaults, WhatFliesApartIsHeldAndStaysBright) {
  const auto held = [](const std::string& solver, const std::string& rest = "") {
    return complete("kind = \"nbody\"\n" + solver, rest).camera.fits_all_frames();
  };
  const std::string apart = "initial = \"sphere\"\nbodies = 60\nvirial = 3\n";
  EXPECT_TRUE(held("initial = \"cube\"\nbodies = 64\nvirial = 1.1\n"));
  EXPECT_TRUE(held("initial = \"cosmological\"\nbodies = 64\nexpansion = 1.5\n"));
  EXPECT_FALSE(held("initial = \"cosmological\"\nbodies = 64\nexpansion = 1\n"));
  EXPECT_FALSE(held("initial = \"sphere\"\nbodies = 64\nvirial = 0.9\n"));
  EXPECT_FALSE(held("initial = \"plummer\"\nbodies = 64\n"));
  EXPECT_TRUE(held(apart, "[animation]\nframes = 3\n")) << "a part of a run is seen as the run";
  for (const std::string camera :
       {"position = [0, 0, 9]\n", "projection = \"orthographic\"\nextent = 3\n", "orbit = 90\n", "follow = \"mass\"\n"})
    EXPECT_FALSE(held(apart, "[camera]\n" + camera)) << camera;
  for (const std::string needs : {"[figure]\nscale_bar = \"auto\"\n", "[[overlay]]\ntext = \"a\"\nposition = [0, 0]\n",
                                  "[view]\nfield = \"density\"\nrange = \"global\"\n"})
    EXPECT_NO_THROW(frames_of(complete("kind = \"nbody\"\n" + apart, needs + "[animation]\nfps = 1\nframes = 2\n"),
                              Executor::cpu(1)))
        << needs;
  const test::Folder folder;
  const auto filed = [&](const std::string& first, double pace, double mass, double expansion) {
    std::ofstream file(folder / "b.csv");
    file << "x,y,z,vx,vy,vz,mass\n" << first;
    for (int i = 0; i < 100; ++i) {
      const double x = std::cos(i), y = std::sin(i), r = 0.2 + 0.01 * i, v = pace / std::sqrt(r);
      file << fmt::format("{},{},0,{},{},0,{}\n", r * x, r * y, expansion * r * x - v * y, expansion * r * y + v * x,
                          mass);
    }
    file.close();
    return held(fmt::format("initial = \"file\"\nfile = \"{}\"\n", folder / "b.csv"));
  };
  EXPECT_FALSE(filed("0,0,0,0,0,0,1\n", 1, 0, 0)) << "circles around a sun";
  EXPECT_TRUE(filed("0,0,0,0,0,0,1\n", 2, 0, 0));
  EXPECT_FALSE(filed("", 0, 0.01, 0.5)) << "a cloud that falls back";
  EXPECT_TRUE(filed("", 0, 0.01, 3));
  const auto light = [&](const std::string& exposure) {
    const std::string look = "[view]\nsize = [160, 90]\ntrails = 0\nradius = 1\n" + exposure;
    const auto frames = frames_of(complete("kind = \"nbody\"\n" + apart, look + "[animation]\nfps = 1\nframes = 10\n"),
                                  Executor::cpu(2));
    double sum = 0;
    for (const std::byte value : frames.back()) sum += std::to_integer<int>(value);
    return sum;
  };
  EXPECT_GT(light(""), 1.5 * light("exposure = \"auto\"\n"));
}

// Bodies of a file that leave together are followed; those on long ellipses are seen at their farthest.
TEST(ViewDefaults, FilesAreSeenWhole) {
  const test::Folder folder;
  const auto filed = [&](const std::string& rows, const std::string& rest = "") {
    std::ofstream(folder / "b.csv") << "x,y,z,vx,vy,vz,mass\n" << rows;
    return complete(fmt::format("kind = \"nbody\"\ninitial = \"file\"\nfile = \"{}\"\n", folder / "b.csv"), rest);
  };
  const std::string planets = "1,0,0,{0},1,0,0\n2,0,0,{0},0.7,0,0\n";
  const Scene rest = filed("0,0,0,0,0,0,1\n" + fmt::format(fmt::runtime(planets), 0));
  EXPECT_FALSE(rest.camera.follow);
  const std::string drifting = "0,0,0,3,0,0,1\n" + fmt::format(fmt::runtime(planets), 3);
  EXPECT_TRUE(filed(drifting, "[figure]\nscale_bar = \"auto\"\n").camera.follow);
  EXPECT_FALSE(filed(drifting, "[[overlay]]\ntext = \"a\"\nposition = [0, 0]\n").camera.follow);
  const Scene moving = filed(drifting);
  ASSERT_TRUE(moving.camera.follow);
  EXPECT_EQ(moving.camera.pose.target, (std::array<double, 3>{0, 0, 0}));
  EXPECT_NEAR(moving.camera.pose.position[2], rest.camera.pose.position[2], 1e-9);
  // At its nearest 0.5 from the sun, at its farthest 9.5.
  const Scene comet = filed("0,0,0,0,0,0,1\n0.5,0,0,0,1.9493589,0,0\n1,0,0,0,1,0,0\n");
  const double left = comet.camera.pose.target[0] - comet.camera.pose.extent * 16 / 9;
  EXPECT_LT(left, -9.5);
  EXPECT_GT(left, -11);
}

// A wave that dies stays visible where its frames decide on the colours, and what is resumed or divided has the same.
TEST(ViewDefaults, TheRangeFollowsAFieldThatDies) {
  const std::string tank = "kind = \"wave\"\ngrid = [64, 64]\ninitial = \"mode\"\ndamping = 0.004\n";
  const auto frames = [&](const std::string& range, int ranks) {
    const Scene scene = complete(
        tank, "[view]\nsize = [32, 32]\nrange = " + range + "\n[animation]\nframes = 150\nsteps_per_frame = 20\n");
    const Executor executor = Executor::cpu(ranks);
    test::Recorder::Record record;
    PreparedRun run(scene, plan_solver(scene, {.count = ranks}), executor,
                    test::Recorder::into(record, scene.view.size));
    const RenderResult result = render({.run = run});
    EXPECT_EQ(result.range.low, -result.range.high);
    return std::pair(record.frames, result.range.high);
  };
  const auto [fixed, all] = frames("\"symmetric\"", 1);
  const auto [follows, last] = frames("\"follow\"", 1);
  const auto brightest = [](const std::vector<std::vector<std::byte>>& shown) {  // of a swing at the end
    int most = 0;
    for (std::size_t i = shown.size() - 20; i < shown.size(); ++i)
      most = std::max(most, std::to_integer<int>(*std::ranges::max_element(shown[i])));
    return most;
  };
  EXPECT_LT(brightest(fixed), 0.6 * brightest(follows));
  EXPECT_LT(last, 0.3 * all);
  EXPECT_EQ(frames("\"follow\"", 2).first, follows);
  EXPECT_THROW(plan_solver(complete("kind = \"nbody\"\nbodies = 9\n", "[view]\nrange = \"follow\"\n")), UsageError);
}

}  // namespace
}  // namespace simreel
