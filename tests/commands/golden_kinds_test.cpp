// What can be accepted beside the frames of a scene, and what of a frame is not looked at.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "tests/support/golden_fixture.h"

namespace simreel::test {
namespace {

class GoldenKinds : public GoldenCommand {
 protected:
  // Puts `now` in the place of `before` in a file in g/.
  void change(const std::string& name, const std::string& before, const std::string& now) {
    std::string text = text_of(folder_ / ("g/" + name));
    const std::size_t at = text.find(before);
    ASSERT_NE(at, std::string::npos) << name << ": " << text;
    write("g/" + name, text.replace(at, before.size(), now));
  }
  void differs(const std::string& words, const std::string& arguments = "") {
    const Outcome outcome = check(arguments);
    EXPECT_EQ(outcome.exit, 4) << words;
    EXPECT_TRUE(contains(outcome.out, words)) << words << "\n" << outcome.out;
  }
};

TEST_F(GoldenKinds, NumbersMayDifferByAShareOfTheGreatest) {
  write("g/a.toml", scene_text("csv = [[\"energy\", 1e-3], [\"step\", 0]]\n"));
  accept();
  const std::string text = text_of(folder_ / "g/a.golden.csv");
  ASSERT_TRUE(text.starts_with("energy,step\n0,0\n0,4\n0,8\n0.00")) << text;
  EXPECT_EQ(check("--strict").exit, 0);
  const std::size_t at = text.find("\n0,8\n") + 1;
  const double greatest = std::stod(text.substr(at + 4));  // frame 3: the droplet has just fallen
  for (const auto& [share, exit] : {std::pair(0.9e-3, 0), {1.1e-3, 4}}) {
    write("g/a.golden.csv", std::string(text).replace(at, 1, fmt::format("{}", share * greatest)));
    EXPECT_EQ(check().exit, exit) << share;
  }
  differs("a: energy of frame 2 is 0, and " + fmt::format("{}", 1.1e-3 * greatest) +
              " was accepted: they differ by 0.0011 of",
          "--artifacts art/x");
  EXPECT_EQ(text_of(folder_ / "art/x/a.actual.golden.csv"), text);
  write("g/a.golden.csv", text);
  change("a.golden.csv", "\n0,8\n", "\n0,9\n");
  differs("step of frame 2 is 8, and 9 was accepted");
  change("a.golden.csv", "\n0,9\n", "\n");
  differs("a.golden.csv holds 5 rows, and 6 frames are rendered");
  change("a.golden.csv", "energy", "mass");
  differs("a.golden.csv holds mass, step, and [golden] csv names energy, step");
  std::filesystem::remove(folder_ / "g/a.golden.csv");
  differs("missing     a: a.golden.csv is not there");
  write("g/a.golden.csv", text);
  write("g/a.toml", scene_text());
  differs("a.golden.csv is stale: [golden] names no csv");
  EXPECT_TRUE(contains(accept().out, "removed a.golden.csv"));
  write("g/c.golden.csv", text);
  differs("c.golden.csv belongs to no scene", "--strict");
  std::filesystem::remove(folder_ / "g/c.golden.csv");
  write("g/a.toml", scene_text("csv = [[\"energi\", 0]]\n"));
  const Outcome wrong = check();
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_TRUE(contains(wrong.out, "g/a.toml:17:1: \"csv\" in [golden] names \"energi\"")) << wrong.out;
  EXPECT_TRUE(contains(wrong.out, "did you mean \"energy\"?")) << wrong.out;
}

TEST_F(GoldenKinds, BoxesOfAFrameAreIgnored) {
  write("g/a.toml", scene_text("ignore = [[0, 0, 2, 2], [7, 3, 8, 4]]\n"));
  accept();
  nudge("g/a.000005.png", 50);
  EXPECT_EQ(check("--report r.html").exit, 0);
  write("g/a.toml", scene_text("ignore = [[8, 3, 9, 4], [7, 2, 8, 3]]\n"));
  differs("the still of frame 5: ", "--artifacts art");
  EXPECT_TRUE(exists("art/a.000005.actual.png") && exists("art/a.000005.difference.png"));
  EXPECT_FALSE(exists("art/b.000005.actual.png"));
  const Picture accepted = read_picture(folder_ / "g/a.000005.png"),
                shown = read_picture(folder_ / "art/a.000005.actual.png");
  EXPECT_EQ(accepted.at(7, 3).g, static_cast<std::uint8_t>(shown.at(7, 3).g + 50));
  write("g/a.toml", scene_text("ignore = [[0, 0, 33, 2]]\n"));
  const Outcome beyond = check();
  EXPECT_EQ(beyond.exit, 2);
  EXPECT_TRUE(
      contains(beyond.out, "g/a.toml:17:1: \"ignore\" in [golden] holds [0, 0, 33, 2], but a frame has 32 x 18"))
      << beyond.out;
  write("g/a.toml", scene_text("ignore = [[4, 0, 4, 2]]\n"));
  EXPECT_TRUE(contains(check().out, "[4, 0, 4, 2], which is no box"));
}

TEST_F(GoldenKinds, IgnoredBoxesAndNumbersHaveACeiling) {
  write("g/a.toml", scene_text("ignore = [[0, 0, 32, 9]]\ncsv = [[\"energy\", 1e-3]]\n"));
  accept();
  differs("a: ignore is a tolerance that --max-tolerance does not name", "--max-tolerance csv=1");
  differs("a: ignore = 0.5 is beyond what --max-tolerance allows, 0.4",
          "--max-tolerance ignore=0.4 --max-tolerance csv=1");
  differs("a: csv = 0.001 is beyond what", "--max-tolerance ignore=0.5 --max-tolerance csv=1e-4");
  EXPECT_EQ(check("--max-tolerance ignore=0.5 --max-tolerance csv=1e-3").exit, 0);
}

TEST_F(GoldenKinds, AFigureOfPanelsIsAGolden) {
  write("g/t.csv", "t,v\n0,1\n1,3\n2,2\n");
  write("g/f.toml",
        "[figure]\ntitle = \"both\"\ncolumns = 2\nwidth = \"60mm\"\ndpi = 72\n[[panel]]\nscene = \"a.toml\"\nframe = "
        "4\n[[panel]]\n[panel.plot]\n[[panel.plot.line]]\nfile = \"t.csv\"\nx = \"t\"\ny = \"v\"\n");
  differs("missing     f: f.hashes, f.svg, f.000000.png are not there");
  accept();
  EXPECT_EQ(check("--strict").exit, 0);
  const std::string svg = text_of(folder_ / "g/f.svg");
  EXPECT_TRUE(contains(svg, "base64,\"")) << "the bytes of pictures are not compared";
  EXPECT_FALSE(contains(svg, version)) << "a new version does not change it";
  change("f.svg", ">both<", ">moth<");
  differs("f.svg: line ", "--artifacts art");
  EXPECT_EQ(text_of(folder_ / "art/f.actual.svg"), svg);
  write("g/f.svg", svg);
  nudge("g/f.000000.png", -1);
  differs("f: the still of frame 0: differs by up to 1");
  accept();
  write("g/t.csv", "t,v\n0,1\n1,3\n2,2.5\n");
  differs("differs; f.svg: line ");
  write("g/f.toml", "[[panel]]\nscene = \"none.toml\"\n");
  EXPECT_EQ(check().exit, 2);
}

TEST_F(GoldenKinds, SeveralSetsMayBeAccepted) {
  accept();
  const auto before = content();
  write("g/a.toml", scene_text("", "0.05"));
  const Outcome also = run("golden update g --also --backend cpu");
  EXPECT_TRUE(contains(also.out, "wrote a.2.000000.png, a.2.000005.png, a.2.hashes\n")) << also.out;
  EXPECT_TRUE(contains(also.out, "unchanged   b\n")) << also.out;
  EXPECT_TRUE(contains(check("--strict").out, "same        a: as a.2\n"));
  EXPECT_TRUE(contains(run("golden update g --also --backend cpu").out, "0 accepted, 2 unchanged"));
  write("g/a.toml", scene_text());
  EXPECT_EQ(content().at("a.hashes"), before.at("a.hashes"));
  EXPECT_TRUE(contains(check("--strict").out, "same        a\n"));
  // The frames of one set do not go with the hashes of another.
  std::filesystem::copy_file(folder_ / "g/a.000005.png", folder_ / "x.png");
  std::filesystem::copy_file(folder_ / "g/a.2.000005.png", folder_ / "g/a.000005.png",
                             std::filesystem::copy_options::overwrite_existing);
  differs("different   a: the still of frame 5");
  std::filesystem::copy_file(folder_ / "x.png", folder_ / "g/a.000005.png",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(contains(accept().out, "removed a.2.000000.png, a.2.000005.png, a.2.hashes"));
  EXPECT_EQ(names(), (std::vector<std::string>{"a.000000.png", "a.000005.png", "a.hashes", "a.toml", "b.000000.png",
                                               "b.000005.png", "b.hashes", "b.toml"}));
}

TEST_F(GoldenKinds, ASetBehindAGapBelongsToNoScene) {
  accept();
  for (const char* set : {"2", "3"})
    for (const char* file : {"hashes", "000005.png"})
      std::filesystem::copy_file(folder_ / fmt::format("g/a.{}", file), folder_ / fmt::format("g/a.{}.{}", set, file));
  EXPECT_EQ(check("--strict").exit, 0);
  std::filesystem::remove(folder_ / "g/a.2.hashes");
  std::filesystem::remove(folder_ / "g/a.2.000005.png");
  EXPECT_TRUE(contains(check().out, "note        a.3.hashes belongs to no scene\n"));
  differs("a.3.000005.png belongs to no scene", "--strict");
}

TEST_F(GoldenKinds, ADryRunChangesNothing) {
  accept();
  run("golden update g --also --backend cpu");
  write("g/a.toml", scene_text("frames = [0]\ncsv = [[\"time\", 0]]\n", "0.05"));
  const auto before = content();
  const std::string arguments = "golden update g --backend cpu --dry-run";
  const Outcome dry = run(arguments);
  EXPECT_EQ(dry.exit, 0);
  EXPECT_EQ(dry.out,
            "to accept   a: writes a.hashes, a.golden.csv; removes a.000005.png\nunchanged   b\n"
            "1 to be accepted, 1 unchanged\n");
  EXPECT_EQ(content(), before);
  EXPECT_TRUE(contains(accept().out, "accepted    a: wrote a.hashes, a.golden.csv; removed a.000005.png\n"));
}

TEST_F(GoldenKinds, LineEndsOfWindowsAreNoDifference) {
  write("g/a.toml", scene_text("csv = [[\"energy\", 0]]\n"));
  accept();
  for (const char* name : {"g/a.hashes", "g/b.hashes", "g/a.golden.csv"}) {
    std::string text;
    for (const char c : text_of(folder_ / name)) text += c == '\n' ? "\r\n" : std::string(1, c);
    write(name, text);
  }
  EXPECT_EQ(check("--strict").exit, 0);
  const auto before = content();
  EXPECT_TRUE(contains(accept().out, "0 accepted, 2 unchanged"));
  EXPECT_EQ(content(), before);
  EXPECT_EQ(run("compare g/a.hashes g/b.hashes").exit, 0);
}

TEST_F(GoldenKinds, TimeAndMemoryOfAScene) {
  accept();
  const auto result = nlohmann::json::parse(check("--json --report r.html").out);
  for (const auto& scene : result["scenes"]) {
    EXPECT_GT(scene["seconds"], 0);
    EXPECT_GT(scene["memory"], 32 * 18 * 4);
  }
  EXPECT_TRUE(contains(text_of(folder_ / "r.html"), " MiB</span></summary>"));
}

}  // namespace
}  // namespace simreel::test
