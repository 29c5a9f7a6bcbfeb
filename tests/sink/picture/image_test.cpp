#include "files/pattern.h"
#include "tests/support/sink_fixture.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wcast-align"
#pragma GCC diagnostic ignored "-Wnull-dereference"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace simreel {
namespace {

class PngTest : public SinkTest {
 protected:
  static std::vector<std::byte> decode(const std::string& file, int channels) {
    int width = 0, height = 0, found = 0;
    stbi_uc* pixels = stbi_load(file.c_str(), &width, &height, &found, 0);
    EXPECT_NE(pixels, nullptr) << file;
    EXPECT_EQ(found, channels) << file;
    const auto* bytes = reinterpret_cast<std::byte*>(pixels);
    std::vector<std::byte> copy(bytes, bytes + std::size_t(width) * std::size_t(height) * std::size_t(found));
    stbi_image_free(pixels);
    return copy;
  }

  // The same of a file with 16 bits a channel, as the layouts have them: the high byte first.
  static std::vector<std::byte> decode_deep(const std::string& file, int channels) {
    int width = 0, height = 0, found = 0;
    EXPECT_TRUE(stbi_is_16_bit(file.c_str())) << file;
    stbi_us* const values = stbi_load_16(file.c_str(), &width, &height, &found, 0);
    EXPECT_NE(values, nullptr) << file;
    EXPECT_EQ(found, channels) << file;
    std::vector<std::byte> bytes;
    for (int i = 0; i < width * height * found; ++i)
      bytes.insert(bytes.end(), {std::byte(values[i] >> 8), std::byte(values[i] & 255)});
    stbi_image_free(values);
    return bytes;
  }

  static std::uint32_t number(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }

  // Name and contents of every chunk, whose checksums are tested bit by bit as the PNG specification writes them (annex
  // D).
  static std::vector<std::pair<std::string, std::string>> chunks(const std::string& file) {
    std::vector<std::pair<std::string, std::string>> list;
    for (std::size_t at = 8; at + 12 <= file.size();) {
      const std::size_t length = number(file, at);
      std::uint32_t crc = 0xffffffff;
      for (std::size_t i = at + 4; i < at + 8 + length; ++i) {
        crc ^= static_cast<unsigned char>(file[i]);
        for (int k = 0; k < 8; ++k) crc = crc & 1 ? 0xedb88320 ^ crc >> 1 : crc >> 1;
      }
      EXPECT_EQ(~crc, number(file, at + 8 + length)) << "chunk at byte " << at;
      list.emplace_back(file.substr(at + 4, 4), file.substr(at + 8, length));
      at += 12 + length;
    }
    return list;
  }

  static void expect_clean(const std::string& file) {
    if (std::system("command -v pngcheck >/dev/null") != 0) return;
    EXPECT_EQ(std::system(("pngcheck -q '" + file + "'").c_str()), 0) << file;
  }
};

TEST_F(PngTest, SequenceIsExact) {
  info_.size = {61, 35};
  write_all(path("new/%03d.png"), 3);
  EXPECT_EQ(files(), (std::vector<std::string>{"new", "new/000.png", "new/001.png", "new/002.png"}));
  for (int i = 0; i < 3; ++i) {
    const std::string file = path("new/00" + std::to_string(i) + ".png");
    EXPECT_EQ(decode(file, 3), picture(info_.size, PixelLayout::rgb, i));
    expect_clean(file);
  }
}

TEST_F(PngTest, AlphaIsKept) {
  info_.alpha = true;
  EXPECT_EQ(open(path("a.png"))->traits().layout, PixelLayout::rgba);
  write_all(path("%d.png"), 2);
  EXPECT_EQ(decode(path("1.png"), 4), picture(info_.size, PixelLayout::rgba, 1));
  expect_clean(path("1.png"));
}

TEST_F(PngTest, SixteenBitsAreExact) {
  options_.depth = 16;
  for (const bool alpha : {false, true}) {
    info_.alpha = alpha;
    const PixelLayout layout = alpha ? PixelLayout::rgba16 : PixelLayout::rgb16;
    for (const Size size : {Size{61, 35}, Size{200, 150}}) {  // too small for a choice of filters, and not
      info_.size = size;
      const std::string folder = path(std::to_string(size.width) + (alpha ? "alpha" : "")) + "/";
      EXPECT_EQ(open(folder + "x.png")->traits().layout, layout);
      write_all(folder + "%d.png", 3);
      write_all(folder + "last.png", 3);
      for (const auto& [name, index] : {std::pair{"0.png", 0}, {"2.png", 2}, {"last.png", 2}}) {
        EXPECT_EQ(decode_deep(folder + name, alpha ? 4 : 3), picture(size, layout, index)) << folder << name;
        expect_clean(folder + name);
      }
      EXPECT_EQ(chunks(contents(folder + "0.png"))[0].second.substr(8),
                std::string(alpha ? "\x10\x06\0\0\0" : "\x10\x02\0\0\0", 5));
    }
  }
}

TEST_F(PngTest, ADepthThatNoOutputHasIsSaid) {
  options_.depth = 16;
  const auto remarks = [&](const std::vector<std::string>& targets) {
    return check_sinks(targets, options_, info_).remarks;
  };
  EXPECT_EQ(remarks({path("a.mp4"), path("%d.png")}), std::vector<std::string>{});
  for (const std::string name : {"a.mp4", "a.apng", "a.hashes"}) {
    ASSERT_EQ(remarks({path(name)}).size(), 1u) << name;
    EXPECT_TRUE(test::says(remarks({path(name)})[0], "depth = 16 in [output] does not apply"));
  }
  std::string told;
  info_.log = [&](LogLevel, std::string_view message) { told = message; };
  open(path("a.csv"));
  EXPECT_TRUE(test::says(told, "no output is one"));
  options_.depth = 8;
  EXPECT_EQ(remarks({path("a.mp4")}), std::vector<std::string>{});
}

TEST_F(PngTest, SingleFileHoldsTheLastFrame) {
  write_all(path("last.png"), 4);
  EXPECT_EQ(files(), std::vector<std::string>{"last.png"});
  EXPECT_EQ(decode(path("last.png"), 3), picture(info_.size, PixelLayout::rgb, 3));
}

TEST_F(PngTest, TextChunksFollowTheHeader) {
  write_all(path("a.png"), 1);
  const auto list = chunks(contents(path("a.png")));
  ASSERT_EQ(list.size(), 7u);
  EXPECT_EQ(list[0].first, "IHDR");
  const std::string gap(5, '\0');
  const std::pair<std::string, std::string> texts[] = {{"title", info_.title},
                                                       {"scene", info_.scene_text},
                                                       {"overrides", "solver.speed=2\nview.colormap=magma"},
                                                       {"version", "simreel 0.1.0"}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(list[i + 1].first, "iTXt");
    EXPECT_EQ(list[i + 1].second, texts[i].first + gap + texts[i].second);
  }
  EXPECT_EQ(list[5].first, "IDAT");
  EXPECT_EQ(list[6].first, "IEND");
}

TEST_F(PngTest, RunThatEndsEarlyLeavesWholeFilesOnly) {
  {
    const auto sink = open(path("%d.png"));
    EXPECT_EQ(files(), (std::vector<std::string>{"%d.png.lock", "0.png.part"}));
    write_one(*sink, 0);
    write_one(*sink, 1);
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"0.png", "1.png"}));
  { open(path("new/x.png")); }
  { open(path("new/%d.png")); }
  EXPECT_EQ(files(), (std::vector<std::string>{"0.png", "1.png"}));
}

TEST_F(PngTest, FramesMayLieInFoldersOfTheirOwn) {
  write_all(path("%02d/frame.png"), 2);
  EXPECT_EQ(files(), (std::vector<std::string>{"00", "00/frame.png", "01", "01/frame.png"}));
}

TEST_F(PngTest, ExistingFileAnywhereInTheRangeIsAnError) {
  put(path("0009.png"), "mine");
  EXPECT_TRUE(test::says(usage_error({path("%04d.png")}), "0009.png: exists already"));
  EXPECT_EQ(files(), std::vector<std::string>{"0009.png"});
  EXPECT_EQ(contents(path("0009.png")), "mine");
  info_.frames = 9;
  write_all(path("%04d.png"), 9);
  EXPECT_EQ(contents(path("0009.png")), "mine");
  info_.frames = 10;
  info_.overwrite = true;
  write_all(path("%04d.png"), 10);
  EXPECT_EQ(decode(path("0009.png"), 3), picture(info_.size, PixelLayout::rgb, 9));
}

// A hundred million frames must not mean as many looks at the file system.
TEST_F(PngTest, LongSequenceIsLookedThroughAtOnce) {
  info_.frames = 1'000'000'000'000;
  put(path("99999999999.png.part"), "mine");
  std::filesystem::create_directories(path("s7"));
  put(path("s7/x.png"), "mine");
  EXPECT_TRUE(test::says(usage_error({path("%d.png")}), "99999999999.png.part: an earlier run"));
  EXPECT_TRUE(test::says(usage_error({path("s%d/x.png")}), "s7/x.png: exists already"));
  EXPECT_EQ(usage_error({path("%02d.jpg.png")}), "");
}

TEST_F(PngTest, PicturesOfALongerRunAreTold) {
  write_all(path("%d.png"), 5);
  info_.overwrite = true;
  info_.frames = 3;
  std::string told;
  info_.log = [&](LogLevel, std::string_view message) { told += message; };
  open(path("%d.png"));
  EXPECT_TRUE(test::says(told, "3.png: 2 pictures of an earlier run stay behind"));
  info_.first = 2;
  told.clear();
  open(path("%d.png"));
  EXPECT_TRUE(test::says(told, "0.png: 2 pictures of an earlier run stay behind"));
  info_.first = 0;
  info_.frames = 5;
  told.clear();
  open(path("%d.png"));
  EXPECT_EQ(told, "");
}

TEST_F(PngTest, MoreThanTwoGigabytesAreRefused) {
  info_.size = {30000, 30000};
  for (const std::string name : {"a.png", "%d.png"}) {
    const std::string message = usage_error({path(name)});
    EXPECT_TRUE(test::says(message, "30000x30000"));
    EXPECT_TRUE(test::says(message, "2 GiB"));
    EXPECT_EQ(message.find("depth"), std::string::npos) << message;
  }
  info_.size = {16384, 16384};
  info_.alpha = true;
  EXPECT_EQ(usage_error({path("a.png")}), "");
  options_.depth = 16;
  EXPECT_TRUE(test::says(usage_error({path("a.png")}), "or depth = 8 in [output]"));
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST(FilePattern, LocksNameTheirPatterns) {
  for (const std::string text : {"a/%06d.png", "%d.png", "100%%/%03d%%.png", "50%done/%03d.png", "9%%s%%d_%d.png",
                                 "a/%d/b/c%%/x.png", "b%02d/%%s.png"}) {
    const FilePattern pattern(text);
    const auto found = FilePattern::from_lock_name(pattern.lock_name());
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->name(7), pattern.name(7)) << text;
    EXPECT_EQ(found->lock_name(), pattern.lock_name()) << text;
  }
  EXPECT_EQ(FilePattern("a/%06d.png").lock_name(), "a/%06d.png.lock");
  for (const char* other : {"a.lock", "a/%06d.png", "100%.lock", "%d%d.lock", "a/.lock", ""})
    EXPECT_FALSE(FilePattern::from_lock_name(other)) << other;
}

TEST(FilePattern, PutsTheNumberIn) {
  EXPECT_EQ(FilePattern("a/%06d.png").name(42), "a/000042.png");
  EXPECT_EQ(FilePattern("%d.png").name(42), "42.png");
  EXPECT_EQ(FilePattern("%02d.png").name(12345), "12345.png");
  EXPECT_EQ(FilePattern("100%%/%03d%%.png").name(7), "100%%/007%.png");
  EXPECT_EQ(FilePattern("50%done/%03d.png").name(7), "50%done/007.png");
  EXPECT_EQ(FilePattern("50%/a.png").name(7), "50%/a.png");
  EXPECT_EQ(FilePattern("100%%.png").name(7), "100%.png");
  EXPECT_FALSE(FilePattern("100%%.png").numbered());
  EXPECT_TRUE(FilePattern("a/%d/b.png").numbered());
  EXPECT_EQ(FilePattern("{}%d{0}.png").name(1), "{}1{0}.png");
}

TEST(FilePattern, RefusesEveryOtherPercentSign) {
  for (const char* wrong : {"%s.png", "%5d.png", "%0d.png", "%00d.png", "%099d.png", "%-5d.png", "%d%d.png", "a%",
                            "%06x.png", "%000000000000000000000006d.png", "%.3d.png", "%ld.png"})
    EXPECT_THROW(FilePattern{wrong}, UsageError) << wrong;
}

TEST(FilePattern, FindsTheIndexOfAName) {
  const FilePattern pattern("a/%03d.png");
  EXPECT_EQ(pattern.index_of("a/007.png"), 7);
  EXPECT_EQ(pattern.index_of("a/1234.png"), 1234);
  for (const char* other : {"a/7.png", "a/0007.png", "a/-07.png", "b/007.png", "a/.png", "a/00x.png", "a/007.png.part",
                            "a/99999999999999999999.png"})
    EXPECT_EQ(pattern.index_of(other), std::nullopt) << other;
  EXPECT_EQ(FilePattern("out/s%d/x.png").component().index_of("s12"), 12);
  EXPECT_EQ(FilePattern("out/s%d/x.png").folder(), "out/");
}

TEST(FilePattern, ExtensionIsInLowerCase) {
  EXPECT_EQ(extension_of("a/b.PNG"), ".png");
  EXPECT_EQ(extension_of("a.b/c"), "");
  EXPECT_EQ(extension_of("a.tar.gz"), ".gz");
}

}  // namespace
}  // namespace simreel
