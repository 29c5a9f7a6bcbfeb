#include "sink/video/program_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>

#include "base/error.h"

namespace simreel {
namespace {

std::string named(const char* variable) {
  const char* const value = std::getenv(variable);
  return value ? value : "";
}

// Whether it encodes a black picture.
bool try_encoder(const std::string& program, std::string_view encoder) try {
  Child child({program, "-v", "quiet", "-f", "rawvideo", "-pixel_format", "yuv420p", "-video_size", "64x64", "-i",
               "pipe:0", "-c:v", std::string(encoder), "-f", "null", "-"});
  child.send(std::array<char, 64 * 64 * 3 / 2>().data(), 64 * 64 * 3 / 2);
  return child.finish();
} catch (const RuntimeError&) {  // it does not start
  return false;
}

// The same, tried once: a run asks several times.
bool encodes(const std::string& program, std::string_view encoder) {
  static std::mutex lock;
  static std::map<std::string, bool> known;
  const std::lock_guard guard(lock);
  const auto [found, fresh] = known.try_emplace(fmt::format("{} {}", program, encoder));
  if (fresh) found->second = try_encoder(program, encoder);
  return found->second;
}

}  // namespace

std::string ffmpeg_with(std::string_view encoder) {
  const std::string program = find_program("ffmpeg"), of_python = named("SIMREEL_FFMPEG_OF_PYTHON");
  return program.empty() || (!of_python.empty() && !encodes(program, encoder)) ? of_python : program;
}

std::string program_for(const Codec& codec) {
  if (!codec.by_program) return "";
  if (std::string program = named("SIMREEL_FFMPEG"); !program.empty()) return program;
  if (has_encoder(codec)) return "";
  return ffmpeg_with(codec.encoder);
}

ProgramEncoder::ProgramEncoder(const std::vector<std::string>& command, AVRational frame_rate)
    : program_(command[0]), frame_time_(av_inv_q(frame_rate)), child_(command) {}

void ProgramEncoder::fail() const {
  const std::string words = child_.last_words();
  throw RuntimeError("{}: {}", program_, words.empty() ? "ended before the video did" : words);
}

void ProgramEncoder::send(AvPtr<AVFrame> frame, const Take&) {
  const auto format = AVPixelFormat(frame->format);
  const int bytes = av_image_get_buffer_size(format, frame->width, frame->height, 1);
  pixels_.resize(static_cast<std::size_t>(bytes));
  av_image_copy_to_buffer(pixels_.data(), bytes, frame->data, frame->linesize, format, frame->width, frame->height, 1);
  if (child_.send(pixels_.data(), pixels_.size())) return;
  child_.finish();
  fail();
}

void ProgramEncoder::drain(const Take& take) {
  if (!child_.finish()) fail();
  const AvLog log;
  AVFormatContext* file = nullptr;
  const auto check = [&](int result) {
    if (result >= 0) return;
    avformat_close_input(&file);
    throw RuntimeError("{}: its output cannot be read: {}", program_, log.words("nut", result));
  };
  check(avformat_open_input(&file, fmt::format("pipe:{}", child_.output()).c_str(), av_find_input_format("nut"),
                            nullptr));
  check(file->nb_streams == 1 ? 0 : AVERROR_STREAM_NOT_FOUND);
  const AVStream& stream = *file->streams[0];
  header_.assign(stream.codecpar->extradata, stream.codecpar->extradata + stream.codecpar->extradata_size);
  std::vector<AvPtr<AVPacket>> packets;
  int result = 0;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (;;) {
    AvPtr<AVPacket> packet = owned(av_packet_alloc());
    if ((result = av_read_frame(file, packet.get())) < 0) break;
    first = std::min(first, packet->pts);
    packets.push_back(std::move(packet));
  }
  if (result != AVERROR_EOF) check(result);
  for (const AvPtr<AVPacket>& packet : packets) {
    packet->pts = av_rescale_q(packet->pts - first, stream.time_base, frame_time_);
    take(*packet);
  }
  avformat_close_input(&file);
}

}  // namespace simreel
