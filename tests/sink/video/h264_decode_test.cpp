// The encoder of kernels/encode against libavcodec: what a decoder gets is, bit for bit, what the encoder predicts
// from.

#include "tests/support/h264_decoder.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

using test::Clip, test::RandomClip;

void expect_exact(const RandomClip& clip) {
  static const auto executor = Executor::cpu(2);
  EXPECT_EQ(test::first_wrong_picture(executor, clip), -1)
      << "clip " << static_cast<int>(clip.clip) << ", " << clip.size.width << " x " << clip.size.height << ", quality "
      << clip.quality << ", seed " << clip.seed;
}

TEST(H264Decode, EveryQualityIsExact) {
  for (int quality = 0; quality <= 51; ++quality)
    for (const Clip clip : test::all_clips) expect_exact({clip, {64, 48}, quality, 5, 1});
}

TEST(H264Decode, EverySizeIsExact) {
  for (const Size size :
       {Size{16, 16}, Size{1, 1}, Size{17, 33}, Size{16, 200}, Size{200, 16}, Size{99, 75}, Size{642, 350}})
    for (const Clip clip : test::all_clips) expect_exact({clip, size, 24, 5, 2});
}

TEST(H264Decode, LongGroupsAreExact) {
  for (const Clip clip : {Clip::gradient, Clip::particles}) expect_exact({clip, {80, 64}, 28, 40, 3});
}

// tests/fuzz/h264_fuzz.cpp continues with any number of them.
TEST(H264Decode, RandomClipsAreExact) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) expect_exact(RandomClip(seed));
}

// One with a block that exceeded 16 bits in a decoder by 1.
TEST(H264Decode, NoiseAtTheCoarsestQualityIsExact) { expect_exact(RandomClip(511579)); }

}  // namespace
}  // namespace simreel
