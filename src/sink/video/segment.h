#pragma once
// Segments of a video, and who makes them of frames. Internal to the video sink.

#include <cstdint>
#include <functional>
#include <vector>

#include "sink/sink.h"
#include "sink/video/av.h"

namespace simreel {

// Closed groups of pictures in decoding order; timestamps and durations in frames of the whole video.
struct Segment {
  std::int64_t first = 0, frames = 0;
  std::vector<AvPtr<AVPacket>> packets;
};

// Makes segments of frames. Every segment but the last has EncoderPlan::segment_frames() frames.
class SegmentMaker {
 public:
  virtual ~SegmentMaker() = default;

  using Take = std::function<void(Segment&)>;  // in order, on the caller's thread

  // Takes the next frame, which is read before this returns, and delivers whole segments. Throws RuntimeError with
  // libav's message; after that, or if `take` throws, only the destructor may be called.
  virtual void send(const Frame& frame, const Take& take) = 0;
  // Ends the stream: delivers all remaining segments.
  virtual void drain(const Take& take) = 0;
};

}  // namespace simreel
