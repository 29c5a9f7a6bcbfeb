#include "compare/video.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <future>
#include <optional>

#include "base/error.h"
#include "base/input_file.h"
#include "compare/yuv.h"
#include "sink/video/av.h"

extern "C" {
#include <libswscale/swscale.h>
}

namespace simreel {
namespace {

struct Close {
  void operator()(AVFormatContext* p) const { avformat_close_input(&p); }
  void operator()(SwsContext* p) const { sws_freeContext(p); }
};

const AVPixFmtDescriptor* description(const AVFrame& frame) { return av_pix_fmt_desc_get(AVPixelFormat(frame.format)); }

bool has_flag(const AVFrame& frame, std::uint64_t flag) {
  const AVPixFmtDescriptor* const found = description(frame);
  return found && found->flags & flag;
}

bool matrix_is_named(const AVFrame& frame) {
  return frame.colorspace != AVCOL_SPC_UNSPECIFIED && frame.colorspace != AVCOL_SPC_RGB;
}

// The four factors of libav are for limited range: 65536 * 255 / 224 times those of YuvMatrix.
const int* matrix_factors(const AVFrame& frame) {
  return sws_getCoefficients(matrix_is_named(frame) ? static_cast<int>(frame.colorspace)
                                                    : static_cast<int>(AVCOL_SPC_BT709));
}

// Set for the layouts that simreel converts itself: several times faster than libswscale with interpolated chroma and
// rounded sums, which the fast paths of libswscale lack.
std::optional<YuvPicture> planar_yuv(const AVFrame& frame) {
  YuvPicture yuv;
  switch (frame.format) {
    case AV_PIX_FMT_YUV420P:
    case AV_PIX_FMT_YUVJ420P: yuv.halved_across = yuv.halved_down = true; break;
    case AV_PIX_FMT_YUV422P:
    case AV_PIX_FMT_YUVJ422P: yuv.halved_across = true; break;
    case AV_PIX_FMT_YUV444P:
    case AV_PIX_FMT_YUVJ444P: break;
    default: return {};
  }
  yuv.size = {frame.width, frame.height};
  for (std::size_t plane = 0; plane < 3; ++plane) {
    yuv.planes[plane] = frame.data[plane];
    yuv.strides[plane] = frame.linesize[plane];
  }
  return yuv;
}

YuvMatrix yuv_matrix(const AVFrame& frame) {
  const int* const factors = matrix_factors(frame);
  constexpr double unit = 65536 * 255.0 / 224;
  return {factors[0] / unit, factors[2] / unit, factors[3] / unit, factors[1] / unit,
          frame.color_range == AVCOL_RANGE_JPEG};
}

}  // namespace

struct VideoReader::State {
  std::string name;
  std::unique_ptr<AVFormatContext, Close> file;
  int stream = -1;
  AvPtr<AVCodecContext> decoder;
  AvPtr<AVPacket> packet = owned(av_packet_alloc());
  AvPtr<AVFrame> frame = owned(av_frame_alloc()), ahead = owned(av_frame_alloc());
  std::int64_t decoded = 0;  // frames
  std::int64_t index = -1;
  bool ended = false;

  std::optional<YuvPicture> yuv;  // the current frame, if rows are converted one by one
  YuvMatrix matrix;
  Picture whole;  // the current frame, if they are not

  std::unique_ptr<SwsContext, Close> scaler;
  Size scaler_size;
  int scaler_format = -1;
  std::vector<std::uint8_t> rows;  // padded, because swscale writes whole vectors

  std::future<bool> pending;  // the last member, because it uses the others and must be destroyed first

  [[noreturn]] void refuse(const std::string& words) const { throw UsageError("{}: {}", name, words); }
  [[noreturn]] void refuse_frame(std::int64_t number, const std::string& words) const {
    refuse(fmt::format("frame {} cannot be decoded: {}", number, words));
  }

  void open();
  bool decode();
  void feed(const AvLog&);
  void open_scaler();
  void convert(Picture&);
};

void VideoReader::State::open() {
  if (const std::string why = refusal_to_read(name); !why.empty()) refuse(why);
  const AvLog log;
  AVFormatContext* opened = nullptr;
  // A name is never a URL, and formats that refer to other files are excluded.
  AvOptions options;
  options.set("protocol_whitelist", "file");
  options.set("format_whitelist",
              "mov,matroska,webm,avi,yuv4mpegpipe,mpegts,mpeg,mpegvideo,m4v,h264,hevc,obu,ivf,gif,apng,ogg,flv,asf,nut,"
              "mxf,jpeg_pipe");
  // By its name a JPEG would be one of a numbered series.
  const AVInputFormat* const format = is_jpeg(name) ? av_find_input_format("jpeg_pipe") : nullptr;
  int result = avformat_open_input(&opened, ("file:" + name).c_str(), format, options.address());
  if (result < 0) refuse(log.words("not a video", result));
  file.reset(opened);
  result = avformat_find_stream_info(file.get(), nullptr);
  if (result < 0) refuse(log.words("not a video", result));
  const AVCodec* codec = nullptr;
  stream = av_find_best_stream(file.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  if (stream < 0) refuse(log.words("no video in it that can be decoded", stream));
  decoder = owned(avcodec_alloc_context3(codec));
  decoder->log_level_offset = AvLog::ours;
  result = avcodec_parameters_to_context(decoder.get(), file->streams[stream]->codecpar);
  if (result < 0) refuse(log.words("not a video", result));
  decoder->pkt_timebase = file->streams[stream]->time_base;
  decoder->thread_count = 0;  // one per core
  // By default a decoder conceals damage.
  decoder->err_recognition = AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE;
  result = avcodec_open2(decoder.get(), codec, nullptr);
  if (result < 0) refuse(log.words(fmt::format("no decoder for {}", codec->name), result));
}

// Decodes the next frame into `ahead`; false at the end.
bool VideoReader::State::decode() {
  const AvLog log;
  int result = 0;
  while ((result = avcodec_receive_frame(decoder.get(), ahead.get())) == AVERROR(EAGAIN)) feed(log);
  if (result == AVERROR_EOF) return false;
  if (result < 0) refuse_frame(decoded, log.words("decode", result));
  if (ahead->decode_error_flags != 0 || ahead->flags & AV_FRAME_FLAG_CORRUPT)
    refuse_frame(decoded, log.words("decode", AVERROR_INVALIDDATA));
  ++decoded;
  return true;
}

void VideoReader::State::feed(const AvLog& log) {
  for (;;) {
    const int read = av_read_frame(file.get(), packet.get());
    if (read < 0 && read != AVERROR_EOF) refuse_frame(decoded, log.words("read", read));
    if (read >= 0 && packet->stream_index != stream) {
      av_packet_unref(packet.get());
      continue;
    }
    const int sent = avcodec_send_packet(decoder.get(), read >= 0 ? packet.get() : nullptr);
    av_packet_unref(packet.get());
    if (sent < 0 && sent != AVERROR_EOF) refuse_frame(decoded, log.words("decode", sent));
    return;
  }
}

void VideoReader::State::open_scaler() {
  const auto format = AVPixelFormat(frame->format);
  const int flags = SWS_BILINEAR | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_ACCURATE_RND | SWS_BITEXACT;
  scaler.reset();
  std::unique_ptr<SwsContext, Close> made(sws_getContext(frame->width, frame->height, format, frame->width,
                                                         frame->height, AV_PIX_FMT_RGBA, flags, nullptr, nullptr,
                                                         nullptr));
  const int* const factors = matrix_factors(*frame);
  const int full_range = frame->color_range == AVCOL_RANGE_JPEG, one = 1 << 16;
  if (!made || sws_setColorspaceDetails(made.get(), factors, full_range, factors, 1, 0, one, one) < 0) {
    const char* const format_name = av_get_pix_fmt_name(format);
    refuse(fmt::format("pixels of the kind {} cannot be converted", format_name ? format_name : "unknown"));
  }
  scaler = std::move(made);
  scaler_size = {frame->width, frame->height};
  scaler_format = frame->format;
}

void VideoReader::State::convert(Picture& picture) {
  const AvLog log;
  const Size size{frame->width, frame->height};
  if (!scaler || scaler_size != size || scaler_format != frame->format) open_scaler();
  const std::size_t width = static_cast<std::size_t>(size.width), height = static_cast<std::size_t>(size.height);
  const std::size_t stride = (4 * width + 127) / 64 * 64;
  rows.resize(stride * height);
  std::uint8_t* const planes[] = {rows.data()};
  const int strides[] = {static_cast<int>(stride)};
  const int done = sws_scale(scaler.get(), frame->data, frame->linesize, 0, frame->height, planes, strides);
  if (done != frame->height) refuse_frame(index, log.words("convert", done < 0 ? done : AVERROR_EXTERNAL));
  picture.size = size;
  picture.pixels.resize(width * height);
  const std::uint8_t opaque = has_flag(*frame, AV_PIX_FMT_FLAG_ALPHA) ? 0 : 255;
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint8_t* const source = &rows[y * stride];
    Color* const target = &picture.pixels[y * width];
    for (std::size_t x = 0; x < width; ++x) {
      const std::uint8_t* const p = source + 4 * x;
      target[x] = {p[0], p[1], p[2], static_cast<std::uint8_t>(p[3] | opaque)};
    }
  }
}

VideoReader::VideoReader(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->name = path.string();
  state_->open();
}

VideoReader::~VideoReader() = default;

const std::string& VideoReader::name() const { return state_->name; }

std::string VideoReader::frame_rate() const {
  const AVRational rate = state_->file->streams[state_->stream]->avg_frame_rate;
  if (rate.num <= 0 || rate.den <= 0) return "unknown";
  return rate.den == 1 ? fmt::format("{}", rate.num) : fmt::format("{}/{}", rate.num, rate.den);
}

bool VideoReader::rotated() const {
  const AVStream* const stream = state_->file->streams[state_->stream];
  const std::uint8_t* const data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr);
  if (!data) return false;
  std::array<std::int32_t, 4> turn{};  // the upper left of a matrix of 3 x 3
  std::memcpy(turn.data(), data, 8);
  std::memcpy(turn.data() + 2, data + 12, 8);
  return turn[0] <= 0 || turn[1] != 0 || turn[2] != 0 || turn[3] <= 0;
}

bool VideoReader::next() {
  State& s = *state_;
  if (s.ended) return false;
  const auto start = [&s] { s.pending = std::async(std::launch::async, [&s] { return s.decode(); }); };
  if (!s.pending.valid()) start();
  if (!s.pending.get()) {
    s.ended = true;
    if (s.index < 0) s.refuse("there is no frame in it");
    return false;
  }
  std::swap(s.frame, s.ahead);
  ++s.index;
  start();
  s.yuv = planar_yuv(*s.frame);
  if (s.yuv) s.matrix = yuv_matrix(*s.frame);
  return true;
}

std::int64_t VideoReader::index() const { return state_->index; }

Size VideoReader::size() const { return {state_->frame->width, state_->frame->height}; }

bool VideoReader::rounded() const {
  const AVPixFmtDescriptor* const found = description(*state_->frame);
  return found && found->comp[0].depth > 8;
}

bool VideoReader::matrix_named() const {
  return matrix_is_named(*state_->frame) || has_flag(*state_->frame, AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL);
}

Picture VideoReader::picture() {
  State& s = *state_;
  Picture picture;
  if (s.yuv) {
    picture.size = size();
    picture.pixels.resize(pixel_count(picture.size));
    for (int y = 0; y < picture.size.height; ++y) convert_row(*s.yuv, s.matrix, y, &picture.at(0, y));
  } else {
    s.convert(picture);
  }
  picture.rounded = rounded();
  return picture;
}

void VideoReader::prepare_rows() {
  if (!state_->yuv) state_->convert(state_->whole);
}

const Color* VideoReader::row(int y, Color* room) const {
  if (!state_->yuv) return &state_->whole.at(0, y);
  convert_row(*state_->yuv, state_->matrix, y, room);
  return room;
}

bool VideoReader::same_layout(const VideoReader& other) const {
  const AVFrame& a = *state_->frame;
  const AVFrame& b = *other.state_->frame;
  return a.width == b.width && a.height == b.height && a.format == b.format && a.colorspace == b.colorspace &&
         a.color_range == b.color_range;
}

bool VideoReader::row_stored_alike(const VideoReader& other, int y) const {
  return state_->yuv && rows_stored_alike(*state_->yuv, *other.state_->yuv, y);
}

bool VideoReader::stored_alike(const VideoReader& other) const {
  if (!same_layout(other)) return false;
  const AVFrame& a = *state_->frame;
  const AVFrame& b = *other.state_->frame;
  const auto format = AVPixelFormat(a.format);
  const AVPixFmtDescriptor* const layout = description(a);
  if (!layout || layout->flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_HWACCEL)) return false;
  for (int plane = 0; plane < av_pix_fmt_count_planes(format); ++plane) {
    const int bytes = av_image_get_linesize(format, a.width, plane);
    const int shift = plane == 1 || plane == 2 ? layout->log2_chroma_h : 0;
    const int rows = -(-a.height >> shift);  // rounded up
    for (int y = 0; y < rows; ++y) {
      const std::uint8_t* const p = a.data[plane] + static_cast<std::ptrdiff_t>(y) * a.linesize[plane];
      const std::uint8_t* const q = b.data[plane] + static_cast<std::ptrdiff_t>(y) * b.linesize[plane];
      if (std::memcmp(p, q, static_cast<std::size_t>(bytes)) != 0) return false;
    }
  }
  return true;
}

}  // namespace simreel
