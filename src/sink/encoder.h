#pragma once
// One libav encoder: frames in, packets out. Internal to the video sink.

#include <cstdint>
#include <functional>

#include "sink/av.h"
#include "sink/encoder_plan.h"

namespace simreel {

class Encoder {
 public:
  explicit Encoder(const EncoderPlan& plan);  // throws RuntimeError

  using Take = std::function<void(AVPacket&)>;  // pts in frames from this encoder's first one

  // The next frame. Calls `take` for every packet that is ready. Throws RuntimeError with libav's words.
  void send(AVFrame& frame, const Take& take);
  // No more frames come: gives all that is left.
  void drain(const Take& take);

 private:
  void exchange(const AVFrame*, const Take&);

  AvPtr<AVCodecContext> context_;
  AvPtr<AVPacket> packet_;
  std::int64_t sent_ = 0;
};

}  // namespace simreel
