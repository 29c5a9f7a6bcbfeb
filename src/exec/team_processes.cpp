// Ranks that are processes: what they say to each other by MPI.

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.h"
#include "exec/mpi_module.h"
#include "exec/peers.h"
#include "exec/team.h"

namespace simreel {
namespace {

std::size_t place(int rank) { return static_cast<std::size_t>(rank); }

// The first letter of a short message is its kind: usage error, other error, signal. After it an error has the host, a
// line end and the text; a signal has its number.
enum class Message : char { usage = 'u', error = 'e', signal = 's' };

std::string message_of(const std::exception_ptr& error, const char* host) {
  const auto text = [&](Message kind, const char* what) {
    return fmt::format("{}{}\n{}", static_cast<char>(kind), host, what);
  };
  try {
    std::rethrow_exception(error);
  } catch (const UsageError& e) {
    return text(Message::usage, e.what());
  } catch (const std::bad_alloc&) {
    return text(Message::error, "out of memory");
  } catch (const std::exception& e) {
    return text(Message::error, e.what());
  } catch (...) {
    return text(Message::error, "unknown error");
  }
}

void* row(const Transfer& t, std::size_t i) { return static_cast<std::byte*>(t.memory) + i * t.stride; }

// What a rank sends itself: a grid of few ranks that wraps, and rank 0's share of a whole field.
void copy_own(int rank, const Executor& executor, std::span<const Transfer> sends, std::span<const Transfer> receives) {
  auto from = sends.begin();
  for (const Transfer& to : receives) {
    if (to.peer != rank) continue;
    while (from->peer != rank) ++from;
    copy_rows(executor, to.memory, to.stride, from->memory, from->stride, to.bytes, to.count);
    ++from;
  }
}

}  // namespace

struct Communicator::ProcessTeam final : Communicator::Team {
  ProcessTeam(const SimreelMpi& module, std::function<int()> signal)
      : Team(module.size), mpi_(module), signal_(std::move(signal)) {}

  void broadcast(int rank, void* data, std::size_t bytes) override;
  std::vector<std::byte> gather(int rank, std::span<const std::byte> mine) override;
  void exchange(int rank, const Executor&, std::span<const Transfer> sends,
                std::span<const Transfer> receives) override;
  void join(int, const Executor&) override {}  // what came from other ranks has arrived
  bool reach_first(int, const Executor&) override { return false; }
  void collect(int rank, const Executor&, std::span<const Piece> pieces, void* whole) override;
  void meet() override;
  void fail(int rank, std::exception_ptr) noexcept override;
  Failure failure() override { return first_failure_; }
  void depart(int) noexcept override {}  // no process reads the memory of another

 private:
  // Returns when the request that `begin` gives is done, and hears meanwhile of failures and signals. Throws
  // RankFailed. A request is never given up where MPI goes on: after RankFailed this process makes no more calls that
  // would let it write to memory that is gone.
  void wait(const std::function<void*()>& begin);
  void listen();
  // Short messages go to all others.
  void tell_all(std::string_view text) const noexcept;

  const SimreelMpi& mpi_;
  std::function<int()> signal_;
  bool told_signal_ = false;
  Failure first_failure_;
};

void Communicator::ProcessTeam::broadcast(int, void* data, std::size_t bytes) {
  wait([&] { return mpi_.broadcast(data, bytes); });
}

std::vector<std::byte> Communicator::ProcessTeam::gather(int, std::span<const std::byte> mine) {
  const std::size_t own = mine.size();
  std::vector<std::size_t> sizes(place(size));
  wait([&] { return mpi_.gather(&own, sizeof own, sizes.data()); });
  std::size_t max = 0;
  for (const std::size_t bytes : sizes) max = std::max(max, bytes);
  std::vector<std::byte> padded(max), all_padded(max * place(size)), all;
  std::ranges::copy(mine, padded.begin());
  wait([&] { return mpi_.gather(padded.data(), max, all_padded.data()); });
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    const auto start = all_padded.begin() + static_cast<std::ptrdiff_t>(rank * max);
    all.insert(all.end(), start, start + static_cast<std::ptrdiff_t>(sizes[rank]));
  }
  return all;
}

void Communicator::ProcessTeam::exchange(int rank, const Executor& executor, std::span<const Transfer> sends,
                                         std::span<const Transfer> receives) {
  copy_own(rank, executor, sends, receives);
  const bool direct = executor.backend() == Backend::cpu;
  std::vector<std::vector<std::byte>> staged;
  const auto stage = [&](const Transfer& transfer, bool fetch) {
    std::byte* const host = staged.emplace_back(transfer.bytes * transfer.count).data();
    if (fetch)
      copy_rows(executor, host, transfer.bytes, transfer.memory, transfer.stride, transfer.bytes, transfer.count);
    return Transfer{transfer.peer, host, transfer.bytes * transfer.count};
  };
  std::vector<Transfer> out, in;
  for (const Transfer& send : sends)
    if (send.peer != mpi_.rank) out.push_back(direct ? send : stage(send, true));
  for (const Transfer& receive : receives)
    if (receive.peer != mpi_.rank) in.push_back(direct ? receive : stage(receive, false));
  executor.wait();

  std::vector<void*> requests;
  for (const Transfer& t : in)
    for (std::size_t i = 0; i < t.count; ++i) requests.push_back(mpi_.receive(row(t, i), t.bytes, t.peer));
  for (const Transfer& t : out)
    for (std::size_t i = 0; i < t.count; ++i) requests.push_back(mpi_.send(row(t, i), t.bytes, t.peer));
  for (void* const request : requests) wait([&] { return request; });

  if (direct) return;
  auto arrived = in.begin();
  for (const Transfer& to : receives) {
    if (to.peer == mpi_.rank) continue;
    copy_rows(executor, to.memory, to.stride, arrived++->memory, to.bytes, to.bytes, to.count);
  }
  executor.wait();  // until then it reads what is staged
}

void Communicator::ProcessTeam::collect(int rank, const Executor& executor, std::span<const Piece> pieces,
                                        void* whole) {
  std::vector<std::size_t> mine;
  for (const Piece& piece : pieces) mine.insert(mine.end(), {place(rank), piece.offset, piece.bytes});
  const std::vector<std::byte> bytes = gather(rank, std::as_bytes(std::span(mine)));
  std::vector<std::size_t> all(bytes.size() / sizeof(std::size_t));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());

  std::vector<std::byte> staged;
  for (const Piece& piece : pieces) {
    if (rank == 0) {
      executor.copy(static_cast<std::byte*>(whole) + piece.offset, piece.memory, piece.bytes);
      continue;
    }
    staged.resize(piece.bytes);
    executor.copy(staged.data(), piece.memory, piece.bytes);
    wait([&] { return mpi_.send(staged.data(), staged.size(), 0); });
  }
  if (rank != 0) return;
  for (std::size_t i = 0; i < all.size(); i += 3)
    if (all[i] != 0)
      wait([&] {
        return mpi_.receive(static_cast<std::byte*>(whole) + all[i + 1], all[i + 2], static_cast<int>(all[i]));
      });
}

void Communicator::ProcessTeam::meet() {
  wait([&] { return mpi_.barrier(); });
}

void Communicator::ProcessTeam::tell_all(std::string_view text) const noexcept {
  for (int other = 0; other < size; ++other)
    if (other != mpi_.rank) mpi_.tell(text.data(), text.size(), other);
}

void Communicator::ProcessTeam::fail(int rank, std::exception_ptr error) noexcept {
  if (first_failure_.error) return;
  first_failure_ = {rank, std::move(error), mpi_.host};
  tell_all(message_of(first_failure_.error, mpi_.host));
}

void Communicator::ProcessTeam::wait(const std::function<void*()>& begin) {
  if (first_failure_.error) throw RankFailed();
  void* const request = begin();
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  while (mpi_.done(request) == 0) {
    listen();
    // Several ranks may share a core: one that waits for long leaves it to others.
    const auto waited = Clock::now() - start;
    if (waited < std::chrono::microseconds(300))
      sched_yield();
    else
      std::this_thread::sleep_for(waited < std::chrono::milliseconds(50) ? std::chrono::microseconds(50)
                                                                         : std::chrono::microseconds(500));
  }
}

void Communicator::ProcessTeam::listen() {
  if (mpi_.rank != 0 && !told_signal_)
    if (const int number = signal_(); number != 0) {
      const char text[] = {static_cast<char>(Message::signal), static_cast<char>(number)};
      mpi_.tell(text, sizeof text, 0);
      told_signal_ = true;
    }
  std::array<char, 4096> text;
  int from = 0;
  for (long length; (length = mpi_.hear(text.data(), text.size(), &from)) >= 0;) {
    if (length < 1) continue;
    const auto kind = static_cast<Message>(text[0]);
    const std::string_view rest(text.data() + 1, static_cast<std::size_t>(length) - 1);
    if (kind == Message::signal) {  // a launcher may have sent it to all ranks, and a second one ends at once
      if (signal_() == 0) std::raise(rest.empty() ? SIGTERM : rest[0]);
      continue;
    }
    const std::size_t line = rest.find('\n');
    const std::string what(rest.substr(line + 1));
    first_failure_ = {from,
                      kind == Message::usage ? std::make_exception_ptr(UsageError(what))
                                             : std::make_exception_ptr(RuntimeError(what)),
                      std::string(rest.substr(0, line))};
    throw RankFailed();
  }
}

Communicator connect(const SimreelMpi& mpi, const std::function<int()>& signal) {
  return {std::make_shared<Communicator::ProcessTeam>(mpi, signal), mpi.rank};
}

}  // namespace simreel
