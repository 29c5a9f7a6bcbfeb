#include "encode/packet_coder.h"

#include <exception>
#include <utility>

#include "kernels/encode/h264.h"

namespace simreel {

PacketCoder::PacketCoder(int threads) {
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
  } catch (...) {  // no more threads to be had
    end();
    throw;
  }
}

PacketCoder::~PacketCoder() { end(); }

void PacketCoder::end() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    given_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void PacketCoder::code(std::vector<std::byte> filled, std::promise<EncodedPacket>&& packet) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [&] { return queue_.size() < 2 * threads_.size(); });
  Work& work = queue_.emplace_back();  // if this throws, the caller still has the promise
  work.filled = std::move(filled);
  work.packet = std::move(packet);
  ++left_;
  given_.notify_one();
}

void PacketCoder::wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return left_ == 0; });
}

void PacketCoder::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    given_.wait(lock, [&] { return over_ || !queue_.empty(); });
    if (over_) return;
    Work work = std::move(queue_.front());
    queue_.pop_front();
    taken_.notify_one();
    lock.unlock();
    try {
      const std::byte* const slot = work.filled.data();
      work.packet.set_value({H264Encoder::packet(slot), H264Encoder::is_key(slot)});
    } catch (...) {
      work.packet.set_exception(std::current_exception());
    }
    lock.lock();
    if (--left_ == 0) ended_.notify_all();
  }
}

}  // namespace simreel
