#include "sink/video/packet_reader.h"

#include <algorithm>
#include <initializer_list>
#include <span>

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
    const std::uint32_t length = static_cast<std::uint32_t>(head[0]) << 24 | static_cast<std::uint32_t>(head[1]) << 16 |
                                 static_cast<std::uint32_t>(head[2]) << 8 | head[3];
    if (length > static_cast<std::uint32_t>(packet.size - at - 4)) return false;
    head[0] = head[1] = head[2] = 0;
    head[3] = 1;
    at += 4 + static_cast<int>(length);
  }
  return true;
}

// Whether the data begins with these bytes from `at` on.
bool has(std::span<const std::uint8_t> data, std::size_t at, std::initializer_list<std::uint8_t> bytes) {
  return data.size() >= at + bytes.size() &&
         std::equal(bytes.begin(), bytes.end(), data.begin() + static_cast<std::ptrdiff_t>(at));
}

// The units between the start codes (00 00 01, with any number of zeros before), which no unit contains.
void add_units(RunningChecksum& sum, std::span<const std::uint8_t> data) {
  std::size_t start = 0;
  const auto add_up_to = [&](std::size_t end) {
    while (end > start && data[end - 1] == 0) --end;
    const std::uint64_t length = end - start;
    if (length == 0) return;
    sum.add(&length, sizeof length);
    sum.add(data.data() + start, length);
  };
  for (std::size_t at = 0; at + 3 <= data.size(); ++at) {
    if (data[at + 2] > 1) {
      at += 2;  // no start code begins at one of these three
    } else if (has(data, at, {0, 0, 1})) {
      add_up_to(at);
      start = at + 3;
      at += 2;
    }
  }
  add_up_to(data.size());
}

bool has_lengths(const AVCodecParameters& parameters) {
  const bool units = parameters.codec_id == AV_CODEC_ID_H264 || parameters.codec_id == AV_CODEC_ID_HEVC;
  return units && parameters.extradata_size > 0 && parameters.extradata[0] == 1;
}

}  // namespace

PacketReader::PacketReader(const std::filesystem::path& name, const std::filesystem::path& handle,
                           const EncoderPlan& plan)
    : name_(name.string()),
      frame_time_(av_inv_q(plan.frame_rate())),
      delay_(plan.delay()),
      packet_(owned(av_packet_alloc())) {
  const AvLog log;
  const auto fail = [&](int error) { throw RuntimeError("{}: {}", name_, log.words("avformat_open_input", error)); };
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
  const AvLog log;
  AVPacket& packet = *packet_;
  av_packet_unref(&packet);
  const int result = av_read_frame(context_, &packet);
  // Readers tell a file that ends too early by many errors, the disk's among them.
  if (const int disk = context_->pb->error; result < 0 && disk < 0 && disk != AVERROR_EOF)
    throw RuntimeError("{}: {}", name_, log.words("av_read_frame", disk));
  if (result < 0 || packet.flags & AV_PKT_FLAG_CORRUPT) return nullptr;
  if (has_lengths(parameters()) && !lengths_to_start_codes(packet)) return nullptr;
  // A file may start late because of the encoder's reordering, and Matroska rounds to milliseconds.
  if (read_ == 0) first_ = packet.pts;
  packet.pts = av_rescale_q(packet.pts - first_, context_->streams[0]->time_base, frame_time_);
  packet.dts = read_++ - delay_;
  packet.duration = 1;
  return &packet;
}

void add_packet(RunningChecksum& sum, const AVPacket& packet, AVCodecID codec) {
  sum.add(&packet.pts, sizeof packet.pts);
  std::span<const std::uint8_t> data(packet.data, static_cast<std::size_t>(packet.size));
  if (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC) return add_units(sum, data);
  // AV1, 5.6: the unit that separates frames. ProRes (SMPTE RDD 36): the length and the name of a frame.
  if (codec == AV_CODEC_ID_AV1 && has(data, 0, {0x12, 0x00})) data = data.subspan(2);
  if (codec == AV_CODEC_ID_PRORES && has(data, 4, {'i', 'c', 'p', 'f'})) data = data.subspan(8);
  sum.add(data.data(), data.size());
}

}  // namespace simreel
