#pragma once
// The packets that a sink would get from the encoder of a run (encode/packets.h), for the tests of sinks.

#include "kernels/encode/h264.h"
#include "sink/sink.h"
#include "tests/support/test.h"

namespace simreel::test {

class PacketMaker {
 public:
  // The packet of frame `index`, whose yuv420p planes these are; valid until the next call.
  const EncodedPacket* encode(const Sink& sink, const PacketStream& stream, const StreamInfo& info,
                              const std::vector<std::byte>& planes, std::int64_t index) {
    if (&sink != sink_ || index != next_ || !encoder_ || info.size != size_) {
      encoder_.emplace(executor_, H264Options{info.size, info.fps_numerator, info.fps_denominator, stream.quality});
      sink_ = &sink;
      size_ = info.size;
      slot_.resize(H264Encoder::slot_bytes(info.size));
    }
    if (index % stream.segment_frames == 0) encoder_->reset();
    Event done;
    encoder_->encode(planes.data(), false, slot_.data(), done);
    next_ = index + 1;
    packet_ = {H264Encoder::packet(slot_.data()), H264Encoder::is_key(slot_.data())};
    return &packet_;
  }
  // What a decoder shows for it.
  std::vector<std::uint8_t> reconstruction() const { return encoder_->reconstruction(); }

 private:
  Executor executor_ = Executor::cpu(1);
  const Sink* sink_ = nullptr;
  std::int64_t next_ = 0;
  Size size_;
  std::optional<H264Encoder> encoder_;
  std::vector<std::byte> slot_;
  EncodedPacket packet_;
};

}  // namespace simreel::test
