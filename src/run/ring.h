#pragma once
// The queue of frames between the raster and the sinks: a few slots, reused. Four slots bound memory and apply
// back-pressure to the simulation: the producer (the render loop) blocks while all are in flight. Every sink has its
// own thread, so encoding overlaps simulation.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/pixels.h"
#include "encode/packets.h"
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
    // Executor memory for the whole frame in this layout, frame_bytes() long; `layout` is one of needs().layouts.
    std::byte* target(PixelLayout layout);

    // Executor memory for the packed state (kernels/base/pack.h); null unless a sink wants it.
    std::byte* state_target() { return state_.target.data(); }

    std::vector<double> diagnostics;           // one value per name; initially those of an older frame
    State state;                               // describes state_target; the ring sets its `values`
    std::shared_ptr<const Page> page;          // null unless a sink wants pages
    std::shared_future<EncodedPacket> packet;  // of no state unless a sink wants packets

   private:
    friend class FrameRing;
    struct Copy {
      Buffer<std::byte> target, host;  // `host` is empty on the CPU, where the target is host memory
      Event arrived;                   // the copy to `host` is complete

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
    std::size_t readers_ = 0;  // sinks that still need this slot
  };

  // Starts one thread per sink. `sinks` must outlive the ring. `first` is the number of the next frame, `state_bytes`
  // the size of a packed state, for sinks that want it. slots >= 2. `ahead`: how many frames may wait for a sink that
  // wants nothing but packets, which may be there much later; it holds no slots. >= 1.
  FrameRing(const Executor&, std::vector<std::unique_ptr<Sink>>& sinks, Size size, std::int64_t first = 0,
            std::size_t state_bytes = 0, int slots = default_slots, Log log = {}, std::int64_t ahead = default_slots);
  // Without `finish` (during stack unwinding): stops each thread after its current write, drops queued frames and
  // finishes no sink.
  ~FrameRing();
  FrameRing& operator=(FrameRing&&) = delete;

  const SinkNeeds& needs() const { return needs_; }  // of all sinks

  // Executor memory of the slots for sinks with these layouts. A CUDA run needs the same amount of pinned host memory.
  static std::size_t memory_bytes(const std::vector<PixelLayout>&, Size, std::size_t state_bytes = 0,
                                  int slots = default_slots);

  // acquire, publish and finish rethrow the first error of a sink. Before that, every other sink writes what was
  // published and is finished, because its frames are valid. The ring cannot be used after that.

  // The next free slot; blocks while there is none (back-pressure).
  Slot& acquire();
  // Passes the slot to every sink, while its pixels may still be in transfer, and its packet under way. Sinks receive
  // frames in the order of publishing.
  // `held`: it shows the picture of the last one again, which is nothing new for sinks of data.
  void publish(Slot&, bool held = false);
  // Waits until every sink has written every published frame and is finished, each on its own thread.
  void finish();
  // The same for a run that has failed by `known`: another error, of a sink, goes to the log.
  void finish_after(const std::exception_ptr& known);

  // Waits until every sink has written every published frame, or failed; finishes none.
  void drain();

  // Whether every frame since the start of the ring had the same pixels in the first layout; false before the second
  // frame and without pixels. After `finish`.
  bool stands_still() const;

  // Seconds since the start, for --profile.
  struct Times {
    std::vector<double> sink_busy;  // for each sink, time inside write and finish
  };
  Times times() const;

 private:
  enum class Phase { running, finishing, abandoned };
  struct Entry {  // a frame for a sink
    std::int64_t index;
    Slot* slot;  // null for a sink that wants nothing but packets
    std::shared_future<EncodedPacket> packet;
  };
  struct Worker {
    Sink* sink = nullptr;
    bool holds_slots = true;
    bool shows = false;  // pictures
    std::deque<Entry> queue;
    std::condition_variable wake;
    double busy = 0;
    Stillness stillness;  // of the first worker with pixels
    bool watches = false;
    std::thread thread;
  };

  void run(Worker&);
  void await(Worker&, const Entry&);
  void write(Worker&, const Entry&);
  void fail(std::exception_ptr);
  void join(Phase);
  void end_if_failed();
  void download(Slot::Copy&);

  SinkNeeds needs_;
  Size size_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Worker>> workers_;
  const Executor& executor_;
  Log log_;
  const std::size_t ahead_;

  mutable std::mutex mutex_;  // guards everything below, queues, busy times and readers
  std::condition_variable slot_free_;
  Phase phase_ = Phase::running;
  std::exception_ptr error_;
  std::int64_t acquired_ = 0, published_;
};

}  // namespace simreel
