#include "source/ranked.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>

#include "base/error.h"
#include "exec/domain.h"
#include "exec/peers.h"

namespace simreel {
namespace {

enum class Order { step, view, diagnose, finite, save, load, end };

// What rank 0 tells the others.
struct Command {
  Order order = Order::end;
  std::int64_t number = 0;                 // of steps, or of the field
  const Checkpoint* checkpoint = nullptr;  // to load
};

void obey(Solver& part, const Executor& executor, const Communicator& ranks, const Command& command) {
  switch (command.order) {
    case Order::step: part.step(command.number); return ranks.join(executor);
    case Order::view: return void(part.view(part.fields()[static_cast<std::size_t>(command.number)].name));
    case Order::diagnose: return void(part.diagnose());
    case Order::finite: return void(part.finite());
    case Order::save: {
      Checkpoint unused;
      return part.save(unused);
    }
    case Order::load: part.load(*command.checkpoint); return ranks.meet();
    case Order::end: return;
  }
}

// Throws the error of the rank that failed first.
[[noreturn]] void rethrow(const Communicator::Failure& failure) {
  const auto text = [&](const std::exception& error) {
    return failure.rank == 0 ? error.what() : fmt::format("rank {}: {}", failure.rank, error.what());
  };
  try {
    std::rethrow_exception(failure.error);
  } catch (const UsageError& error) {
    throw UsageError(text(error));
  } catch (const std::exception& error) {
    throw RuntimeError(text(error));
  }
}

class RankedSolver final : public Solver {
  using Create = decltype(SolverPlan::create_rank);

 public:
  RankedSolver(const Executor& executor, const Create& create, const Ranks& ranks)
      : executor_(executor), ranks_(Communicator::threads(ranks.count)) {
    try {
      for (std::size_t rank = 1; rank < ranks_.size(); ++rank)
        threads_.emplace_back([this, &executor, create, devices = ranks.devices, rank] {
          serve(executor, devices, create, ranks_[rank]);
        });
      reach(ranks.devices);
      own_ = create(executor, ranks_[0]);
      ranks_[0].meet();  // the others have made theirs, or failed
      own_->stop_when([this] { return stop_ && stop_(); });
    } catch (...) {
      ranks_[0].fail(std::current_exception());
      const Communicator::Failure failure = ranks_[0].failure();
      end();
      rethrow(failure);
    }
  }
  ~RankedSolver() override { end(); }
  RankedSolver(const RankedSolver&) = delete;
  RankedSolver& operator=(const RankedSolver&) = delete;

  void step(std::int64_t count) override {
    together({Order::step, count}, [&] {
      own_->step(count);
      ranks_[0].join(executor_);
    });
    steps_done_ = own_->steps_done();
  }

  std::span<const FieldInfo> fields() const override { return own_->fields(); }

  View view(std::string_view field) override {
    const auto index = static_cast<std::int64_t>(field_index(field));
    return together({Order::view, index}, [&] { return own_->view(field); });
  }

  std::vector<double> diagnose() override {
    return together({Order::diagnose}, [&] { return own_->diagnose(); });
  }
  bool finite() override {
    return together({Order::finite}, [&] { return own_->finite(); });
  }

  std::string divergence() override { return own_->divergence(); }
  std::vector<std::string> findings() override { return own_->findings(); }

  void save(Checkpoint& checkpoint) const override {
    together({Order::save}, [&] { own_->save(checkpoint); });
  }
  void load(const Checkpoint& checkpoint) override {
    together({Order::load, 0, &checkpoint}, [&] {
      own_->load(checkpoint);
      ranks_[0].meet();  // until then the others read the checkpoint
    });
    steps_done_ = own_->steps_done();
  }

 private:
  // The life of a rank that is not the first. `shared` is the executor of all ranks, where they have no GPUs.
  static void serve(const Executor& shared, const std::vector<int>& devices, const Create& create,
                    const Communicator& ranks) {
    std::optional<Executor> own;
    std::unique_ptr<Solver> part;
    try {
      if (!devices.empty()) own = Executor::cuda(devices[static_cast<std::size_t>(ranks.rank())], 1);
      reach(devices);
      const Executor& executor = own ? *own : shared;
      part = create(executor, ranks);
      ranks.meet();
      for (;;) {
        Command command;
        ranks.broadcast(&command, sizeof command);
        if (command.order == Order::end) break;
        obey(*part, executor, ranks, command);
      }
    } catch (const RankFailed&) {
    } catch (...) {
      ranks.fail(std::current_exception());
    }
    ranks.depart();  // others may still read the memory of `part`
  }

  // Tells the other ranks a command, and does rank 0's own share of it.
  template <class Action>
  std::invoke_result_t<const Action&> together(Command command, const Action& own) const {
    try {
      ranks_[0].broadcast(&command, sizeof command);
      return own();
    } catch (const RankFailed&) {
      rethrow(ranks_[0].failure());
    } catch (...) {
      ranks_[0].fail(std::current_exception());
      throw;
    }
  }

  void end() noexcept {
    try {
      Command command;
      ranks_[0].broadcast(&command, sizeof command);
    } catch (const RankFailed&) {
    }
    ranks_[0].depart();
    for (std::thread& thread : threads_) thread.join();
  }

  const Executor& executor_;
  std::vector<Communicator> ranks_;
  std::unique_ptr<Solver> own_;  // of rank 0
  std::vector<std::thread> threads_;
};

}  // namespace

void spread(SolverPlan& plan, const Ranks& ranks) {
  if (ranks.count == 1) return;
  if (!plan.create_rank)
    throw UsageError(fmt::format("{}: {}, which runs on one rank only; {}leave {} out", ranks.option, plan.summary,
                                 plan.updated == "force" ? "take method = \"direct\", or " : "", ranks.option));
  if (ranks.count > plan.most_ranks && plan.bodies > 0)
    throw UsageError(
        fmt::format("{}: a rank takes 128 bodies at least, so {} bodies run on {} rank{} at most; take fewer",
                    ranks.option, plan.bodies, plan.most_ranks, plan.most_ranks == 1 ? "" : "s"));
  if (ranks.count > plan.most_ranks)
    throw UsageError(fmt::format(
        "{}: a rank takes {} rows of cells at least, so this grid of {} x {} runs on {} rank{} at most; take fewer",
        ranks.option, Domain::unit, plan.grid[0], plan.grid[1], plan.most_ranks, plan.most_ranks == 1 ? "" : "s"));
  plan.bytes = [rank_bytes = plan.rank_bytes, ranks](const Executor& executor) {
    if (!ranks.devices.empty()) return rank_bytes(executor, 0, ranks.count);  // of the GPU that needs most
    std::size_t bytes = 0;
    for (int rank = 0; rank < ranks.count; ++rank) bytes += rank_bytes(executor, rank, ranks.count);
    return bytes;
  };
  plan.create = [create = plan.create_rank, ranks](const Executor& executor) -> std::unique_ptr<Solver> {
    return std::make_unique<RankedSolver>(executor, create, ranks);
  };
  plan.smaller = [smaller = plan.smaller, ranks](double updates) {
    SolverPlan small = smaller(updates);
    Ranks fewer = ranks;
    fewer.count = std::min(ranks.count, small.most_ranks);
    fewer.devices.resize(std::min(ranks.devices.size(), static_cast<std::size_t>(fewer.count)));
    spread(small, fewer);
    return small;
  };
}

}  // namespace simreel
