#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "scene/scene.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

constexpr const char* solver = "[solver]\nkind = \"wave\"\n";

// What parsing `text` as "s/x.toml" throws; "no error" where it throws nothing.
std::string message_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse_scene(text, "s/x.toml", overrides);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

struct Mistake {
  const char* name;
  std::string text;
  std::string place;                  // what the message starts with
  std::vector<std::string> contains;  // what else it says
};

// Prints the name instead of the bytes in GoogleTest's listings.
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class SceneMistake : public testing::TestWithParam<Mistake> {};

TEST_P(SceneMistake, IsNamedWithItsPlace) {
  const std::string message = message_of(GetParam().text);
  EXPECT_EQ(message.substr(0, GetParam().place.size()), GetParam().place) << message;
  for (const std::string& part : GetParam().contains) EXPECT_NE(message.find(part), std::string::npos) << message;
}

std::string with(const std::string& rest) { return solver + rest; }

const std::vector<Mistake> mistakes = {
    {"empty_file", "", "s/x.toml: the scene is empty", {"[solver]\nkind = \"wave\"\ngrid ="}},
    {"only_space", "\xEF\xBB\xBF \r\n\t\n", "s/x.toml: the scene is empty", {}},
    {"solver_missing", "title = \"a\"\n", "s/x.toml:1:1: ", {"the table [solver] is missing", "kind = \"wave\""}},
    {"solver_misspelt", "[slover]\nkind = \"wave\"\n", "s/x.toml:1:1: ", {"is [slover] a misspelling"}},
    {"solver_not_a_table", "solver = 5\n", "s/x.toml:1:1: ", {"must be one table, [solver]", "the whole number 5"}},
    {"solver_list", "[[solver]]\nkind = \"wave\"\n", "s/x.toml:1:1: ", {"must be one table, [solver]"}},
    {"kind_missing",
     "\n[solver]\nkindd = \"wave\"\n",
     "s/x.toml:2:1: ",
     {"the required key \"kind\" in [solver] is missing", "for example: kind = \"wave\"",
      "is \"kindd\" a misspelling"}},
    {"kind_no_string",
     "[solver]\nkind = 3\n",
     "s/x.toml:2:1: ",
     {"\"kind\" in [solver] must be a string, but is the whole number 3"}},
    {"unknown_top_key",
     "tilte = \"a\"\n" + with(""),
     "s/x.toml:1:1: ",
     {"unknown key \"tilte\" at the top level; did you mean \"title\"?"}},
    {"unknown_top_table", with("[veiw]\n"), "s/x.toml:3:1: ", {"unknown table [veiw]; did you mean [view]?"}},
    {"unknown_list",
     with("[[droplet]]\n"),
     "s/x.toml:3:1: ",
     {"unknown table [[droplet]]; the known keys are title, seed, [solver], [view], [camera], [animation], [output], "
      "[figure], [[overlay]], [golden]"}},
    {"unknown_key",
     with("[view]\n    scael = \"log\"\n"),
     "s/x.toml:4:5: ",
     {"unknown key \"scael\" in [view]; did you mean \"scale\"?"}},
    {"key_nowhere_near",
     with("[animation]\nbitrate = 5\n"),
     "s/x.toml:4:1: ",
     {"unknown key \"bitrate\" in [animation]; the known keys are fps, frames, duration, steps_per_frame, start, "
      "speed"}},
    {"unknown_camera_key",
     with("[[camera.key]]\ntime = 1\n[[camera.key]]\ntime = 2\ntraget = [1, 2, 3]\n"),
     "s/x.toml:7:1: ",
     {"unknown key \"traget\" in [[camera.key]]; did you mean \"target\"?"}},
    {"unknown_quoted_key", with("[view]\n\"a\\nb\" = 1\n"), "s/x.toml:4:1: ", {"unknown key \"a\\nb\" in [view]"}},
    {"title_number",
     "title = 5\n" + with(""),
     "s/x.toml:1:1: ",
     {"\"title\" must be a string, but is the whole number 5"}},
    {"title_date", "title = 2024-05-06\n" + with(""), "s/x.toml:1:1: ", {"must be a string, but is a date or time"}},
    {"seed_negative", "seed = -1\n" + with(""), "s/x.toml:1:1: ", {"\"seed\" is -1; it must be at least 0"}},
    {"seed_too_large", "seed = 99999999999999999999\n" + with(""), "s/x.toml:1:", {"not representable in 64 bits"}},
    {"seed_real", "seed = 1.0\n" + with(""), "s/x.toml:1:1: ", {"must be a whole number, but is the number 1.0"}},
    {"view_scalar",
     "view = true\n" + with(""),
     "s/x.toml:1:1: ",
     {"must be one table, [view], but is the boolean true"}},
    {"size_zero",
     with("[view]\nsize = [0, 0]\n"),
     "s/x.toml:4:1: ",
     {"\"size\" in [view] holds 0; each of its values must be between 16 and 16384"}},
    {"size_negative", with("[view]\nsize = [64, -64]\n"), "s/x.toml:4:1: ", {"holds -64; each"}},
    {"size_too_large", with("[view]\nsize = [16385, 64]\n"), "s/x.toml:4:1: ", {"holds 16385; each"}},
    {"size_real",
     with("[view]\nsize = [64.5, 64]\n"),
     "s/x.toml:4:1: ",
     {"\"size\" in [view] must be an array of 2 whole numbers, but holds the number 64.5"}},
    {"size_count", with("[view]\nsize = [64]\n"), "s/x.toml:4:1: ", {"of 2 whole numbers, but is an array of 1 value"}},
    {"size_text",
     with("[view]\nsize = \"640x480\"\n"),
     "s/x.toml:4:1: ",
     {"but is the string \"640x480\"; write [640, 480]"}},
    {"size_name",
     with("[view]\nsize = \"hd\"\n"),
     "s/x.toml:4:1: ",
     {"an array of 2 whole numbers, but is the string \"hd\"; for example [1920, 1080]"}},
    {"range_auto",
     with("[view]\nrange = \"auto\"\n"),
     "s/x.toml:4:1: ",
     {"is \"auto\"; it must be [low, high] or one of first, global"}},
    {"range_text",
     with("[view]\nrange = \"-1, 1\"\n"),
     "s/x.toml:4:1: ",
     {"global, symmetric, follow, diverging; write [-1, 1]"}},
    {"quoted_number",
     with("[animation]\nframes = \"60\"\n"),
     "s/x.toml:4:1: ",
     {"must be a whole number, but is the string \"60\"; leave the quotes out: 60"}},
    {"bare_word", "[solver]\nkind = wave\n", "s/x.toml:2:8: ", {"text needs quotes: kind = \"wave\""}},
    {"bare_word_like_a_number", "[solver]\nkind = nbody\n", "s/x.toml:2:8: ", {"kind = \"nbody\""}},
    {"bare_words", "title = Two drops # of rain\n", "s/x.toml:1:9: ", {"title = \"Two drops\""}},
    {"bare_path", with("[output]\n  path = out/a.mp4\r\n"), "s/x.toml:4:10: ", {"path = \"out/a.mp4\""}},
    {"bare_color", with("[view]\nbackground = #ff0000\n"), "s/x.toml:4:14: ", {"background = \"#ff0000\""}},
    {"bare_size", with("[view]\nsize = 640x480\n"), "s/x.toml:4:8: ", {"in brackets: size = [640, 480]"}},
    {"bare_pair", with("[view]\nrange = (0, 0.5)\n"), "s/x.toml:4:9: ", {"in brackets: range = [0, 0.5]"}},
    {"bare_boolean", with("[output.options]\na = True\n"), "s/x.toml:4:5: ", {"written so: a = true"}},
    {"bare_unit", with("[view]\ntrails = 5s\n"), "s/x.toml:4:10: ", {"a number has no unit: trails = 5"}},
    {"bare_comma", with("[view]\nexposure = 1,5\n"), "s/x.toml:4:12: ", {"exposure = [1, 5], or 1.5"}},
    {"no_closing_quote",
     with("title = 'Two drops\n"),
     "s/x.toml:3:9: ",
     {"this string has no closing quote: title = \"Two drops\""}},
    {"bare_date", with("[view]\nfield = 2024-13-01\n"), "s/x.toml:4:", {"expected month"}},
    {"range_reversed", with("[view]\nrange = [1, -1]\n"), "s/x.toml:4:1: ", {"is [1, -1]; low must be less than high"}},
    {"range_equal", with("[view]\nrange = [2.5, 2.5]\n"), "s/x.toml:4:1: ", {"low must be less than high"}},
    {"range_infinite",
     with("[view]\nrange = [-inf, 1]\n"),
     "s/x.toml:4:1: ",
     {"holds -inf; each of its values must be a finite number"}},
    {"range_nan", with("[view]\nrange = [0, nan]\n"), "s/x.toml:4:1: ", {"holds nan; each"}},
    {"range_name",
     with("[view]\nrange = \"frist\"\n"),
     "s/x.toml:4:1: ",
     {"is \"frist\"; it must be [low, high] or one of first, global, symmetric, follow, diverging; did you mean "
      "\"first\"?"}},
    {"range_number",
     with("[view]\nrange = 5\n"),
     "s/x.toml:4:1: ",
     {"must be [low, high], \"first\", \"global\", \"symmetric\", \"follow\" or \"diverging\", but is the whole number "
      "5"}},
    {"scale_name",
     with("[view]\nscale = \"logarithm\"\n"),
     "s/x.toml:4:1: ",
     {"\"scale\" in [view] is \"logarithm\"; it must be one of linear, log, symlog, sqrt, asinh"}},
    {"scale_type",
     with("[view]\nscale = [1]\n"),
     "s/x.toml:4:1: ",
     {"must be one of linear, log", "an array of 1 value"}},
    {"log_of_negative", with("[view]\nscale = \"log\"\nrange = [-1, 1]\n"), "s/x.toml:5:1: ", {"above 0", "symlog"}},
    {"linear_width", with("[view]\nlinear_width = -0.5\n"), "s/x.toml:4:1: ", {"is -0.5; it must be at least 0"}},
    {"color",
     with("[view]\nbackground = \"#12345\"\n"),
     "s/x.toml:4:1: ",
     {"\"background\" is \"#12345\"", "\"#rrggbb\" or \"#rrggbbaa\""}},
    {"under", with("[view]\nunder = \"red\"\n"), "s/x.toml:4:1: ", {"\"under\" is \"red\", which is no colour"}},
    {"fov",
     with("[camera]\nfov = 180\n"),
     "s/x.toml:4:1: ",
     {"\"fov\" in [camera] is 180; it must be greater than 0 and less than 180"}},
    {"extent", with("[camera]\nextent = 0.0\n"), "s/x.toml:4:1: ", {"is 0.0; it must be greater than 0"}},
    {"same_point",
     with("[camera]\nposition = [1, 2, 3]\ntarget = [1, 2, 3]\n"),
     "s/x.toml:4:1: ",
     {"the same point; move one"}},
    {"no_up", with("[camera]\nup = [0, 0, 0]\n"), "s/x.toml:4:1: ", {"up direction is [0, 0, 0]; write [0, 1, 0]"}},
    {"up_along_the_view",
     with("[camera]\nup = [0, 0, 1]\n"),
     "s/x.toml:4:1: ",
     {"along its own up direction", "turn up, say to [0, 1, 0]"}},
    {"up_along_y",
     with("[camera]\nposition = [0, 5, 0]\n"),
     "s/x.toml:4:1: ",
     {"along its own up direction", "turn up, say to [0, 0, 1]"}},
    {"camera_key_projection",
     with("[camera]\nfov = 30\n[[camera.key]]\ntime = 1\nprojection = \"orthographic\"\n"),
     "s/x.toml:7:1: ",
     {"a camera keeps its projection", "\"orthographic\"", "\"perspective\""}},
    {"camera_key_projection_misspelt",
     with("[[camera.key]]\ntime = 1\nprojection = \"flat\"\n"),
     "s/x.toml:5:1: ",
     {"it must be one of perspective, orthographic"}},
    {"camera_key_table",
     with("[camera.key]\ntime = 0\n"),
     "s/x.toml:3:1: ",
     {"\"key\" in [camera] must be a list of tables, [[camera.key]], but is a table"}},
    {"camera_times",
     with("[[camera.key]]\ntime = 2\n[[camera.key]]\ntime = 2\n"),
     "s/x.toml:6:1: ",
     {"is 2; it must be greater than 2, that of the key before"}},
    {"camera_time_missing",
     with("[[camera.key]]\ntime = 1\n[[camera.key]]\n"),
     "s/x.toml:5:1: ",
     {"the required key \"time\" in [[camera.key]] is missing"}},
    {"camera_time_after_the_end",
     with("[[camera.key]]\ntime = 4\n[[camera.key]]\ntime = 4.5\n[animation]\nfps = 30\nframes = 120\n"),
     "s/x.toml:6:1: ",
     {"is at 4.5 s, but the video ends at 4 s", "frames = 135 in [animation]"}},
    {"extent_of_a_perspective",
     with("[camera]\nextent = 3\n"),
     "s/x.toml:4:1: ",
     {"\"extent\" has no effect with projection = \"perspective\", where \"fov\""}},
    {"fov_of_an_orthographic_camera",
     with("[camera]\nprojection = \"orthographic\"\nfov = 30\n"),
     "s/x.toml:5:1: ",
     {"\"fov\" has no effect with projection = \"orthographic\", where \"extent\""}},
    {"fov_of_an_orthographic_key",
     with("[camera]\nprojection = \"orthographic\"\n[[camera.key]]\ntime = 1\nfov = 30\n"),
     "s/x.toml:7:1: ",
     {"\"fov\" has no effect"}},
    {"fps_zero", with("[animation]\nfps = 0\n"), "s/x.toml:4:1: ", {"is 0; it must be between 1 and 1000"}},
    {"fps_real", with("[animation]\nfps = 29.97\n"), "s/x.toml:4:1: ", {"[30000, 1001]", "but is the number 29.97"}},
    {"fps_fraction", with("[animation]\nfps = [30, 0]\n"), "s/x.toml:4:1: ", {"holds 0; each"}},
    {"fps_too_large", with("[animation]\nfps = 3000000000\n"), "s/x.toml:4:1: ", {"between 1 and 1000"}},
    {"frames", with("[animation]\nframes = 0\n"), "s/x.toml:4:1: ", {"is 0; it must be at least 1"}},
    {"steps", with("[animation]\nframes = 4611686018427387904\nsteps_per_frame = 4\n"), "s/x.toml:4:1: ", {"2^62"}},
    {"start", with("[animation]\nstart = -5\n"), "s/x.toml:4:1: ", {"is -5; it must be at least 0"}},
    {"quality", with("[output]\nquality = nan\n"), "s/x.toml:4:1: ", {"is nan; it must be a finite number"}},
    {"golden_key",
     with("[golden]\nframe = [0]\n"),
     "s/x.toml:4:1: ",
     {"unknown key \"frame\" in [golden]", "\"frames\""}},
    {"golden_frames_type", with("[golden]\nframes = 3\n"), "s/x.toml:4:1: ", {"an array of whole numbers"}},
    {"golden_frames_element", with("[golden]\nframes = [0, 1.5]\n"), "s/x.toml:4:1: ", {"holds the number 1.5"}},
    {"golden_frames_negative", with("[golden]\nframes = [-1]\n"), "s/x.toml:4:1: ", {"at least 0"}},
    {"golden_frames_none", with("[golden]\nframes = []\n"), "s/x.toml:4:1: ", {"\"frames\" in [golden] is empty"}},
    {"golden_frames_twice", with("[golden]\nframes = [7, 2, 7]\n"), "s/x.toml:4:1: ", {"names frame 7 twice"}},
    {"golden_max_diff", with("[golden]\nmax_diff = 256\n"), "s/x.toml:4:1: ", {"between 0 and 255"}},
    {"golden_max_pixels", with("[golden]\nmax_pixels = 5\n"), "s/x.toml:4:1: ", {"between 0 and 1"}},
    {"golden_max_pixels_percent",
     with("[golden]\nmax_pixels = \"101%\"\n"),
     "s/x.toml:4:1: ",
     {"\"max_pixels\" in [golden] is \"101%\"; it must be between 0 and 1"}},
    {"golden_max_pixels_text", with("[golden]\nmax_pixels = \"few\"\n"), "s/x.toml:4:1: ", {"must be a number"}},
    {"golden_psnr_percent", with("[golden]\nmin_psnr = \"40%\"\n"), "s/x.toml:4:1: ", {"must be a number"}},
    {"golden_max_flip", with("[golden]\nmax_flip = nan\n"), "s/x.toml:4:1: ", {"between 0 and 1"}},
    {"codec_empty", with("[output]\ncodec = \"\"\n"), "s/x.toml:4:1: ", {"\"codec\" is empty"}},
    {"pixel_format", with("[output]\npixel_format = \"yuv444\"\n"), "s/x.toml:4:1: ", {"did you mean \"yuv444p\"?"}},
    {"depth",
     with("[output]\npreset = \"fast\"\ndepth = 12\n"),
     "s/x.toml:5:1: ",
     {"\"depth\" in [output] is 12; it must be one of 8, 16"}},
    {"depth_type", with("[output]\ndepth = \"16\"\n"), "s/x.toml:4:1: ", {"depth", "whole number"}},
    {"option_value",
     with("[output.options]\nx = [1]\n"),
     "s/x.toml:4:1: ",
     {"\"x\" in [output.options] must be a string, a finite number or a boolean, but is an array of 1 value"}},
    {"duplicate_key",
     with("kind = \"lbm\"\n"),
     "s/x.toml:3:",
     {"the key \"kind\" stands twice in its table; leave one of them out"}},
    {"duplicate_table",
     with("[solver]\n"),
     "s/x.toml:3:1: ",
     {"the table [solver] stands twice; write its keys under one of them"}},
    {"syntax_value", with("[view]\nscale = linear\n"), "s/x.toml:4:9: ", {"text needs quotes: scale = \"linear\""}},
    {"syntax_string", with("[view]\nscale = \"linear\n"), "s/x.toml:4:", {"string"}},
    {"header_without_name", with("[=\n"), "s/x.toml:3:2: ", {"expected bare key"}},
    {"nested_arrays", "a = " + std::string(60000, '['), "s/x.toml:1:", {"nested value depth of 16"}},
    {"many_dots",
     std::string("a") +
         [] {
           std::string s;
           for (int i = 0; i < 65; ++i) s += ".a";
           return s;
         }() +
         " = 1\n",
     "s/x.toml:1:130: ",
     {"more than 64 dots"}},
    {"bare_umlaut",
     with("[view]\ngr\xC3\xB6\xC3\x9F"
          "e = 1\n"),
     "s/x.toml:4:3: ",
     {"\"\xC3\xB6\" stands outside quotes"}},
    {"bad_utf8", with("# \xC3\xA4 \xFF\n"), "s/x.toml:3:5: ", {"0xff is not UTF-8"}},
    {"surrogate", with("# \xED\xA0\x80\n"), "s/x.toml:3:3: ", {"0xed is not UTF-8"}},
    {"binary",
     std::string("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16),
     "s/x.toml: this is not a text file",
     {"a scene is written as TOML"}},
    {"one_megabyte", std::string(1000000, '#'), "s/x.toml: ", {"1000000 bytes", "65536"}},
};

INSTANTIATE_TEST_SUITE_P(Scene, SceneMistake, testing::ValuesIn(mistakes),
                         [](const auto& mistake) { return std::string(mistake.param.name); });

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

TEST(Scene, ASymmetricRangeIsNoneForALogarithm) {
  const std::string symmetric = std::string(solver) + "[view]\nrange = \"symmetric\"\n";
  EXPECT_EQ(parse_scene(symmetric, "s/x.toml").view.range, RangeMode::symmetric);
  EXPECT_NO_THROW(parse_scene(symmetric + "scale = \"symlog\"\n", "s/x.toml"));
  try {
    parse_scene(symmetric + "scale = \"log\"\n", "s/x.toml");
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "s/x.toml:4:1: range = \"symmetric\" in [view] has 0 in its middle, but a log scale needs a range above 0; "
        "scale = \"symlog\" takes any range");
  }
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

TEST(Scene, SolverKeysAreLeftToTheSolver) {
  Scene scene = parse_scene("[solver]\nkind = \"wave\"\ndampnig = 1\n[solver.rain]\nrate = 2.0\n", "s/x.toml");
  double damping = 0.5;
  scene.solver.read("damping", damping, "");
  scene.solver.table("rain", "");
  try {
    scene.solver.finish();
    FAIL() << "a misspelt key passed";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "s/x.toml:3:1: unknown key \"dampnig\" in [solver]; did you mean \"damping\"?");
  }
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
  for (const char* wrong : {"", "#", "0a0b0c0", "#0a0b0", "#0a0b0c0", "#0a0b0g", "#0a0b0c0d0", "black"}) {
    EXPECT_FALSE(parse_color(wrong)) << wrong;
  }
}

class SceneFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    const std::string file = folder_ / "x.toml";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  static std::string error_of(const std::string& file) {
    try {
      load_scene(file);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
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

}  // namespace
}  // namespace simreel
