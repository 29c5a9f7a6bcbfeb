// Dark, slow gradients in H.264: x264's own settings leave one level to a block, which shows as squares of 8 x 8
// pixels.

#include "tests/support/decoded_video.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class GradientTest : public SinkTest {
 protected:
  static constexpr int width_ = 320, height_ = 240, frames_ = 40;

  GradientTest() {
    info_.size = {width_, height_};
    info_.overwrite = true;
  }

  // A dark dome that moves by a pixel every other frame: one level every 6 to 40 pixels.
  static std::vector<std::byte> dome(int index) {
    std::vector<std::byte> bytes(frame_bytes({width_, height_}, PixelLayout::yuv420p), std::byte(128));
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const int dx = 2 * x - width_ - index, dy = 2 * y - height_ + index;
        bytes[std::size_t(y) * width_ + std::size_t(x)] = std::byte(48 - (dx * dx + dy * dy) / 6000);
      }
    return bytes;
  }

  void write_domes(const std::string& file) {
    const auto sink = open(file);
    for (int i = 0; i < frames_; ++i) {
      const std::vector<std::byte> picture = dome(i);
      sink->write({i, picture.data(), {}});
    }
    sink->finish();
  }

  // The mean step of luma between two columns at a border of 8 x 8 blocks, over that between others.
  static double blocks(const std::vector<std::byte>& frame) {
    double border = 0, inside = 0;
    const auto level = [&](int x, int y) {
      return std::to_integer<int>(frame[std::size_t(y) * width_ + std::size_t(x)]);
    };
    for (int y = 0; y < height_; ++y)
      for (int x = 1; x < width_; ++x) (x % 8 == 0 ? border : inside) += std::abs(level(x, y) - level(x - 1, y));
    return border / (width_ / 8 - 1) / (inside / (width_ - width_ / 8));
  }

  // What x264 notes in the stream of a setting: "1:1.00" of "aq".
  std::string noted(const std::string& setting, const std::string& file) {
    write_domes(path(file));
    const std::string bytes = contents(path(file));
    const std::size_t at = bytes.find(" " + setting + "=") + setting.size() + 2;
    return bytes.substr(at, bytes.find_first_not_of("0123456789:.", at) - at);
  }
};

TEST_F(GradientTest, ShowNoBlocks) {
  for (const int index : {0, 20, 39}) ASSERT_NEAR(blocks(dome(index)), 1, 0.15);
  write_domes(path("a.mp4"));
  const DecodedVideo video = decode(path("a.mp4"));
  ASSERT_EQ(video.frames.size(), std::size_t(frames_));
  for (const auto& frame : video.frames) EXPECT_LT(blocks(frame), 2);
}

TEST_F(GradientTest, KeepTheirBitsUnlessTheSceneSaysOtherwise) {
  EXPECT_EQ(noted("aq", "a.mp4"), "1:1.50");
  options_.options = {{"aq-mode", "3"}};
  EXPECT_EQ(noted("aq", "b.mp4"), "3:1.50");
  options_.options = {{"x264-params", "aq-strength=0.8"}};
  EXPECT_EQ(noted("aq", "c.mp4"), "1:0.80");
  options_.options = {{"tune", "ssim"}};
  EXPECT_EQ(noted("aq", "d.mp4"), "2:1.00");
}

TEST_F(GradientTest, AnotherPresetHasItsOwnNumberOfReferences) {
  EXPECT_EQ(noted("ref", "a.mp4"), "3");
  options_.options = {{"refs", "2"}};
  EXPECT_EQ(noted("ref", "b.mp4"), "2");
  options_.options = {};
  options_.preset = "ultrafast";
  EXPECT_EQ(noted("ref", "c.mp4"), "1");
}

}  // namespace
}  // namespace simreel
