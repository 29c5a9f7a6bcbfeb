#include "sink/workers.h"

#include "tests/support/thrown.h"

namespace simreel {
namespace {

TEST(Workers, DoEveryJobBeforeFinishReturns) {
  for (const std::size_t threads : {1u, 3u}) {
    Workers workers(threads);
    std::vector<std::atomic<int>> done(200);
    for (auto& job : done) workers.add([&job] { ++job; });
    workers.finish();
    EXPECT_TRUE(std::ranges::all_of(done, [](const auto& job) { return job == 1; }));
    workers.add([&] { ++done[0]; });
    workers.finish();
    EXPECT_EQ(done[0], 2);
  }
}

TEST(Workers, DestructorWaitsForTheJobs) {
  std::atomic<int> done = 0;
  {
    Workers workers(2);
    for (int i = 0; i < 10; ++i) workers.add([&] { ++done; });
  }
  EXPECT_EQ(done, 10);
}

// Memory stays bounded: so many jobs are at work, as many wait, and one more is on its way in.
TEST(Workers, AddBlocksWhileAsManyWaitAsThereAreThreads) {
  constexpr int threads = 2;
  std::atomic<bool> open = false;
  std::atomic<int> added = 0;
  Workers workers(threads);
  std::thread producer([&] {
    for (int i = 0; i < 20; ++i) {
      workers.add([&] {
        while (!open) std::this_thread::yield();
      });
      ++added;
    }
  });
  while (added < 2 * threads) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(added, 2 * threads);
  open = true;
  producer.join();
  workers.finish();
  EXPECT_EQ(added, 20);
}

TEST(Workers, FirstErrorComesOutOfAddAndFinish) {
  Workers workers(2);
  workers.add([] { throw std::runtime_error("disk full"); });
  int added = 0;
  const std::string message = test::thrown<std::runtime_error>([&] {
    for (;; ++added) workers.add([] {});
  });
  EXPECT_EQ(message, "disk full");
  EXPECT_THROW(workers.finish(), std::runtime_error);
}

}  // namespace
}  // namespace simreel
