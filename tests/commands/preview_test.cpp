// `simreel preview`: six frames in one picture.

#include "compare/picture.h"
#include "tests/support/command_fixture.h"

namespace simreel::test {
namespace {

class Preview : public CommandTest {
 protected:
  void SetUp() override {
    write("wave.toml",
          "[solver]\nkind = \"wave\"\ngrid = [48, 32]\n[[solver.droplet]]\n[view]\nsize = [96, 64]\n"
          "[animation]\nframes = 21\n");
    write("bodies.toml",
          "[solver]\nkind = \"nbody\"\ninitial = \"plummer\"\nbodies = 200\n[view]\nsize = [96, 64]\ntrails = 0.1\n"
          "[animation]\nframes = 21\n");
  }
};

TEST_F(Preview, ShowsTheFramesThatRenderWrites) {
  for (const std::string scene : {"wave", "bodies"}) {
    const Outcome made = run("preview " + scene + ".toml --backend cpu");
    ASSERT_EQ(made.exit, 0) << made.err;
    EXPECT_TRUE(says(made.err, scene + ".preview.png: frames 0, 4, 8, 12, 16, 20\n"));
    ASSERT_EQ(run("render " + scene +
                  ".toml --backend cpu --progress none --at "
                  "frame:0,frame:4,frame:8,frame:12,frame:16,frame:20 -o " +
                  scene + "_%d.png")
                  .exit,
              0);
    const Picture strip = read_picture(folder_ / (scene + ".preview.png"));
    ASSERT_EQ(strip.size, (Size{3 * 96 + 16, 2 * 64 + 8}));
    bool differ = false;
    for (int i = 0; i < 6; ++i) {
      const Picture frame = read_picture(folder_ / (scene + "_" + std::to_string(i) + ".png"));
      for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 96; ++x) {
          const Color there = strip.at(i % 3 * 104 + x, i / 3 * 72 + y);
          ASSERT_EQ(there, frame.at(x, y)) << scene << i << " at " << x << " " << y;
          differ |= i > 0 && !(there == strip.at(x, y));
        }
    }
    EXPECT_TRUE(differ) << "nothing moves";
  }
}

TEST_F(Preview, ReplacesNothingUnasked) {
  write("x.png", "mine");
  EXPECT_EQ(run("preview wave.toml -o x.png --backend cpu").exit, 2);
  EXPECT_EQ(text_of(folder_ / "x.png"), "mine");
  EXPECT_EQ(run("preview wave.toml -o x.png --overwrite --backend cpu").exit, 0);
  EXPECT_EQ(text_of(folder_ / "x.png").substr(1, 3), "PNG");
  EXPECT_EQ(run("preview wave.toml -o x.mp4 --backend cpu").exit, 2);
  EXPECT_FALSE(exists("x.mp4"));
}

// A preview computes for six seconds, on one core here as on many. A damped wave would fade into denormal numbers,
// which some processors compute eighty times slower.
TEST_F(Preview, OfALongRunIsOfItsFirstFrames) {
  const Outcome part =
      run("preview wave.toml --frames 100000000 --set animation.steps_per_frame=1000 --set solver.damping=0 "
          "--backend cpu --threads 1");
  ASSERT_EQ(part.exit, 0) << part.err;
  EXPECT_TRUE(says(part.err, "the whole run would take long, so this is of frames 0 to "));
}

TEST_F(Preview, OfManyBodiesIsOfFewer) {
  const Outcome fewer = run("preview bodies.toml --set solver.bodies=50000 -o fewer.png --backend cpu --threads 1");
  ASSERT_EQ(fewer.exit, 0) << fewer.err;
  EXPECT_TRUE(says(fewer.err, " of 50000 bodies"));
}

}  // namespace
}  // namespace simreel::test
