#pragma once
// One of the encoders of a run: a thread with an encoder and an executor of its own, which encodes whole segments.
// Several work at once, because a picture waits for the one before it most of the time and leaves a GPU idle.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "encode/packet.h"
#include "exec/buffer.h"
#include "exec/executor.h"
#include "kernels/encode/h264.h"

namespace simreel {

// Threads of the host that code pictures into packets (H264Encoder::packet), in any order: a picture takes a core some
// milliseconds, and the pictures of a run do not wait for each other there.

class PacketCoder {
 public:
  explicit PacketCoder(int threads);  // >= 1
  // Drops the pictures that no thread has begun.
  ~PacketCoder();
  PacketCoder& operator=(PacketCoder&&) = delete;

  // Keeps the promise by the packet of a slot, of which `filled` has the first filled_bytes(). Blocks while two
  // pictures a thread wait. Any thread.
  void code(std::vector<std::byte> filled, std::promise<EncodedPacket>&& packet);

  void wait();  // until none is left

 private:
  struct Work {
    std::vector<std::byte> filled;
    std::promise<EncodedPacket> packet;
  };

  void run();
  void end();

  std::mutex mutex_;  // guards everything below but the threads
  std::condition_variable given_, taken_, ended_;
  std::deque<Work> queue_;
  std::size_t left_ = 0;  // pictures without a packet
  bool over_ = false;
  std::vector<std::thread> threads_;
};

// Executor memory for pictures that wait for their encoder, allocated when it is needed: where drawing is slower than
// encoding few pictures wait.
class PictureStore {
 public:
  struct Picture {
    std::byte* planes = nullptr;
    Event drawn;  // the planes are complete
  };

  // Up to `max` pictures of so many bytes, max >= 1. The executor must outlive the store.
  PictureStore(const Executor&, std::size_t bytes, std::int64_t max);

  // A picture that nothing uses; blocks while there is none. On the executor's thread. Throws RuntimeError if there is
  // no memory for the first ones; later it makes do with those that it has.
  Picture& acquire();
  void release(Picture&);  // on any thread

  std::size_t bytes() const { return bytes_; }  // of a picture

 private:
  void grow();

  const Executor& executor_;
  std::size_t bytes_, max_;
  std::vector<Buffer<std::byte>> memory_;
  std::deque<Picture> pictures_;  // their addresses stay

  std::mutex mutex_;  // guards free_; the rest belongs to the executor's thread
  std::condition_variable released_;
  std::vector<Picture*> free_;
};

class PacketWorker {
 public:
  static constexpr int slots = 3;  // pictures that the device is given at a time, so that it need not wait for the host

  // Works on a queue of the executor's device, or on so many threads of the CPU. Executor, store and coder must outlive
  // it. Errors are those of the first packet.
  PacketWorker(const Executor&, int threads, const H264Options&, PictureStore&, PacketCoder&);
  // Drops the pictures that are not being encoded yet.
  ~PacketWorker();
  PacketWorker& operator=(PacketWorker&&) = delete;

  // Takes the next picture of a segment, and gives it back to the store. `first`: it begins the segment. What the
  // encoder throws is thrown by the packets of this picture and all that follow.
  std::shared_future<EncodedPacket> encode(PictureStore::Picture&, bool first);

  int waiting() const;  // pictures that are not encoded
  void wait();          // until there are none

 private:
  struct Work {
    PictureStore::Picture* picture;
    bool first;
    std::promise<EncodedPacket> packet;
  };

  void run();
  void encode_all(std::deque<Work>& under_way);
  std::optional<Work> next(bool patient);  // nullopt: there is none yet and it was not to wait for one, or it is over
  void done(const Work&);

  const Executor& executor_;
  const int threads_;
  const H264Options options_;
  PictureStore& store_;
  PacketCoder& coder_;

  mutable std::mutex mutex_;  // guards everything below but the thread
  std::condition_variable changed_;
  std::deque<Work> queue_;
  int waiting_ = 0;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace simreel
