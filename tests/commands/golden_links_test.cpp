// What a pull request may bring to a folder of goldens: links, names and pointers that mean other files.

#include <algorithm>
#include <fstream>

#include "tests/support/golden_fixture.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Outcome;
using test::scene_text;
using test::text_of;

class GoldenLinks : public test::GoldenCommand {
 protected:
  void SetUp() override {
    GoldenCommand::SetUp();
    fs::create_directory(folder_ / "out");
    write("out/victim", "precious");
  }
  void link(const std::string& to, const std::string& name) {
    fs::remove_all(folder_ / name);
    fs::create_symlink(to, folder_ / name);
  }
  // Whether nothing was written beside the folder of goldens.
  void expect_untouched(const std::string& when) {
    EXPECT_EQ(text_of(folder_ / "out/victim"), "precious") << when;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "out"), {}), 1) << when;
  }
};

TEST_F(GoldenLinks, AreReplacedAndNotFollowed) {
  fs::create_directory(folder_ / "g/in");
  struct Row {
    std::string to;
    bool leaves;
  };
  for (const auto& [to, leaves] : {Row{"../out/victim", true},
                                   {"../out/new", true},
                                   {"..", true},
                                   {"../out", true},
                                   {folder_ / "out/victim", true},
                                   {"/etc/passwd", true},
                                   {"in/../../out/new", true},
                                   {"in", false},
                                   {"nothing", false},
                                   {"a.toml", false},
                                   {"b.toml", false},
                                   {"in/new", false}}) {
    const std::vector<std::string> names = {"a.hashes", "a.000000.png", "a.000005.png"};
    for (const std::string& name : names) link(to, "g/" + name);
    const Outcome checked = check("a");
    EXPECT_EQ(checked.exit, 4) << to;
    EXPECT_EQ(contains(checked.out, "it lies outside of "), leaves) << to << checked.out;
    EXPECT_EQ(contains(checked.out, "golden update"), !leaves) << to << checked.out;
    const Outcome updated = run(std::string("golden update g --backend cpu a ") + (leaves ? "--confine=g" : ""));
    EXPECT_EQ(updated.exit, 0) << to << updated.out;
    for (const std::string& name : names)
      EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / ("g/" + name)))) << name << " -> " << to;
    EXPECT_EQ(check("a").exit, 0) << to;
    expect_untouched(to);
  }
  EXPECT_EQ(text_of(folder_ / "g/b.toml"), scene_text());
}

TEST_F(GoldenLinks, FurtherSetsAndStaleFilesAreTheLinksThemselves) {
  ASSERT_EQ(run("golden update g --backend cpu a").exit, 0);
  link("../out/victim", "g/a.2.hashes");
  link("../out/victim", "g/a.000003.png");
  link("../out/victim", "g/a.golden.csv");
  EXPECT_EQ(check("a").exit, 4);
  ASSERT_EQ(run("golden update g --backend cpu a").exit, 0);
  EXPECT_EQ(check("a").exit, 0);
  for (const char* name : {"g/a.2.hashes", "g/a.000003.png", "g/a.golden.csv"})
    EXPECT_FALSE(fs::exists(fs::symlink_status(folder_ / name))) << name;
  expect_untouched("");
  write("g/a.toml", scene_text("", "0.08"));
  link("../out/new", "g/a.2.hashes");
  ASSERT_EQ(run("golden update g --backend cpu --also a").exit, 0);
  EXPECT_EQ(check("a").exit, 0);
  expect_untouched("--also");
}

// Of a report, a JUnit file and a folder of artifacts the command line has the name, and a pull request perhaps a link.
TEST_F(GoldenLinks, ResultsStayInTheirFolder) {
  ASSERT_EQ(accept().exit, 0);
  nudge("g/a.000005.png");
  fs::create_directories(folder_ / "r/in");
  struct Row {
    std::string option, name, to;
    bool leaves;
  };
  for (const auto& [option, name, to, leaves] : {Row{"--report", "r/x.html", "../out/victim", true},
                                                 {"--report", "r/x.html", "../out/new", true},
                                                 {"--report", "r/x.html", "in/x.html", false},
                                                 {"--junit", "r/x.xml", "../out/victim", true},
                                                 {"--junit", "r/x.xml", "../out/new", true},
                                                 {"--junit", "r/x.xml", "in/x.xml", false},
                                                 {"--artifacts", "r/d", "../out", true},
                                                 {"--artifacts", "r/d/", "../out", true},
                                                 {"--artifacts", "r/d", "..", true},
                                                 {"--artifacts", "r/d", "in", false}}) {
    link(to, name.ends_with('/') ? name.substr(0, name.size() - 1) : name);
    const Outcome outcome = check(option + " " + name);
    EXPECT_EQ(outcome.exit, leaves ? 2 : 4) << name << " -> " << to << outcome.err;
    EXPECT_EQ(contains(outcome.err, "is a link that leads out of its folder, to "), leaves) << outcome.err;
    expect_untouched(name + " -> " + to);
  }
  EXPECT_TRUE(fs::is_regular_file(folder_ / "r/in/x.html"));
  EXPECT_TRUE(fs::exists(folder_ / "r/in/a.000005.actual.png"));
}

TEST_F(GoldenLinks, ArtifactsStayInTheirFolder) {
  fs::create_directories(folder_ / "g/sub");
  write("g/sub/c.toml", scene_text());
  ASSERT_EQ(run("golden update g --recursive --backend cpu").exit, 0);
  for (const char* name : {"g/a.000005.png", "g/sub/c.000005.png"}) nudge(name);
  fs::create_directory(folder_ / "d");
  link("../out", "d/sub");
  link("../out/victim", "d/a.000005.actual.png");
  link("../out/new", "d/a.000005.difference.png");
  const Outcome outcome = check("--recursive --artifacts d --junit j.xml --report r.html");
  EXPECT_EQ(outcome.exit, 1) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "failed      sub/c: ") && contains(outcome.out, "a link leads out of d"))
      << outcome.out;
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "d/a.000005.actual.png")));
  expect_untouched("");
  for (const char* file : {"j.xml", "r.html"}) EXPECT_TRUE(contains(text_of(folder_ / file), "sub/c")) << file;
}

TEST_F(GoldenLinks, PointersOfLfsAreNamed) {
  ASSERT_EQ(accept().exit, 0);
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, 'a') + "\nsize 12345\n";
  for (const std::string name : {"a.hashes", "a.000005.png", "a.toml"}) {
    const std::string before = text_of(folder_ / ("g/" + name));
    write("g/" + name, pointer);
    const Outcome outcome = check("a");
    EXPECT_EQ(outcome.exit, name == "a.toml" ? 2 : 4) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "it is a pointer of Git LFS, not the file; fetch that with: git lfs pull"))
        << outcome.out;
    EXPECT_FALSE(contains(outcome.out, "golden update")) << outcome.out;
    write("g/" + name, before);
  }
  write("s.toml", pointer);
  for (const char* command : {"render s.toml -o x.hashes", "check s.toml", "figure s.toml -o x.pdf"})
    EXPECT_TRUE(contains(run(command).err + text_of(folder_ / "out.txt"), "a pointer of Git LFS")) << command;
}

// The names of the results are longer than that of the scene.
TEST_F(GoldenLinks, ALongNameOfASceneHidesNoOther) {
  ASSERT_EQ(accept().exit, 0);
  nudge("g/b.000005.png");
  for (const std::string letter : {"n", "\xc3\xa9"})
    for (const std::size_t bytes : {222u, 224u, 232u, 234u, 250u}) {
      std::string name;
      while (name.size() + letter.size() <= bytes) name += letter;
      write("g/" + name + ".toml", scene_text("frames = [5]\n"));
      const Outcome updated = run("golden update g --backend cpu " + name);
      EXPECT_EQ(updated.exit, bytes <= 233 ? 0 : 2) << bytes << updated.out;
      std::error_code unknown;
      EXPECT_EQ(fs::exists(folder_ / ("g/" + name + ".hashes"), unknown), bytes <= 233) << bytes;
      if (bytes <= 233) nudge("g/" + name + ".000005.png");
      const Outcome outcome = check("--junit j.xml --report r.html --artifacts d");
      EXPECT_EQ(outcome.exit, bytes <= 222 ? 4 : 2) << bytes << outcome.out;
      EXPECT_EQ(contains(outcome.out, "File name too long"), bytes > 222) << bytes << outcome.out;
      EXPECT_TRUE(contains(outcome.out, "different   b: ")) << bytes << outcome.out;
      for (const char* file : {"j.xml", "r.html"}) EXPECT_TRUE(contains(text_of(folder_ / file), name)) << bytes;
      for (const char* left : {"j.xml", "r.html", "d"}) fs::remove_all(folder_ / left);
      for (const auto& entry : fs::directory_iterator(folder_ / "g"))
        if (entry.path().filename().string().starts_with(name)) fs::remove(entry);
    }
}

// Nor is a command printed that could not be typed.
TEST_F(GoldenLinks, NamesDoNotBreakLines) {
  ASSERT_EQ(accept().exit, 0);
  for (const std::string name : {"x\nsame        y", "x\x1b[2J", "x\xc2\x9by", "x\xe2\x80\xaey", "x\x7f", "x\xff"}) {
    write("g/" + name + ".toml", scene_text());
    const Outcome outcome = check("--junit j.xml --report r.html");
    EXPECT_EQ(outcome.exit, 4) << name;
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 4) << outcome.out;
    EXPECT_FALSE(contains(outcome.out, "golden update")) << outcome.out;
    for (const std::string& text : {outcome.out, text_of(folder_ / "j.xml"), text_of(folder_ / "r.html")})
      EXPECT_TRUE(std::ranges::none_of(text, [](char c) { return c == '\x1b' || c == '\x7f'; })) << name;
    fs::remove(folder_ / ("g/" + name + ".toml"));
  }
}

TEST_F(GoldenLinks, ATolerationOfEverythingIsNoted) {
  ASSERT_EQ(accept().exit, 0);
  for (const auto& [keys, noted] :
       std::initializer_list<std::pair<const char*, bool>>{{"max_diff = 255", true},
                                                           {"max_pixels = 1", true},
                                                           {"max_pixels = 1.0\nmax_diff = 3", true},
                                                           {"min_psnr = 0", true},
                                                           {"min_ssim = -1", true},
                                                           {"max_flip = 1", true},
                                                           {"ignore = [[0, 0, 32, 18]]", true},
                                                           {"ignore = [[0, 0, 20, 18], [16, 0, 32, 18]]", true},
                                                           {"min_psnr = 0\nmax_diff = 255", true},
                                                           {"csv = [[\"energy\", 1]]", true},
                                                           {"max_diff = 2", false},
                                                           {"max_diff = 0", false},
                                                           {"max_pixels = 0.99", false},
                                                           {"min_psnr = 40", false},
                                                           {"min_ssim = 0.9", false},
                                                           {"max_flip = 0.02", false},
                                                           {"min_psnr = 0\nmax_diff = 1", false},
                                                           {"ignore = [[0, 0, 31, 18]]", false},
                                                           {"csv = [[\"energy\", 0.5]]", false}}) {
    write("g/a.toml", scene_text(std::string("frames = [0, 5]\n") + keys + "\n"));
    ASSERT_EQ(run("golden update g --backend cpu a").exit, 0);
    const Outcome outcome = check("a");
    EXPECT_EQ(outcome.exit, 0) << keys << outcome.out;
    EXPECT_EQ(contains(outcome.out, "lets every picture pass") || contains(outcome.out, "0 passes for any value"),
              noted)
        << keys << "\n"
        << outcome.out;
  }
}

}  // namespace
}  // namespace simreel
