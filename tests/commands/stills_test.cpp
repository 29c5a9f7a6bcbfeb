// `simreel render --at`, and sequences of pages.

#include <string>
#include <utility>
#include <vector>

#include "tests/support/command_fixture.h"

namespace simreel::test {
namespace {

// A frame every 2 units of time, 20 of them.
class Stills : public CommandTest {
 protected:
  void SetUp() override {
    write("wave.toml",
          "[solver]\nkind = \"wave\"\ngrid = [48, 32]\ntimestep = 0.5\n[[solver.droplet]]\nposition = [30, 15]\n"
          "radius = 4\n[view]\nrange = \"first\"\nsize = [160, 90]\n[animation]\nframes = 20\nsteps_per_frame = 4\n"
          "[figure]\ntime = \"t = {time:.0f}\"\n");
    write("pair.toml",
          "[solver]\nkind = \"nbody\"\ninitial = \"plummer\"\nbodies = 300\n[view]\nsize = [120, 90]\n"
          "trails = 0.1\n[animation]\nframes = 12\n");
  }
  Outcome render(const std::string& arguments) {
    return run("render " + arguments + " --backend cpu --overwrite --progress none");
  }
  std::string bytes(const std::string& name) { return text_of(folder_ / name); }
};

TEST_F(Stills, AreTheFramesAtTheseTimes) {
  for (const char* more : {"", " --set view.range=global", " --set view.range=symmetric"}) {
    ASSERT_EQ(render(std::string("wave.toml -o all_%d.png") + more).exit, 0);
    const Outcome outcome = render(std::string("wave.toml --at 20,4.4,frame:0 -o at_%d.png -o at.csv") + more);
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("at_%d.png, at.csv: 3 frames of 20, 160 x 90, range"), std::string::npos) << outcome.err;
    for (const auto& [still, frame] : {std::pair{0, 0}, {1, 2}, {2, 10}}) {
      const std::string name = "at_" + std::to_string(still) + ".png";
      ASSERT_TRUE(exists(name));
      EXPECT_TRUE(bytes(name) == bytes("all_" + std::to_string(frame) + ".png")) << name << more;
    }
    EXPECT_FALSE(exists("at_3.png"));
    EXPECT_NE(bytes("at.csv").find("\n40,20,"), std::string::npos) << bytes("at.csv");
  }
}

TEST_F(Stills, OfBodiesHaveTheirTrails) {
  ASSERT_EQ(render("pair.toml -o all_%d.png").exit, 0);
  ASSERT_EQ(render("pair.toml --at frame:9 -o at.png").exit, 0);
  const Outcome same = run("compare all_9.png at.png");
  EXPECT_EQ(same.exit, 0) << same.out << same.err;
}

TEST_F(Stills, MakeAPageEach) {
  const Outcome outcome = render("wave.toml --at 4,20 -o at_%d.pdf -o at_%d.svg");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  for (const char* name : {"at_0.pdf", "at_1.pdf"}) EXPECT_EQ(bytes(name).substr(0, 5), "%PDF-") << name;
  EXPECT_NE(bytes("at_0.svg").find(">4</tspan>"), std::string::npos);
  EXPECT_NE(bytes("at_1.svg").find(">20</tspan>"), std::string::npos);
  EXPECT_FALSE(exists("at_2.pdf") || exists("at_%d.pdf.lock"));
  ASSERT_EQ(render("wave.toml --at 4,20 -o again_%d.pdf --threads 2").exit, 0);
  EXPECT_TRUE(bytes("again_1.pdf") == bytes("at_1.pdf"));
  ASSERT_EQ(render("wave.toml --at 20 -o one.svg").exit, 0);
  EXPECT_NE(bytes("one.svg").find(">20</tspan>"), std::string::npos);
}

TEST_F(Stills, ASequenceOfPagesHasOneOfEachFrame) {
  ASSERT_EQ(render("wave.toml --frames 3 -o p/%04d.svg").exit, 0);
  for (const char* name : {"p/0000.svg", "p/0001.svg", "p/0002.svg"})
    EXPECT_EQ(bytes(name).substr(0, 5), "<?xml") << name;
  EXPECT_FALSE(exists("p/0003.svg"));
  EXPECT_NE(bytes("p/0002.svg").find(">4</tspan>"), std::string::npos);
}

TEST_F(Stills, AfterADivergenceAreNotWritten) {
  write("huge.toml", bytes("wave.toml") + "[[solver.droplet]]\namplitude = 3e38\ntime = 20\n");
  const Outcome outcome = render("huge.toml --at frame:15 -o a.pdf");
  EXPECT_EQ(outcome.exit, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("; nothing was written"), std::string::npos) << outcome.err;
  EXPECT_FALSE(exists("a.pdf") || exists("a.pdf.part"));
}

// --preset before --size before --set.
TEST_F(Stills, PresetsSetSizeAndSpeed) {
  const Outcome story = render("wave.toml --preset story --frames 2 -o %d.png -o x.mp4");
  ASSERT_EQ(story.exit, 0) << story.err;
  EXPECT_NE(story.err.find("--preset story: view.size=[1080, 1920], animation.fps=30, output.codec=h264"),
            std::string::npos)
      << story.err;
  EXPECT_NE(story.err.find("1080 x 1920, 0.07 s"), std::string::npos) << story.err;
  const Outcome sized = render("wave.toml --size 128x96 --preset web --frames 2 -o x.mp4");
  EXPECT_NE(sized.err.find("128 x 96, 0.07 s"), std::string::npos) << sized.err;
  for (const char* other : {"-o y.mkv", "--set output.codec=av1 -o z.mp4"}) {
    const Outcome outcome = render("wave.toml --size 128x96 --preset web --frames 2 " + std::string(other));
    EXPECT_NE(outcome.err.find("--preset web: view.size=[128, 96], animation.fps=30\n"), std::string::npos)
        << outcome.err;
  }
  const Outcome set = render("wave.toml --size 64x48 --set view.size=[96,96] --frames 2 -o x.mp4");
  EXPECT_NE(set.err.find("96 x 96, 0.03 s"), std::string::npos) << set.err;
  for (const char* size : {"64", "64x", "axb", "64x48x2", "1e3x400", "8x48", "99999999999x48"})
    EXPECT_NE(render("wave.toml --size " + std::string(size) + " -o y.mp4").err.find("as in --size 1280x720"),
              std::string::npos)
        << size;
  EXPECT_EQ(render("wave.toml --preset tiktok -o y.mp4").exit, 2);
}

}  // namespace
}  // namespace simreel::test
