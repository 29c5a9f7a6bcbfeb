#include "compare/hash_list.h"

#include "sink/data/lines.h"
#include "tests/support/compare_fixture.h"
#include "tests/support/sink_fixture.h"

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
    const Picture drawn = read_picture(path("a/" + std::to_string(i) + ".png"));
    std::vector<std::byte> rgb;
    for (const Color& c : drawn.pixels) rgb.insert(rgb.end(), {std::byte(c.r), std::byte(c.g), std::byte(c.b)});
    EXPECT_EQ(hashes[i].digits, hash_digits(rgb.data(), drawn.size));
  }
}

TEST_F(CompareHashes, MalformedLinesAreNamed) {
  const std::string good = "0 0123456789abcdef\n";
  EXPECT_EQ(error(good), "");
  EXPECT_EQ(error(good + "1 0123456789abcdef\r\n"), "") << "as git writes it on Windows";
  EXPECT_TRUE(test::says(error(""), "x.hashes: empty"));
  std::filesystem::resize_file(path("x.hashes"), limits::text_bytes + 1);  // with holes
  EXPECT_TRUE(test::says(test::usage_error([&] { read_hashes(path("x.hashes")); }), "more than 67108864 bytes"));
  for (const char* line :
       {"1 0123456789abcde\n", "1 0123456789abcdeg\n", "1  123456789abcdef\n", "x 0123456789abcdef\n",
        "-1 0123456789abcdef\n", "1 0123456789abcdef0\n", "\n", "1 0123456789ABCDEF\n", "1 0123456789abcdef\r\r\n",
        "99999999999999999999 0123456789abcdef\n", "1 0123456789abcdef"})
    EXPECT_TRUE(test::says(error(good + line), "x.hashes:2: ")) << line;
  EXPECT_TRUE(test::says(error(good + good), "x.hashes:2: frame 0 follows frame 0"));
  EXPECT_TRUE(test::says(test::usage_error([&] { read_hashes(path("none.hashes")); }), "none.hashes"));
}

TEST_F(CompareHashes, FramesArePairedByTheirNumbers) {
  const std::vector<FrameHash> all = {{0, "a"}, {2, "b"}, {4, "c"}, {6, "d"}};
  const HashDifferences same = compare_hash_lists(all, all);
  EXPECT_EQ(same.differing, Frames{});
  EXPECT_EQ(compare_hash_lists(all, {{0, "a"}, {2, "B"}, {4, "c"}, {6, "D"}}).differing, (Frames{2, 6}));
  const HashDifferences gaps = compare_hash_lists(all, {{0, "a"}, {4, "c"}, {6, "D"}, {8, "e"}, {10, "f"}});
  EXPECT_EQ(gaps.differing, Frames{6});
  EXPECT_EQ(gaps.missing, Frames{2});
  EXPECT_EQ(gaps.extra, (Frames{8, 10}));
}

}  // namespace
}  // namespace simreel
