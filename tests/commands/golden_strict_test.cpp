// What a CI must notice about a folder of goldens, and which of its scenes are checked.

#include <algorithm>

#include "tests/support/golden_fixture.h"

namespace simreel::test {
namespace {

using GoldenStrict = GoldenCommand;

std::ptrdiff_t lines_with(const std::string& text, const std::string& word) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++count;
  return count;
}

TEST_F(GoldenStrict, FoldersInTheFolderAreNotForgotten) {
  accept();
  std::filesystem::create_directories(folder_ / "g/sub/deep");
  write("g/sub/deep/c.toml", scene_text());
  EXPECT_EQ(check().exit, 0);
  const Outcome strict = check("--strict");
  EXPECT_EQ(strict.exit, 4);
  EXPECT_TRUE(contains(strict.out, "different   g: sub is a folder with scenes, which only --recursive checks"))
      << strict.out;
  const Outcome missing = check("--recursive");
  EXPECT_EQ(missing.exit, 4);
  EXPECT_TRUE(contains(missing.out, "golden update --recursive g sub/deep/c\n")) << missing.out;
  EXPECT_EQ(run("golden update --recursive g sub/deep/c --backend cpu").exit, 0);
  EXPECT_TRUE(exists("g/sub/deep/c.hashes") && exists("g/sub/deep/c.000005.png"));
  const Outcome all = check("--recursive --strict --expect 3");
  EXPECT_EQ(all.exit, 0) << all.out;
  EXPECT_TRUE(contains(all.out, "same        sub/deep/c\n")) << all.out;
}

TEST_F(GoldenStrict, ScenesThatWereDeletedAreNoticed) {
  accept();
  EXPECT_EQ(check("--strict --expect 2").exit, 0);
  std::filesystem::remove(folder_ / "g/b.toml");
  EXPECT_EQ(check().exit, 0);
  const Outcome strict = check("--strict");
  EXPECT_EQ(strict.exit, 4);
  for (const char* file : {"b.000000.png", "b.000005.png", "b.hashes"})
    EXPECT_TRUE(contains(strict.out, std::string(file) + " belongs to no scene")) << strict.out;
  std::filesystem::remove(folder_ / "g/b.hashes");
  for (const char* still : {"g/b.000000.png", "g/b.000005.png"}) std::filesystem::remove(folder_ / still);
  EXPECT_EQ(check("--strict").exit, 0);
  const Outcome fewer = check("--strict --expect 2 --junit j.xml");
  EXPECT_EQ(fewer.exit, 4);
  EXPECT_TRUE(contains(fewer.out, "g holds 1 scenes, and --expect asks for 2")) << fewer.out;
  EXPECT_TRUE(contains(text_of(folder_ / "j.xml"), "failures=\"1\""));
}

TEST_F(GoldenStrict, TolerancesHaveACeiling) {
  write("g/a.toml", scene_text("max_diff = 20\n"));
  write("g/b.toml", scene_text("min_psnr = 30\n"));
  accept();
  EXPECT_EQ(check().exit, 0);
  const Outcome both = check("--max-tolerance max_diff=10");
  EXPECT_EQ(both.exit, 4);
  EXPECT_TRUE(contains(both.out, "different   a: max_diff = 20 is beyond what --max-tolerance allows, 10")) << both.out;
  EXPECT_TRUE(contains(both.out, "different   b: min_psnr is a tolerance that --max-tolerance does not name"))
      << both.out;
  EXPECT_EQ(check("--max-tolerance max_diff=20 --max-tolerance min_psnr=40").exit, 4);
  EXPECT_EQ(check("--max-tolerance max_diff=20 --max-tolerance min_psnr=30").exit, 0);
  EXPECT_EQ(check("--max-tolerance diff=20").exit, 2);
}

TEST_F(GoldenStrict, SomeOfTheScenesAreChecked) {
  for (const char* name : {"g/c.toml", "g/ab.toml"}) write(name, scene_text());
  accept();
  const Outcome with_a = check("-k a");
  EXPECT_EQ(lines_with(with_a.out, "same  "), 2) << with_a.out;
  EXPECT_EQ(check("-k nothing").exit, 2);
  std::string all;
  for (const char* shard : {"1/3", "2/3", "3/3"}) all += check(std::string("--shard ") + shard).out;
  for (const char* name : {"a", "ab", "b", "c"})
    EXPECT_EQ(lines_with(all, std::string("same        ") + name + "\n"), 1) << all;
  for (const char* wrong : {"0/3", "4/3", "1", "1/3x", "a/b"})
    EXPECT_EQ(check(std::string("--shard ") + wrong).exit, 2) << wrong;
  write("g/a.toml", scene_text("", "0.05"));
  write("g/b.toml", scene_text("", "0.05"));
  const Outcome first = check("--fail-fast --threads 1");
  EXPECT_EQ(first.exit, 4);
  EXPECT_EQ(lines_with(first.out, "different   "), 1) << first.out;
  EXPECT_EQ(lines_with(check("--threads 1").out, "different   "), 2);
}

}  // namespace
}  // namespace simreel::test
