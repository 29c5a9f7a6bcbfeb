// What `check` says before a run.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome;

class Check : public test::CommandTest {
 protected:
  void SetUp() override {
    write("wave.toml",
          "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n[[solver.droplet]]\n[view]\nsize = [64, 36]\n"
          "[animation]\nframes = 5\n");
    write("bodies.toml",
          "[solver]\nkind = \"nbody\"\nbodies = 9\n[view]\nsize = [64, 36]\nsplat = \"gaussian\"\n"
          "[animation]\nframes = 5\n[camera]\nposition = [0, 0, 5]\n");
  }
};

TEST_F(Check, KeysWithoutEffectAreErrors) {
  write("seen.toml", test::text_of(folder_ / "wave.toml") + "[camera]\nfov = 30\n");
  struct Case {
    const char *arguments, *expected;
  };
  for (const Case& c :
       {Case{"seen.toml", "seen.toml:9:1: [camera] is for bodies, but the wave solver shows a field"},
        Case{"wave.toml --set camera.fov=30", "--set camera.fov=30: [camera] is for bodies"},
        Case{"bodies.toml --set camera.extent=3", "\"extent\" has no effect with projection = \"perspective\""},
        Case{"bodies.toml --set view.radius=128.5", "\"radius\" in [view] is 128.5 pixels; a splat has at most 128"},
        Case{"wave.toml --set output.quality=20 --set output.options.crf=30",
             "--set output.options.crf=30: \"options.crf\" and \"quality\" in [output] set the same"},
        Case{"wave.toml --set output.preset=fast --set output.options.preset=slow",
             "\"options.preset\" and \"preset\" in [output] set the same"},
        Case{"wave.toml --backend cpu --device 0", "--device 0: --backend cpu uses no CUDA device"}})
    for (const char* command : {"check", "render"}) {
      const Outcome outcome = run(fmt::format("{} {}", command, c.arguments));
      EXPECT_EQ(outcome.exit, 2) << command << " " << c.arguments << "\n" << outcome.err;
      EXPECT_NE(outcome.err.find(c.expected), std::string::npos) << c.arguments << " -> " << outcome.err;
    }
  // The same keys where they have an effect.
  for (const char* arguments :
       {"bodies.toml --set camera.fov=30", "bodies.toml --set view.radius=128",
        "bodies.toml --set view.radius=200 --set view.radius_unit=world", "wave.toml --set output.options.crf=30",
        "bodies.toml --set camera.projection=orthographic --set camera.extent=3"})
    EXPECT_EQ(run(fmt::format("check {}", arguments)).exit, 0) << arguments << test::text_of(folder_ / "err.txt");
}

// A look at the first frames of a scene whose camera moves on after them.
TEST_F(Check, ShorterVideosMayLeaveCameraKeysOut) {
  write("keys.toml", test::text_of(folder_ / "bodies.toml") + "[[camera.key]]\ntime = 4\nfov = 30\n");
  EXPECT_EQ(run("check keys.toml").exit, 2);
  EXPECT_EQ(run("check keys.toml --set animation.frames=300").exit, 0);
  EXPECT_EQ(run("check keys.toml --set animation.frames=3").exit, 0);
}

}  // namespace
}  // namespace simreel
