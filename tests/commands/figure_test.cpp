// [figure] from the command line.

#include "compare/picture.h"
#include "tests/support/command_fixture.h"
#include "tests/support/npy.h"

namespace simreel::test {
namespace {

class FigureCommand : public CommandTest {
 protected:
  void SetUp() override {
    write("wave.toml",
          "[solver]\nkind = \"wave\"\ngrid = [64, 32]\n[[solver.droplet]]\nposition = [30, 15]\nradius = 4\n"
          "[view]\nsize = [320, 180]\n[animation]\nframes = 6\nsteps_per_frame = 5\n");
  }
  std::string hashes(const std::string& options, const std::string& name) {
    EXPECT_EQ(run("render wave.toml --backend cpu --progress none --overwrite -o " + name + ".hashes " + options).exit,
              0)
        << text_of(folder_ / "err.txt");
    return text_of(folder_ / (name + ".hashes"));
  }
};

TEST_F(FigureCommand, LabelIsABarAndTheTimeUnlessTheSceneSaysOtherwise) {
  const std::string plain = hashes("", "plain"), label = hashes("--label", "label");
  EXPECT_NE(label, plain);
  EXPECT_EQ(label, hashes("--set figure.colorbar=right --set figure.time=auto", "set"));
  EXPECT_EQ(hashes("--label --set figure.colorbar=left", "left"),
            hashes("--set figure.colorbar=left --set figure.time=auto", "left_set"));
}

TEST_F(FigureCommand, ALabelBringsItsBar) {
  write("bare.toml", "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n[figure]\nlabel = \"u\"\ncolorbar = \"none\"\n");
  const std::string words = "bare.toml:5:1: \"label\" in [figure] belongs to the colour bar, and colorbar is \"none\"";
  EXPECT_TRUE(says(run("check bare.toml").err, words)) << text_of(folder_ / "err.txt");
  EXPECT_EQ(run("check bare.toml --set figure.colorbar=none").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(hashes("--set figure.label=u", "label"), hashes("--set figure.label=u --set figure.colorbar=right", "bar"));
}

// Where the place of the picture does not fit the field, background shows inside of the frame.
TEST_F(FigureCommand, CellsThatAreNotSquareFillTheirFrame) {
  write("long.npy", npy({20, 40}, std::vector<float>(800, 1)));
  write("long.toml",
        "[solver]\nkind = \"data\"\nfiles = \"long.npy\"\nspacing = [1, 2]\n[view]\nsize = [320, 180]\nrange = [0, 2]\n"
        "colormap = \"gray\"\nbackground = \"#0000ff\"\n[figure]\naxes = \"frame\"\n");
  for (const char* more : {"", "--set figure.inset.view=[4,4,10,10]"}) {
    ASSERT_EQ(run(std::string("render long.toml --backend cpu --overwrite -o a.png ") + more).exit, 0)
        << text_of(folder_ / "err.txt");
    const Picture picture = read_picture(folder_ / "a.png");
    int left = 320, right = 0, top = 180, bottom = 0, blue = 0;
    const auto is_blue = [&](int x, int y) { return picture.at(x, y) == Color{0, 0, 255, 255}; };
    for (int y = 0; y < 180; ++y)
      for (int x = 0; x < 320; ++x)
        if (!is_blue(x, y))
          left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
    for (int y = top; y <= bottom; ++y)
      for (int x = left; x <= right; ++x) blue += is_blue(x, y);
    EXPECT_EQ(blue, 0) << more;
    EXPECT_NEAR(right - left, bottom - top, 1) << more;
  }
}

// At some sizes a field, fitted into the whole pixels of its frame once more, was a column narrower than that.
TEST_F(FigureCommand, AFieldReachesItsFrame) {
  write("wide.npy", npy({16, 42}, std::vector<float>(672, 1)));
  for (int width = 300; width < 340; width += 3) {
    write("wide.toml",
          fmt::format("[solver]\nkind = \"data\"\nfiles = \"wide.npy\"\n[view]\nsize = [{}, 180]\nrange = [0, 2]\n"
                      "colormap = \"gray\"\nbackground = \"#0000ff\"\n[figure]\naxes = \"frame\"\n",
                      width));
    ASSERT_EQ(run("render wide.toml --backend cpu --overwrite -o a.png").exit, 0) << text_of(folder_ / "err.txt");
    const Picture picture = read_picture(folder_ / "a.png");
    const auto is_blue = [&](int x, int y) { return picture.at(x, y) == Color{0, 0, 255, 255}; };
    int changes = 0;  // along the middle row: to the frame and from it
    for (int x = 1; x < width; ++x) changes += is_blue(x, 90) != is_blue(x - 1, 90);
    EXPECT_EQ(changes, 2) << width;
  }
}

TEST_F(FigureCommand, ALongerRunWouldMoveTheTimeAndIsRefused) {
  const std::string outputs = "render wave.toml --backend cpu --progress none -o part.hashes --label --frames ";
  ASSERT_EQ(run(outputs + "6 --keep-checkpoint").exit, 0) << text_of(folder_ / "err.txt");
  const Outcome longer = run(outputs + "12 --resume");
  EXPECT_EQ(longer.exit, 2);
  EXPECT_TRUE(says(longer.err, "more frames"));
}

}  // namespace
}  // namespace simreel::test
