// Bodies of one's own in a video: their pace and frame, labels that follow them, sizes by mass, and the watched energy.

#include <fmt/format.h>

#include "base/error.h"
#include "run/plan.h"
#include "run/render_loop.h"
#include "source/solver.h"
#include "tests/support/places.h"
#include "tests/support/recorder.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

struct Video {
  std::vector<std::vector<std::byte>> frames;
  RenderResult result;
};

class OwnBodies : public testing::Test {
 protected:
  Scene scene(const std::string& rows, const std::string& keys = "", const std::string& rest = "") {
    std::ofstream(folder_ / "b.csv") << "name,x,y,z,vx,vy,vz,mass\n" << rows;
    Scene scene = parse_scene(
        fmt::format("[solver]\nkind = \"nbody\"\ninitial = \"file\"\nfile = \"{}\"\n", folder_ / "b.csv") + keys + rest,
        "x.toml");
    complete_scene(scene);
    return scene;
  }
  static double time_of(const Scene& scene) {  // of ten seconds
    return 600 * static_cast<double>(scene.animation.steps_per_frame) * plan_solver(scene).timestep;
  }
  static Video render_on(const Scene& scene, int ranks) {
    const Executor executor = Executor::cpu(ranks);
    test::Recorder::Record record;
    PreparedRun run(scene, plan_solver(scene, {.count = ranks}), executor,
                    test::Recorder::into(record, scene.view.size));
    RenderResult result = render({.run = run});
    return {record.frames, std::move(result)};
  }

  const test::Folder folder_;
};

constexpr const char* sun = "sun,0,0,0,0,0,0,1\n";

TEST_F(OwnBodies, ThreeOrbitsOrTheWidestFillTenSeconds) {
  const double turn = 2 * 3.14159265358979;
  const auto planet = [](double axis, const char* name) {
    return fmt::format("{},{},0,0,0,{},0,1e-9\n", name, axis, 1 / std::sqrt(axis));
  };
  for (const double axis : {0.01, 1.0, 100.0}) {
    const Scene one = scene(sun + planet(axis, "a"));
    EXPECT_NEAR(time_of(one) / (3 * turn * std::pow(axis, 1.5)), 1, 0.2) << axis;
    EXPECT_GT(one.camera.pose.extent, axis);
    EXPECT_LT(one.camera.pose.extent, 1.5 * axis);
  }
  const Scene two = scene(sun + planet(1, "a") + planet(7.4, "b"));
  EXPECT_NEAR(time_of(two) / (turn * std::pow(7.4, 1.5)), 1, 0.2) << "the wide one once";
  const Scene many = scene(sun + planet(0.39, "a") + planet(1, "b") + planet(5.2, "c") + planet(30, "d"));
  EXPECT_NEAR(time_of(many) / turn, 37, 4) << "the narrowest, which are small, in four frames a turn";
  const Scene given = scene(sun + planet(1, "a"), "timestep = 0.001\n");
  EXPECT_NEAR(time_of(given), 3 * turn, 0.6) << "the same pace with other steps";
}

TEST_F(OwnBodies, ALabelFollowsItsBody) {
  const std::string rows = std::string(sun) + "planet,1,0,0,0,1,0,0\nmoon,-1.5,0,0,0,-0.8165,0,0\n";
  const std::string view = "[view]\nsize = [160, 90]\nradius = 1\ntrails = 0\n[animation]\nframes = 12\nfps = 2\n";
  const auto label = [&](const std::string& follow) {
    return view +
           "[[overlay]]\ntext = \"O\"\nfont_size = \"12px\"\nbackground = \"#ff0000\"\nmargin = \"4px\"\nfollow = " +
           follow + "\n";
  };
  const Scene named = scene(rows, "", label("\"planet\""));
  const std::vector<std::vector<std::byte>> frames = render_on(named, 1).frames;
  EXPECT_EQ(render_on(scene(rows, "", label("1")), 1).frames, frames);
  std::string crowd = rows;
  for (int i = 0; i < 300; ++i)
    crowd += fmt::format("b{0},{1},{2},0,0,0,0,1e-6\n", i, 3 * std::cos(i), 3 * std::sin(i));
  const Scene many = scene(crowd, "", label("\"b280\""));
  EXPECT_EQ(render_on(many, 3).frames, render_on(many, 1).frames) << "divided among ranks";
  EXPECT_NE(render_on(scene(rows, "", label("2")), 1).frames, frames);
  // The plate begins 4 pixels to the right of the body, and its middle is at the body's height.
  const SolverPlan plan = plan_solver(named);
  const Executor executor = Executor::cpu(1);
  const std::unique_ptr<Solver> solver = plan.create(executor);
  const CameraPath camera(named.camera, named.animation);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    solver->step(i == 0 ? 0 : named.animation.steps_per_frame);
    const auto bodies = std::get<ParticlesView<float>>(solver->view(""));
    const ScreenPoint at =
        camera.lens(static_cast<std::int64_t>(i), named.view.size)(bodies.position[1].x, bodies.position[1].y, 0);
    int left = 160, top = 90, bottom = 0;
    for (int y = 0; y < 90; ++y)
      for (int x = 0; x < 160; ++x) {
        const std::byte* const pixel = &frames[i][3 * (y * 160 + x)];
        if (pixel[0] != std::byte{255} || pixel[1] != std::byte{0} || pixel[2] != std::byte{0}) continue;
        left = std::min(left, x), top = std::min(top, y), bottom = std::max(bottom, y);
      }
    EXPECT_NEAR(left, at.x + 4, 1) << "frame " << i;
    EXPECT_NEAR((top + bottom) / 2.0, at.y, 1.5) << "frame " << i;
  }
  EXPECT_TRUE(test::says(test::thrown([&] { scene(rows, "", label("\"plant\"")); }), "did you mean \"planet\"?"));
  EXPECT_TRUE(test::says(test::thrown([&] { render_on(scene(rows, "", label("3")), 1); }), "there are 3, from 0 to 2"));
}

TEST_F(OwnBodies, AreAsLargeAsTheirMassWhereWanted) {
  // Pixels that are half as bright as the brightest, around the body on the left and around that on the right.
  const auto sizes = [&](const std::string& by) {
    const std::string view = "[view]\nsize = [160, 90]\nradius = 8\ntrails = 0\nfield = \"group\"\n" + by;
    const std::vector<std::byte> frame =
        render_on(scene("a,-1,0,0,0,0,0,1\nb,1,0,0,0,0,0,0.015625\n", "",
                        view + "[animation]\nframes = 1\n[camera]\nposition = [0, 0, 5]\n"),
                  1)
            .frames[0];
    std::array<double, 2> count{};
    for (std::size_t i = 0; i < frame.size(); i += 3) {
      const int brightest = std::to_integer<int>(std::max({frame[i], frame[i + 1], frame[i + 2]}));
      count[i / 3 % 160 / 80] += brightest > 100;
    }
    return count;
  };
  const std::array<double, 2> alike = sizes(""), by_mass = sizes("radius_by = \"mass\"\n");
  EXPECT_NEAR(alike[1] / alike[0], 1, 0.05);
  EXPECT_NEAR(by_mass[0] / alike[0], 1, 0.1);
  EXPECT_NEAR(by_mass[1] / by_mass[0], 0.25, 0.04) << "half the radius, as bright";
  EXPECT_NE(test::thrown([&] { sizes("radius_by = \"mass\"\nsplat = \"pixel\"\n"); }), "");
}

TEST_F(OwnBodies, AreWarnedOfWhenTheirEnergyChanges) {
  const std::string pair = "a,0,0,0,0,0,0,1\nb,0.01,0,0,0,62.83,0,1e-6\n",
                    few = "[animation]\nframes = 8\n[view]\nsize = [64, 36]\n";
  const auto warnings = [&](const std::string& keys) {
    return render_on(scene(pair, "G = 39.478\n" + keys, few), 1).result.warnings;
  };
  EXPECT_TRUE(warnings("").empty());
  const std::vector<std::string> once = warnings("timestep = 0.001\nsoftening = 0.0001\n");
  ASSERT_EQ(once.size(), 1u);
  EXPECT_TRUE(test::says(once[0], "the bodies have gained energy"));
  EXPECT_TRUE(test::says(once[0], "timestep = 1e-06 instead of 0.001 would do"));
  EXPECT_TRUE(warnings("timestep = 1e-6\nsoftening = 0.0001\n").empty());
}

}  // namespace
}  // namespace simreel
