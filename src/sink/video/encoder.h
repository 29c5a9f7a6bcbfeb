#pragma once
// One encoder: frames in, packets out. Internal to the video sink.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sink/animated/palette.h"
#include "sink/video/av.h"
#include "sink/video/encoder_plan.h"

namespace simreel {

class FrameEncoder {
 public:
  virtual ~FrameEncoder() = default;

  using Take = std::function<void(AVPacket&)>;  // pts in frames from the first frame of this encoder

  // Encodes the next frame, in the plan's pixels. Calls `take` for every packet that is ready. Throws RuntimeError with
  // the encoder's message.
  virtual void send(AvPtr<AVFrame> frame, const Take& take) = 0;
  // Ends the stream: delivers the remaining packets.
  virtual void drain(const Take& take) = 0;
};

// Of libav, or the program of the plan. Throws RuntimeError.
std::unique_ptr<FrameEncoder> open_encoder(const EncoderPlan&);

class LibavEncoder final : public FrameEncoder {
 public:
  explicit LibavEncoder(const EncoderPlan& plan);  // throws RuntimeError

  void send(AvPtr<AVFrame> frame, const Take& take) override;
  void drain(const Take& take) override;

 private:
  void encode(AVFrame&, const Take&);
  void exchange(const AVFrame*, const Take&);
  AvPtr<AVFrame> fresh_frame(const AVFrame& like) const;  // in the encoder's pixels
  AvPtr<AVFrame> indexed(const AVFrame&) const;
  AvPtr<AVFrame> reordered(const AVFrame&) const;
  AvPtr<AVFrame> with_alpha(const AVFrame&) const;

  AvPtr<AVCodecContext> context_;
  AvPtr<AVPacket> packet_;
  std::int64_t sent_ = 0;
  std::unique_ptr<GifPalette> palette_;  // for encoders that need one
  std::vector<AvPtr<AVFrame>> counted_;  // the frames that the palette has counted
};

}  // namespace simreel
