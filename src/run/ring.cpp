#include "run/ring.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <optional>
#include <utility>

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
                     std::size_t state_bytes, int slots, Log log, std::int64_t ahead)
    : needs_(needs_of(sinks)),
      size_(size),
      executor_(executor),
      log_(std::move(log)),
      ahead_(static_cast<std::size_t>(ahead)),
      published_(first) {
  assert(slots >= 2);
  slots_.resize(static_cast<std::size_t>(slots));
  for (Slot& slot : slots_) {
    for (const PixelLayout layout : needs_.layouts)
      slot.planes_.push_back({layout, Slot::Copy(executor, frame_bytes(size, layout))});
    if (needs_.state) slot.state_ = Slot::Copy(executor, state_bytes);
  }
  try {
    for (const auto& sink : sinks) {
      workers_.push_back(std::make_unique<Worker>());
      Worker& worker = *workers_.back();
      worker.sink = sink.get();
      const SinkTraits& wants = sink->traits();
      worker.holds_slots = !wants.packets || wants.layout || wants.state || wants.pages || wants.diagnostics;
      worker.shows = wants.packets || wants.layout || wants.pages;
      worker.watches = first == 0 && wants.layout &&
                       std::ranges::none_of(workers_, [](const auto& other) { return other->watches; });
      worker.thread = std::thread([this, &worker] { run(worker); });
    }
  } catch (...) {
    join(Phase::abandoned);
    throw;
  }
}

FrameRing::~FrameRing() {
  join(Phase::abandoned);
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
  }
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
    slot_free_.wait(lock, [&] {  // a failed sink frees its slots, too
      return slot->readers_ == 0 &&
             std::ranges::all_of(workers_, [&](const auto& worker) { return worker->queue.size() < ahead_; });
    });
    ++acquired_;
  }
  end_if_failed();
  return *slot;
}

void FrameRing::publish(Slot& slot, bool held) {
  end_if_failed();
  for (Slot::Plane& plane : slot.planes_) download(plane.copy);
  download(slot.state_);
  if (needs_.state) slot.state.values = slot.state_.data();
  const std::lock_guard lock(mutex_);
  const std::int64_t index = published_++;
  for (const auto& worker : workers_) {
    if (held && !worker->shows) continue;
    if (worker->holds_slots) ++slot.readers_;
    worker->queue.push_back({index, worker->holds_slots ? &slot : nullptr, slot.packet});
    worker->wake.notify_one();
  }
}

void FrameRing::download(Slot::Copy& copy) {
  if (copy.host.size() == 0) return;
  executor_.download(copy.host.data(), copy.target.data(), copy.host.bytes(), copy.arrived);
}

void FrameRing::finish() {
  join(Phase::finishing);
  end_if_failed();
}

void FrameRing::finish_after(const std::exception_ptr& known) {
  join(Phase::finishing);
  const std::lock_guard lock(mutex_);
  if (error_ && error_ != known) tell_error(log_, error_);
}

void FrameRing::drain() {
  std::unique_lock lock(mutex_);
  slot_free_.wait(
      lock, [&] { return std::ranges::all_of(workers_, [](const auto& worker) { return worker->queue.empty(); }); });
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
  const auto attempt = [&](auto&& work, bool counts = true) {
    const auto start = Clock::now();
    try {
      work();
    } catch (...) {
      failed = true;
      fail(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    if (counts) worker.busy += seconds_since(start);
  };
  while (true) {
    std::optional<Entry> entry;
    Phase phase;
    {
      std::unique_lock lock(mutex_);
      worker.wake.wait(lock, [&] { return !worker.queue.empty() || phase_ != Phase::running; });
      phase = phase_;
      if (!worker.queue.empty()) entry = worker.queue.front();
    }
    if (phase == Phase::abandoned) return;
    if (!entry) {
      if (!failed) attempt([&] { worker.sink->finish(); });
      return;
    }
    if (!failed) attempt([&] { await(worker, *entry); }, false);
    if (!failed) attempt([&] { write(worker, *entry); });
    const std::lock_guard lock(mutex_);
    worker.queue.pop_front();
    if (entry->slot) --entry->slot->readers_;
    slot_free_.notify_one();
  }
}

// Until what the sink needs of the frame is in host memory.
void FrameRing::await(Worker& worker, const Entry& entry) {
  const SinkTraits& wants = worker.sink->traits();
  if (wants.packets) entry.packet.wait();
  if (!entry.slot) return;
  for (const Slot::Plane& plane : entry.slot->planes_)
    if (plane.layout == wants.layout) plane.copy.arrived.wait();
  if (wants.state) entry.slot->state_.arrived.wait();
}

void FrameRing::write(Worker& worker, const Entry& entry) {
  const SinkTraits& wants = worker.sink->traits();
  Frame frame;
  frame.index = entry.index;
  if (wants.packets) frame.packet = &entry.packet.get();
  if (const Slot* const slot = entry.slot) {
    frame.diagnostics = slot->diagnostics;
    frame.state = slot->state;
    for (const Slot::Plane& plane : slot->planes_) {
      if (plane.layout != wants.layout) continue;
      frame.pixels = plane.copy.data();
      if (worker.watches) worker.stillness.look(frame.pixels, frame_bytes(size_, plane.layout));
    }
    if (wants.pages) frame.page = slot->page;
  }
  worker.sink->write(frame);
}

void FrameRing::fail(std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) {
      error_ = std::move(error);
      return;
    }
    if (error == error_) return;  // of a packet that several sinks wait for
  }
  tell_error(log_, error);  // only the first error can be thrown
}

void FrameRing::join(Phase phase) {
  {
    const std::lock_guard lock(mutex_);
    if (phase_ == Phase::running) phase_ = phase;
    for (const auto& worker : workers_) worker->wake.notify_one();
  }
  for (const auto& worker : workers_)
    if (worker->thread.joinable()) worker->thread.join();
}

void FrameRing::end_if_failed() {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) return;
  }
  join(Phase::finishing);
  std::rethrow_exception(error_);
}

}  // namespace simreel
