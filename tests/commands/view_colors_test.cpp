// How values become colours: between cells, in bands, about a centre; and the options of `view` that labels have.

#include "compare/picture.h"
#include "compare/video.h"
#include "tests/support/command_fixture.h"
#include "tests/support/npy.h"

namespace simreel::test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class ViewColors : public CommandTest {
 protected:
  // Values by columns and rows, row 0 below.
  template <class Value>
  void field(int nx, int ny, const Value& value) {
    std::vector<double> values;
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) values.push_back(value(x, y));
    write("u.npy", npy({ny, nx}, values));
  }
  Picture view(const std::string& arguments) {
    const Outcome outcome = run("view u.npy -o x.png --overwrite " + arguments);
    EXPECT_EQ(outcome.exit, 0) << arguments << outcome.err;
    return read_picture(folder_ / "x.png");
  }
};

std::set<int> greys(const Picture& picture) {
  std::set<int> found;
  for (const Color& c : picture.pixels) found.insert(c.r);
  return found;
}

TEST_F(ViewColors, NearestShowsCellsAsTheyAre) {
  field(3, 2, [](int x, int y) { return 51.0 * (x + 3 * y); });
  const std::string grey = "--colormap gray --range 0,255 --set view.interpolation=nearest ";
  const Picture large = view(grey + "--size 300x200");
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 300; ++x) ASSERT_EQ(large.at(x, y).r, 51 * (x / 100 + 3 * (1 - y / 100))) << x << " " << y;
  EXPECT_GT(greys(view("--colormap gray --range 0,255 --size 300x200")).size(), 100u) << "by default between cells";
  field(64, 64, [](int x, int y) { return 255.0 * ((x + y) % 2); });
  for (const int level : greys(view(grey + "--size 20x20"))) EXPECT_TRUE(level == 0 || level == 255) << level;
}

TEST_F(ViewColors, BandsHaveOneColourEach) {
  field(1000, 20, [](int x, int) { return (x + 0.5) / 1000; });
  const Picture four = view("--colormap gray --size 1000x20 --range 0,1 --set view.levels=4");
  for (int x = 0; x < 1000; ++x) ASSERT_EQ(four.at(x, 9).r, 85 * (x / 250)) << x;
  const Picture uneven = view("--colormap gray --size 1000x20 --set 'view.levels=[0, 0.1, 0.3, 0.7, 1]'");
  for (int x = 0; x < 1000; ++x) ASSERT_EQ(uneven.at(x, 9).r, 85 * (x < 100 ? 0 : x < 300 ? 1 : x < 700 ? 2 : 3)) << x;
  const Picture outside = view(
      "--colormap gray --size 1000x20 --set 'view.levels=[0.25, 0.5, 0.75]' "
      "--set view.under=#102030 --set view.over=#405060");
  EXPECT_EQ(outside.at(249, 9), (Color{0x10, 0x20, 0x30, 255}));
  EXPECT_EQ(outside.at(250, 9), (Color{0, 0, 0, 255}));
  EXPECT_EQ(outside.at(500, 9), (Color{255, 255, 255, 255}));
  EXPECT_EQ(outside.at(750, 9), (Color{0x40, 0x50, 0x60, 255}));
}

// The middle of the map at the centre, its ends at those of the range, and evenly between.
TEST_F(ViewColors, TwoSlopesMeetAtTheCentre) {
  field(591, 20, [](int x, int) { return (x - 190) / 100.0; });  // -1.9 to 4
  const std::string keys = "--colormap gray --size 591x20 ";
  for (const std::string range : {"--range diverging", "--range=-1.9,4 --set view.center=0"}) {
    const Picture picture = view(keys + range);
    EXPECT_EQ(picture.at(0, 9).r, 0) << range;
    EXPECT_NEAR(picture.at(95, 9).r, 63.75, 0.6) << range;
    EXPECT_NEAR(picture.at(190, 9).r, 127.5, 0.6) << range;
    EXPECT_NEAR(picture.at(390, 9).r, 191.25, 0.6) << range;
    EXPECT_EQ(picture.at(590, 9).r, 255) << range;
  }
  field(591, 20, [](int x, int) { return 1 + x / 590.0; });
  EXPECT_NEAR(view(keys + "--range diverging").at(0, 9).r, 191, 1) << "all is above 0";
  ASSERT_EQ(run("view u.npy -o x.svg --range diverging --set figure.colorbar=right").exit, 0);
  EXPECT_TRUE(contains(text_of(folder_ / "x.svg"), "two slopes")) << "the bar says so";
}

// Grey maps say a value by its level.
TEST_F(ViewColors, BarsAndObstaclesFitTheMap) {
  write("w.toml",
        "[solver]\nkind = \"wave\"\ngrid = [40, 40]\n[[solver.droplet]]\ntime = 1e6\n[[solver.obstacle]]\ncenter = "
        "[19.5, 19.5]\n"
        "radius = 8\n[view]\ncolormap = \"gray\"\nsize = [80, 40]\n[animation]\nframes = 1\n");
  const auto shown = [&](const std::string& more) {
    const Outcome outcome = run("render w.toml -o w.png --overwrite " + more);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    const Picture picture = read_picture(folder_ / "w.png");
    return std::array{picture.at(2, 20).r, picture.at(25, 20).r, picture.at(40, 20).r};  // bar, field, obstacle
  };
  using Levels = std::array<std::uint8_t, 3>;
  EXPECT_EQ(shown("--set view.range=[-1,3]"), (Levels{64, 64, 128})) << "dark at 0";
  EXPECT_EQ(shown("--set view.range=[-3,1]"), (Levels{191, 191, 64})) << "light";
  EXPECT_EQ(shown("--set view.range=[-3,1] --set view.center=0"), (Levels{128, 128, 128}));
  EXPECT_EQ(shown("--set view.range=[-1,3] --set view.scale=asinh"), (Levels{112, 112, 128}));
  EXPECT_EQ(shown("--set view.range=[0,1]"), (Levels{0, 0, 128})) << "one sign";
  EXPECT_EQ(shown("--set view.range=[0,1] --set view.colormap=gray_r"), (Levels{0, 255, 64}));
  EXPECT_EQ(shown("--set view.range=[-1,1] --set view.colormap=turbo")[0], 0) << "a bright colour";
  EXPECT_EQ(shown("--set view.range=[-1,3] --set view.background=#0a0a0a --set view.obstacle=#141414"),
            (Levels{10, 64, 20}));
}

TEST_F(ViewColors, ClassesHaveTheirColoursAndNames) {
  field(5, 1, [](int x, int) { return std::array{1, 2, 7, 3, 200}[x]; });
  write("c.toml",
        "[solver]\nkind = \"data\"\nfiles = \"u.npy\"\n[view]\nsize = [500, 100]\nnan = \"#010203\"\n"
        "[[view.class]]\nvalue = 7\nname = \"forest\"\ncolor = \"#228833\"\n"
        "[[view.class]]\nvalue = 1\nname = \"water\"\ncolor = \"#0000ff\"\n[[view.class]]\nvalue = 2\n");
  ASSERT_EQ(run("render c.toml -o c.png --set view.colormap=gray").exit, 0);
  const Picture picture = read_picture(folder_ / "c.png");
  const Color expected[] = {
      {0, 0, 255, 255}, {128, 128, 128, 255}, {0x22, 0x88, 0x33, 255}, {1, 2, 3, 255}, {1, 2, 3, 255}};
  for (int x = 0; x < 500; ++x) ASSERT_EQ(picture.at(x, 50), expected[x / 100]) << x;
  ASSERT_EQ(run("render c.toml -o c.svg --set figure.colorbar=right --set view.size=[900,400]").exit, 0);
  const std::string svg = text_of(folder_ / "c.svg");
  EXPECT_TRUE(contains(svg, "water") && contains(svg, "forest"));
}

int opacity(double value) { return static_cast<int>(255 * std::clamp((value - 0.2) / 0.5, 0.0, 1.0) + 0.5); }

// The colours stay those of the map wherever they are seen less or not at all, so nothing else shows at the edges.
TEST_F(ViewColors, AlphaMakesValuesTransparent) {
  field(101, 20, [](int x, int) { return x / 100.0; });
  const std::string keys = "--colormap gray --range 0,1 --size 101x20 --set 'view.alpha=[[0.2, 0], [0.7, 1]]' ";
  const Picture clear = view(keys), red = view(keys + "--set view.background=#ff0000");
  for (int x = 0; x <= 100; ++x) {
    const int grey = static_cast<int>(2.55 * x + 0.5), alpha = opacity(x / 100.0);
    EXPECT_NEAR(clear.at(x, 9).r, grey, 1) << x;
    EXPECT_NEAR(clear.at(x, 9).a, alpha, 1) << x;
    EXPECT_EQ(red.at(x, 9).a, 255);
    EXPECT_NEAR(red.at(x, 9).r, 255 - (255 - grey) * alpha / 255.0, 2) << x;
    EXPECT_NEAR(red.at(x, 9).g, grey * alpha / 255.0, 2) << x;
  }
  const Picture bands = view(keys + "--set view.levels=2 --set view.under=#0000ff");
  EXPECT_NEAR(bands.at(20, 9).a, opacity(0.25), 1) << "a band has one opacity, that of its middle";
  EXPECT_EQ(bands.at(80, 9).a, 255);
  for (const std::string name : {"x.mkv", "x.mov"}) {
    ASSERT_EQ(run("view u.npy --frames 1 -o " + name + " " + keys).exit, 0) << name;
    VideoReader video(folder_ / name);
    ASSERT_TRUE(video.next());
    const Picture frame = video.picture();
    for (int x = 0; x <= 100; ++x) {
      EXPECT_NEAR(frame.at(x, 9).a, clear.at(x, 9).a, name == "x.mkv" ? 0 : 2) << name << x;
      EXPECT_NEAR(frame.at(x, 9).r, clear.at(x, 9).r, name == "x.mkv" ? 0 : 6) << name << x;
    }
  }
  EXPECT_TRUE(contains(run("view u.npy --frames 1 -o x.mp4 " + keys).err, "has no alpha"));
}

// FFmpeg's own decoder of VP9 leaves the alpha out.
TEST_F(ViewColors, AWebmHasTheAlphaOfThePicture) {
  if (std::system("ffmpeg -hide_banner -decoders 2>/dev/null | grep -q libvpx-vp9") != 0)
    GTEST_SKIP() << "no program ffmpeg that decodes with libvpx-vp9";
  field(101, 20, [](int x, int) { return x / 100.0; });
  const std::string keys = "--colormap gray --range 0,1 --size 101x20 --set 'view.alpha=[[0.2, 0], [0.7, 1]]' ";
  const Picture clear = view(keys);
  ASSERT_EQ(run("view u.npy --frames 1 -o x.webm " + keys).exit, 0);
  const std::string decode =
      "ffmpeg -v error -c:v libvpx-vp9 -i " + (folder_ / "x.webm") + " -pix_fmt rgba " + (folder_ / "decoded.png");
  ASSERT_EQ(std::system(decode.c_str()), 0);
  const Picture frame = read_picture(folder_ / "decoded.png");
  for (int x = 0; x <= 100; ++x) EXPECT_NEAR(frame.at(x, 9).a, clear.at(x, 9).a, 8) << x;
}

// The edges of solid cells have their colour alone where the fluid is transparent.
TEST_F(ViewColors, ATransparentFluidLeavesNoFringe) {
  write("flow.toml",
        "[solver]\nkind = \"lbm\"\ngrid = [60, 40]\n[[solver.obstacle]]\ncenter = [29.7, 20.2]\nradius = 9\n[view]\n"
        "range = [0, 1]\ncolormap = \"viridis\"\nobstacle = \"#ff8000\"\nalpha = [[0, 0]]\n[animation]\nframes = 1\n");
  for (const std::string size : {"240x160", "45x30"}) {
    ASSERT_EQ(run("render flow.toml -o f.png --overwrite --size " + size).exit, 0);
    const Picture picture = read_picture(folder_ / "f.png");
    int edges = 0;
    for (const Color& c : picture.pixels) {
      edges += c.a > 0 && c.a < 255;
      if (c.a == 0) continue;
      ASSERT_TRUE(c.r == 255 && c.g == 128 && c.b == 0) << int{c.r} << ' ' << int{c.g} << ' ' << int{c.b};
    }
    EXPECT_GT(edges, 20) << size;
  }
}

TEST_F(ViewColors, ViewTakesWhatRenderDoes) {
  write("u.npy", npy({4, 20, 30}, std::vector<double>(2400, 1.0)));
  EXPECT_EQ(run("view u.npy --label --at frame:1,frame:3 -o s_%d.png --size 320x200").exit, 0);
  EXPECT_TRUE(exists("s_0.png") && exists("s_1.png") && !exists("s_2.png"));
  EXPECT_EQ(run("view u.npy --at frame:1 -o plain.png --size 320x200").exit, 0);
  EXPECT_EQ(run("compare s_0.png plain.png").exit, 4) << "labels";
  EXPECT_EQ(run("view u.npy --label --only colorbar -o bar.png --size 320x200").exit, 0);
  EXPECT_EQ(read_picture(folder_ / "bar.png").at(100, 100).a, 0);
}

}  // namespace
}  // namespace simreel::test
