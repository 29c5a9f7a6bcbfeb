#include "sink/video/encoder.h"

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

RgbView view_of(const AVFrame& frame) { return {frame.data[0], frame.linesize[0], {frame.width, frame.height}}; }

// A sum of colours, each times its weight.
struct Sum {
  std::int64_t r = 0, g = 0, b = 0, weight = 0;

  void add(const std::uint8_t* pixel, int weight_of) {
    r += pixel[0] * weight_of, g += pixel[1] * weight_of, b += pixel[2] * weight_of, weight += weight_of;
  }
};

// The formulas of kernels/raster/convert.cu, with `bits` per sample.
std::int64_t luma(const std::uint8_t* pixel, int bits) {
  const std::int64_t sum = 73 * (1063 * pixel[0] + 3576 * pixel[1] + 361 * pixel[2]);
  return (std::int64_t{16} << (bits - 8)) + ((sum << (bits - 8)) + 212500) / 425000;
}
std::int64_t chroma(std::int64_t difference, std::int64_t divisor, std::int64_t weight, int bits) {
  const std::int64_t whole = divisor * 255 * weight, scale = std::int64_t{1} << (bits - 8);
  return (112 * scale * difference + 128 * scale * whole + whole / 2) / whole;
}
std::int64_t blue(const Sum& c, int bits) { return chroma(4639 * c.b - 1063 * c.r - 3576 * c.g, 4639, c.weight, bits); }
std::int64_t red(const Sum& c, int bits) { return chroma(3937 * c.r - 3576 * c.g - 361 * c.b, 3937, c.weight, bits); }

const std::uint8_t* pixel_of(const AVFrame& rgba, int x, int y) {
  return rgba.data[0] + static_cast<std::ptrdiff_t>(std::min(y, rgba.height - 1)) * rgba.linesize[0] +
         4 * static_cast<std::ptrdiff_t>(std::clamp(x, 0, rgba.width - 1));
}

// Of columns 2 x - 1 to 2 x + 1 of two rows.
Sum around(const AVFrame& rgba, int x, int y) {
  Sum seen, all;
  for (const int row : {2 * y, 2 * y + 1})
    for (const int column : {-1, 0, 1}) {
      const std::uint8_t* const pixel = pixel_of(rgba, 2 * x + column, row);
      const int share = column == 0 ? 2 : 1;
      seen.add(pixel, share * pixel[3]);
      all.add(pixel, share);
    }
  return seen.weight > 0 ? seen : all;
}

template <class Sample>
void fill(const AVFrame& rgba, AVFrame& to, int bits, bool halved) {
  const auto put = [&](int plane, int x, int y, std::int64_t value) {
    reinterpret_cast<Sample*>(to.data[plane] + static_cast<std::ptrdiff_t>(y) * to.linesize[plane])[x] =
        static_cast<Sample>(value);
  };
  const int most = (1 << bits) - 1;
  for (int y = 0; y < rgba.height; ++y)
    for (int x = 0; x < rgba.width; ++x) {
      const std::uint8_t* const pixel = pixel_of(rgba, x, y);
      put(0, x, y, luma(pixel, bits));
      put(3, x, y, (pixel[3] * most + 127) / 255);
    }
  const int step = halved ? 2 : 1;
  for (int y = 0; y < (rgba.height + step - 1) / step; ++y)
    for (int x = 0; x < (rgba.width + step - 1) / step; ++x) {
      Sum color;
      if (halved)
        color = around(rgba, x, y);
      else
        color.add(pixel_of(rgba, x, y), 1);
      put(1, x, y, blue(color, bits));
      put(2, x, y, red(color, bits));
    }
}

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

std::unique_ptr<FrameEncoder> open_encoder(const EncoderPlan& plan) {
  if (plan.command().empty()) return std::make_unique<LibavEncoder>(plan);
  return std::make_unique<ProgramEncoder>(plan.command(), plan.frame_rate());
}

LibavEncoder::LibavEncoder(const EncoderPlan& plan) : context_(plan.open()), packet_(owned(av_packet_alloc())) {
  if (context_->pix_fmt == AV_PIX_FMT_PAL8) palette_ = std::make_unique<GifPalette>();
}

void LibavEncoder::send(AvPtr<AVFrame> frame, const Take& take) {
  if (palette_) {
    palette_->count(view_of(*frame));
    counted_.push_back(std::move(frame));
  } else if (frame->format != context_->pix_fmt) {
    encode(*(context_->pix_fmt == AV_PIX_FMT_BGRA ? reordered(*frame) : with_alpha(*frame)), take);
  } else {
    encode(*frame, take);
  }
}

void LibavEncoder::drain(const Take& take) {
  if (palette_) palette_->choose();
  for (AvPtr<AVFrame>& frame : counted_) {
    encode(*indexed(*frame), take);
    frame.reset();
  }
  exchange(nullptr, take);
}

void LibavEncoder::encode(AVFrame& frame, const Take& take) {
  frame.pts = sent_++;
  exchange(&frame, take);
}

void LibavEncoder::exchange(const AVFrame* frame, const Take& take) {
  const AvLog log;
  if (const int result = avcodec_send_frame(context_.get(), frame); result < 0)
    throw RuntimeError(log.words("avcodec_send_frame", result));
  while (true) {
    const int result = avcodec_receive_packet(context_.get(), packet_.get());
    if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
    if (result < 0) throw RuntimeError(log.words("avcodec_receive_packet", result));
    take(*packet_);
    av_packet_unref(packet_.get());
  }
}

AvPtr<AVFrame> LibavEncoder::fresh_frame(const AVFrame& like) const {
  AvPtr<AVFrame> frame = owned(av_frame_alloc());
  frame->format = context_->pix_fmt;
  frame->width = like.width;
  frame->height = like.height;
  if (const int result = av_frame_get_buffer(frame.get(), 0); result < 0)
    throw RuntimeError("av_frame_get_buffer: " + av_words(result));
  return frame;
}

// The frame in the colours of the palette. The last entry is transparent: the encoder uses it for unchanged pixels.
AvPtr<AVFrame> LibavEncoder::indexed(const AVFrame& from) const {
  AvPtr<AVFrame> frame = fresh_frame(from);
  auto* const entries = reinterpret_cast<std::uint32_t*>(frame->data[1]);
  std::fill_n(entries, GifPalette::max_colors, 0xff000000u);
  entries[GifPalette::max_colors] = 0;
  for (std::size_t i = 0; const Color& color : palette_->colors())
    entries[i++] |= static_cast<std::uint32_t>(color.r) << 16 | static_cast<std::uint32_t>(color.g) << 8 | color.b;
  palette_->map(view_of(from), frame->data[0], frame->linesize[0]);
  return frame;
}

// Reorders red, green, blue (and alpha) to blue, green, red, alpha.
AvPtr<AVFrame> LibavEncoder::reordered(const AVFrame& from) const {
  const bool alpha = from.format == AV_PIX_FMT_RGBA;
  AvPtr<AVFrame> frame = fresh_frame(from);
  for (int y = 0; y < from.height; ++y) {
    const std::uint8_t* in = from.data[0] + static_cast<std::ptrdiff_t>(y) * from.linesize[0];
    std::uint8_t* out = frame->data[0] + static_cast<std::ptrdiff_t>(y) * frame->linesize[0];
    for (int x = 0; x < from.width; ++x, in += alpha ? 4 : 3, out += 4) {
      out[0] = in[2];
      out[1] = in[1];
      out[2] = in[0];
      out[3] = alpha ? in[3] : 255;
    }
  }
  return frame;
}

AvPtr<AVFrame> LibavEncoder::with_alpha(const AVFrame& from) const {
  AvPtr<AVFrame> frame = fresh_frame(from);
  av_frame_copy_props(frame.get(), &from);
  fill_yuva(from, *frame);
  return frame;
}

void fill_yuva(const AVFrame& rgba, AVFrame& to) {
  if (to.format == AV_PIX_FMT_YUVA420P)
    fill<std::uint8_t>(rgba, to, 8, true);
  else
    fill<std::uint16_t>(rgba, to, 10, false);
}

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
