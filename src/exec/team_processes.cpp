// Ranks that are processes, connected by MPI.

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.h"
#include "exec/mpi_module.h"
#include "exec/peers.h"
#include "exec/processes.h"
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
  } catch (const std::exception& e) {
    return text(Message::error, e.what());
  } catch (...) {
    return text(Message::error, "unknown error");
  }
}

}  // namespace

struct Communicator::ProcessTeam final : Communicator::Team {
  ProcessTeam(const SimreelMpi& module, std::function<int()> signals)
      : Team(module.size), mpi(module), signal_(std::move(signals)) {}

  void broadcast(int, void* data, std::size_t bytes) override {
    wait([&] { return mpi.broadcast(data, bytes); });
  }

  std::vector<std::byte> gather(int, std::span<const std::byte> mine) override {
    const std::size_t own = mine.size();
    std::vector<std::size_t> sizes(place(size));
    wait([&] { return mpi.gather(&own, sizeof own, sizes.data()); });
    std::size_t most = 0;
    for (const std::size_t bytes : sizes) most = std::max(most, bytes);
    std::vector<std::byte> padded(most), all_padded(most * place(size)), all;
    std::ranges::copy(mine, padded.begin());
    wait([&] { return mpi.gather(padded.data(), most, all_padded.data()); });
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      const auto start = all_padded.begin() + static_cast<std::ptrdiff_t>(rank * most);
      all.insert(all.end(), start, start + static_cast<std::ptrdiff_t>(sizes[rank]));
    }
    return all;
  }

  void exchange(int rank, const Executor& executor, std::span<const Transfer> sends,
                std::span<const Transfer> receives) override {
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
      if (send.peer != rank) out.push_back(direct ? send : stage(send, true));
    for (const Transfer& receive : receives)
      if (receive.peer != rank) in.push_back(direct ? receive : stage(receive, false));
    executor.wait();

    std::vector<void*> requests;
    for (const Transfer& t : in)
      for (std::size_t i = 0; i < t.count; ++i) requests.push_back(mpi.receive(row(t, i), t.bytes, t.peer));
    for (const Transfer& t : out)
      for (std::size_t i = 0; i < t.count; ++i) requests.push_back(mpi.send(row(t, i), t.bytes, t.peer));
    for (void* const request : requests) wait([&] { return request; });

    if (direct) return;
    auto arrived = in.begin();
    for (const Transfer& to : receives) {
      if (to.peer == rank) continue;
      copy_rows(executor, to.memory, to.stride, arrived++->memory, to.bytes, to.bytes, to.count);
    }
    executor.wait();  // until then it reads what is staged
  }

  void join(int, const Executor&) override {}  // what came from other ranks has arrived

  void collect(int rank, const Executor& executor, std::span<const Piece> pieces, void* whole) override {
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
      wait([&] { return mpi.send(staged.data(), staged.size(), 0); });
    }
    if (rank != 0) return;
    for (std::size_t i = 0; i < all.size(); i += 3)
      if (all[i] != 0)
        wait([&] {
          return mpi.receive(static_cast<std::byte*>(whole) + all[i + 1], all[i + 2], static_cast<int>(all[i]));
        });
  }

  void meet() override {
    wait([&] { return mpi.barrier(); });
  }

  void fail(int rank, std::exception_ptr error) noexcept override {
    if (first_failure_.error) return;
    first_failure_ = {rank, std::move(error), mpi.host};
    const std::string text = message_of(first_failure_.error, mpi.host);
    for (int other = 0; other < size; ++other)
      if (other != rank) mpi.tell(text.data(), text.size(), other);
  }

  Failure failure() override { return first_failure_; }

  void depart() noexcept override {}  // no process reads the memory of another

  const SimreelMpi& mpi;

 private:
  static void* row(const Transfer& t, std::size_t i) { return static_cast<std::byte*>(t.memory) + i * t.stride; }

  // What a rank sends itself: a grid of few ranks that wraps, and rank 0's share of a whole field.
  static void copy_own(int rank, const Executor& executor, std::span<const Transfer> sends,
                       std::span<const Transfer> receives) {
    auto from = sends.begin();
    for (const Transfer& to : receives) {
      if (to.peer != rank) continue;
      while (from->peer != rank) ++from;
      copy_rows(executor, to.memory, to.stride, from->memory, from->stride, to.bytes, to.count);
      ++from;
    }
  }

  // Returns when the request that `begin` gives is done. A request is never given up where MPI goes on: after
  // RankFailed this process makes no more calls that would let it write to memory that is gone.
  template <class Begin>
  void wait(const Begin& begin) {
    using Clock = std::chrono::steady_clock;
    if (first_failure_.error) throw RankFailed();
    void* const request = begin();
    const Clock::time_point start = Clock::now();
    while (mpi.done(request) == 0) {
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

  void listen() {
    if (mpi.rank != 0 && !told_signal_) {
      if (const int number = signal_(); number != 0) {
        const char text[] = {static_cast<char>(Message::signal), static_cast<char>(number)};
        mpi.tell(text, sizeof text, 0);
        told_signal_ = true;
      }
    }
    std::array<char, 4096> text;
    int from = 0;
    for (long length; (length = mpi.hear(text.data(), text.size(), &from)) >= 0;) {
      if (length < 1) continue;
      const std::string_view rest(text.data() + 1, static_cast<std::size_t>(length) - 1);
      if (static_cast<Message>(text[0]) == Message::signal) {
        std::raise(rest.empty() ? SIGTERM : rest[0]);
        continue;
      }
      const std::size_t line = rest.find('\n');
      const std::string what(rest.substr(line + 1));
      first_failure_ = {from,
                        static_cast<Message>(text[0]) == Message::usage ? std::make_exception_ptr(UsageError(what))
                                                                        : std::make_exception_ptr(RuntimeError(what)),
                        std::string(rest.substr(0, line))};
      throw RankFailed();
    }
  }

  std::function<int()> signal_;
  bool told_signal_ = false;
  Failure first_failure_;
};

Communicator connect(const SimreelMpi& mpi, const std::function<int()>& signal) {
  return {std::make_shared<Communicator::ProcessTeam>(mpi, signal), mpi.rank};
}

namespace {

// What launchers say of the run in the environment of each process: how many there are, and which one this is.
struct Launched {
  const char *size_name, *rank_name;
};
constexpr Launched launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                  {"PMI_SIZE", "PMI_RANK"},
                                  {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
int number_in(const char* name) {
  const char* const text = std::getenv(name);
  return text ? std::atoi(text) : 0;
}

struct Run {
  ProcessRank here;
  const SimreelMpi* mpi = nullptr;
  Communicator ranks;
} run;

const SimreelMpi& load_module(const Launched& launcher, int count) {
  const auto fail = [&](const std::string& why) {
    throw UsageError(fmt::format(
        "this is one of {} processes that a launcher started as one run ({}), which needs MPI: {}. On one host "
        "--devices 0,1 needs none; SIMREEL_MPI=off makes each process a run of its own",
        count, launcher.size_name, why));
  };
  const char* const named = std::getenv("SIMREEL_MPI_MODULE");
  void* const library = dlopen(named ? named : "libsimreel_mpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    fail(
        fmt::format("{}. CMake builds that file where it finds MPI (Debian: libopenmpi-dev), and $SIMREEL_MPI_MODULE "
                    "may name one",
                    dlerror()));
  const auto start = reinterpret_cast<decltype(&simreel_start_mpi)>(dlsym(library, simreel_mpi_start));
  const SimreelMpi* const mpi = start ? start() : nullptr;
  if (!mpi) fail(fmt::format("{} did not start", named ? named : "libsimreel_mpi.so"));
  if (mpi->version != simreel_mpi_version) fail("its module is that of another version of simreel; build it again");
  if (mpi->size != count)
    fail(
        fmt::format("MPI was not started, it knows of {} process{}. With Slurm: srun --mpi=pmix; else the mpirun is "
                    "that of another MPI than simreel's",
                    mpi->size, mpi->size == 1 ? "" : "es"));
  return *mpi;
}

}  // namespace

int launched_rank() {
  for (const Launched& launcher : launchers)
    if (number_in(launcher.size_name) > 1) return number_in(launcher.rank_name);
  return 0;
}

const ProcessRank& join_processes(const std::function<int()>& signal) {
  const char* const off = std::getenv("SIMREEL_MPI");
  if (off && std::string_view(off) == "off") return run.here;
  for (const Launched& launcher : launchers) {
    const int count = number_in(launcher.size_name);
    if (count <= 1) continue;
    run.mpi = &load_module(launcher, count);
    run.here = {run.mpi->rank, run.mpi->size, run.mpi->local_rank, run.mpi->local_size, run.mpi->host};
    run.ranks = connect(*run.mpi, signal);
    break;
  }
  return run.here;
}

const ProcessRank& processes() { return run.here; }
Communicator communicator_of_processes() { return run.ranks; }

int own_cores() {
  cpu_set_t bound;
  const int online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const int own = sched_getaffinity(0, sizeof bound, &bound) == 0 ? CPU_COUNT(&bound) : online;
  return own < online ? own : std::max(1, online / run.here.local_size);
}

void leave_processes(int code) {
  if (!run.mpi) return;
  if (run.ranks.failure().rank < 0) return run.mpi->end();
  if (run.here.rank == 0) run.mpi->abort(code);
  // Rank 0 finishes the outputs, then ends all. What this rank told the others leaves while it listens; one that was
  // told lets MPI write no more.
  char text = 0;
  int from = 0;
  for (const bool told = run.ranks.failure().rank != run.here.rank;;) {
    if (!told) run.mpi->hear(&text, 1, &from);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace simreel
