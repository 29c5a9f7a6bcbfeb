#include "sink/video/packet_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace simreel {
namespace {

// MP4 and Matroska store H.264 and H.265 with a length before each unit (ISO/IEC 14496-15); the encoders deliver a
// start code instead (ITU-T H.264, annex B). Both take four bytes. False if the lengths do not add up.
bool lengths_to_start_codes(AVPacket& packet) {
  if (av_packet_make_writable(&packet) < 0) return false;
  for (int at = 0; at < packet.size;) {
    if (packet.size - at < 4) return false;
    std::uint8_t* const head = packet.data + at;
    const std::uint32_t length =
        std::uint32_t(head[0]) << 24 | std::uint32_t(head[1]) << 16 | std::uint32_t(head[2]) << 8 | head[3];
    if (length > std::uint32_t(packet.size - at - 4)) return false;
    head[0] = head[1] = head[2] = 0;
    head[3] = 1;
    at += 4 + int(length);
  }
  return true;
}

bool has_lengths(const AVCodecParameters& parameters) {
  const bool units = parameters.codec_id == AV_CODEC_ID_H264 || parameters.codec_id == AV_CODEC_ID_HEVC;
  return units && parameters.extradata_size > 0 && parameters.extradata[0] == 1;
}

}  // namespace

PacketReader::PacketReader(const std::filesystem::path& name, const std::filesystem::path& handle,
                           const EncoderPlan& plan)
    : frame_time_(av_inv_q(plan.frame_rate())), delay_(plan.delay()), packet_(own(av_packet_alloc())) {
  const AvLog log;
  const auto fail = [&](int error) {
    throw RuntimeError(fmt::format("{}: {}", name.string(), log.words("avformat_open_input", error)));
  };
  // Without the protocol, libav would interpret a colon in a name as one.
  const std::string url = "file:" + handle.string();
  if (const int result = avformat_open_input(&context_, url.c_str(), nullptr, nullptr); result < 0) fail(result);
  if (context_->nb_streams == 1) return;
  avformat_close_input(&context_);
  fail(AVERROR_STREAM_NOT_FOUND);
}

PacketReader::~PacketReader() { avformat_close_input(&context_); }

std::string PacketReader::tag(const std::string& key) const {
  const AVDictionaryEntry* const entry = av_dict_get(context_->metadata, key.c_str(), nullptr, 0);
  return entry ? entry->value : "";
}

AVPacket* PacketReader::next() {
  const AvLog silence;
  AVPacket& packet = *packet_;
  av_packet_unref(&packet);
  if (av_read_frame(context_, &packet) < 0 || packet.flags & AV_PKT_FLAG_CORRUPT) return nullptr;
  if (has_lengths(parameters()) && !lengths_to_start_codes(packet)) return nullptr;
  // A file may start late because of the encoder's reordering, and Matroska rounds to milliseconds.
  if (read_ == 0) first_ = packet.pts;
  packet.pts = av_rescale_q(packet.pts - first_, context_->streams[0]->time_base, frame_time_);
  packet.dts = read_++ - delay_;
  packet.duration = 1;
  return &packet;
}

}  // namespace simreel
