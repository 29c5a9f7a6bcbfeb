#include "compare/picture.h"

#include <sys/stat.h>

#include "tests/support/compare_fixture.h"
#include "tests/support/packed_png.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

using test::draw, test::usage_error;

std::string big_endian(std::uint32_t v) {
  return {char(v >> 24), char(v >> 16 & 255), char(v >> 8 & 255), char(v & 255)};
}

// PNG 1.2, annex D.
std::uint32_t crc(const std::string& bytes) {
  std::uint32_t value = 0xffffffff;
  for (const unsigned char c : bytes) {
    value ^= c;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value;
}

std::string chunk(const std::string& type, const std::string& data) {
  return big_endian(std::uint32_t(data.size())) + type + data + big_endian(crc(type + data));
}

// RFC 1950 and 1951: one stored block.
std::string stored(const std::string& data) {
  std::uint32_t a = 1, b = 0;
  for (const unsigned char c : data) a = (a + c) % 65521, b = (b + a) % 65521;
  const auto size = std::uint16_t(data.size()), inverse = std::uint16_t(~size);
  return std::string("\x78\x01\x01", 3) + char(size & 255) + char(size >> 8) + char(inverse & 255) +
         char(inverse >> 8) + data + big_endian(b << 16 | a);
}

// A PNG of given bit depth and colour type; `rows` are the bytes of each row, without filter bytes.
std::string png(Size size, int depth, int type, const std::vector<std::string>& rows, const std::string& extra = "") {
  std::string data;
  for (const std::string& row : rows) data += '\0' + row;
  const std::string header = big_endian(std::uint32_t(size.width)) + big_endian(std::uint32_t(size.height)) +
                             char(depth) + char(type) + std::string(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + extra + chunk("IDAT", stored(data)) + chunk("IEND", "");
}

class ComparePicture : public testing::Test {
 protected:
  std::string file(const std::string& bytes) {
    test::put(folder_ / "x.png", bytes);
    return folder_ / "x.png";
  }
  Picture read(const std::string& bytes) { return read_picture(file(bytes)); }
  std::string error(const std::string& bytes) {
    const std::string name = file(bytes);
    return usage_error([&] { read_picture(name); });
  }

  test::Folder folder_;
};

TEST_F(ComparePicture, WhatIsWrittenIsReadAgain) {
  for (const bool opaque : {true, false}) {
    const Picture picture = draw(37, 21, [&](int x, int y) {
      return Color{std::uint8_t(x * 6), std::uint8_t(y * 11), std::uint8_t(x * y),
                   std::uint8_t(opaque ? 255 : 255 - x)};
    });
    write_picture(folder_ / "deep/er/x.png", picture);
    const Picture again = read_picture(folder_ / "deep/er/x.png");
    EXPECT_EQ(again.size, picture.size);
    EXPECT_EQ(again.pixels, picture.pixels);
    EXPECT_EQ(read_file(folder_ / "deep/er/x.png")[25], opaque ? 2 : 6);  // the colour type
  }
}

TEST_F(ComparePicture, ReadsEveryKindOfPng) {
  const auto colors = [&](const std::string& bytes) { return read(bytes).pixels; };
  using Colors = std::vector<Color>;
  EXPECT_EQ(colors(png({2, 2}, 8, 0, {std::string("\x00\x80", 2), "\xff\x01"})),
            (Colors{{0, 0, 0}, {128, 128, 128}, {255, 255, 255}, {1, 1, 1}}));
  EXPECT_EQ(colors(png({3, 1}, 1, 0, {"\xa0"})), (Colors{{255, 255, 255}, {0, 0, 0}, {255, 255, 255}}));
  EXPECT_EQ(colors(png({2, 1}, 8, 4, {"\x10\x20\x30\x40"})), (Colors{{16, 16, 16, 32}, {48, 48, 48, 64}}));
  EXPECT_EQ(colors(png({2, 1}, 8, 2, {"\x01\x02\x03\x04\x05\x06"})), (Colors{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(colors(png({1, 1}, 8, 6, {"\x01\x02\x03\x04"})), (Colors{{1, 2, 3, 4}}));
  const std::string palette = chunk("PLTE", "\x0a\x0b\x0c\x14\x15\x16") + chunk("tRNS", "\x07");
  EXPECT_EQ(colors(png({2, 1}, 8, 3, {std::string("\x01\x00", 2)}, palette)), (Colors{{20, 21, 22}, {10, 11, 12, 7}}));
}

TEST_F(ComparePicture, RoundsSixteenBitsToEight) {
  // 0x0080 is 0.498 levels, 0x0081 is 0.502; 0x7fff lies just under 127.5 and 0x8000 just over.
  const std::string row("\x00\x80\x00\x81\x7f\xff\x80\x00\xff\xff", 10);
  const Picture picture = read(png({5, 1}, 16, 0, {row}));
  std::vector<int> levels;
  for (const Color& c : picture.pixels) levels.push_back(c.r);
  EXPECT_EQ(levels, (std::vector<int>{0, 1, 127, 128, 255}));
  std::vector<int> stored;
  for (const DeepColor& c : picture.deep) stored.push_back(c.g);
  EXPECT_EQ(stored, (std::vector<int>{0x80, 0x81, 0x7fff, 0x8000, 0xffff}));
  EXPECT_TRUE(read(png({1, 1}, 8, 0, {"\x10"})).deep.empty());
}

TEST_F(ComparePicture, WhatASmallFileUnpacksToIsLimited) {
  EXPECT_TRUE(test::says(error(test::packed_png({20000, 20000}, 1, std::string(20000 * 2501, '\0'))),
                         "has 20000 x 20000 pixels; pictures of up to 268435456 are compared"));
  const auto with_text = [](std::size_t bytes) {
    const std::string text = std::string("Comment\0\0", 9) + test::packed(std::string(bytes, 'x'));
    return test::packed_png({1, 1}, 8, std::string(2, '\0'), test::png_chunk("zTXt", text));
  };
  EXPECT_EQ(error(with_text(1000)), "");
  EXPECT_TRUE(test::says(error(with_text(100'000'000)), "not a whole PNG"));
}

TEST_F(ComparePicture, OnlyFilesOfSomeSizeAreRead) {
  const std::string name = file("");
  std::filesystem::resize_file(name, limits::picture_bytes + 1);  // with holes
  EXPECT_TRUE(test::says(usage_error([&] { read_file(name); }), "more than 1073741824 bytes"));
  std::filesystem::remove(name);
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  EXPECT_TRUE(test::says(usage_error([&] { read_picture(name); }), "it is a pipe, not a file"));
}

TEST_F(ComparePicture, AnyTruncationIsAnError) {
  write_picture(folder_ / "whole.png", draw(9, 5, [](int x, int y) { return test::gray(x * 20 + y); }));
  const std::string whole = read_file(folder_ / "whole.png");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string words = error(whole.substr(0, length));
    EXPECT_TRUE(test::says(words, "x.png: not a whole PNG")) << length << " of " << whole.size() << words;
  }
}

TEST_F(ComparePicture, AnyFlippedByteIsAnError) {
  write_picture(folder_ / "whole.png", draw(9, 5, [](int x, int y) { return test::gray(x * 20 + y); }));
  const std::string whole = read_file(folder_ / "whole.png");
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string damaged = whole;
    damaged[place] = char(~damaged[place]);
    EXPECT_TRUE(test::says(error(damaged), "x.png")) << place << " of " << whole.size();
  }
}

TEST_F(ComparePicture, OtherThingsAreNamed) {
  EXPECT_TRUE(test::says(error("just text\n"), "x.png: not a whole PNG"));
  EXPECT_TRUE(test::says(error("\xff\xd8\xff\xe0 JFIF"), "x.png"));
  EXPECT_TRUE(test::says(usage_error([&] { read_picture(folder_ / "none.png"); }), "none.png: no such file"));
  EXPECT_TRUE(test::says(usage_error([&] { read_picture(folder_ / "."); }), "a folder"));
  // A few bytes that claim 10^18 pixels.
  EXPECT_TRUE(test::says(error(png({1 << 30, 1 << 30}, 8, 6, {"abcd"})), "x.png"));
  EXPECT_TRUE(test::says(error(png({40000, 40000}, 8, 6, {"abcd"})), "x.png"));
}

}  // namespace
}  // namespace simreel
