#pragma once
// The stage that encodes pictures where they are drawn, for sinks that take packets instead of pixels. Segments are
// encoded at the same time, each by a worker of its own; their packets do not depend on how many there are.

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "encode/packet.h"
#include "encode/packet_worker.h"
#include "exec/executor.h"
#include "picture/rasterizer.h"
#include "scene/scene.h"

namespace simreel {

// Whether all frames of a run are the same picture. Compares the hashes of frames until one differs from the first;
// that is soon in most runs, so that it costs the hash of two or three frames.
class Stillness {
 public:
  // Takes the next frame. Does nothing once one has differed.
  void look(const std::byte* pixels, std::size_t bytes);

  bool ended() const { return ended_; }  // a frame has differed
  bool all_same() const { return frames_ > 1 && !ended_; }

 private:
  std::optional<std::uint64_t> first_;
  std::int64_t frames_ = 0;
  bool ended_ = false;
};

// What the stage takes of a machine.
struct PacketPlan {
  int encoders = 1;           // segments that are encoded at a time
  std::int64_t pictures = 1;  // that wait for their encoder
  std::int64_t ahead = 1;     // frames whose packets may be missing or wait for the sinks
  std::size_t executor_bytes = 0, host_bytes = 0;
};

// `executor_free` and `host_free`: memory in bytes that nothing else takes; on the CPU they are the same. More than one
// encoder may have half of it, and so fewer than PacketStream::encoders asks for; there are never more than segments.
PacketPlan plan_packets(const Executor&, const Scene&, const PacketStream&, std::size_t executor_free,
                        std::size_t host_free);

class PacketStage {
 public:
  // The executor must outlive the stage. alone: RenderJob::alone.
  PacketStage(const Executor&, const Scene&, const PacketStream&, const PacketPlan&, bool alone);

  // Encodes the rasterizer's canvas as frame `frame`; the packet may be there much later. Frames come in order, from
  // the start of a segment. Blocks while too many pictures wait. Throws RuntimeError if there is no memory for a
  // picture; the packet throws what the encoder throws.
  std::shared_future<EncodedPacket> encode(const Rasterizer&, std::int64_t frame);

  std::int64_t frames_ahead() const { return plan_.ahead; }

  void wait();  // until all packets are there

  // Looks at the pictures that are encoded, if the first one is frame 0, until one differs from it. Costs a copy of
  // each to the host: for runs in which no sink has pixels to look at.
  void watch() { watches_ = true; }
  // Whether all pictures were the same; false before the second one.
  bool stands_still() const { return stillness_.all_same(); }

 private:
  PacketWorker& choose_worker();

  const Executor& executor_;
  const H264Options options_;
  const std::int64_t segment_frames_;
  const PacketPlan plan_;
  PictureStore store_;
  PacketCoder coder_;
  std::vector<std::unique_ptr<PacketWorker>> workers_;
  PacketWorker* worker_ = nullptr;        // of the segment that is being drawn
  bool watches_ = false, looks_ = false;  // looks_: it watches, and has done so since frame 0
  Stillness stillness_;
};

}  // namespace simreel
