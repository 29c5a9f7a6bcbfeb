#pragma once
// A video file taken apart again, for the tests of what writes them.

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
}

#include "tests/support/test.h"

namespace simreel {

// A video file, opened again and decoded.
struct DecodedVideo {
  std::string codec;
  int width = 0, height = 0, format = -1, profile = 0;
  double fps = 0;
  AVColorPrimaries primaries{};
  AVColorTransferCharacteristic transfer{};
  AVColorSpace matrix{};
  AVColorRange range{};
  AVChromaLocation chroma{};
  std::map<std::string, std::string> tags;
  std::vector<double> times;  // seconds
  double end = 0;             // of the last frame
  std::vector<int> keys;      // frames that are key frames
  std::vector<std::vector<std::byte>> frames;
};

inline DecodedVideo decode(const std::string& file) {
  DecodedVideo video;
  AVFormatContext* in = nullptr;
  if (avformat_open_input(&in, file.c_str(), nullptr, nullptr) < 0 || avformat_find_stream_info(in, nullptr) < 0)
    return video;
  const AVDictionaryEntry* tag = nullptr;
  while ((tag = av_dict_get(in->metadata, "", tag, AV_DICT_IGNORE_SUFFIX))) video.tags[tag->key] = tag->value;
  AVStream* stream = in->streams[0];
  const AVCodecParameters& p = *stream->codecpar;
  video.codec = avcodec_get_name(p.codec_id);
  video.width = p.width, video.height = p.height, video.format = p.format, video.profile = p.profile;
  video.primaries = p.color_primaries, video.transfer = p.color_trc, video.matrix = p.color_space;
  video.range = p.color_range, video.chroma = p.chroma_location;
  video.fps = av_q2d(stream->avg_frame_rate);
  AVCodecContext* decoder = avcodec_alloc_context3(avcodec_find_decoder(p.codec_id));
  avcodec_parameters_to_context(decoder, &p);
  decoder->pkt_timebase = stream->time_base;
  avcodec_open2(decoder, nullptr, nullptr);
  AVPacket* packet = av_packet_alloc();
  AVFrame* frame = av_frame_alloc();
  bool more = true;
  while (more) {
    more = av_read_frame(in, packet) >= 0;
    if (more) video.end = double(packet->pts + packet->duration) * av_q2d(stream->time_base);
    avcodec_send_packet(decoder, more ? packet : nullptr);
    av_packet_unref(packet);
    while (avcodec_receive_frame(decoder, frame) >= 0) {
      const auto format = static_cast<AVPixelFormat>(frame->format);
      std::vector<std::byte> bytes(std::size_t(av_image_get_buffer_size(format, frame->width, frame->height, 1)));
      av_image_copy_to_buffer(reinterpret_cast<uint8_t*>(bytes.data()), int(bytes.size()), frame->data, frame->linesize,
                              format, frame->width, frame->height, 1);
      if (frame->pict_type == AV_PICTURE_TYPE_I) video.keys.push_back(int(video.frames.size()));
      video.times.push_back(double(frame->best_effort_timestamp) * av_q2d(stream->time_base));
      video.frames.push_back(std::move(bytes));
    }
  }
  av_frame_free(&frame);
  av_packet_free(&packet);
  avcodec_free_context(&decoder);
  avformat_close_input(&in);
  return video;
}

inline double psnr(const std::vector<std::byte>& a, const std::vector<std::byte>& b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double d = double(std::to_integer<int>(a[i])) - std::to_integer<int>(b[i]);
    sum += d * d;
  }
  return sum == 0 ? 99 : 10 * std::log10(255.0 * 255.0 * double(count) / sum);
}

}  // namespace simreel
