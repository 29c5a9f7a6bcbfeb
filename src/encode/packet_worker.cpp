#include "encode/packet_worker.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.h"

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

PictureStore::PictureStore(const Executor& executor, std::size_t bytes, std::int64_t max)
    : executor_(executor), bytes_(bytes), max_(static_cast<std::size_t>(max)) {}

PictureStore::Picture& PictureStore::acquire() {
  std::unique_lock lock(mutex_);
  if (free_.empty() && pictures_.size() < max_) {
    lock.unlock();  // an allocation waits for the device, and encoders must give pictures back meanwhile
    grow();
    lock.lock();
  }
  released_.wait(lock, [&] { return !free_.empty(); });
  Picture& picture = *free_.back();
  free_.pop_back();
  return picture;
}

void PictureStore::grow() {
  constexpr std::size_t at_once = 16;  // an allocation takes much longer than a picture
  const std::size_t count = std::min(at_once, max_ - pictures_.size());
  try {
    memory_.emplace_back(executor_, count * bytes_);
  } catch (const RuntimeError&) {
    if (pictures_.empty()) throw;
    max_ = pictures_.size();
    return;
  }
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < count; ++i) {
    Picture& picture = pictures_.emplace_back();
    picture.planes = memory_.back().data() + i * bytes_;
    free_.push_back(&picture);
  }
}

void PictureStore::release(Picture& picture) {
  const std::lock_guard lock(mutex_);
  free_.push_back(&picture);
  released_.notify_one();
}

PacketWorker::PacketWorker(const Executor& executor, int threads, const H264Options& options, PictureStore& store,
                           PacketCoder& coder)
    : executor_(executor), threads_(threads), options_(options), store_(store), coder_(coder), thread_([this] {
        run();
      }) {}

PacketWorker::~PacketWorker() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

std::shared_future<EncodedPacket> PacketWorker::encode(PictureStore::Picture& picture, bool first) {
  const std::lock_guard lock(mutex_);
  Work& work = queue_.emplace_back(Work{&picture, first, {}});
  ++waiting_;
  changed_.notify_all();
  return work.packet.get_future().share();
}

int PacketWorker::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

void PacketWorker::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_ == 0; });
}

std::optional<PacketWorker::Work> PacketWorker::next(bool patient) {
  std::unique_lock lock(mutex_);
  if (patient) changed_.wait(lock, [&] { return over_ || !queue_.empty(); });
  if (over_ || queue_.empty()) return std::nullopt;
  Work work = std::move(queue_.front());
  queue_.pop_front();
  return work;
}

void PacketWorker::done(const Work& work) {
  store_.release(*work.picture);
  const std::lock_guard lock(mutex_);
  if (--waiting_ == 0) changed_.notify_all();
}

void PacketWorker::run() {
  std::deque<Work> under_way;  // the oldest first
  try {
    encode_all(under_way);
  } catch (...) {
    const std::exception_ptr error = std::current_exception();
    const auto fail = [&](Work& work) {
      work.packet.set_exception(error);
      done(work);
    };
    std::ranges::for_each(under_way, fail);
    while (std::optional<Work> work = next(true)) fail(*work);
  }
}

void PacketWorker::encode_all(std::deque<Work>& under_way) {
  const Executor executor = executor_.backend() == Backend::cpu ? Executor::cpu(threads_) : executor_.beside();
  struct Slot {
    Buffer<std::byte> packet;
    Event done;
  };
  std::vector<Slot> ring(slots);
  for (Slot& slot : ring)
    slot.packet = Buffer<std::byte>(executor, H264Encoder::slot_bytes(options_.size), Memory::pinned);
  H264Encoder encoder(executor, options_);

  std::size_t begun = 0;  // pictures
  while (true) {
    std::optional<Work> work = next(under_way.empty());
    const bool fresh = work.has_value();
    if (fresh) {
      const PictureStore::Picture& picture = *work->picture;
      Slot& slot = ring[begun++ % slots];
      if (work->first) encoder.reset();
      under_way.push_back(std::move(*work));
      executor.wait_for(picture.drawn);
      encoder.encode(picture.planes, false, slot.packet.data(), slot.done);
    } else if (under_way.empty()) {
      return;
    }
    if (fresh && under_way.size() < slots) continue;
    const Slot& slot = ring[(begun - under_way.size()) % slots];
    slot.done.wait();
    const std::byte* const packed = slot.packet.data();
    std::vector<std::byte> filled(packed, packed + H264Encoder::filled_bytes(packed));
    coder_.code(std::move(filled), std::move(under_way.front().packet));
    done(under_way.front());
    under_way.pop_front();
  }
}

}  // namespace simreel
