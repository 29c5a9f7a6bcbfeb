#include "compare/hash_list.h"

#include "compare_fixture.h"
#include "sink_fixture.h"

namespace simreel {
namespace {

using Frames = std::vector<std::int64_t>;

class CompareHashes : public SinkTest {
 protected:
  std::string error(const std::string& text) {
    put(path("x.hashes"), text);
    return test::usage_error([&] { read_hashes(path("x.hashes")); });
  }
};

TEST_F(CompareHashes, ReadsWhatTheSinkWritesAndHashesPicturesAlike) {
  write_all(path("a.hashes"));
  write_all(path("a/%d.png"));
  const std::vector<FrameHash> hashes = read_hashes(path("a.hashes"));
  ASSERT_EQ(hashes.size(), 10u);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ(hashes[i].frame, std::int64_t(i));
    EXPECT_EQ(hashes[i].digits, hash_picture(read_picture(path("a/" + std::to_string(i) + ".png"))));
  }
}

TEST_F(CompareHashes, MalformedLinesAreNamed) {
  const std::string good = "0 0123456789abcdef\n";
  EXPECT_EQ(error(good), "");
  EXPECT_NE(error("").find("x.hashes: empty"), std::string::npos);
  for (const char* line :
       {"1 0123456789abcde\n", "1 0123456789abcdeg\n", "1  123456789abcdef\n", "x 0123456789abcdef\n",
        "-1 0123456789abcdef\n", "1 0123456789abcdef0\n", "\n", "1 0123456789ABCDEF\n", "1 0123456789abcdef\r\n",
        "99999999999999999999 0123456789abcdef\n", "1 0123456789abcdef"}) {
    EXPECT_NE(error(good + line).find("x.hashes:2: "), std::string::npos) << line;
  }
  EXPECT_NE(error(good + good).find("x.hashes:2: frame 0 follows frame 0"), std::string::npos);
  EXPECT_NE(test::usage_error([&] { read_hashes(path("none.hashes")); }).find("none.hashes"), std::string::npos);
}

TEST_F(CompareHashes, DifferingFramesAreListedAndMissingOnesNamed) {
  const std::vector<FrameHash> all = {{0, "a"}, {2, "b"}, {4, "c"}, {6, "d"}};
  EXPECT_EQ(differing_frames(all, all, "x"), Frames{});
  EXPECT_EQ(differing_frames(all, {{0, "a"}, {2, "B"}, {4, "c"}, {6, "D"}}, "x"), (Frames{2, 6}));
  EXPECT_EQ(
      test::usage_error([&] {
        differing_frames(all, {{0, "a"}, {4, "c"}, {6, "d"}, {8, "e"}, {10, "f"}}, "x");
      }),
      "x: the frames are not the same: 4 and 5 of them; only the first has 1, the first is frame 2; only the second "
      "has 2, the first is frame 8");
}

}  // namespace
}  // namespace simreel
