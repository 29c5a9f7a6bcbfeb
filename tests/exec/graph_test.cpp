#include "exec/graph.h"

#include "exec/buffer.h"
#include "kernels/base/gather.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

constexpr std::int64_t count = 1000;

TEST(Graph, SubmitsWithOtherParametersEachTime) {
  for (const Executor& executor : test::executors()) {
    Buffer<float> values(executor, 2 * count);
    Graph graph;
    for (int k = 0; k < 5; ++k) {
      const auto shift = static_cast<std::size_t>(k % 2) * count;
      graph.submit(executor, [&] { fill_column(executor, static_cast<float>(k), count, values.data() + shift, 1); });
    }
    const std::vector<float> found = values.download();
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], i < count ? 4 : 3) << executor.name();
  }
}

TEST(Graph, TakesOtherKernelsEachTime) {
  for (const Executor& executor : test::executors()) {
    const Executor beside = executor.beside();
    Buffer<float> values(executor, 3 * count);
    values.clear();
    Event begun, done;
    Graph graph;
    for (int k = 0; k < 6; ++k)
      graph.submit(executor, [&] {
        fill_column(executor, static_cast<float>(k), count, values.data(), 1);
        if (k % 2 == 1) fill_column(executor, static_cast<float>(k), count, values.data() + count, 1);
        if (k % 3 != 1) return;
        executor.record(begun);
        beside.wait_for(begun);
        fill_column(beside, static_cast<float>(k), count, values.data() + 2 * count, 1);
        beside.record(done);
        executor.wait_for(done);
      });
    const std::vector<float> found = values.download();
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i], i < count ? 5 : i < 2 * count ? 5 : 4) << executor.name();
  }
}

TEST(Graph, WorkThatThrowsIsNotDoneOnAGpu) {
  SKIP_WITHOUT_GPU();
  const Executor executor = Executor::cuda(), beside = executor.beside();
  Buffer<float> values(executor, count);
  Event begun;
  Graph graph;
  fill_column(executor, 1.0f, count, values.data(), 1);
  EXPECT_THROW(graph.submit(executor,
                            [&] {
                              fill_column(executor, 2.0f, count, values.data(), 1);
                              executor.record(begun);
                              beside.wait_for(begun);
                              throw std::runtime_error("in the middle");
                            }),
               std::runtime_error);
  EXPECT_EQ(values.download(), std::vector<float>(count, 1.0f));
  graph.submit(executor, [&] { fill_column(executor, 3.0f, count, values.data(), 1); });
  EXPECT_EQ(values.download(), std::vector<float>(count, 3.0f));
  fill_column(beside, 4.0f, count, values.data(), 1);
  beside.wait();
  EXPECT_EQ(values.download(), std::vector<float>(count, 4.0f));
}

}  // namespace
}  // namespace simreel
