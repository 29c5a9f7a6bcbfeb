#include "sink/encoder.h"

#include "error.h"

namespace simreel {
namespace {

RgbView view_of(const AVFrame& frame) { return {frame.data[0], frame.linesize[0], {frame.width, frame.height}}; }

}  // namespace

Encoder::Encoder(const EncoderPlan& plan) : context_(plan.open()), packet_(own(av_packet_alloc())) {
  if (context_->pix_fmt == AV_PIX_FMT_PAL8) palette_ = std::make_unique<Palette>();
}

void Encoder::send(AvPtr<AVFrame> frame, const Take& take) {
  if (!palette_) return encode(*frame, take);
  palette_->count(view_of(*frame));
  counted_.push_back(std::move(frame));
}

void Encoder::drain(const Take& take) {
  if (palette_) palette_->choose();
  for (AvPtr<AVFrame>& frame : counted_) {
    encode(*indexed(*frame), take);
    frame.reset();
  }
  exchange(nullptr, take);
}

void Encoder::encode(AVFrame& frame, const Take& take) {
  frame.pts = sent_++;
  exchange(&frame, take);
}

void Encoder::exchange(const AVFrame* frame, const Take& take) {
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

// The frame in the colours of the palette. Its last entry is transparent: the encoder shows what does not change by it.
AvPtr<AVFrame> Encoder::indexed(const AVFrame& from) const {
  AvPtr<AVFrame> frame = own(av_frame_alloc());
  frame->format = AV_PIX_FMT_PAL8;
  frame->width = from.width;
  frame->height = from.height;
  if (const int result = av_frame_get_buffer(frame.get(), 0); result < 0) {
    throw RuntimeError("av_frame_get_buffer: " + av_words(result));
  }
  auto* const entries = reinterpret_cast<std::uint32_t*>(frame->data[1]);
  std::fill_n(entries, Palette::most_colors, 0xff000000u);
  entries[Palette::most_colors] = 0;
  for (std::size_t i = 0; const Color& color : palette_->colors())
    entries[i++] |= std::uint32_t(color.r) << 16 | std::uint32_t(color.g) << 8 | color.b;
  palette_->map(view_of(from), frame->data[0], frame->linesize[0]);
  return frame;
}

}  // namespace simreel
