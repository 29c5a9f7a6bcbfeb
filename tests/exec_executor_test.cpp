#include "exec/executor.h"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "backends.h"
#include "error.h"
#include "exec/bandwidth.h"
#include "exec/buffer.h"
#include "kernels/launch.h"

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
          ++s.count[static_cast<std::size_t>(i)];
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
      for (int y = 0; y < extent.ny; ++y) {
        for (int x = 0; x < extent.nx; ++x) {
          const bool inside = x > 0 && x < extent.nx - 1 && y > 0 && y < extent.ny - 1;
          ASSERT_EQ(seen[static_cast<std::size_t>(y * extent.nx + x)], inside ? 100 : 1)
              << extent.nx << "x" << extent.ny << " " << x << "," << y;
        }
      }
    }
  }
}

TEST(Gpu, CopiesAndEventsKeepTheirOrder) {
  SKIP_WITHOUT_GPU();
  const Executor executor = Executor::cuda();
  constexpr std::size_t count = 1 << 22;
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 7);
  Buffer<int> device(executor, count), host(executor, count, Memory::pinned);
  device.upload(values.data());
  Event done;
  executor.download(host.data(), device.data(), device.bytes(), done);
  done.wait();
  EXPECT_TRUE(std::equal(values.begin(), values.end(), host.data()));
  device.clear();
  executor.wait();
  EXPECT_EQ(device.download(), std::vector<int>(count));
  EXPECT_GT(executor.multiprocessors(), 0);
}

}  // namespace
}  // namespace simreel
