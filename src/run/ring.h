#pragma once
// Frames on their way from the raster to the sinks: a few slots, reused. The producer (the render loop) blocks when all
// are in flight, so memory does not grow with the number of frames; every sink has a thread of its own, so encoding
// overlaps simulation.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/pixels.h"
#include "exec/buffer.h"
#include "exec/executor.h"
#include "sink/sink.h"

namespace simreel {

class FrameRing {
 public:
  static constexpr int default_slots = 4;

  // One frame being filled.
  class Slot {
   public:
    // Executor memory for the whole frame in this layout, frame_bytes() long; `layout` is one of layouts().
    std::byte* target(PixelLayout layout);

    // Executor memory for the packed state (kernels/base/pack.h); null unless a sink wants it.
    std::byte* state_target() { return state_.target.data(); }

    std::vector<double> diagnostics;  // one value a name; what was here before belongs to an older frame
    State state;                      // what is in state_target; its `values` are the ring's to fill

   private:
    friend class FrameRing;
    struct Copy {
      Buffer<std::byte> target, host;  // `host` is empty on the CPU, where the target is host memory already
      Event arrived;                   // in `host`

      Copy() = default;
      Copy(const Executor&, std::size_t bytes);
      const std::byte* data() const { return host.size() > 0 ? host.data() : target.data(); }
    };
    struct Plane {
      PixelLayout layout;
      Copy copy;
    };

    std::vector<Plane> planes_;
    Copy state_;
    std::int64_t index_ = 0;
    std::size_t readers_ = 0;  // sinks that still need this slot
  };

  // Starts a thread a sink. `sinks` must outlive the ring. `first` is the number of the frame to come, `state_bytes`
  // the size of a packed state, for sinks that want it. slots >= 2.
  FrameRing(const Executor&, std::vector<std::unique_ptr<Sink>>& sinks, Size size, std::int64_t first = 0,
            std::size_t state_bytes = 0, int slots = default_slots, Log log = {});
  // Without `finish` (an exception is on its way): stops the threads after the write each is in, drops what else is
  // queued and finishes no sink.
  ~FrameRing();
  FrameRing(const FrameRing&) = delete;
  FrameRing& operator=(const FrameRing&) = delete;

  const std::vector<PixelLayout>& layouts() const { return layouts_; }  // what the sinks ask for, each once
  bool wants_state() const { return wants_state_; }

  // Executor memory that the slots take for sinks with these layouts. A CUDA run takes as much pinned host memory
  // again.
  static std::size_t memory_bytes(const std::vector<PixelLayout>&, Size, std::size_t state_bytes = 0,
                                  int slots = default_slots);

  // acquire, publish and finish rethrow the first error of a sink. Before they do, every other sink writes what was
  // published and is finished, because its frames are good; the ring is at its end then.

  // The next free slot; blocks while there is none.
  Slot& acquire();
  // Hands the slot to every sink; its pixels may still be on their way. Frames reach each sink in the order of
  // publishing.
  void publish(Slot&);
  // Waits until every sink has written every published frame and is finished, each on its own thread.
  void finish();

  // Seconds since the start, for --profile.
  struct Times {
    std::vector<double> sink_busy;  // a sink: time inside write and finish
  };
  Times times() const;

 private:
  enum class State { running, finishing, abandoned };
  struct Worker {
    Sink* sink = nullptr;
    std::deque<Slot*> queue;
    std::condition_variable wake;
    double busy = 0;
    std::thread thread;
  };

  void run(Worker&);
  void write(Worker&, Slot&);
  void fail(std::exception_ptr);
  void join(State);
  void end_if_failed();
  void download(Slot::Copy&);

  std::vector<PixelLayout> layouts_;
  bool wants_state_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Worker>> workers_;
  const Executor& executor_;
  Log log_;

  mutable std::mutex mutex_;  // guards everything below, queues, busy times and readers
  std::condition_variable slot_free_;
  State state_ = State::running;
  std::exception_ptr error_;
  std::int64_t acquired_ = 0, published_;
};

}  // namespace simreel
