#include "sink/video/encoder.h"

#include "base/error.h"
#include "sink/video/program_encoder.h"
#include "sink/video/yuva.h"

namespace simreel {
namespace {

RgbView view_of(const AVFrame& frame) { return {frame.data[0], frame.linesize[0], {frame.width, frame.height}}; }

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
  if (const int result = avcodec_send_frame(context_.get(), frame); result < 0) {
    throw RuntimeError(log.words("avcodec_send_frame", result));
  }
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
  if (const int result = av_frame_get_buffer(frame.get(), 0); result < 0) {
    throw RuntimeError("av_frame_get_buffer: " + av_words(result));
  }
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

}  // namespace simreel
