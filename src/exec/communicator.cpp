#include "exec/communicator.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "exec/peers.h"

namespace simreel {

// What the ranks of a process share. Each shows the others an address, and reads theirs between two meetings.
struct Communicator::Team {
  explicit Team(int count)
      : size(count),
        posted(static_cast<std::size_t>(count)),
        begun(static_cast<std::size_t>(count)),
        done(static_cast<std::size_t>(count)) {}

  // Throws RankFailed in all ranks or in none.
  void meet() {
    std::unique_lock lock(mutex);
    if (failure.error) throw RankFailed();
    if (!arrive(lock, [this] { return static_cast<bool>(failure.error); })) throw RankFailed();
  }
  // For ranks that have just met: none of them fails before it has called this.
  void part() {
    std::unique_lock lock(mutex);
    arrive(lock, [] { return false; });
  }

  const int size;
  std::vector<const void*> posted;  // by rank
  // By rank: the end of what its executor was given before an exchange, and of the copies that it made in it. A rank
  // marks the first one anew after all have followed it, because two meetings lie between; and likewise the second.
  std::vector<Event> begun, done;

  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  int arrived = 0, departed = 0;
  std::uint64_t round = 0;
  Failure failure;

 private:
  // Waits until all ranks have arrived; false if `ended` became true before.
  template <class Ended>
  bool arrive(std::unique_lock<std::mutex>& lock, const Ended& ended) {
    const std::uint64_t now = round;
    if (++arrived == size) {
      arrived = 0;
      ++round;
      changed.notify_all();
      return true;
    }
    changed.wait(lock, [&] { return round != now || ended(); });
    return round != now;
  }
};

std::vector<Communicator> Communicator::threads(int count) {
  const auto team = std::make_shared<Team>(count);
  std::vector<Communicator> ranks(static_cast<std::size_t>(count));
  if (count == 1) return ranks;
  for (int rank = 0; rank < count; ++rank) {
    ranks[static_cast<std::size_t>(rank)].team_ = team;
    ranks[static_cast<std::size_t>(rank)].rank_ = rank;
  }
  return ranks;
}

int Communicator::size() const { return team_ ? team_->size : 1; }

template <class Posted, class Read>
void Communicator::post(const Posted& posted, const Read& read) const {
  team_->posted[static_cast<std::size_t>(rank_)] = &posted;
  team_->meet();
  std::exception_ptr error;
  try {
    read([this](int rank) -> const Posted& {
      return *static_cast<const Posted*>(team_->posted[static_cast<std::size_t>(rank)]);
    });
  } catch (...) {
    error = std::current_exception();
  }
  team_->part();  // until then others read what is posted
  if (error) std::rethrow_exception(error);
}

void Communicator::broadcast(void* data, std::size_t bytes) const {
  if (alone()) return;
  post(data, [&](const auto& of) {
    if (rank_ != 0) std::memcpy(data, of(0), bytes);
  });
}

std::vector<std::byte> Communicator::gather_bytes(std::span<const std::byte> mine) const {
  if (alone()) return {mine.begin(), mine.end()};
  std::vector<std::byte> all;
  post(mine, [&](const auto& of) {
    for (int rank = 0; rank < size(); ++rank) all.insert(all.end(), of(rank).begin(), of(rank).end());
  });
  return all;
}

void Communicator::exchange(const Executor& executor, std::span<const Transfer> sends,
                            std::span<const Transfer> receives) const {
  if (alone()) return;
  const auto place = [](int rank) { return static_cast<std::size_t>(rank); };
  executor.mark(team_->begun[place(rank_)]);
  post(sends, [&](const auto& of) {
    std::vector<std::size_t> next(place(size()), 0);  // by peer, the send to look at
    for (const Transfer& to : receives) {
      std::size_t& i = next[place(to.peer)];
      if (i == 0) executor.follow(team_->begun[place(to.peer)]);
      while (of(to.peer)[i].peer != rank_) ++i;
      const Transfer& from = of(to.peer)[i++];
      copy_rows(executor, to.memory, to.stride, from.memory, from.stride, to.bytes, to.count);
    }
    executor.mark(team_->done[place(rank_)]);
  });
  for (const Transfer& send : sends) executor.follow(team_->done[place(send.peer)]);
}

void Communicator::join(const Executor& executor) const {
  if (alone()) return;
  executor.mark(team_->begun[static_cast<std::size_t>(rank_)]);
  post(rank_, [&](const auto&) {
    if (rank_ == 0)
      for (const Event& event : team_->begun) executor.follow(event);
  });
}

void Communicator::collect(const Executor& executor, std::span<const Piece> pieces, void* whole) const {
  const auto copy_to = [&](void* start) {
    for (const Piece& piece : pieces)
      executor.copy(static_cast<std::byte*>(start) + piece.offset, piece.memory, piece.bytes);
  };
  if (alone()) return copy_to(whole);
  post(whole, [&](const auto& of) { copy_to(of(0)); });
}

void Communicator::meet() const {
  if (team_) team_->meet();
}

void Communicator::fail(std::exception_ptr error) const noexcept {
  if (alone()) return;
  const std::lock_guard lock(team_->mutex);
  if (!team_->failure.error) team_->failure = {rank_, std::move(error)};
  team_->changed.notify_all();
}

Communicator::Failure Communicator::failure() const {
  if (alone()) return {};
  const std::lock_guard lock(team_->mutex);
  return team_->failure;
}

void Communicator::depart() const noexcept {
  if (alone()) return;
  std::unique_lock lock(team_->mutex);
  ++team_->departed;
  team_->changed.notify_all();
  team_->changed.wait(lock, [&] { return team_->departed == team_->size; });
}

}  // namespace simreel
