#include "exec/communicator.h"

#include "base/error.h"
#include "exec/buffer.h"
#include "exec/domain.h"
#include "exec/peers.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

// Calls task(communicator) on a thread a rank, of ranks that sleep while they wait and of such that spin.
template <class Task>
void on_ranks(int count, const Task& task) {
  for (const int patience : {0, 200}) {
    const std::vector<Communicator> ranks = Communicator::threads(count, std::chrono::microseconds(patience));
    std::vector<std::jthread> threads;
    for (const Communicator& rank : ranks) threads.emplace_back([&task, &rank] { task(rank); });
  }
}

TEST(Communicator, AloneNeedsNobody) {
  const Communicator alone;
  const Executor executor = Executor::cpu(1);
  EXPECT_TRUE(alone.alone());
  EXPECT_EQ(alone.size(), 1);
  int value = 7;
  alone.broadcast(&value, sizeof value);
  EXPECT_EQ(alone.gather(std::span<const int>(&value, 1)), std::vector<int>{7});
  const int from[2] = {3, 4};
  int to[3] = {};
  const Piece piece{const_cast<int*>(from), sizeof(int), sizeof from};
  alone.collect(executor, {&piece, 1}, to);
  EXPECT_EQ(to[1], 3);
  EXPECT_EQ(to[2], 4);
  EXPECT_TRUE(alone.reach_first(executor));
  alone.meet();
  alone.depart();
}

TEST(Communicator, GathersInTheOrderOfRanks) {
  for (const int count : {2, 3, 5}) {
    std::vector<int> expected;
    for (int rank = 0; rank < count; ++rank) expected.insert(expected.end(), static_cast<std::size_t>(rank), rank);
    on_ranks(count, [&](const Communicator& ranks) {
      for (int round = 0; round < 100; ++round) {
        int told = ranks.rank() == 0 ? round : -1;
        ranks.broadcast(&told, sizeof told);
        EXPECT_EQ(told, round);
        const std::vector<int> mine(static_cast<std::size_t>(ranks.rank()), ranks.rank());
        EXPECT_EQ(ranks.gather(std::span<const int>(mine)), expected);
      }
    });
  }
}

TEST(Communicator, CollectsPiecesAtTheirPlaces) {
  std::vector<int> whole(9, 0);
  on_ranks(3, [&](const Communicator& ranks) {
    const Executor executor = Executor::cpu(1);
    std::vector<int> own(3);
    std::iota(own.begin(), own.end(), 10 * ranks.rank());
    std::vector<Piece> pieces;  // every third place
    for (std::size_t i = 0; i < 3; ++i)
      pieces.push_back({&own[i], (3 * i + static_cast<std::size_t>(ranks.rank())) * sizeof(int), sizeof(int)});
    ranks.collect(executor, pieces, ranks.rank() == 0 ? whole.data() : nullptr);
  });
  EXPECT_EQ(whole, (std::vector<int>{0, 10, 20, 1, 11, 21, 2, 12, 22}));
}

// A rank that waits ends as soon as another has failed, wherever the two are; the first error is what counts.
TEST(Communicator, AFailureEndsAllWaits) {
  std::atomic<int> ended = 0;
  on_ranks(3, [&](const Communicator& ranks) {
    try {
      ranks.meet();
      if (ranks.rank() == 1) throw RuntimeError("the disk is full");
      int value = 0;
      for (;;) ranks.broadcast(&value, sizeof value);
    } catch (const RankFailed&) {
      EXPECT_EQ(ranks.failure().rank, 1);
      ++ended;
    } catch (const RuntimeError&) {
      ranks.fail(std::current_exception());
    }
    EXPECT_THROW(ranks.meet(), RankFailed);
    ranks.depart();
  });
  EXPECT_EQ(ended, 2 * 2);  // of both kinds of ranks
}

TEST(Domain, CutsAtMultiplesOfTheUnit) {
  for (const int rows : {1, 32, 33, 64, 100, 161, 1001})
    for (int ranks = 1; ranks <= Domain::max_ranks(rows); ++ranks) {
      int next = 0;
      for (const Domain& d : Domain::cut(rows, ranks, 12, false)) {
        EXPECT_EQ(d.first, next);
        EXPECT_EQ(d.first % Domain::unit, 0);
        EXPECT_GE(d.count, 1);
        EXPECT_GE(d.start(), 0);
        EXPECT_LE(d.start() + d.rows(), rows);
        next += d.count;
      }
      EXPECT_EQ(next, rows);
    }
  EXPECT_EQ(Domain::max_ranks(1), 1);
  EXPECT_EQ(Domain::max_ranks(32), 1);
  EXPECT_EQ(Domain::max_ranks(33), 2);
}

TEST(Domain, IsOpenWhereTheGridGoesOn) {
  const auto ends = [](bool wraps, int halo) {
    std::vector<std::pair<bool, bool>> all;
    for (const Domain& d : Domain::cut(96, 3, halo, wraps)) all.emplace_back(d.open_below(), d.open_above());
    return all;
  };
  using Ends = std::vector<std::pair<bool, bool>>;
  EXPECT_EQ(ends(false, 12), (Ends{{false, true}, {true, true}, {true, false}}));
  EXPECT_EQ(ends(false, 48), (Ends{{false, true}, {false, false}, {true, false}}));  // the middle one has all rows
  EXPECT_EQ(ends(true, 48), (Ends{{true, true}, {true, true}, {true, true}}));
  EXPECT_FALSE(Domain::cut(96, 1, 12, true).front().open_below());
}

TEST(Communicator, ThreadsOfACpuReachTheMemoryOfTheFirst) {
  on_ranks(3, [](const Communicator& ranks) { EXPECT_TRUE(ranks.reach_first(Executor::cpu(1))); });
}

// If one rank cannot, all of them know.
TEST(Communicator, GpusReachTheMemoryOfTheFirstWhereAllCan) {
  SKIP_WITHOUT_GPU();
  for (const int unable : {-1, 1, 2})
    on_ranks(3, [&](const Communicator& ranks) {
      const Executor executor = Executor::cuda();
      const int devices[] = {0};
      reach(std::span<const int>(devices).first(ranks.rank() == unable ? 0 : 1));
      EXPECT_EQ(ranks.reach_first(executor), unable < 0);
    });
}

// One rank is given work of a few milliseconds and sets a value to 0 after it. Another one that did not wait would read
// the value before.
TEST(Communicator, JoinOrdersTheWorkOfTheFirstGpuAndTheOthers) {
  SKIP_WITHOUT_GPU();
  for (const int slow : {0, 1, 2})
    on_ranks(3, [&](const Communicator& ranks) {
      const Executor executor = Executor::cuda();
      Buffer<std::byte> large(executor, std::size_t{256} << 20);
      Buffer<int> own(executor, 1);
      int value = 1;
      own.upload(&value);
      int* of_first = own.data();
      ranks.broadcast(&of_first, sizeof of_first);
      if (ranks.rank() == slow) {
        for (int i = 0; i < 100; ++i) large.clear();
        executor.clear(of_first, sizeof *of_first);
      }
      ranks.join(executor);
      if (ranks.rank() == (slow == 0 ? 1 : 0)) {
        executor.copy(&value, of_first, sizeof value);
        EXPECT_EQ(value, 0) << "rank " << slow << " is slow";
      }
      ranks.depart();
    });
}

// A machine may have no room for all threads: those that began must not wait for the others.
TEST(Communicator, RanksDepartThoughOthersNeverBegan) {
  const std::vector<Communicator> ranks = Communicator::threads(5);
  const std::jthread other([&] { ranks[1].depart(); });
  ranks[0].depart(4);
}

// After an exchange every row in memory is the row of the grid that it stands for: also where a slab is thinner than a
// halo, and where the two neighbours of a ring are the same rank.
TEST(Domain, HalosHoldTheRowsThatTheyStandFor) {
  for (const int rows : {33, 64, 100, 161})
    for (const bool wraps : {false, true})
      for (int count = 2; count <= Domain::max_ranks(rows); ++count)
        on_ranks(count, [&](const Communicator& ranks) {
          const Executor executor = Executor::cpu(1);
          const std::vector<Domain> domains = Domain::cut(rows, count, 12, wraps);
          const Domain& own = domains[ranks.rank()];
          std::vector<int> memory(static_cast<std::size_t>(own.rows()), -1);
          for (int y = own.below; y < own.below + own.count; ++y) memory[y] = own.row_of_grid(y);
          const HaloRuns runs = halo_runs(domains, ranks.rank());
          const auto transfers = [&](const std::vector<RowRun>& list) {
            std::vector<Transfer> all;
            for (const RowRun& run : list)
              all.push_back({run.peer, &memory[run.row], static_cast<std::size_t>(run.count) * sizeof(int)});
            return all;
          };
          ranks.exchange(executor, transfers(runs.sends), transfers(runs.receives));
          for (int y = 0; y < own.rows(); ++y)
            EXPECT_EQ(memory[y], own.row_of_grid(y))
                << rows << " rows, rank " << ranks.rank() << " of " << count << ", row " << y;
        });
}

}  // namespace
}  // namespace simreel
