#pragma once
// libavcodec's H.264 decoder, and clips that go through the encoder and through it.

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/clips.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/imgutils.h>
}

namespace simreel::test {

// Decodes packets one by one.
class H264Decoder {
 public:
  H264Decoder() {
    context_ = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
    context_->err_recognition = AV_EF_EXPLODE | AV_EF_BITSTREAM | AV_EF_CRCCHECK;
    context_->flags |= AV_CODEC_FLAG_LOW_DELAY;
    context_->thread_count = 1;
    opened_ = avcodec_open2(context_, nullptr, nullptr) >= 0;
  }
  ~H264Decoder() {
    av_frame_free(&frame_);
    av_packet_free(&packet_);
    avcodec_free_context(&context_);
  }
  H264Decoder(const H264Decoder&) = delete;

  // Empty if the decoder finds anything wrong.
  Planes decode(const std::vector<std::uint8_t>& bytes) {
    if (!opened_ || av_new_packet(packet_, static_cast<int>(bytes.size())) < 0) return {};
    std::copy(bytes.begin(), bytes.end(), packet_->data);
    const int sent = avcodec_send_packet(context_, packet_);
    av_packet_unref(packet_);
    if (sent < 0 || avcodec_receive_frame(context_, frame_) < 0 || frame_->decode_error_flags != 0) return {};
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

struct RandomClip {
  Clip clip = Clip::noise;
  Size size;
  int quality = 0, frames = 4;
  std::uint32_t seed = 0;

  RandomClip(Clip what, Size of, int with, int count, std::uint32_t by)
      : clip(what), size(of), quality(with), frames(count), seed(by) {}
  explicit RandomClip(std::uint32_t number) : seed(number) {
    std::mt19937 random(number);
    size = {1 + static_cast<int>(random() % 100), 1 + static_cast<int>(random() % 70)};
    clip = all_clips[random() % std::size(all_clips)];
    quality = static_cast<int>(random() % 52);
    if (random() % 4 == 0) size = {1 + size.width % 16, 12 * size.height};
  }
};

// The first picture that a decoder gets otherwise than the encoder, or, one macroblock wide, of which a macroblock has
// more bits than ITU-T H.264, A.3.1, allows; -1 if there is none.
inline int first_wrong_picture(const Executor& executor, const RandomClip& clip) {
  ClipEncoder encoder(executor, clip.size, clip.quality);
  H264Decoder decoder;
  const Size even = padded(clip.size, PixelLayout::yuv420p);
  for (int i = 0; i < clip.frames; ++i) {
    auto bytes = i == 0 ? encoder.encoder.parameter_sets() : std::vector<std::uint8_t>();
    const auto packet = encoder.packet(picture_of(clip.clip, even, i, clip.seed));
    bytes.insert(bytes.end(), packet.begin(), packet.end());
    const Planes decoded = decoder.decode(bytes);
    if (decoded.size() != frame_bytes(even, PixelLayout::yuv420p) || decoded != encoder.encoder.reconstruction() ||
        (clip.size.width <= 16 && encoder.max_bits() > 3200))
      return i;
  }
  return -1;
}

}  // namespace simreel::test
