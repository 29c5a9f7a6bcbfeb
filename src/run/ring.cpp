#include "run/ring.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

#include "kernels/encode/h264.h"

namespace simreel {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void tell_error(const Log& log, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    tell(log, LogLevel::error, e.what());
  } catch (...) {
    tell(log, LogLevel::error, "an output failed with an unknown error");
  }
}

}  // namespace

std::byte* FrameRing::Slot::target(PixelLayout layout) {
  const auto plane = std::find_if(planes_.begin(), planes_.end(), [&](const Plane& p) { return p.layout == layout; });
  assert(plane != planes_.end());
  return plane->copy.target.data();
}

FrameRing::Slot::Copy::Copy(const Executor& executor, std::size_t bytes) : target(executor, bytes) {
  if (executor.backend() == Backend::cuda) host = Buffer<std::byte>(executor, bytes, Memory::pinned);
}

FrameRing::FrameRing(const Executor& executor, std::vector<std::unique_ptr<Sink>>& sinks, Size size, std::int64_t first,
                     std::size_t state_bytes, int slots, Log log)
    : needs_(needs_of(sinks)), size_(size), executor_(executor), log_(std::move(log)), published_(first) {
  assert(slots >= 2);
  slots_.resize(static_cast<std::size_t>(slots));
  for (Slot& slot : slots_) {
    for (const PixelLayout layout : needs_.layouts) {
      slot.planes_.push_back({layout, Slot::Copy(executor, frame_bytes(size, layout))});
    }
    if (needs_.state) slot.state_ = Slot::Copy(executor, state_bytes);
    if (needs_.packets) slot.packet_ = Buffer<std::byte>(executor, H264Encoder::slot_bytes(size), Memory::pinned);
  }
  try {
    for (const auto& sink : sinks) {
      workers_.push_back(std::make_unique<Worker>());
      Worker& worker = *workers_.back();
      worker.sink = sink.get();
      worker.watches = first == 0 && sink->layout() &&
                       std::ranges::none_of(workers_, [](const auto& other) { return other->watches; });
      worker.thread = std::thread([this, &worker] { run(worker); });
    }
  } catch (...) {
    join(State::abandoned);
    throw;
  }
}

FrameRing::~FrameRing() {
  join(State::abandoned);
  // A dropped frame may still be in transfer to memory that is about to be released. An error of the device was
  // reported already.
  const auto wait_for = [](const Event& arrived) {
    try {
      arrived.wait();
    } catch (const std::exception&) {
    }
  };
  for (const Slot& slot : slots_) {
    for (const Slot::Plane& plane : slot.planes_) wait_for(plane.copy.arrived);
    wait_for(slot.state_.arrived);
    wait_for(slot.packet_done_);
  }
}

std::size_t FrameRing::packet_bytes(Size size, int slots) {
  return H264Encoder::slot_bytes(size) * static_cast<std::size_t>(slots);
}

std::size_t FrameRing::memory_bytes(const std::vector<PixelLayout>& layouts, Size size, std::size_t state_bytes,
                                    int slots) {
  std::size_t bytes = state_bytes;
  for (const PixelLayout layout : layouts) bytes += frame_bytes(size, layout);
  return bytes * static_cast<std::size_t>(slots);
}

FrameRing::Slot& FrameRing::acquire() {
  Slot* slot = nullptr;
  {
    std::unique_lock lock(mutex_);
    slot = &slots_[static_cast<std::size_t>(acquired_) % slots_.size()];
    slot_free_.wait(lock, [&] { return slot->readers_ == 0; });  // a failed sink frees its slots, too
    ++acquired_;
  }
  end_if_failed();
  return *slot;
}

void FrameRing::publish(Slot& slot) {
  end_if_failed();
  for (Slot::Plane& plane : slot.planes_) download(plane.copy);
  download(slot.state_);
  if (needs_.state) slot.state.values = slot.state_.data();
  const std::lock_guard lock(mutex_);
  slot.index_ = published_++;
  slot.readers_ = workers_.size();
  for (const auto& worker : workers_) {
    worker->queue.push_back(&slot);
    worker->wake.notify_one();
  }
}

void FrameRing::download(Slot::Copy& copy) {
  if (copy.host.size() == 0) return;
  executor_.download(copy.host.data(), copy.target.data(), copy.host.bytes(), copy.arrived);
}

void FrameRing::finish() {
  join(State::finishing);
  end_if_failed();
}

void FrameRing::drain() {
  std::unique_lock lock(mutex_);
  slot_free_.wait(lock,
                  [&] { return std::ranges::all_of(slots_, [](const Slot& slot) { return slot.readers_ == 0; }); });
}

bool FrameRing::stands_still() const {
  return std::ranges::any_of(workers_,
                             [](const auto& worker) { return worker->watches && worker->stillness.all_same(); });
}

FrameRing::Times FrameRing::times() const {
  const std::lock_guard lock(mutex_);
  Times times;
  for (const auto& worker : workers_) times.sink_busy.push_back(worker->busy);
  return times;
}

void FrameRing::run(Worker& worker) {
  bool failed = false;
  const auto attempt = [&](auto&& work) {
    const auto start = Clock::now();
    try {
      work();
    } catch (...) {
      failed = true;
      fail(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    worker.busy += seconds_since(start);
  };
  while (true) {
    Slot* slot = nullptr;
    State state;
    {
      std::unique_lock lock(mutex_);
      worker.wake.wait(lock, [&] { return !worker.queue.empty() || state_ != State::running; });
      state = state_;
      if (!worker.queue.empty()) slot = worker.queue.front();
    }
    if (state == State::abandoned) return;
    if (!slot) {
      if (!failed) attempt([&] { worker.sink->finish(); });
      return;
    }
    if (!failed) attempt([&] { write(worker, *slot); });
    const std::lock_guard lock(mutex_);
    worker.queue.pop_front();
    if (--slot->readers_ == 0) slot_free_.notify_one();
  }
}

void FrameRing::write(Worker& worker, Slot& slot) {
  const auto layout = worker.sink->layout();
  Frame frame{slot.index_, nullptr, slot.diagnostics, slot.state};
  for (const Slot::Plane& plane : slot.planes_) {
    if (plane.layout != layout) continue;
    plane.copy.arrived.wait();
    frame.pixels = plane.copy.data();
    if (worker.watches) worker.stillness.look(frame.pixels, frame_bytes(size_, plane.layout));
  }
  if (worker.sink->packets()) {
    slot.packet_done_.wait();
    frame.packet = slot.packet_.data();
  }
  if (worker.sink->wants_state()) slot.state_.arrived.wait();
  if (worker.sink->wants_pages()) frame.page = slot.page;
  worker.sink->write(frame);
}

void FrameRing::fail(std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) {
      error_ = std::move(error);
      return;
    }
  }
  tell_error(log_, error);  // only the first error can be thrown
}

void FrameRing::join(State state) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::running) state_ = state;
    for (const auto& worker : workers_) worker->wake.notify_one();
  }
  for (const auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
}

void FrameRing::end_if_failed() {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) return;
  }
  join(State::finishing);
  std::rethrow_exception(error_);
}

}  // namespace simreel
