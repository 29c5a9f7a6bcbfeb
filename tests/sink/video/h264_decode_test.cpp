// The encoder of kernels/encode against libavcodec: what a decoder gets is, bit for bit, what the encoder predicts
// from.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/clips.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/imgutils.h>
}

namespace simreel {
namespace {

using test::Clip;
using test::ClipEncoder;
using test::Planes;

// Decodes packets one by one; any error of the stream ends it.
class Decoder {
 public:
  Decoder() {
    context_ = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
    context_->err_recognition = AV_EF_EXPLODE | AV_EF_BITSTREAM | AV_EF_CRCCHECK;
    context_->flags |= AV_CODEC_FLAG_LOW_DELAY;
    context_->thread_count = 1;
    opened_ = avcodec_open2(context_, nullptr, nullptr) >= 0;
  }
  ~Decoder() {
    av_frame_free(&frame_);
    av_packet_free(&packet_);
    avcodec_free_context(&context_);
  }
  Decoder(const Decoder&) = delete;

  // Empty on failure.
  Planes decode(const std::vector<std::uint8_t>& bytes) {
    if (!opened_ || av_new_packet(packet_, static_cast<int>(bytes.size())) < 0) return {};
    std::copy(bytes.begin(), bytes.end(), packet_->data);
    const int sent = avcodec_send_packet(context_, packet_);
    av_packet_unref(packet_);
    if (sent < 0 || avcodec_receive_frame(context_, frame_) < 0) return {};
    if (frame_->decode_error_flags != 0) return {};
    const auto format = static_cast<AVPixelFormat>(frame_->format);
    Planes planes(static_cast<std::size_t>(av_image_get_buffer_size(format, frame_->width, frame_->height, 1)));
    av_image_copy_to_buffer(planes.data(), static_cast<int>(planes.size()), frame_->data, frame_->linesize, format,
                            frame_->width, frame_->height, 1);
    return planes;
  }

 private:
  AVCodecContext* context_ = nullptr;
  AVPacket* packet_ = av_packet_alloc();
  AVFrame* frame_ = av_frame_alloc();
  bool opened_ = false;
};

void expect_exact(const Executor& executor, Clip clip, Size size, int quality, int frames, std::uint32_t seed) {
  ClipEncoder encoder(executor, size, quality);
  Decoder decoder;
  const Size even = padded(size, PixelLayout::yuv420p);
  for (int i = 0; i < frames; ++i) {
    auto bytes = i == 0 ? encoder.encoder.parameter_sets() : std::vector<std::uint8_t>();
    const auto packet = encoder.packet(test::picture_of(clip, even, i, seed));
    bytes.insert(bytes.end(), packet.begin(), packet.end());
    const Planes decoded = decoder.decode(bytes);
    ASSERT_EQ(decoded.size(), frame_bytes(even, PixelLayout::yuv420p));
    ASSERT_TRUE(decoded == encoder.encoder.reconstruction())
        << "clip " << static_cast<int>(clip) << ", " << size.width << " x " << size.height << ", quality " << quality
        << ", picture " << i << ", seed " << seed;
  }
}

TEST(H264Decode, EveryQualityIsExact) {
  const auto executor = Executor::cpu(2);
  for (int quality = 0; quality <= 51; ++quality)
    for (const Clip clip : test::all_clips) expect_exact(executor, clip, {64, 48}, quality, 5, 1);
}

TEST(H264Decode, EverySizeIsExact) {
  const auto executor = Executor::cpu(2);
  for (const Size size :
       {Size{16, 16}, Size{1, 1}, Size{17, 33}, Size{16, 200}, Size{200, 16}, Size{99, 75}, Size{642, 350}})
    for (const Clip clip : test::all_clips) expect_exact(executor, clip, size, 24, 5, 2);
}

TEST(H264Decode, LongGroupsAreExact) {
  const auto executor = Executor::cpu(2);
  for (const Clip clip : {Clip::gradient, Clip::particles}) expect_exact(executor, clip, {80, 64}, 28, 40, 3);
}

// tests/bench/h264_fuzz.cpp goes on with as many as one has time for.
TEST(H264Decode, RandomClipsAreExact) {
  const auto executor = Executor::cpu(2);
  std::mt19937 random(11);
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const Size size{1 + static_cast<int>(random() % 100), 1 + static_cast<int>(random() % 70)};
    const Clip clip = test::all_clips[random() % std::size(test::all_clips)];
    expect_exact(executor, clip, size, static_cast<int>(random() % 52), 4, seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace simreel
