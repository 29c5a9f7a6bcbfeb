#include "sink/encoder.h"

#include "error.h"

namespace simreel {

Encoder::Encoder(const EncoderPlan& plan) : context_(plan.open()), packet_(own(av_packet_alloc())) {}

void Encoder::send(AVFrame& frame, const Take& take) {
  frame.pts = sent_++;
  exchange(&frame, take);
}

void Encoder::drain(const Take& take) { exchange(nullptr, take); }

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

}  // namespace simreel
