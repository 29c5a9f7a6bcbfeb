#include "sink/video/encoder.h"

#include "tests/support/test.h"

namespace simreel {
namespace {

AvPtr<AVFrame> frame_of(AVPixelFormat format, int width, int height) {
  AvPtr<AVFrame> frame = owned(av_frame_alloc());
  frame->format = format, frame->width = width, frame->height = height;
  EXPECT_GE(av_frame_get_buffer(frame.get(), 0), 0);
  return frame;
}

// Red, then nothing: black that is transparent.
AvPtr<AVFrame> half_red(int width, int height) {
  AvPtr<AVFrame> frame = frame_of(AV_PIX_FMT_RGBA, width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      std::uint8_t* const pixel = frame->data[0] + y * frame->linesize[0] + 4 * x;
      pixel[0] = pixel[3] = x < width / 2 ? 255 : 0;
      pixel[1] = pixel[2] = 0;
    }
  return frame;
}

// BT.709 in limited range: red is 16 + 219 * 0.2126, 128 - 224 * 0.2126 / 1.8556 and 128 + 112.
TEST(Yuva, NothingOfATransparentColourReachesTheEdge) {
  const AvPtr<AVFrame> rgba = half_red(6, 3), yuva = frame_of(AV_PIX_FMT_YUVA420P, 6, 3);
  fill_yuva(*rgba, *yuva);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 6; ++x) {
      EXPECT_EQ(yuva->data[0][y * yuva->linesize[0] + x], x < 3 ? 63 : 16);
      EXPECT_EQ(yuva->data[3][y * yuva->linesize[3] + x], x < 3 ? 255 : 0);
    }
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) {
      EXPECT_EQ(yuva->data[1][y * yuva->linesize[1] + x], x < 2 ? 102 : 128) << x;
      EXPECT_EQ(yuva->data[2][y * yuva->linesize[2] + x], x < 2 ? 240 : 128) << x;
    }
}

TEST(Yuva, TenBitsAreWhole) {
  const AvPtr<AVFrame> rgba = half_red(4, 2), yuva = frame_of(AV_PIX_FMT_YUVA444P10, 4, 2);
  fill_yuva(*rgba, *yuva);
  const auto at = [&](int plane, int x) { return reinterpret_cast<const std::uint16_t*>(yuva->data[plane])[x]; };
  EXPECT_EQ(at(0, 0), 250);
  EXPECT_EQ(at(1, 0), 409);
  EXPECT_EQ(at(2, 0), 960);
  EXPECT_EQ(at(3, 0), 1023);
  EXPECT_EQ(at(0, 3), 64);
  EXPECT_EQ(at(1, 3), 512);
  EXPECT_EQ(at(3, 3), 0);
}

}  // namespace
}  // namespace simreel
