#pragma once
// The stage that encodes pictures where they are drawn, for sinks that take packets instead of pixels.

#include <cstddef>
#include <cstdint>

#include "exec/buffer.h"
#include "exec/executor.h"
#include "kernels/encode/h264.h"
#include "raster/rasterizer.h"
#include "run/ring.h"
#include "run/stillness.h"
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

  // Looks at the pictures that are encoded, if the first one is frame 0, until one differs from it. Costs a copy of
  // each to the host: for runs in which no sink has pixels to look at.
  void watch() { watches_ = true; }
  // Whether all pictures were the same; false before the second one.
  bool stands_still() const { return stillness_.all_same(); }

 private:
  std::int64_t segment_frames_;
  H264Encoder encoder_;
  Buffer<std::byte> planes_;
  bool watches_ = false, looks_ = false;  // looks_: it watches, and has done so since frame 0
  Stillness stillness_;
};

}  // namespace simreel
