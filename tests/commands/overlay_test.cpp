// [[overlay]] of a scene, as a user meets it.

#include <sstream>
#include <string>

#include "picture/rasterizer.h"
#include "run/plan.h"
#include "source/solver.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome;
using test::text_of;

class OverlayCommand : public test::CommandTest {
 protected:
  void SetUp() override {
    std::filesystem::copy_file(test::root() / "tests/golden/logo.png", folder_ / "logo.png");
    scene(
        "[[overlay]]\ntext = \"c = {solver.speed}, t = {time}\"\n[[overlay]]\nimage = \"logo.png\"\nat = \"lower "
        "right\"\nfrom = 0.1\nfade = 0.1\n");
  }
  void scene(const std::string& overlays) {
    write("wave.toml",
          "[solver]\nkind = \"wave\"\ngrid = [96, 64]\nspeed = 0.5\n[[solver.droplet]]\n[view]\nrange = [-1, 1]\n"
          "size = [240, 160]\n[animation]\nframes = 12\nfps = 30\n" +
              overlays);
  }
};

TEST_F(OverlayCommand, FramesAreTheSameAloneAndOnSeveralRanks) {
  ASSERT_EQ(run("render wave.toml --backend cpu -o a.hashes -o all/%d.png").exit, 0);
  ASSERT_EQ(run("render wave.toml --backend cpu --ranks 2 -o b.hashes").exit, 0);
  const auto frames = [&](const char* name) {  // without the lines about the run
    std::string lines;
    std::istringstream text(text_of(folder_ / name));
    for (std::string line; std::getline(text, line);)
      if (!line.empty() && line[0] != '#') lines += line + "\n";
    return lines;
  };
  EXPECT_FALSE(frames("a.hashes").empty());
  EXPECT_EQ(frames("a.hashes"), frames("b.hashes"));
  ASSERT_EQ(run("render wave.toml --backend cpu --at frame:4 -o still.png").exit, 0);
  EXPECT_EQ(run("compare still.png all/4.png").exit, 0);
  EXPECT_NE(run("compare still.png all/3.png").exit, 0) << "the time is another, and the logo fades in";
}

TEST_F(OverlayCommand, MistakesAreNamedTogether) {
  scene(
      "[[overlay]]\ntext = \"a\"\nimage = \"logo.png\"\n[[overlay]]\nshape = \"box\"\nposition = [1, 2]\n[[overlay]]\n"
      "text = \"{solver.spede}\"\n[[overlay]]\ntext = \"a\"\nmargin = 3\n[[overlay]]\ntext = \"a\"\nfrom = 2\nuntil = "
      "1\n[[overlay]]\nat = \"top\"\n[[overlay]]\nimage = \"logo.png\"\nfont_size = \"5%\"\n");
  const Outcome outcome = run("check wave.toml");
  EXPECT_EQ(outcome.exit, 2);
  for (const char* said :
       {"wave.toml:14:1: an [[overlay]] has one of \"text\", \"image\" and \"shape\"", "write to = [x, y]",
        "names \"solver.spede\"", "\"margin\" in [[overlay]] is 3; it is a share", "must be after \"from\", 2 s",
        "wave.toml:27:1: this [[overlay]] shows nothing", "\"font_size\" in [[overlay]] is for texts"})
    EXPECT_NE(outcome.err.find(said), std::string::npos) << said << "\n" << outcome.err;
}

// Whatever the way to a picture, its images are read.
TEST_F(OverlayCommand, ImagesAreThereInEveryPicture) {
  scene("[[overlay]]\nimage = \"logo.png\"\n");
  const Executor cpu = Executor::cpu(1);
  const Scene planned = load_complete_scene(folder_ / "wave.toml");
  EXPECT_NO_THROW(Rasterizer(cpu, planned.view, draw_context(planned, plan_solver(planned))));
  write("fig.toml", "[[panel]]\nscene = \"wave.toml\"\n");
  write("page.toml", "[[overlay]]\nimage = \"logo.png\"\n[[panel]]\nscene = \"wave.toml\"\n");
  ASSERT_EQ(run("render wave.toml --backend cpu -o u.npy").exit, 0);
  const std::string image = " --set 'overlay=[{image=\"logo.png\"}]' ";
  for (const std::string command :
       {"render wave.toml -o a.png", "render wave.toml --at frame:3 -o b.png", "figure fig.toml -o c.png",
        "figure fig.toml -o d.mp4", "figure page.toml -o e.png", "figure page.toml -o f.mp4", "view u.npy -o g.png"}) {
    const Outcome outcome =
        run(command + " --backend cpu" + (command.starts_with("view") ? " --size 240x160" + image : ""));
    EXPECT_EQ(outcome.exit, 0) << command << outcome.err;
  }
  scene("");
  ASSERT_EQ(run("render wave.toml --backend cpu -o none.png").exit, 0);
  EXPECT_EQ(run("compare a.png none.png").exit, 4);
}

TEST_F(OverlayCommand, AnImageThatIsNoneIsNamedBeforeAnyWork) {
  scene("[[overlay]]\nimage = \"none.png\"\n");
  for (const char* command : {"check wave.toml", "render wave.toml --backend cpu -o x.mp4"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_NE(outcome.err.find("wave.toml:13:1: \"image\" in [[overlay]]: none.png: "), std::string::npos)
        << outcome.err;
  }
  EXPECT_FALSE(exists("x.mp4") || exists("x.mp4.part"));
}

}  // namespace
}  // namespace simreel
