#include "base/error.h"
#include "scene/scene.h"
#include "tests/support/places.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

constexpr const char* solver = "[solver]\nkind = \"wave\"\n";

// What parsing `text` as "s/x.toml" throws.
std::string message_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return test::thrown([&] { parse_scene(text, "s/x.toml", overrides); });
}

std::string with(const std::string& rest) { return solver + rest; }

// Bytes that no file of tests/messages can hold.
TEST(Scene, MistakesOfBytesHaveTheirPlace) {
  std::string dots;
  for (int i = 0; i < 65; ++i) dots += ".a";
  for (const auto& [text, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {"\xEF\xBB\xBF \r\n\t\n", "s/x.toml: the scene is empty"},
           {with("[output]\n  path = out/a.mp4\r\n"), "s/x.toml:4:10: text needs quotes: path = \"out/a.mp4\""},
           {"a = " + std::string(60000, '['),
            "s/x.toml:1:21: Error while parsing value: exceeded maximum nested value depth of 16"},
           {"a" + dots + " = 1\n", "s/x.toml:1:130: "},
           {with("# \xC3\xA4 \xFF\n"), "s/x.toml:3:5: the byte 0xff is not UTF-8"},
           {with("# \xED\xA0\x80\n"), "s/x.toml:3:3: the byte 0xed is not UTF-8"},
           {std::string("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16),
            "s/x.toml: this is not a text file; a scene is written as TOML"},
           {std::string(1000000, '#'), "s/x.toml: 1000000 bytes are too many, the limit is 65536"}})
    EXPECT_EQ(message_of(text).substr(0, message.size()), message);
}

TEST(SceneGolden, KeepsTheLastFrameAndToleratesNothingByDefault) {
  const GoldenOptions golden = parse_scene(with("[animation]\nframes = 24\n"), "x.toml").golden;
  EXPECT_EQ(golden.frames, std::vector<std::int64_t>{23});
  EXPECT_TRUE(golden.exact());
}

TEST(SceneGolden, ReadsFramesInOrderAndEveryTolerance) {
  const std::string text = with(
      "[golden]\nframes = [59, 0]\nmax_diff = 3\nmax_pixels = 0.25\nmin_psnr = 40\nmin_ssim = 0.9\nmax_flip = 0.05\n");
  const GoldenOptions golden = parse_scene(text, "x.toml").golden;
  EXPECT_EQ(golden.frames, (std::vector<std::int64_t>{0, 59}));
  EXPECT_EQ(golden.max_diff, 3);
  EXPECT_EQ(golden.max_pixels, 0.25);
  EXPECT_EQ(golden.min_psnr, 40);
  EXPECT_EQ(golden.min_ssim, 0.9);
  EXPECT_EQ(golden.max_flip, 0.05);
  EXPECT_FALSE(golden.exact());
}

TEST(SceneGolden, AShareMayBeAPercentageAndIsExactlyThat) {
  EXPECT_EQ(parse_scene(with("[golden]\nmax_pixels = \"0.7%\"\n"), "x.toml").golden.max_pixels, 0.007);
  EXPECT_EQ(parse_scene(with("[golden]\nmax_pixels = \"100%\"\n"), "x.toml").golden.max_pixels, 1);
  EXPECT_EQ(parse_scene(solver, "x.toml", {"golden.max_pixels=1%"}).golden.max_pixels, 0.01);
  EXPECT_EQ(parse_scene(with("[golden]\nmax_flip = \"2%\"\n"), "x.toml").golden.max_flip, 0.02);
}

TEST(Scene, DefaultsAreThoseOfTheFormat) {
  const Scene scene = parse_scene(solver, "s/x.toml");
  EXPECT_EQ(scene.title, "");
  EXPECT_EQ(scene.seed, 1u);
  EXPECT_EQ(scene.solver_kind, "wave");
  EXPECT_EQ(scene.view.colormap, "viridis");
  EXPECT_EQ(scene.view.range, RangeMode::global);
  EXPECT_EQ(scene.view.size, (Size{1920, 1080}));
  EXPECT_EQ(scene.view.background, (Color{0, 0, 0, 255}));
  EXPECT_FALSE(scene.view.under || scene.view.over);
  EXPECT_EQ(scene.camera.pose.position, (std::array<double, 3>{0, 0, 5}));
  EXPECT_EQ(scene.animation.fps_numerator, 60);
  EXPECT_EQ(scene.animation.frames, 600);
  EXPECT_EQ(scene.animation.steps_per_frame, 4);
  EXPECT_EQ(scene.output.path, "");
  EXPECT_FALSE(scene.output.codec || scene.output.quality || scene.output.preset || scene.output.pixel_format);
  EXPECT_EQ(scene.output.depth, 8);
}

TEST(Scene, EveryKeyArrives) {
  const Scene scene = parse_scene(
      "title = \"Tr\xC3\xB6pfchen\" # \xE2\x82\xAC\nseed = 9223372036854775807\n[solver]\nkind = \"wave\"\ngrid = [8, "
      "8]\n"
      "[view]\nfield = \"velocity\"\ncolormap = \"maps/a.csv_r\"\nrange = [-0.5, 2]\nscale = \"asinh\"\n"
      "linear_width = 0.25\nsize = [641, 16]\nbackground = \"#01020304\"\nnan = \"#AbCdEf\"\nunder = \"#000001\"\n"
      "over = \"#000002\"\n[camera]\nprojection = \"orthographic\"\nextent = 179.5\n[[camera.key]]\ntime = 0.5\n"
      "projection = \"orthographic\"\nposition = [1, 2, 3]\n[[camera.key]]\ntime = 2\nextent = 4\norbit = -90\n"
      "[animation]\nfps = [30000, 1001]\nframes = 70\nsteps_per_frame = 7\nstart = 11\n"
      "[output]\npath = \"/v/y.mkv\"\ncodec = \"ffv1\"\nquality = 20\npreset = \"fast\"\npixel_format = \"rgb\"\n"
      "depth = 16\n[output.options]\nslices = 4\naq = true\nb = 0.5\nx264-params = \"a=b\"\n",
      "s/x.toml");
  EXPECT_EQ(scene.title, "Tr\xC3\xB6pfchen");
  EXPECT_EQ(scene.seed, 9223372036854775807u);
  EXPECT_EQ(scene.view.field, "velocity");
  EXPECT_EQ(scene.view.colormap, "s/maps/a.csv_r");
  EXPECT_EQ(scene.view.range, RangeMode::fixed);
  EXPECT_EQ(scene.view.low, -0.5);
  EXPECT_EQ(scene.view.high, 2.0);
  EXPECT_EQ(scene.view.scale, Scale::asinh);
  EXPECT_EQ(scene.view.linear_width, 0.25);
  EXPECT_EQ(scene.view.size, (Size{641, 16}));
  EXPECT_EQ(scene.view.background, (Color{1, 2, 3, 4}));
  EXPECT_EQ(scene.view.nan, (Color{0xAB, 0xCD, 0xEF, 255}));
  EXPECT_EQ(scene.view.under, (Color{0, 0, 1, 255}));
  EXPECT_EQ(scene.view.over, (Color{0, 0, 2, 255}));
  EXPECT_EQ(scene.camera.projection, Projection::orthographic);
  EXPECT_EQ(scene.camera.pose.extent, 179.5);
  ASSERT_EQ(scene.camera.keys.size(), 2u);
  EXPECT_EQ(scene.camera.keys[0].time, 0.5);
  EXPECT_EQ(scene.camera.keys[0].pose.extent, 179.5) << "a key starts from [camera]";
  EXPECT_EQ(scene.camera.keys[1].pose.position, (std::array<double, 3>{1, 2, 3})) << "a key keeps the pose before it";
  EXPECT_EQ(scene.camera.keys[1].pose.extent, 4.0);
  EXPECT_EQ(scene.camera.keys[1].pose.orbit, -90.0);
  EXPECT_EQ(scene.animation.fps_numerator, 30000);
  EXPECT_EQ(scene.animation.fps_denominator, 1001);
  EXPECT_EQ(scene.animation.frames, 70);
  EXPECT_EQ(scene.animation.steps_per_frame, 7);
  EXPECT_EQ(scene.animation.start, 11);
  EXPECT_EQ(scene.output.path, "/v/y.mkv");
  EXPECT_EQ(scene.output.codec, "ffv1");
  EXPECT_EQ(scene.output.quality, 20.0);
  EXPECT_EQ(scene.output.preset, "fast");
  EXPECT_EQ(scene.output.pixel_format, "rgb");
  EXPECT_EQ(scene.output.depth, 16);
  const std::map<std::string, std::string> options = {
      {"slices", "4"}, {"aq", "true"}, {"b", "0.5"}, {"x264-params", "a=b"}};
  EXPECT_EQ(scene.output.options, options);
  EXPECT_EQ(scene.output.position.text(), "s/x.toml:33:1");
  EXPECT_EQ(scene.output.position_of("path").text(), "s/x.toml:34:1");
}

TEST(Scene, ByteOrderMarkAndCarriageReturnsAreFine) {
  const std::string text = "\xEF\xBB\xBF[solver]\r\nkind = \"lbm\"\r\n[view]\r\nfoo = 1\r\n";
  EXPECT_EQ(message_of(text).substr(0, 14), "s/x.toml:4:1: ");
  EXPECT_EQ(parse_scene(text.substr(0, text.find("foo")), "x").solver_kind, "lbm");
}

TEST(Scene, StringsAndCommentsMayHoldAnything) {
  const std::string dots(80, '.');
  const Scene scene = parse_scene("title = \"\"\"a\\\"\xC3\xBC\"\"" + dots + "\"\"\"\"\" # \xC3\xBC " + dots +
                                      "\n[solver]\nkind = '''l'''' # \xC3\xBC\n",
                                  "x");
  EXPECT_EQ(scene.solver_kind, "l'");
  EXPECT_EQ(scene.title, "a\"\xC3\xBC\"\"" + dots + "\"\"");
}

TEST(Scene, PathsStartAtTheFolderOfTheScene) {
  const Scene scene = parse_scene(with("[view]\ncolormap = \"a.csv\"\n[output]\npath = \"o/y.mp4\"\n"), "/d/s/x.toml");
  EXPECT_EQ(scene.view.colormap, "/d/s/a.csv");
  EXPECT_EQ(scene.output.path, "/d/s/o/y.mp4");
  EXPECT_EQ(scene.resolve("b.csv"), "/d/s/b.csv");
  EXPECT_EQ(scene.resolve("/b.csv"), "/b.csv");
  EXPECT_EQ(parse_scene(with("[output]\npath = \"-\"\n"), "/d/x.toml").output.path, "-");
  EXPECT_EQ(parse_scene(solver, "x.toml").resolve("b.csv"), "b.csv");
}

TEST(Scene, ColorsAreSixOrEightHexDigits) {
  EXPECT_EQ(parse_color("#0a0B0c"), (Color{10, 11, 12, 255}));
  EXPECT_EQ(parse_color("#0a0b0cF0"), (Color{10, 11, 12, 240}));
  for (const char* wrong : {"", "#", "0a0b0c0", "#0a0b0", "#0a0b0c0", "#0a0b0g", "#0a0b0c0d0", "black"})
    EXPECT_FALSE(parse_color(wrong)) << wrong;
}

class SceneFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    const std::string file = folder_ / "x.toml";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  static std::string error_of(const std::string& file) {
    return test::thrown([&] { load_scene(file); });
  }

  test::Folder folder_;
};

TEST_F(SceneFile, IsReadAsItIs) {
  const std::string text = with("[output]\npath = \"y.mp4\"\r\n");
  const Scene scene = load_scene(write(text), {"seed=7"});
  EXPECT_EQ(scene.text, text);
  EXPECT_EQ(scene.file, folder_ / "x.toml");
  EXPECT_EQ(scene.seed, 7u);
  EXPECT_EQ(scene.overrides, std::vector<std::string>{"seed=7"});
  EXPECT_EQ(scene.output.path, folder_ / "y.mp4");
}

TEST_F(SceneFile, MistakesNameFileAndReason) {
  const std::string missing = folder_ / "missing.toml";
  EXPECT_EQ(error_of(missing), missing + ": cannot read the scene: No such file or directory");
  EXPECT_EQ(error_of(folder_.path()), folder_.path() + ": cannot read the scene: Is a directory");
  EXPECT_EQ(error_of(write(std::string(65537, '#'))),
            folder_ / "x.toml" + ": the scene has 65537 bytes, the limit is 65536 (64 KiB)");
  EXPECT_EQ(error_of("/dev/zero"), "/dev/zero: the scene has more than 65536 bytes, the limit is 65536 (64 KiB)");
  const std::string file = write(with("[view]\nsize = [1, 1]\n"));
  EXPECT_EQ(error_of(file).substr(0, file.size() + 6), file + ":4:1: ");
}

TEST_F(SceneFile, OfTheLargestSizeIsRead) {
  std::string text = solver;
  text += std::string(65536 - text.size(), '#');
  EXPECT_EQ(load_scene(write(text)).text.size(), 65536u);
}

TEST(Animation, StepsAreRoundedWithoutDrift) {
  AnimationOptions animation;
  animation.fps_numerator = 30;
  animation.start = 7;
  animation.steps_per_frame = 3;
  animation.speed.push_back({0, 1.0 / 3});
  for (const std::int64_t frame : {0, 1, 2, 1000, 30'000'000}) EXPECT_EQ(animation.step_at(frame), 7 + frame);
  animation.speed = {{1, 0.1}, {3, 2.5}};
  std::int64_t before = animation.step_at(0);
  for (std::int64_t frame = 1; frame < 200; ++frame) {
    const double x = double(frame), in = std::clamp(x - 30, 0.0, 60.0);
    const double whole = 0.1 * std::min(x, 30.0) + 0.1 * in + 1.2 * in * in / 60 + 2.5 * std::max(0.0, x - 90);
    EXPECT_NEAR(double(animation.step_at(frame)), 7 + 3 * whole, 0.5 + 1e-9) << frame;
    EXPECT_GE(animation.step_at(frame), before);
    before = animation.step_at(frame);
  }
}

}  // namespace
}  // namespace simreel
