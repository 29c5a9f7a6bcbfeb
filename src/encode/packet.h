#pragma once
// What passes between the encoder that works where pictures are drawn (kernels/encode/h264.h) and the sinks that take
// its packets.

#include <cstdint>
#include <vector>

namespace simreel {

// An encoded picture.
struct EncodedPacket {
  std::vector<std::uint8_t> bytes;  // H264Encoder::packet
  bool key = false;                 // H264Encoder::is_key
};

// What a sink that takes packets instead of pixels asks of that encoder.
struct PacketStream {
  int quality = 0;                  // H264Options::quality
  std::int64_t segment_frames = 0;  // the encoder starts anew at multiples of this
  int encoders = 0;                 // StreamInfo::encoders; packets do not depend on it
  bool operator==(const PacketStream&) const = default;
};

}  // namespace simreel
