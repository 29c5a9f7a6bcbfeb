#pragma once
// Encodes a video in segments of a fixed number of frames, each with its own encoder and thread, several in parallel.
// The result depends on the frames alone, never on the number of encoders. Internal to the video sink.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "sink/video/av.h"
#include "sink/video/encoder_plan.h"
#include "sink/video/file.h"

namespace simreel {

class SegmentEncoder final : public SegmentMaker {
 public:
  // Encodes at most `encoders` (at least 1) segments in parallel. `plan` must outlive this; `first`, the number of the
  // first frame to be sent, is at the start of a segment.
  SegmentEncoder(const EncoderPlan& plan, int encoders, std::int64_t first);
  ~SegmentEncoder() override;  // drops unfinished segments
  SegmentEncoder& operator=(SegmentEncoder&&) = delete;

  // Copies the frame, in the layout of the plan's pixels. Blocks while the maximum number of frames is held.
  void send(const Frame& frame, const Take& take) override;
  void drain(const Take& take) override;

  // The number of encoders that keeps `cores` cores busy, or fewer if they do not fit into `available` bytes of memory.
  static int fitting_encoders(const EncoderPlan&, int cores, std::size_t available);
  // The estimated peak memory of `encoders` encoders, including queued frames and packets.
  static std::size_t memory_bytes(const EncoderPlan&, int encoders);
  static SinkTraits::Encoded encoded(const EncoderPlan&, int encoders);

 private:
  struct Work {
    Segment segment;
    std::deque<AvPtr<AVFrame>> waiting;
    bool complete = false;  // no more frames follow
    bool done = false;      // the thread has finished with the segment
    std::exception_ptr error;
    std::thread thread;
  };

  void begin();  // the next segment; with the mutex held
  void run(Work&);
  AvPtr<AVFrame> next_frame(Work&);  // null at the end
  AvPtr<AVFrame> copy(const std::byte* pixels);
  // Delivers finished segments and waits for more of them until `enough()`, which is called with the mutex held.
  template <class Enough>
  void deliver(const Take&, const Enough& enough);
  void number_packets(Segment&) const;

  const EncoderPlan& plan_;
  const std::size_t max_works_, max_waiting_;
  std::int64_t next_;
  std::unique_ptr<AVBufferPool, void (*)(AVBufferPool*)> memory_;  // a pool for frames

  std::mutex mutex_;  // guards the members below and their contents
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Work>> works_;  // in order
  std::size_t waiting_ = 0;                  // frames waiting in all of them
  bool abandoned_ = false;
};

// Collects the packets of the encoder that works where pictures are drawn (kernels/encode) into segments.
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
