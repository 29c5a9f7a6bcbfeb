#include "sink/muxer.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <system_error>

#include "error.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const OwnFile& file, const AvLog& log, const char* call, int error) {
  throw RuntimeError(fmt::format("{}: {}", file.path().string(), log.words(call, error)));
}

// Without the protocol in front, libav would take a colon in a name for one.
std::string url(const OwnFile& file) { return "file:" + file.handle().string(); }

// An open file to read packets from.
class Input {
 public:
  Input(const OwnFile& file, const AvLog& log) : packet_(own(av_packet_alloc())) {
    if (const int r = avformat_open_input(&context_, url(file).c_str(), nullptr, nullptr); r < 0) {
      fail(file, log, "avformat_open_input", r);
    }
    if (context_->nb_streams == 0) {
      avformat_close_input(&context_);
      fail(file, log, "avformat_open_input", AVERROR_STREAM_NOT_FOUND);
    }
  }
  ~Input() { avformat_close_input(&context_); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const AVStream& stream() const { return *context_->streams[0]; }
  // The next packet, valid until the next call; null at the end of what can be read.
  AVPacket* read() {
    av_packet_unref(packet_.get());
    return av_read_frame(context_, packet_.get()) >= 0 ? packet_.get() : nullptr;
  }

 private:
  AvPtr<AVPacket> packet_;
  AVFormatContext* context_ = nullptr;
};

}  // namespace

Muxer::Muxer(const OwnFile& file, const std::string& format, const Options& options, const Stream& stream,
             const Tags& tags)
    : file_(file), packet_time_base_(stream.time_base) {
  const AvLog log;
  const auto check = [&](const char* call, int result) {
    if (result >= 0) return;
    close();
    fail(file, log, call, result);
  };
  check("avformat_alloc_output_context2",
        avformat_alloc_output_context2(&context_, nullptr, format.c_str(), url(file).c_str()));
  // After every packet the file holds all that a reader could use, so a killed run leaves it.
  context_->flags |= AVFMT_FLAG_BITEXACT | AVFMT_FLAG_FLUSH_PACKETS;
  AVStream* out = avformat_new_stream(context_, nullptr);
  check("avformat_new_stream", out ? 0 : AVERROR(ENOMEM));
  check("avcodec_parameters_copy", avcodec_parameters_copy(out->codecpar, stream.parameters));
  out->codecpar->codec_tag = 0;  // each container has its own
  out->time_base = stream.time_base;
  out->avg_frame_rate = out->r_frame_rate = stream.frame_rate;
  out->sample_aspect_ratio = stream.parameters->sample_aspect_ratio;
  for (const auto& [key, text] : tags) {
    check("av_dict_set", av_dict_set(&context_->metadata, key.c_str(), text.c_str(), 0));
  }
  check("avio_open", avio_open(&context_->pb, url(file).c_str(), AVIO_FLAG_WRITE));
  AvOptions dictionary;
  for (const auto& [key, value] : options) dictionary.set(key, value);
  check("avformat_write_header", avformat_write_header(context_, dictionary.address()));
  check("avformat_write_header", dictionary.keys().empty() ? 0 : AVERROR_OPTION_NOT_FOUND);
}

Muxer::~Muxer() { close(); }

void Muxer::write(AVPacket& packet) {
  const AvLog log;
  av_packet_rescale_ts(&packet, packet_time_base_, context_->streams[0]->time_base);
  packet.stream_index = 0;
  packet.pos = -1;
  if (const int result = av_interleaved_write_frame(context_, &packet); result < 0) {
    fail(file_, log, "av_interleaved_write_frame", result);
  }
}

void Muxer::finish() {
  const AvLog log;
  if (const int result = av_write_trailer(context_); result < 0) fail(file_, log, "av_write_trailer", result);
  if (const int result = close(); result < 0) fail(file_, log, "avio_close", result);
}

int Muxer::close() {
  if (!context_) return 0;
  const int result = avio_closep(&context_->pb);
  avformat_free_context(context_);
  context_ = nullptr;
  return result;
}

void copy_with_index_in_front(const OwnFile& from, const OwnFile& to, const std::string& format, const Tags& tags) {
  const AvLog log;
  Input input(from, log);
  const AVStream& stream = input.stream();
  Muxer output(to, format, {{"movflags", "+faststart+use_metadata_tags"}},
               {stream.codecpar, stream.time_base, stream.avg_frame_rate}, tags);
  // A fragmented file has no edit list, so its first picture is shown late by the encoder's reordering.
  std::int64_t first = AV_NOPTS_VALUE;
  while (AVPacket* packet = input.read()) {
    if (first == AV_NOPTS_VALUE) first = packet->pts;
    packet->pts -= first;
    packet->dts -= first;
    output.write(*packet);
  }
  output.finish();
}

void cut_torn_fragment(const OwnFile& file) {
  std::ifstream in(file.handle(), std::ios::binary);
  const std::uintmax_t end = file.size();
  std::uintmax_t position = 0, whole = 0;
  std::array<unsigned char, 16> head{};
  const auto number = [&](int from, int to) {
    std::uintmax_t value = 0;
    for (int i = from; i < to; ++i) value = value << 8 | head[std::size_t(i)];
    return value;
  };
  // ISO/IEC 14496-12, 4.2: a box starts with its size and its name; size 1 means that 64 bits of size follow.
  while (in.seekg(std::streamoff(position)) && in.read(reinterpret_cast<char*>(head.data()), 8)) {
    std::uintmax_t size = number(0, 4);
    if (size == 1 && in.read(reinterpret_cast<char*>(head.data()) + 8, 8)) size = number(8, 16);
    if (size < 8 || size > end - position) break;
    position += size;
    const std::string name(reinterpret_cast<char*>(head.data()) + 4, 4);
    if (name == "moov" || name == "mdat") whole = position;
  }
  std::error_code error;
  if (whole < end) fs::resize_file(file.handle(), whole, error);
}

std::int64_t readable_frames(const OwnFile& file) {
  const AvLog log;
  try {
    Input input(file, log);
    std::int64_t frames = 0;
    while (const AVPacket* packet = input.read()) frames += (packet->flags & AV_PKT_FLAG_CORRUPT) ? 0 : 1;
    return frames;
  } catch (const RuntimeError&) {
    return 0;
  }
}

}  // namespace simreel
