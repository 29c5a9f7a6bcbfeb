#include "exec/executor.h"

#include <sched.h>

#include "base/error.h"
#include "exec/bandwidth.h"
#include "exec/buffer.h"
#include "kernels/base/launch.h"
#include "kernels/wave/wave.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

TEST(Executor, RunsEveryTaskOnceOnItsOwnThreads) {
  for (const Executor& executor : test::cpu_executors()) {
    struct Seen {
      std::vector<std::atomic<int>> count = std::vector<std::atomic<int>>(1000);
      std::atomic<int> worst_thread = 0;
    } seen;
    executor.run_tasks(
        1000,
        [](const void* context, std::int64_t i, int thread) {
          Seen& s = *const_cast<Seen*>(static_cast<const Seen*>(context));
          ++s.count[i];
          int worst = s.worst_thread;
          while (thread > worst && !s.worst_thread.compare_exchange_weak(worst, thread)) {
          }
        },
        &seen);
    for (const auto& count : seen.count) ASSERT_EQ(count, 1);
    EXPECT_LT(seen.worst_thread, executor.threads());
  }
}

TEST(Executor, PassesExceptionsOn) {
  const Executor executor = Executor::cpu(2);
  const auto task = [](const void*, std::int64_t i, int) {
    if (i == 37) throw std::runtime_error("task 37");
  };
  EXPECT_THROW(executor.run_tasks(100, task, nullptr), std::runtime_error);
}

TEST(Executor, RefusesWhatItCannotHave) {
  EXPECT_THROW(Executor::cpu(-1), UsageError);
  EXPECT_THROW(Executor::cuda(static_cast<int>(cuda_devices().size())), UsageError);
  const Executor executor = Executor::cpu();
  EXPECT_THROW(Buffer<double>(executor, std::size_t{1} << 58), RuntimeError);
  EXPECT_THROW(Buffer<double>(executor, std::size_t{1} << 62), std::bad_array_new_length);
}

// Those of one task of Slurm, or of a process that mpirun bound.
TEST(Executor, TakesTheCoresThatItIsBoundTo) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int core = 0;
  while (!CPU_ISSET(core, &before)) ++core;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(Executor::cpu(0).threads(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(Executor::cpu(0).threads(), CPU_COUNT(&before));
}

TEST(Executor, MeasuresACopy) {
  const Executor executor = Executor::cpu(2);
  EXPECT_GT(copy_bandwidth(executor, 1 << 20, 3), 0);
  EXPECT_GT(executor.memory_available(), std::size_t{1} << 20);
}

TEST(Buffer, MovesItsMemory) {
  const Executor executor = Executor::cpu(1);
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  Buffer<int> first(executor, 100);
  first.upload(values.data());
  const int* const memory = first.data();
  Buffer<int> second(std::move(first));
  EXPECT_EQ(second.data(), memory);
  Buffer<int> third;
  third = std::move(second);
  EXPECT_EQ(third.download(), values);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
  third.clear();
  EXPECT_EQ(third.download(), std::vector<int>(100));
}

// Counts the visits of each point, apart for points with a neighbour on every side.
struct Visit {
  int* count;
  Extent extent;

  HD void operator()(int x, int y) const { count[y * extent.nx + x] += 1; }
  HD void interior(int x, int y) const { count[y * extent.nx + x] += 100; }
};

TEST(ParallelFor, VisitsEveryPointOnce) {
  for (const Executor& executor : test::cpu_executors()) {
    for (const Extent extent : {Extent{1, 1}, Extent{2, 2}, Extent{3, 3}, Extent{1, 5000}, Extent{100000, 1},
                                Extent{100000, 2}, Extent{513, 129}, Extent{7, 9001}, Extent{0, 5}, Extent{5, 0}}) {
      Buffer<int> count(executor, static_cast<std::size_t>(extent.nx * extent.ny));
      count.clear();
      parallel_for(executor, "visit", extent, Visit{count.data(), extent});
      const std::vector<int> seen = count.download();
      for (int y = 0; y < extent.ny; ++y)
        for (int x = 0; x < extent.nx; ++x) {
          const bool inside = x > 0 && x < extent.nx - 1 && y > 0 && y < extent.ny - 1;
          ASSERT_EQ(seen[y * extent.nx + x], inside ? 100 : 1) << extent.nx << "x" << extent.ny << " " << x << "," << y;
        }
    }
  }
}

// Work that a GPU is still at when what follows is asked for.
struct LongWork {
  const Executor& executor;
  WaveParams<float> p = wave_params<float>(4096, 4096, WaveBoundary::fixed, 0.5, 0);
  std::size_t count = p.pitch * 4096;
  Buffer<float> u[2] = {{executor, count}, {executor, count}}, d[2] = {{executor, count}, {executor, count}};

  void run() {
    wave_noise(executor, p, 3, 1.0, {u[0].data(), d[0].data()});
    for (int i = 0; i < 200; ++i)
      wave_pass<float>(executor, p, {0, p.ny}, Share::all, 12, {u[i % 2].data(), d[i % 2].data()},
                       {u[1 - i % 2].data(), d[1 - i % 2].data()}, nullptr);
  }
};

// A download must wait for the work before it, although it runs beside what comes after; and work of a second queue
// that follows an event begins after the work that the event marks.
TEST(Gpu, DownloadsAndQueuesFollowTheWorkBeforeThem) {
  SKIP_WITHOUT_GPU();
  const Executor executor = Executor::cuda(), aside = executor.beside();
  LongWork work{executor};
  work.run();
  const std::vector<float> expected = work.u[0].download();
  const std::size_t bytes = work.u[0].bytes();
  Buffer<float> host(executor, work.count, Memory::pinned);
  std::vector<float> found(work.count);
  Event done, marked;
  for (int turn = 0; turn < 2; ++turn) {  // the events serve twice
    work.run();
    executor.download(host.data(), work.u[0].data(), bytes, done);
    done.wait();
    EXPECT_EQ(std::memcmp(host.data(), expected.data(), bytes), 0);
    executor.clear(host.data(), host.bytes());
    executor.wait();
    work.run();
    executor.record(marked);
    aside.wait_for(marked);
    aside.copy(found.data(), work.u[0].data(), bytes);
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), bytes), 0);
  }
}

TEST(Executor, AQueueBesideTheCpuSeesWhatWasMarked) {
  const Executor executor = Executor::cpu(2), aside = executor.beside();
  EXPECT_EQ(aside.backend(), Backend::cpu);
  EXPECT_EQ(aside.threads(), 1);
  const WaveParams<float> p = wave_params<float>(300, 200, WaveBoundary::fixed, 0.5, 0);
  Buffer<float> u(executor, p.pitch * 200), d(executor, p.pitch * 200);
  std::vector<float> found(p.pitch * 200);
  Event marked;
  for (const std::uint64_t seed : {3, 4}) {  // the event serves twice
    wave_noise(executor, p, seed, 1.0, {u.data(), d.data()});
    executor.record(marked);
    aside.wait_for(marked);
    aside.copy(found.data(), u.data(), u.bytes());
    marked.wait();
    EXPECT_EQ(std::memcmp(found.data(), u.download().data(), u.bytes()), 0);
    EXPECT_NE(found[1], 0.0f);
  }
}

}  // namespace
}  // namespace simreel
