#include "compare/video.h"

#include <fmt/format.h>

#include <cstring>

#include "error.h"
#include "sink/av.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace simreel {
namespace {

struct Close {
  void operator()(AVFormatContext* p) const { avformat_close_input(&p); }
  void operator()(SwsContext* p) const { sws_freeContext(p); }
};

bool has_alpha(AVPixelFormat format) {
  const AVPixFmtDescriptor* const description = av_pix_fmt_desc_get(format);
  return description && description->flags & AV_PIX_FMT_FLAG_ALPHA;
}

}  // namespace

struct VideoReader::State {
  std::string name;
  std::unique_ptr<AVFormatContext, Close> file;
  int stream = -1;
  AvPtr<AVCodecContext> decoder;
  AvPtr<AVPacket> packet = own(av_packet_alloc());
  AvPtr<AVFrame> frame = own(av_frame_alloc());
  std::unique_ptr<SwsContext, Close> scaler;
  Size scaler_size;
  int scaler_format = -1;
  std::vector<std::uint8_t> rows;  // swscale writes whole vectors, so rows are longer than the picture's
  std::int64_t index = -1;
  bool drained = false;

  [[noreturn]] void refuse(const std::string& words) const { throw UsageError(fmt::format("{}: {}", name, words)); }
  [[noreturn]] void refuse_frame(const std::string& words) const {
    refuse(fmt::format("frame {} cannot be decoded: {}", index + 1, words));
  }

  void open();
  void feed(const AvLog&);
  void open_scaler();
};

void VideoReader::State::open() {
  const AvLog log;
  AVFormatContext* opened = nullptr;
  int result = avformat_open_input(&opened, name.c_str(), nullptr, nullptr);
  if (result < 0) refuse(log.words("not a video", result));
  file.reset(opened);
  result = avformat_find_stream_info(file.get(), nullptr);
  if (result < 0) refuse(log.words("not a video", result));
  const AVCodec* codec = nullptr;
  stream = av_find_best_stream(file.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  if (stream < 0) refuse(log.words("no video in it that can be decoded", stream));
  decoder = own(avcodec_alloc_context3(codec));
  result = avcodec_parameters_to_context(decoder.get(), file->streams[stream]->codecpar);
  if (result < 0) refuse(log.words("not a video", result));
  decoder->pkt_timebase = file->streams[stream]->time_base;
  decoder->thread_count = 0;  // one for each core
  // A decoder left to itself conceals damage.
  decoder->err_recognition = AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE;
  result = avcodec_open2(decoder.get(), codec, nullptr);
  if (result < 0) refuse(log.words(fmt::format("no decoder for {}", codec->name), result));
}

void VideoReader::State::feed(const AvLog& log) {
  for (;;) {
    const int read = av_read_frame(file.get(), packet.get());
    if (read < 0 && read != AVERROR_EOF) refuse_frame(log.words("read", read));
    if (read >= 0 && packet->stream_index != stream) {
      av_packet_unref(packet.get());
      continue;
    }
    const int sent = avcodec_send_packet(decoder.get(), read >= 0 ? packet.get() : nullptr);
    av_packet_unref(packet.get());
    if (sent < 0 && sent != AVERROR_EOF) refuse_frame(log.words("decode", sent));
    return;
  }
}

void VideoReader::State::open_scaler() {
  scaler_size = {frame->width, frame->height};
  scaler_format = frame->format;
  const auto format = AVPixelFormat(frame->format);
  const int flags = SWS_BILINEAR | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_ACCURATE_RND | SWS_BITEXACT;
  scaler.reset(sws_getContext(frame->width, frame->height, format, frame->width, frame->height, AV_PIX_FMT_RGBA, flags,
                              nullptr, nullptr, nullptr));
  const char* const format_name = av_get_pix_fmt_name(format);
  if (!scaler) refuse(fmt::format("pixels of the kind {} cannot be converted", format_name ? format_name : "unknown"));
  const bool named = frame->colorspace != AVCOL_SPC_UNSPECIFIED && frame->colorspace != AVCOL_SPC_RGB;
  const int* const matrix = sws_getCoefficients(named ? int(frame->colorspace) : int(AVCOL_SPC_BT709));
  const int one = 1 << 16;
  sws_setColorspaceDetails(scaler.get(), matrix, frame->color_range == AVCOL_RANGE_JPEG, matrix, 1, 0, one, one);
}

VideoReader::VideoReader(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->name = path.string();
  state_->open();
}

VideoReader::~VideoReader() = default;

bool VideoReader::next() {
  if (state_->drained) return false;
  const AvLog log;
  int result = 0;
  while ((result = avcodec_receive_frame(state_->decoder.get(), state_->frame.get())) == AVERROR(EAGAIN)) {
    state_->feed(log);
  }
  if (result == AVERROR_EOF) {
    state_->drained = true;
    if (state_->index < 0) state_->refuse("there is no frame in it");
    return false;
  }
  if (result < 0) state_->refuse_frame(log.words("decode", result));
  if (state_->frame->decode_error_flags != 0 || state_->frame->flags & AV_FRAME_FLAG_CORRUPT) {
    state_->refuse_frame(log.words("decode", AVERROR_INVALIDDATA));
  }
  ++state_->index;
  return true;
}

std::int64_t VideoReader::index() const { return state_->index; }

Size VideoReader::size() const { return {state_->frame->width, state_->frame->height}; }

Picture VideoReader::picture() {
  State& s = *state_;
  const AvLog log;
  if (!s.scaler || s.scaler_size != size() || s.scaler_format != s.frame->format) s.open_scaler();
  Picture picture;
  picture.size = size();
  const std::size_t width = std::size_t(picture.size.width), height = std::size_t(picture.size.height);
  const std::size_t stride = (4 * width + 127) / 64 * 64;
  s.rows.resize(stride * height);
  std::uint8_t* const planes[] = {s.rows.data()};
  const int strides[] = {int(stride)};
  const int done = sws_scale(s.scaler.get(), s.frame->data, s.frame->linesize, 0, s.frame->height, planes, strides);
  if (done != s.frame->height) s.refuse_frame(log.words("convert", done < 0 ? done : AVERROR_EXTERNAL));
  picture.pixels.resize(width * height);
  for (std::size_t y = 0; y < height; ++y) {
    std::memcpy(&picture.pixels[y * width], &s.rows[y * stride], 4 * width);
  }
  if (!has_alpha(AVPixelFormat(s.frame->format))) {
    for (Color& c : picture.pixels) c.a = 255;
  }
  return picture;
}

bool VideoReader::stored_alike(const VideoReader& other) const {
  const AVFrame& a = *state_->frame;
  const AVFrame& b = *other.state_->frame;
  if (a.width != b.width || a.height != b.height || a.format != b.format || a.colorspace != b.colorspace ||
      a.color_range != b.color_range) {
    return false;
  }
  const auto format = AVPixelFormat(a.format);
  const AVPixFmtDescriptor* const description = av_pix_fmt_desc_get(format);
  if (!description || description->flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_HWACCEL)) return false;
  for (int plane = 0; plane < av_pix_fmt_count_planes(format); ++plane) {
    const int bytes = av_image_get_linesize(format, a.width, plane);
    const int shift = plane == 1 || plane == 2 ? description->log2_chroma_h : 0;
    const int rows = -(-a.height >> shift);  // rounded up
    for (int y = 0; y < rows; ++y) {
      const std::uint8_t* const p = a.data[plane] + std::ptrdiff_t(y) * a.linesize[plane];
      const std::uint8_t* const q = b.data[plane] + std::ptrdiff_t(y) * b.linesize[plane];
      if (std::memcmp(p, q, std::size_t(bytes)) != 0) return false;
    }
  }
  return true;
}

}  // namespace simreel
