// Ranks that are threads of one process.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "exec/foreign.h"
#include "exec/peers.h"
#include "exec/team.h"

namespace simreel {
namespace {

std::size_t place(int rank) { return static_cast<std::size_t>(rank); }

int device_of(const Executor& executor) { return executor.backend() == Backend::cuda ? current_device() : 0; }

}  // namespace

// Each rank shows the others an address, and reads theirs between two meetings.
struct Communicator::ThreadTeam final : Communicator::Team {
  ThreadTeam(int count, std::chrono::microseconds patience)
      : Team(count),
        patience_(patience),
        posted_(place(count)),
        devices_(place(count)),
        begun_(place(count)),
        done_(place(count)) {}

  void broadcast(int rank, void* data, std::size_t bytes) override {
    post(rank, data, [&](const auto& of) {
      if (rank != 0 && bytes > 0) std::memcpy(data, of(0), bytes);  // nothing may be at no address
    });
  }

  std::vector<std::byte> gather(int rank, std::span<const std::byte> mine) override {
    std::vector<std::byte> all;
    post(rank, mine, [&](const auto& of) {
      for (int other = 0; other < size; ++other) all.insert(all.end(), of(other).begin(), of(other).end());
    });
    return all;
  }

  void exchange(int rank, const Executor& executor, std::span<const Transfer> sends,
                std::span<const Transfer> receives) override {
    executor.record(begun_[place(rank)]);
    devices_[place(rank)] = device_of(executor);
    post(rank, sends, [&](const auto& of) {
      std::vector<std::size_t> next(place(size), 0);  // by peer, the send to look at
      std::vector<RowCopy> copies;
      for (const Transfer& to : receives) {
        std::size_t& i = next[place(to.peer)];
        if (i == 0) executor.wait_for(begun_[place(to.peer)]);
        while (of(to.peer)[i].peer != rank) ++i;
        const Transfer& from = of(to.peer)[i++];
        copies.push_back(
            {to.memory, to.stride, from.memory, from.stride, to.bytes, to.count, devices_[place(to.peer)]});
      }
      copy_all(executor, copies);
      executor.record(done_[place(rank)]);
    });
    for (const Transfer& send : sends) executor.wait_for(done_[place(send.peer)]);
  }

  void join(int rank, const Executor& executor) override {
    executor.record(begun_[place(rank)]);
    post(rank, rank, [&](const auto&) {
      if (rank > 0) return executor.wait_for(begun_[0]);
      for (const Event& event : begun_) executor.wait_for(event);
    });
  }

  bool reach_first(int rank, const Executor& executor) override {
    int first = device_of(executor);
    broadcast(rank, &first, sizeof first);
    const bool own = executor.backend() == Backend::cpu || rank == 0 || reaches(first);
    return std::ranges::count(gather(rank, std::as_bytes(std::span(&own, 1))), std::byte{0}) == 0;
  }

  void collect(int rank, const Executor& executor, std::span<const Piece> pieces, void* whole) override {
    post(rank, whole, [&](const auto& of) {
      for (const Piece& piece : pieces)
        executor.copy(static_cast<std::byte*>(of(0)) + piece.offset, piece.memory, piece.bytes);
    });
  }

  // Throws RankFailed in all ranks or in none.
  void meet() override {
    std::unique_lock lock(mutex_);
    if (first_failure_.error) throw RankFailed();
    if (!arrive(lock, [this] { return static_cast<bool>(first_failure_.error); })) throw RankFailed();
  }

  void fail(int rank, std::exception_ptr error) noexcept override {
    const std::lock_guard lock(mutex_);
    if (!first_failure_.error) first_failure_ = {rank, std::move(error)};
    changed_.notify_all();
  }

  Failure failure() override {
    const std::lock_guard lock(mutex_);
    return first_failure_;
  }

  void depart(int ranks) noexcept override {
    std::unique_lock lock(mutex_);
    departed_ += ranks;
    changed_.notify_all();
    changed_.wait(lock, [this] { return departed_ == size; });
  }

 private:
  // Shows `own` to the other ranks while `read` reads theirs.
  template <class Posted, class Read>
  void post(int rank, const Posted& own, const Read& read) {
    posted_[place(rank)] = &own;
    meet();
    std::exception_ptr error;
    try {
      read([this](int other) -> const Posted& { return *static_cast<const Posted*>(posted_[place(other)]); });
    } catch (...) {
      error = std::current_exception();
    }
    part();  // until then others read what is posted
    if (error) std::rethrow_exception(error);
  }

  // For ranks that have just met: none of them fails before it has called this.
  void part() {
    std::unique_lock lock(mutex_);
    arrive(lock, [] { return false; });
  }

  // Waits until all ranks have arrived; false if `ended` became true before.
  template <class Ended>
  bool arrive(std::unique_lock<std::mutex>& lock, const Ended& ended) {
    const std::uint64_t now = round_;
    if (++arrived_ == size) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
      return true;
    }
    if (patience_.count() > 0) {
      lock.unlock();
      if (comes_soon(now)) return true;
      lock.lock();
    }
    changed_.wait(lock, [&] { return round_ != now || ended(); });
    return round_ != now;
  }

  // Whether the round after `now` begins within the patience.
  bool comes_soon(std::uint64_t now) const {
    const auto end = std::chrono::steady_clock::now() + patience_;
    do {
      if (round_ != now) return true;
      std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }

  const std::chrono::microseconds patience_;
  std::vector<const void*> posted_;  // by rank
  std::vector<int> devices_;         // the GPU of each, where its executor is one of GPUs
  // By rank: the end of what its executor was given before an exchange, and of the copies that it made in it. A rank
  // marks the first one anew after all have followed it, because two meetings lie between; and likewise the second.
  std::vector<Event> begun_, done_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int arrived_ = 0, departed_ = 0;
  std::atomic<std::uint64_t> round_ = 0;  // changed under the mutex
  Failure first_failure_;
};

std::vector<Communicator> Communicator::threads(int count, std::chrono::microseconds patience) {
  if (count == 1) return {Communicator()};
  const auto team = std::make_shared<ThreadTeam>(count, patience);
  std::vector<Communicator> ranks;
  for (int rank = 0; rank < count; ++rank) ranks.push_back(Communicator(team, rank));
  return ranks;
}

}  // namespace simreel
