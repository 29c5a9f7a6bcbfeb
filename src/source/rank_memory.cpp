#include "source/rank_memory.h"

#include <algorithm>
#include <cstdint>
#include <future>
#include <span>
#include <string_view>

#include "base/error.h"
#include "exec/foreign.h"
#include "exec/processes.h"
#include "ranks/orders.h"

namespace simreel {
namespace {

// The memory of a process.
struct Place {
  std::size_t available = 0;  // for it alone
  char host[80] = "";
};

// Of all processes.
std::vector<Place> survey(const Executor& executor, const Communicator& ranks) {
  refuse_shared_gpus(executor, ranks);
  const int sharing = executor.backend() == Backend::cpu ? processes().local_size : 1;
  Place own{executor.memory_available() / static_cast<std::size_t>(sharing)};
  processes().host.copy(own.host, sizeof own.host - 1);
  return ranks.gather(std::span<const Place>(&own, 1));
}

std::size_t memory_of(int device) {
  // A thread works with one device.
  return std::async(std::launch::async, [&] { return Executor::cuda(device, 1).memory_available(); }).get();
}

}  // namespace

Executor executor_of_process(Backend backend, int threads) {
  if (threads == 0) threads = own_cores();
  if (backend == Backend::cpu) return Executor::cpu(threads);
  const int rank = processes().local_rank, gpus = static_cast<int>(cuda_devices().size());
  if (gpus > 1 && rank >= gpus)
    throw UsageError("{} processes run on this host, which has {} GPUs; start as many as it has, or give --backend cpu",
                     processes().local_size, gpus);
  return Executor::cuda(gpus > 1 ? rank : 0, threads);
}

void refuse_shared_gpus(const Executor& executor, const Communicator& ranks) {
  if (executor.backend() == Backend::cpu) return;
  const std::string own = cuda_devices().at(static_cast<std::size_t>(current_device())).uuid;
  const std::vector<char> all = ranks.gather(std::span<const char>(own));
  for (int rank = 0; rank < ranks.size(); ++rank)
    for (int other = 0; other < rank; ++other) {
      const auto name = [&](int i) {
        return std::string_view(all.data() + static_cast<std::size_t>(i) * own.size(), own.size());
      };
      if (name(rank) == name(other))
        throw UsageError(
            "ranks {} and {} have the same GPU; start as many processes on a host as it has GPUs, or give --backend "
            "cpu. With Slurm: --gpus-per-node, not --gpus-per-task",
            other, rank);
    }
}

void tell_memory(const Executor& executor, const Communicator& ranks) { survey(executor, ranks); }

std::vector<RankMemory> memory_of_ranks(const SolverPlan& plan, const Executor& executor,
                                        const ViewRequirements& shown) {
  const Ranks& ranks = plan.ranks;
  if (ranks.count == 1) return {};
  std::vector<RankMemory> list;
  for (int rank = 0; rank < ranks.count; ++rank)
    list.push_back(
        {plan.part_bytes(executor, rank, ranks.count) + plan.part_shown_bytes(rank, ranks.count, shown), 0, true});
  if (ranks.processes) {
    const Communicator all = communicator_of_processes();
    const std::vector<Place> places = tell(all, {Order::survey, static_cast<std::int64_t>(executor.backend())},
                                           [&] { return survey(executor, all); });
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].available = places[i].available;
      list[i].host = places[i].host;
      list[i].with_the_first = executor.backend() == Backend::cpu && list[i].host == list[0].host;
    }
  }
  for (std::size_t i = 1; i < ranks.devices.size(); ++i) {
    list[i].available = memory_of(ranks.devices[i]);
    list[i].with_the_first = false;
  }
  return list;
}

int ranks_that_fit(const SolverPlan& plan, const Executor& executor, const ViewRequirements& shown,
                   std::size_t available, std::size_t more) {
  const auto fits = [&](int rank, int count) {
    const std::size_t part = plan.part_bytes(executor, rank, count) + plan.part_shown_bytes(rank, count, shown);
    return part + (rank == 0 ? more : 0) <= available;
  };
  for (int count = 1; count <= std::min(plan.max_ranks, 4096); ++count) {
    int rank = 0;
    while (rank < count && fits(rank, count)) ++rank;
    if (rank == count) return count;
  }
  return 0;
}

}  // namespace simreel
