#include "base/input_image.h"

#include <sys/stat.h>

#include "base/error.h"
#include "source/solver.h"
#include "tests/support/packed_png.h"
#include "tests/support/places.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

class GreyImageFile : public testing::Test {
 protected:
  void put(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  // Why neither of the readers takes the file; empty if both do.
  std::string refused() {
    std::string why, other;
    const bool grey = read_grey_image(path_, why).has_value(), color = read_color_image(path_, other).has_value();
    EXPECT_EQ(grey, color);
    return grey ? "" : why;
  }

  test::Folder folder_;
  std::string path_ = folder_ / "a.png";
};

TEST_F(GreyImageFile, PixelsAreLimitedByTheHeader) {
  put(test::packed_png({3, 2}, 8, std::string(2 * 4, '\0')));
  EXPECT_EQ(refused(), "");
  // 50 MB of zeros in 220 kB, and 3.2 GB in memory.
  put(test::packed_png({20000, 20000}, 1, std::string(20000 * 2501, '\0')));
  EXPECT_EQ(refused(), "it has 20000 x 20000 pixels; the limit is 67108864");
}

TEST_F(GreyImageFile, BytesAreThoseOfTheHeader) {
  put(test::packed_png({3, 2}, 8, std::string(50'000'000, '\0')));
  EXPECT_EQ(refused(), "it unpacks to more than its size needs");
}

TEST_F(GreyImageFile, AllOfASceneHaveALimitTogether) {
  put(test::packed_png({32, 24}, 8, std::string(24 * 33, '\0')));
  const std::string obstacle = "[[solver.obstacle]]\nshape = \"image\"\nfile = \"a.png\"\nmin = [4, 4]\nmax = [9, 9]\n";
  Scene scene = parse_scene("[solver]\nkind = \"lbm\"\ngrid = [32, 24]\n" + obstacle + obstacle, folder_ / "a.toml", {},
                            check_solver);
  complete_scene(scene);
  plan_solver(scene);
  const ImageCount figure(2 * 32 * 24);
  {
    const ImageCount own(32 * 24);
    std::string why;
    EXPECT_TRUE(read_grey_image(path_, why)) << why;
    EXPECT_FALSE(read_color_image(path_, why));
    EXPECT_EQ(
        why,
        "with this one the images have 1536 pixels together; the limit is 768: take smaller ones, or each only once");
  }
  const std::string error = test::thrown([&] { plan_solver(scene); });
  EXPECT_TRUE(test::says(error, "a.toml:11:1: cannot read the image "));
  EXPECT_TRUE(test::says(error, "with this one the images have 2304 pixels together; the limit is 1536"));
}

// A header of TGA, grey, that claims pixels of which none follows.
TEST_F(GreyImageFile, PixelsThatTheFileCannotHoldAreNotMade) {
  put(std::string("\0\0\3\0\0\0\0\0\0\0\0\0\0\x20\0\x20\x08\0", 18));
  EXPECT_EQ(refused(), "it has 8192 x 8192 pixels, and the file is too short for them");
}

// What Pillow's exif_transpose makes of its own file: the quadrants from the upper left, whose grey is 85 times a
// number.
TEST_F(GreyImageFile, JpegsAreTurnedAsTheySay) {
  std::ifstream file(test::root() / "tests/data/exif.jpg", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::string bytes = text.str();
  const std::array<std::array<int, 4>, 8> quadrants = {
      {{0, 1, 2, 3}, {1, 0, 3, 2}, {3, 2, 1, 0}, {2, 3, 0, 1}, {0, 2, 1, 3}, {2, 0, 3, 1}, {3, 1, 2, 0}, {1, 3, 0, 2}}};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[49] = static_cast<char>(i + 1);
    put(bytes);
    std::string why;
    const auto grey = read_grey_image(path_, why);
    const auto color = read_color_image(path_, why);
    ASSERT_TRUE(grey && color) << why;
    EXPECT_EQ(grey->width, i < 4 ? 24 : 16);
    EXPECT_EQ(grey->height, i < 4 ? 16 : 24);
    EXPECT_EQ(color->width, grey->width);
    const int right = grey->width - 3, low = grey->height - 3;
    const std::pair<int, int> places[] = {{2, 2}, {right, 2}, {2, low}, {right, low}};
    for (std::size_t k = 0; k < 4; ++k) {
      const auto [x, y] = places[k];
      EXPECT_NEAR(grey->at(x, y), quadrants[i][k] / 3.0, 0.02) << i << " " << k;
      EXPECT_NEAR(color->pixels[y * color->width + x].g, 85 * quadrants[i][k], 4);
    }
  }
  bytes[49] = 9;  // no orientation
  put(bytes);
  std::string why;
  EXPECT_EQ(read_grey_image(path_, why)->width, 24);
  for (std::size_t length = 0; length < 120; ++length) {
    put(bytes.substr(0, length));
    EXPECT_NE(refused(), "") << length;
  }
}

TEST_F(GreyImageFile, KindsThatAreNotReadAreNamed) {
  for (const auto& [head, kind] : {std::pair<std::string, std::string>{{"II*\0\x08\0\0\0", 8}, "a TIFF"},
                                   {{"MM\0*\0\0\0\x08", 8}, "a TIFF"},
                                   {{"RIFF\x10\0\0\0WEBPVP8 ", 16}, "a WebP"},
                                   {{"\0\0\0\x20"
                                     "ftypavif\0\0\0\0",
                                     16},
                                    "an AVIF"},
                                   {"%PDF-1.7 and more", "a PDF"},
                                   {"<?xml version='1.0'?><svg/>", "an SVG"}}) {
    put(head);
    EXPECT_EQ(refused(), "it is " + kind + ", and PNG, JPEG, BMP, GIF, TGA, PNM and PSD are read; convert it: magick " +
                             path_ + " " + path_);
  }
}

TEST_F(GreyImageFile, OnlyFilesAreRead) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(refused(), "it is a pipe, not a file");
}

}  // namespace
}  // namespace simreel
