#pragma once
// The stage that encodes pictures where they are drawn, for sinks that take packets instead of pixels.

#include <cstddef>
#include <cstdint>

#include "exec/buffer.h"
#include "exec/executor.h"
#include "kernels/encode/h264.h"
#include "raster/rasterizer.h"
#include "run/ring.h"
#include "scene/scene.h"
#include "sink/sink.h"

namespace simreel {

class PacketStage {
 public:
  // Executor memory, in bytes.
  static std::size_t memory_bytes(Size);

  // The executor must outlive the stage. Throws RuntimeError if the memory cannot be allocated.
  PacketStage(const Executor&, const Scene&, const PacketStream&);

  // Encodes the rasterizer's canvas as frame `frame`. Frames come in order, from the start of a segment. Asynchronous
  // on a GPU.
  void encode(const Rasterizer&, std::int64_t frame, FrameRing::Slot&);

 private:
  std::int64_t segment_frames_;
  H264Encoder encoder_;
  Buffer<std::byte> planes_;
};

}  // namespace simreel
