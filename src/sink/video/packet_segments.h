#pragma once
// Collects the packets of the encoder that works where pictures are drawn (kernels/encode) into segments. Internal to
// the video sink.

#include "sink/video/encoder_plan.h"
#include "sink/video/segment.h"

namespace simreel {

class PacketSegments final : public SegmentMaker {
 public:
  // `plan` must outlive this; `first`, the number of the first frame to be sent, is at the start of a segment.
  PacketSegments(const EncoderPlan& plan, std::int64_t first);

  void send(const Frame& frame, const Take& take) override;
  void drain(const Take& take) override;

  static std::size_t memory_bytes(const EncoderPlan&);  // estimated peak

 private:
  const EncoderPlan& plan_;
  Segment segment_;
};

}  // namespace simreel
