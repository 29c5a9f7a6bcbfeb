#include "kernels/base/reduce.h"

#include "kernels/base/random.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

struct Sum {
  using Value = double;
  const double* values;
  int nx;

  HD static double empty() { return 0; }
  HD static double combine(double a, double b) { return a + b; }
  HD double operator()(int x, int y) const { return values[y * nx + x]; }
};

TEST(Reduce, FoldsEveryPointInOneOrder) {
  for (const Extent extent : {Extent{1, 1}, Extent{1, 1000}, Extent{1000, 1}, Extent{257, 33}, Extent{300, 301}}) {
    const auto count = static_cast<std::size_t>(extent.nx * extent.ny);
    std::vector<double> values(count);
    double exact = 0;
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<double>(i);
      exact += values[i];
    }
    for (const Executor& executor : test::cpu_executors()) {
      Buffer<double> buffer(executor, count);
      buffer.upload(values.data());
      Buffer<std::byte> scratch(executor, reduce_scratch_bytes(extent, sizeof(double)));
      EXPECT_EQ(reduce(executor, "sum", extent, Sum{buffer.data(), extent.nx}, scratch.data()), exact);
    }
  }
}

TEST(Reduce, RoundsAlikeWithAnyNumberOfThreads) {
  constexpr Extent extent{1021, 517};
  const auto count = static_cast<std::size_t>(extent.nx * extent.ny);
  std::vector<double> values(count), sums;
  for (std::size_t i = 0; i < count; ++i) values[i] = random_unit(1, 0, i) - 0.5;
  for (const Executor& executor : test::cpu_executors()) {
    Buffer<double> buffer(executor, count);
    buffer.upload(values.data());
    Buffer<std::byte> scratch(executor, reduce_scratch_bytes(extent, sizeof(double)));
    sums.push_back(reduce(executor, "sum", extent, Sum{buffer.data(), extent.nx}, scratch.data()));
  }
  EXPECT_EQ(sums, std::vector<double>(sums.size(), sums[0]));
}

}  // namespace
}  // namespace simreel
