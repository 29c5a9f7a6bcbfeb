#include "ranks/slab.h"

#include "tests/support/test.h"

namespace simreel {
namespace {

TEST(HaloRows, BalanceExchangesAgainstRowsThatAreComputedTwice) {
  const auto rows = [](Backend backend, std::array<int, 2> grid, int ranks) {
    return halo_rows(backend, grid, ranks, 12, 48, 50e6);
  };
  EXPECT_EQ(rows(Backend::cuda, {16384, 16384}, 4), 36);   // sqrt(50e6 / 2 / 16384) is 39
  EXPECT_EQ(rows(Backend::cuda, {16384, 16384}, 2), 36);   // whatever the number of ranks
  EXPECT_EQ(rows(Backend::cuda, {2048, 2048}, 4), 48);     // 110
  EXPECT_EQ(rows(Backend::cuda, {1 << 24, 2048}, 4), 12);  // 1
  EXPECT_EQ(rows(Backend::cuda, {2048, 512}, 4), 24);      // a quarter of 128
  EXPECT_EQ(rows(Backend::cuda, {2048, 130}, 4), 12);      // a quarter of 32
  EXPECT_EQ(rows(Backend::cpu, {2048, 2048}, 4), 12);      // a 128th of 512
  EXPECT_EQ(rows(Backend::cpu, {2048, 16384}, 4), 24);     // of 4096
  EXPECT_EQ(rows(Backend::cpu, {2048, 1 << 20}, 4), 48);
}

}  // namespace
}  // namespace simreel
