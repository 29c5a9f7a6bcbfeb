#pragma once
// Threads of the host that code pictures into packets (H264Encoder::packet), in any order: a picture takes a core some
// milliseconds, and the pictures of a run do not wait for each other there.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "encode/packet.h"

namespace simreel {

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

}  // namespace simreel
