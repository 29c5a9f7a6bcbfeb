#pragma once
// One libav encoder: pixels in, packets out. Internal to the video sink.

#include <functional>
#include <string>

#include "sink/av.h"
#include "sink/codec.h"
#include "sink/sink.h"

namespace simreel {

// Where a mistake in [output] stands, or else what it is about.
std::string place_of(const OutputOptions&, const std::string& otherwise);

class Encoder {
 public:
  // Throws UsageError with the place of [output] for options, a preset or a quality that the codec does not take, for
  // an option that would change what the run decides (the size, the rate, the colours, the number of threads), and for
  // a size that the encoder refuses.
  Encoder(const Codec&, const PixelFormat&, const OutputOptions&, const StreamInfo&);

  using Take = std::function<void(AVPacket&)>;  // timestamps and durations in time_base()

  // The next frame, in the pixel format's layout. Calls `take` for every packet that is ready. Throws RuntimeError.
  void send(const std::byte* pixels, const Take& take);
  // No more frames come: gives all that is left.
  void drain(const Take& take);

  const AVCodecContext& context() const { return *context_; }
  std::size_t memory_bytes() const;  // about what the encoder holds at its peak

 private:
  void exchange(const AVFrame*, const Take&);

  std::size_t memory_bytes_ = 0;
  AvPtr<AVCodecContext> context_;
  AvPtr<AVFrame> frame_;
  AvPtr<AVPacket> packet_;
  std::int64_t sent_ = 0;
};

}  // namespace simreel
