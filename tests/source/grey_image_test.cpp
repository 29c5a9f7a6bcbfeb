#include "source/grey_image.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/packed_png.h"
#include "tests/support/places.h"

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

TEST_F(GreyImageFile, OnlyFilesAreRead) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(refused(), "it is a pipe, not a file");
}

}  // namespace
}  // namespace simreel
