#pragma once
// A video's frames on their way through encoders: cut into segments of a fixed number of frames, each with an encoder
// and a thread of its own, several at once. What comes out depends on the frames alone, never on how many were at work.
// Internal to the video sink.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sink/video/av.h"
#include "sink/video/encoder_plan.h"

namespace simreel {

// A closed group of pictures in the order of decoding: timestamps and durations in frames of the whole video.
struct Segment {
  std::int64_t first = 0, frames = 0;
  std::vector<AvPtr<AVPacket>> packets;
};

class SegmentEncoder {
 public:
  // At most `encoders` segments are at work at once (at least 1). `plan` must outlive this; `first`, the number of the
  // first frame to come, stands at a segment's edge.
  SegmentEncoder(const EncoderPlan& plan, int encoders, std::int64_t first);
  ~SegmentEncoder();  // drops what is not finished
  SegmentEncoder(const SegmentEncoder&) = delete;
  SegmentEncoder& operator=(const SegmentEncoder&) = delete;

  using Take = std::function<void(Segment&)>;  // in order, on the caller's thread

  // The next frame, in the layout of the plan's pixels; it is copied. Waits while as many frames are held as may be,
  // and gives the segments that are finished. Throws RuntimeError with libav's words; after that, and after `take` has
  // thrown, only the destructor may follow.
  void send(const std::byte* pixels, const Take& take);
  // No more frames come: gives all that is left.
  void drain(const Take& take);

  // As many encoders as keep `cores` cores busy, or fewer where `available` bytes of memory are too little for them.
  static int fitting_encoders(const EncoderPlan&, int cores, std::size_t available);
  // About the peak of `encoders` encoders, with the frames that wait for them and the packets that wait for others.
  static std::size_t memory_bytes(const EncoderPlan&, int encoders);

 private:
  struct Work {
    Segment segment;
    std::deque<AvPtr<AVFrame>> waiting;
    bool complete = false;  // no frame follows
    bool done = false;      // nothing more happens to the segment
    std::exception_ptr error;
    std::thread thread;
  };

  void begin();  // the next segment; with the mutex held
  void run(Work&);
  AvPtr<AVFrame> next_frame(Work&);  // null at the end
  AvPtr<AVFrame> copy(const std::byte* pixels);
  // Gives finished segments, and waits for more of them until `enough()`, which is asked with the mutex held.
  template <class Enough>
  void give(const Take&, const Enough& enough);
  void number_packets(Segment&) const;

  const EncoderPlan& plan_;
  const std::size_t most_works_, most_waiting_;
  std::int64_t next_;
  std::unique_ptr<AVBufferPool, void (*)(AVBufferPool*)> memory_;  // of frames, used again and again

  std::mutex mutex_;  // guards the rest and what is in it
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Work>> works_;  // in order
  std::size_t waiting_ = 0;                  // frames in all of them
  bool abandoned_ = false;
};

}  // namespace simreel
