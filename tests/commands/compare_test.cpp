// simreel compare, as a user calls it.

#include <nlohmann/json.hpp>

#include "sink/picture/png_encode.h"
#include "tests/support/command_fixture.h"
#include "tests/support/compare_fixture.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;
using test::gray;
using test::Outcome;
using test::plain;

class CompareCommand : public test::CommandTest {
 protected:
  void SetUp() override {
    const Picture expected = plain(40, 25, gray(100));
    picture("a.png", expected);
    picture("same.png", expected);
    Picture actual = expected;
    actual.at(12, 7).g = 103;
    picture("b.png", actual);
  }
  void picture(const std::string& name, const Picture& picture) { write_picture(folder_ / name, picture); }
  // The exit code, after a look at the words that have to be there.
  int exit(const std::string& arguments, const std::string& words = "") {
    const Outcome outcome = run("compare " + arguments);
    EXPECT_NE((outcome.out + outcome.err).find(words), std::string::npos) << arguments << "\n"
                                                                          << outcome.out << outcome.err;
    return outcome.exit;
  }
};

TEST_F(CompareCommand, EqualPicturesExitZero) {
  const Outcome outcome = run("compare a.png same.png");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.out, "identical\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(exit("a.png a.png"), 0);
}

// A JPEG that Pillow wrote, with the EXIF orientation at byte 49.
TEST_F(CompareCommand, AJpegIsAPictureAndTurnedAsItSays) {
  std::string jpeg = test::text_of((test::root() / "tests/data/exif.jpg").string());
  write("six.jpg", jpeg);
  write("SIX.JPEG", jpeg + " ");
  jpeg[49] = 1;
  write("one.jpg", jpeg);
  EXPECT_EQ(exit("six.jpg six.jpg", "identical\n"), 0);
  EXPECT_EQ(exit("six.jpg SIX.JPEG", "identical\n"), 0);
  EXPECT_EQ(exit("six.jpg one.jpg", "the sizes differ: 16x24 and 24x16 pixels"), 4);
  Picture turned = test::draw(16, 24, [](int x, int y) { return gray(85 * ((y >= 12) + 2 * (x < 8))); });
  picture("six.png", turned);
  EXPECT_EQ(exit("six.png six.jpg --max-diff 3"), 0);
  fs::create_directories(folder_ / "e");
  fs::create_directories(folder_ / "f");
  fs::copy(folder_ / "six.jpg", folder_ / "e/1.jpg");
  fs::copy(folder_ / "one.jpg", folder_ / "f/1.jpg");
  EXPECT_EQ(exit("e f", "1.jpg"), 4);
}

TEST_F(CompareCommand, ColoursThatNobodySeesMayDiffer) {
  Picture hidden = plain(40, 25, {100, 100, 100, 0}), other = hidden;
  other.at(3, 4) = {7, 8, 9, 0};
  other.at(5, 6) = {1, 2, 3, 0};
  picture("hidden.png", hidden);
  picture("other.png", other);
  EXPECT_EQ(exit("hidden.png other.png", "2 of these are transparent in both"), 4);
  EXPECT_EQ(exit("hidden.png other.png --visible", "identical\n"), 0);
  other.at(7, 8) = {100, 100, 100, 1};
  picture("other.png", other);
  EXPECT_EQ(exit("hidden.png other.png --visible", "1 of 1000 differ"), 4);
  fs::create_directories(folder_ / "e");
  fs::create_directories(folder_ / "f");
  fs::copy(folder_ / "hidden.png", folder_ / "e/1.png");
  fs::copy(folder_ / "other.png", folder_ / "f/1.png");
  EXPECT_EQ(exit("e f --visible --max-pixels 0.001 --max-diff 0"), 0);
}

TEST_F(CompareCommand, AChangedPixelIsLocatedAndExitsFour) {
  const Outcome outcome = run("compare a.png b.png");
  EXPECT_EQ(outcome.exit, 4);
  EXPECT_EQ(outcome.err, "");
  for (const char* line :
       {"different\n", "pixels          1 of 1000 differ (0.1%)\n", "x 12, y 7 from the upper left",
        "max difference  3 of 255\n", "mean difference 0.001\n", "PSNR            73.", "SSIM", "FLIP"}) {
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << "\n" << outcome.out;
  }
}

TEST_F(CompareCommand, TolerancesDecideAtTheirEdge) {
  EXPECT_EQ(exit("a.png b.png --max-diff 3", "within the tolerance"), 0);
  EXPECT_EQ(exit("a.png b.png --max-diff 2", "differ by more than 2"), 4);
  EXPECT_EQ(exit("a.png b.png --max-pixels 0.001"), 0);
  EXPECT_EQ(exit("a.png b.png --max-pixels 0.1%"), 0);
  EXPECT_EQ(exit("a.png b.png --max-pixels 0.09%", "0.09% may"), 4);
  EXPECT_EQ(exit("a.png b.png --min-psnr 70"), 0);
  EXPECT_EQ(exit("a.png b.png --min-psnr 80", "is under 80"), 4);
  EXPECT_EQ(exit("a.png b.png --min-ssim 0.99"), 0);
  EXPECT_EQ(exit("a.png b.png --min-ssim 1", "SSIM"), 4);
  EXPECT_EQ(exit("a.png b.png --max-flip 0.01"), 0);
  EXPECT_EQ(exit("a.png b.png --max-flip 0", "is over 0"), 4);
  EXPECT_EQ(exit("a.png b.png --max-diff 3 --min-psnr 80", "PSNR"), 4);
}

TEST_F(CompareCommand, JsonHoldsEveryMetric) {
  const Outcome outcome = run("compare a.png b.png --json --max-diff 3");
  EXPECT_EQ(outcome.exit, 0);
  const auto result = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(result["kind"], "picture");
  EXPECT_EQ(result["within_tolerance"], true);
  EXPECT_EQ(result["identical"], 0);
  EXPECT_EQ(result["different"], 0);
  const auto& worst = result["worst"];
  EXPECT_EQ(worst["max_diff"], 3);
  EXPECT_EQ(worst["first"], nlohmann::json({12, 7}));
  EXPECT_EQ(worst["box"], nlohmann::json({12, 7, 1, 1}));
  EXPECT_DOUBLE_EQ(worst["differing_pixels"].get<double>(), 0.001);
  EXPECT_DOUBLE_EQ(worst["mean_diff"].get<double>(), 0.001);
  EXPECT_GT(worst["flip"].get<double>(), 0);
  EXPECT_LT(worst["ssim"].get<double>(), 1);
  EXPECT_EQ(result["differing_frames"].size(), 1u);
  const auto same = nlohmann::json::parse(run("compare a.png same.png --json").out);
  EXPECT_EQ(same["identical"], 1);
  EXPECT_TRUE(same["worst"].is_null());
}

TEST_F(CompareCommand, DiffDrawsTheWorstFrameAndReplacesNothingUnasked) {
  EXPECT_EQ(exit("a.png same.png --diff d.png"), 0);
  EXPECT_FALSE(exists("d.png"));
  EXPECT_EQ(exit("a.png b.png --diff d.png"), 4);
  EXPECT_EQ(exit("a.png same.png --diff d.png --overwrite", "d.png was deleted"), 0);
  EXPECT_FALSE(exists("d.png"));
  EXPECT_EQ(exit("a.png b.png --diff d.png"), 4);
  const Picture difference = read_picture(folder_ / "d.png");
  EXPECT_EQ(difference.size.width, 40);
  EXPECT_NE(difference.at(12, 7), gray(0));
  EXPECT_EQ(difference.at(13, 7), gray(0));
  EXPECT_EQ(exit("a.png b.png --diff d.png", "--overwrite"), 2);
  EXPECT_EQ(exit("a.png b.png --diff d.png --overwrite"), 4);
  EXPECT_EQ(exit("a.png b.png --diff ./a.png --overwrite", "one of the pictures"), 2);
  EXPECT_EQ(exit("a.png b.png --diff d.jpg", "x.png"), 2);
  EXPECT_EQ(read_picture(folder_ / "a.png").pixels, plain(40, 25, gray(100)).pixels);
}

TEST_F(CompareCommand, FoldersAreComparedNameByName) {
  for (const char* name : {"e/0.png", "e/1.png", "e/2.png", "f/0.png", "f/2.png"}) picture(name, plain(8, 8, gray(9)));
  picture("f/1.png", plain(8, 8, gray(19)));
  EXPECT_EQ(exit("e e", "identical: 3 frames"), 0);
  EXPECT_EQ(exit("e f", "of 3 frames 2 are identical, 0 within the tolerance, 1 over it\nfirst over      1.png"), 4);
  EXPECT_EQ(exit("e f --max-diff 10", "within the tolerance: of 3 frames 2 are identical, 1 within"), 0);
  fs::remove(folder_ / "f/0.png");
  picture("f/9.png", plain(8, 8, gray(9)));
  const Outcome outcome = run("compare e f");
  EXPECT_EQ(outcome.exit, 4);
  EXPECT_NE(outcome.out.find("different: of 2 frames 1 are identical, 0 within the tolerance, 1 over it\n"
                             "f: 1 picture is missing: 0.png\nf: 1 picture is extra: 9.png\nfirst over      1.png\n"),
            std::string::npos)
      << outcome.out << outcome.err;
  // What one side lacks is no matter of tolerance.
  EXPECT_EQ(
      exit("e f --max-diff 255", "different: of 2 frames 1 are identical, 1 within the tolerance, 0 over it\nf: 1"), 4);
  const auto json = nlohmann::json::parse(run("compare e f --json --max-diff 255").out);
  EXPECT_EQ(json["within_tolerance"], false);
  EXPECT_EQ(json["missing"], nlohmann::json({"0.png"}));
  EXPECT_EQ(json["extra"], nlohmann::json({"9.png"}));
  EXPECT_EQ(json["tolerance"]["max_diff"], 255);
  EXPECT_TRUE(json.contains("version"));
  for (const char* name : {"f/1.png", "f/2.png", "f/9.png"}) fs::remove(folder_ / name);
  picture("f/7.png", plain(8, 8, gray(9)));
  EXPECT_EQ(exit("e f", "f: 3 pictures are missing: 0.png, 1.png, 2.png\nf: 1 picture is extra: 7.png\n"), 4);
  fs::create_directory(folder_ / "none");
  EXPECT_EQ(exit("e none", "no PNG or JPEG in this folder"), 2);
}

TEST_F(CompareCommand, AnotherSizeIsADifference) {
  picture("small.png", plain(20, 25, gray(100)));
  const Outcome outcome = run("compare a.png small.png --max-diff 255 --diff d.png");
  EXPECT_EQ(outcome.exit, 4);
  EXPECT_EQ(outcome.out, "different\nbecause         the sizes differ: 40x25 and 20x25 pixels\n");
  EXPECT_EQ(outcome.err, "no two pictures of one size differ, so d.png was not drawn\n");
  EXPECT_FALSE(exists("d.png"));
  const auto json = nlohmann::json::parse(run("compare a.png small.png --json").out);
  EXPECT_EQ(json["within_tolerance"], false);
  EXPECT_EQ(json["different"], 1);
  EXPECT_TRUE(json["worst"].is_null());
  EXPECT_EQ(json["differing_frames"][0]["exceeded"], "the sizes differ: 40x25 and 20x25 pixels");
  EXPECT_FALSE(json["differing_frames"][0].contains("psnr"));
  // In folders the other pairs are measured all the same.
  for (const char* name : {"e/1.png", "e/2.png"}) picture(name, plain(8, 8, gray(9)));
  picture("f/1.png", plain(9, 8, gray(9)));
  picture("f/2.png", plain(8, 8, gray(12)));
  EXPECT_EQ(exit("e f --diff d.png",
                 "0 within the tolerance, 2 over it\nfirst over      1.png\nbecause         the sizes "
                 "differ: 8x8 and 9x8 pixels\nworst           2.png\nbecause         100% of"),
            4);
  EXPECT_EQ(read_picture(folder_ / "d.png").size.width, 8);
}

TEST_F(CompareCommand, TheWorstFrameIsOverTheToleranceBeforeItIsOfLowPsnr) {
  // 1.png differs a little everywhere, 2.png much in one pixel: with --max-diff 5 only the second is over.
  for (const char* name : {"e/1.png", "e/2.png"}) picture(name, plain(30, 30, gray(50)));
  picture("f/1.png", plain(30, 30, gray(54)));
  Picture spot = plain(30, 30, gray(50));
  spot.at(3, 3) = gray(70);
  picture("f/2.png", spot);
  EXPECT_EQ(exit("e f", "worst           1.png"), 4);
  EXPECT_EQ(exit("e f --max-diff 5", "worst           2.png"), 4);
}

TEST_F(CompareCommand, RendersAreComparedAsHashesFoldersAndVideos) {
  write(
      "small.toml",
      "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n[[solver.droplet]]\n[view]\nsize = [64, 36]\nrange = [-0.07, 0.07]\n"
      "[animation]\nframes = 5\n");
  ASSERT_EQ(run("render small.toml -o a.hashes -o a/%d.png -o a.mkv -o a.mp4").exit, 0);
  ASSERT_EQ(run("render small.toml -o b.hashes -o b/%d.png -o b.mkv -o b.mp4").exit, 0);
  ASSERT_EQ(run("render small.toml -o c.hashes -o c/%d.png -o c.mkv --set solver.droplet=[{time=0.5}]").exit, 0);
  ASSERT_EQ(run("render small.toml -o d.hashes -o d.mkv --set animation.frames=4").exit, 0);
  EXPECT_EQ(exit("a.hashes b.hashes", "identical: 5 frame hashes"), 0);
  EXPECT_EQ(exit("a b", "identical: 5 frames"), 0);
  EXPECT_EQ(exit("a.mkv b.mkv", "identical: 5 frames"), 0);
  EXPECT_EQ(exit("a.mp4 b.mp4", "identical: 5 frames"), 0);
  EXPECT_EQ(exit("a.mkv a.mp4 --min-psnr 25", "frames"), 0);
  EXPECT_EQ(exit("a.hashes c.hashes", "the first is frame 0"), 4);
  EXPECT_EQ(exit("a c", "first over      0.png"), 4);
  EXPECT_EQ(exit("a.mkv c.mkv", "first over      frame 0"), 4);
  EXPECT_EQ(exit("a.hashes d.hashes", "only the first has 1, the first is frame 4"), 4);
  EXPECT_EQ(exit("a.mkv d.mkv",
                 "different: of 4 frames 4 are identical, 0 within the tolerance, 0 over it\na.mkv has 5 frames and "
                 "d.mkv has 4\n"),
            4);
  const auto shorter = nlohmann::json::parse(run("compare a.hashes d.hashes --json").out);
  EXPECT_EQ(shorter["within_tolerance"], false);
  EXPECT_EQ(shorter["identical"], 4);
  EXPECT_EQ(shorter["missing"], nlohmann::json({4}));
  const auto result = nlohmann::json::parse(run("compare a.hashes c.hashes --json").out);
  EXPECT_EQ(result["differing_frames"][0], 0);
  EXPECT_EQ(exit("a.hashes c.hashes --max-diff 3", "equal or not"), 2);
  EXPECT_EQ(exit("a.hashes a.mkv", "only things of one kind"), 2);
  EXPECT_EQ(exit("a a.mkv", "only things of one kind"), 2);
}

TEST_F(CompareCommand, TheNameOfAVideoIsNotAnAddress) {
  write("small.toml",
        "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n[[solver.droplet]]\n[view]\nsize = [64, 36]\n"
        "range = [-0.07, 0.07]\n[animation]\nframes = 2\n");
  ASSERT_EQ(run("render small.toml -o a.mkv").exit, 0);
  for (const char* name : {"12:30.mkv", "http:x.mkv", "concat:a.mkv", "data:x.mkv", "%d.mkv"}) {
    fs::copy_file(folder_ / "a.mkv", folder_ / name);
    EXPECT_EQ(exit(fmt::format("a.mkv {}", name), "identical: 2 frames"), 0) << name;
  }
}

TEST_F(CompareCommand, DiffIsNotDrawnIntoAComparedFolder) {
  for (const char* name : {"e/0.png", "e/1.png", "f/0.png"}) picture(name, plain(8, 8, gray(9)));
  picture("f/1.png", plain(8, 8, gray(19)));
  const std::string golden = test::text_of(folder_ / "e/1.png");
  fs::create_directory_symlink(folder_ / "e", folder_ / "link");
  for (const char* diff : {"e/1.png", "e/new.png", "f/1.png", "link/1.png", "e/../e/1.png"}) {
    EXPECT_EQ(exit(fmt::format("e f --overwrite --diff {}", diff), "inside a folder to compare"), 2) << diff;
  }
  EXPECT_EQ(test::text_of(folder_ / "e/1.png"), golden);
  EXPECT_FALSE(exists("e/new.png"));
  const Outcome inside = run("compare . ../f --diff x.png");  // no folder in the name
  EXPECT_EQ(inside.exit, 2);
  EXPECT_EQ(exit("e f --diff e/sub/x.png"), 4);
  EXPECT_TRUE(exists("e/sub/x.png"));
}

TEST_F(CompareCommand, APercentageIsExactlyWhatItSays) {
  Picture seven = plain(40, 25, gray(100));
  for (int x = 0; x < 7; ++x) seven.at(x, 3).r = 9;
  picture("seven.png", seven);
  EXPECT_EQ(exit("a.png seven.png --max-pixels 0.7%"), 0);
  EXPECT_EQ(exit("a.png seven.png --max-pixels 0.007"), 0);
  EXPECT_EQ(exit("a.png seven.png --max-pixels 0.6999%", "0.7% of the pixels differ, 0.6999% may"), 4);
}

TEST_F(CompareCommand, JsonOfNamesThatAreNotUtf8IsUtf8) {
  const std::string odd = "\xff.png";
  fs::copy_file(folder_ / "b.png", folder_ / odd);
  const Outcome pictures = run("compare a.png '" + odd + "' --json");
  EXPECT_EQ(pictures.exit, 4) << pictures.err;
  EXPECT_EQ(nlohmann::json::parse(pictures.out)["actual"], "\xEF\xBF\xBD.png");
  write("\xff.hashes", "0 0123456789abcdef\n");
  const Outcome hashes = run("compare '\xff.hashes' '\xff.hashes' --json");
  EXPECT_EQ(hashes.exit, 0) << hashes.err;
  EXPECT_EQ(nlohmann::json::parse(hashes.out)["expected"], "\xEF\xBF\xBD.hashes");
}

TEST_F(CompareCommand, EqualityOfRoundedChannelsIsSaidToBeThat) {
  const auto obstacle = [](const char* name) { return (test::root() / "tests/obstacle" / name).string(); };
  EXPECT_EQ(run("compare " + obstacle("rgb16.png") + " " + obstacle("rgb16.png")).out, "identical\n");
  write_picture(folder_ / "rgb8.png", read_picture(obstacle("rgb16.png")));
  EXPECT_EQ(run("compare rgb8.png rgb8.png").out, "identical\n");
  EXPECT_EQ(run("compare " + obstacle("rgb16.png") + " rgb8.png").out, "identical in 8 bits\n");
  const auto json = nlohmann::json::parse(run("compare --json " + obstacle("rgb16.png") + " rgb8.png").out);
  EXPECT_EQ(json["identical_in_8_bits_only"], 1);
}

TEST_F(CompareCommand, PicturesOfSixteenBitsAreComparedInSixteen) {
  const auto deep = [&](const std::string& name, int level) {
    std::vector<std::byte> bytes;  // one channel of one pixel differs
    for (int i = 0; i < 3 * 40 * 25; ++i) {
      const int value = i == 3 * (7 * 40 + 12) + 1 ? level : 25700;
      bytes.insert(bytes.end(), {std::byte(value >> 8), std::byte(value & 255)});
    }
    write(name, encode_png({40, 25}, PixelLayout::rgb16, bytes.data(), {}));
  };
  deep("deep.png", 25700);
  deep("one.png", 25701);
  deep("far.png", 25700 + 258);
  const Outcome outcome = run("compare deep.png one.png");
  EXPECT_EQ(outcome.exit, 4) << "all of it rounds to the same 8 bits";
  for (const char* line : {"1 of 1000 differ", "x 12, y 7 from the upper left", "max difference  1 of 255\n",
                           "mean difference 1.29702e-06\n", "SSIM            1.000000\n"})
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << "\n" << outcome.out;
  EXPECT_EQ(exit("deep.png one.png --max-diff 1", "within the tolerance"), 0);
  EXPECT_EQ(exit("deep.png far.png --max-diff 1", "by 2 at most"), 4);
  EXPECT_EQ(exit("deep.png deep.png", "identical\n"), 0);
  EXPECT_EQ(exit("deep.png a.png", "identical in 8 bits\n"), 0);
  EXPECT_EQ(exit("one.png a.png", "identical in 8 bits\n"), 0);
  EXPECT_EQ(exit("deep.png one.png --diff d.png"), 4);
  EXPECT_NE(read_picture(folder_ / "d.png").at(12, 7), gray(0));
  fs::create_directory(folder_ / "e");
  fs::create_directory(folder_ / "f");
  fs::copy(folder_ / "deep.png", folder_ / "e/1.png");
  fs::copy(folder_ / "one.png", folder_ / "f/1.png");
  EXPECT_EQ(exit("e f", "first over      1.png"), 4);
}

}  // namespace
}  // namespace simreel
