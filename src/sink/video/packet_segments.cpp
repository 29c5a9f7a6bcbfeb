#include "sink/video/packet_segments.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace simreel {

PacketSegments::PacketSegments(const EncoderPlan& plan, std::int64_t first) : plan_(plan) { segment_.first = first; }

void PacketSegments::send(const Frame& frame, const Take& take) {
  const std::vector<std::uint8_t>& bytes = frame.packet->bytes;
  AvPtr<AVPacket> packet = owned(av_packet_alloc());
  if (const int result = av_new_packet(packet.get(), static_cast<int>(bytes.size())); result < 0)
    throw RuntimeError("av_new_packet: " + av_words(result));
  std::ranges::copy(bytes, packet->data);
  packet->pts = packet->dts = segment_.first + segment_.frames;
  packet->duration = 1;
  if (frame.packet->key) packet->flags |= AV_PKT_FLAG_KEY;
  segment_.packets.push_back(std::move(packet));
  if (++segment_.frames == plan_.segment_frames()) drain(take);
}

void PacketSegments::drain(const Take& take) {
  if (segment_.frames == 0) return;
  Segment whole = std::exchange(segment_, {});
  segment_.first = whole.first + whole.frames;
  take(whole);
}

std::size_t PacketSegments::memory_bytes(const EncoderPlan& plan) {
  // Noise compresses to between a quarter and a half of its size.
  return static_cast<std::size_t>(plan.segment_frames()) * frame_bytes(plan.size(), plan.pixels().layout) / 2;
}

}  // namespace simreel
