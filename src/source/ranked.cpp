#include "source/ranked.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>

#include "base/error.h"
#include "exec/domain.h"
#include "exec/machine.h"
#include "exec/peers.h"
#include "exec/processes.h"
#include "ranks/orders.h"
#include "ranks/saved_pieces.h"
#include "source/rank_memory.h"

namespace simreel {
namespace {

// What a process needs to make its part.
struct Assignment {
  Backend backend = Backend::cpu;
  int threads = 0;     // 0: as many as the process has cores
  double updates = 0;  // SolverPlan::smaller of so many; 0: the scene itself
  std::string file, text;
  std::vector<std::string> overrides;
  std::vector<std::string> inputs;  // SourcePlan::inputs; not told, since the others find their own
};

// Gives the others what rank 0 has.
void share(const Communicator& ranks, Assignment& assignment) {
  ranks.broadcast(&assignment.backend, sizeof assignment.backend);
  ranks.broadcast(&assignment.threads, sizeof assignment.threads);
  ranks.broadcast(&assignment.updates, sizeof assignment.updates);
  ranks.broadcast(assignment.file);
  ranks.broadcast(assignment.text);
  std::size_t count = assignment.overrides.size();
  ranks.broadcast(&count, sizeof count);
  assignment.overrides.resize(count);
  for (std::string& override : assignment.overrides) ranks.broadcast(override);
}

// What a process that is not the first keeps of a state.
struct Kept {
  Checkpoint state;
  PieceKeeper keeper;  // may be reading it
};

void obey(Solver& part, const Executor& executor, const Communicator& ranks, Kept& kept, const Command& command) {
  const auto field = [&] { return part.fields()[static_cast<std::size_t>(command.number)].name; };
  switch (command.order) {
    case Order::step: part.step(command.number); return ranks.join(executor);
    case Order::view: return void(part.view(field()));
    case Order::colors: {
      std::vector<Color> colors(static_cast<std::size_t>(command.number));
      ranks.broadcast(colors.data(), colors.size() * sizeof(Color));
      return part.divided()->set_colors(colors);
    }
    case Order::draw: return void(part.divided()->draw(field(), command.picture));
    case Order::extremes: return void(part.divided()->extremes(field()));
    case Order::spread: return void(part.divided()->spread(field()));
    case Order::diagnose: return void(part.diagnose());
    case Order::finite: return void(part.finite());
    case Order::force_error: return void(part.force_error());
    case Order::save: {
      Checkpoint unused;
      return part.save(unused);
    }
    case Order::load: {
      part.load(command.checkpoint ? *command.checkpoint : Checkpoint::together(nullptr, ranks));
      return ranks.meet();
    }
    case Order::shares: return void(kept.keeper.shares({}));
    case Order::keep: {
      kept.state.keep_pieces(true);
      part.save(kept.state);
      return kept.state.keep_only_pieces();
    }
    case Order::write: return kept.keeper.write(kept.state, command.number);
    case Order::written: return void(kept.keeper.written());
    case Order::end:
    case Order::create:
    case Order::survey:
    case Order::leave: break;
  }
  throw RuntimeError("rank 0 began something else before the end of a solver");
}

// Does what rank 0 says until the end.
void follow(Solver& part, const Executor& executor, const Communicator& ranks) {
  Kept kept{{}, PieceKeeper(ranks, processes().host)};
  for (;;) {
    Command command;
    ranks.broadcast(&command, sizeof command);
    if (command.order == Order::end) return;
    obey(part, executor, ranks, kept, command);
  }
}

// Ranks of GPUs spin while they wait where there are more cores than they are: the other cores write and encode.
std::chrono::microseconds patience(const Ranks& ranks) {
  return std::chrono::microseconds(!ranks.devices.empty() && usable_cores() > ranks.count ? 200 : 0);
}

class RankedSolver final : public Solver, private DividedFields, private SavedPieces {
  using Create = decltype(SolverPlan::create_rank);

 public:
  // `assignment`: what is sent to other processes; null: the ranks are threads.
  RankedSolver(const Executor& executor, const Create& create, const Ranks& ranks, const Assignment* assignment)
      : executor_(executor),
        processes_(assignment != nullptr),
        ranks_(processes_ ? std::vector{communicator_of_processes()}
                          : Communicator::threads(ranks.count, patience(ranks))),
        keeper_(ranks_[0]) {
    try {
      if (assignment) {
        assign(*assignment);
        refuse_other_inputs(ranks_[0], assignment->inputs);
      }
      for (std::size_t rank = 1; rank < ranks_.size(); ++rank)
        start([&executor, create, devices = ranks.devices, &own = ranks_[rank]] {
          serve(executor, devices, create, own);
        });
      reach(ranks.devices);
      if (processes_) refuse_shared_gpus(executor, ranks_[0]);
      own_ = create(executor, ranks_[0]);
      ranks_[0].meet();  // the others have made theirs, or failed
      own_->stop_when([this] { return stop_ && stop_(); });
    } catch (...) {
      ranks_[0].fail(std::current_exception());
      const Communicator::Failure failure = ranks_[0].failure();
      end();
      rethrow_failure(failure);
    }
  }
  ~RankedSolver() override { end(); }
  RankedSolver& operator=(RankedSolver&&) = delete;

  void step(std::int64_t count) override {
    together({Order::step, count}, [&] {
      own_->step(count);
      ranks_[0].join(executor_);
    });
    steps_done_ = own_->steps_done();
  }

  std::span<const FieldInfo> fields() const override { return own_->fields(); }

  View view(std::string_view field) override {
    return together({Order::view, index_of(field)}, [&] { return own_->view(field); });
  }

  DividedFields* divided() override { return own_->divided() ? this : nullptr; }

  std::vector<double> diagnose() override {
    return together({Order::diagnose}, [&] { return own_->diagnose(); });
  }
  bool finite() override {
    return together({Order::finite}, [&] { return own_->finite(); });
  }

  std::optional<ForceError> force_error() override {
    return together({Order::force_error}, [&] { return own_->force_error(); });
  }

  std::string divergence() override { return own_->divergence(); }
  std::string warning() override { return own_->warning(); }
  std::vector<std::string> findings() override { return own_->findings(); }

  void save(Checkpoint& checkpoint) const override {
    together({checkpoint.keeps_pieces() ? Order::keep : Order::save}, [&] { own_->save(checkpoint); });
  }
  void load(const Checkpoint& checkpoint) override {
    together({Order::load, 0, processes_ ? nullptr : &checkpoint}, [&] {
      if (processes_)
        own_->load(Checkpoint::together(&checkpoint, ranks_[0]));
      else
        own_->load(checkpoint);
      ranks_[0].meet();  // until then the others read the checkpoint
    });
    steps_done_ = own_->steps_done();
  }
  SavedPieces* pieces() override { return processes_ ? this : nullptr; }

 private:
  bool shares(const std::filesystem::path& folder) override {
    return together({Order::shares}, [&] { return keeper_.shares(folder); });
  }
  void write_pieces(const Checkpoint& own, std::int64_t number) override {
    together({Order::write, number}, [&] { keeper_.write(own, number); });
  }
  std::optional<PiecesWritten> written() override {
    if (!keeper_.ended()) return std::nullopt;  // no need to ask the others
    return together({Order::written}, [&] { return keeper_.written(); });
  }

  std::int64_t index_of(std::string_view field) const { return static_cast<std::int64_t>(field_index(field)); }

  void set_colors(std::span<const Color> colors) override {
    if (std::ranges::equal(colors, colors_)) return;
    colors_.assign(colors.begin(), colors.end());
    together({Order::colors, static_cast<std::int64_t>(colors_.size())}, [&] {
      ranks_[0].broadcast(colors_.data(), colors_.size() * sizeof(Color));
      own_->divided()->set_colors(colors_);
    });
  }
  FieldRows draw(std::string_view field, const FieldPicture& picture) override {
    return together({Order::draw, index_of(field), nullptr, picture},
                    [&] { return own_->divided()->draw(field, picture); });
  }
  Extremes<double> extremes(std::string_view field) override {
    return together({Order::extremes, index_of(field)}, [&] { return own_->divided()->extremes(field); });
  }
  Spread spread(std::string_view field) override {
    return together({Order::spread, index_of(field)}, [&] { return own_->divided()->spread(field); });
  }

  template <class Life>
  void start(const Life& life) {
    try {
      threads_.emplace_back(life);
    } catch (const std::system_error& error) {
      throw RuntimeError("the thread of rank {} of {} cannot be started: {}; take fewer ranks", threads_.size() + 1,
                         ranks_.size(), error.what());
    }
  }

  // The life of a rank that is not the first. `shared` is the executor of all ranks, where they have no GPUs.
  static void serve(const Executor& shared, const std::vector<int>& devices, const Create& create,
                    const Communicator& ranks) {
    std::optional<Executor> own;
    std::unique_ptr<Solver> part;
    try {
      if (!devices.empty()) {
        const int threads = std::max(1, shared.threads() / ranks.size());
        own = Executor::cuda(devices[static_cast<std::size_t>(ranks.rank())], threads);
      }
      reach(devices);
      const Executor& executor = own ? *own : shared;
      part = create(executor, ranks);
      ranks.meet();
      follow(*part, executor, ranks);
    } catch (const RankFailed&) {
    } catch (...) {
      ranks.fail(std::current_exception());
    }
    ranks.depart();  // others may still read the memory of `part`
  }

  void assign(Assignment assignment) {
    Command command{Order::create};
    ranks_[0].broadcast(&command, sizeof command);
    share(ranks_[0], assignment);
  }

  template <class Action>
  std::invoke_result_t<const Action&> together(const Command& command, const Action& own) const {
    return tell(ranks_[0], command, own);
  }

  void end() noexcept {
    try {
      Command command;
      ranks_[0].broadcast(&command, sizeof command);
    } catch (const RankFailed&) {
    }
    ranks_[0].depart(static_cast<int>(ranks_.size() - threads_.size()));
    for (std::thread& thread : threads_) thread.join();
  }

  const Executor& executor_;
  const bool processes_;
  std::vector<Communicator> ranks_;  // of the threads, or this process alone
  PieceKeeper keeper_;               // of rank 0, if there are processes
  std::unique_ptr<Solver> own_;      // of rank 0
  std::vector<Color> colors_;        // of divided pictures
  std::vector<std::thread> threads_;
};

// `updates`: of Assignment.
void spread_part(SolverPlan& plan, const Scene& scene, const Ranks& ranks, double updates) {
  if (ranks.count == 1) return;
  plan.ranks = ranks;
  if (ranks.count > plan.max_ranks && plan.bodies > 0)
    throw UsageError("{}: bodies are divided in groups of 128, so {} bodies run on {} rank{} at most; take fewer",
                     ranks.option, plan.bodies, plan.max_ranks, plan.max_ranks == 1 ? "" : "s");
  if (ranks.count > plan.max_ranks)
    throw UsageError(
        "{}: grids are divided at multiples of {} rows, so this one of {} x {} runs on {} rank{} at most; take fewer",
        ranks.option, Domain::unit, plan.grid.cells[0], plan.grid.cells[1], plan.max_ranks,
        plan.max_ranks == 1 ? "" : "s");
  plan.made_bytes +=
      plan.made_by_each * static_cast<std::size_t>((ranks.processes ? processes().local_size : ranks.count) - 1);
  const Assignment told{.threads = ranks.threads,
                        .updates = updates,
                        .file = scene.file.string(),
                        .text = scene.text,
                        .overrides = scene.overrides,
                        .inputs = plan.inputs};
  plan.create = [create = plan.create_rank, ranks, told](const Executor& executor) -> std::unique_ptr<Solver> {
    Assignment assignment = told;
    assignment.backend = executor.backend();
    return std::make_unique<RankedSolver>(executor, create, ranks, ranks.processes ? &assignment : nullptr);
  };
  plan.smaller = [smaller = plan.smaller, scene, ranks](double fewer_updates) {
    SolverPlan small = smaller(fewer_updates);
    Ranks fewer = ranks;
    fewer.count = std::min(ranks.count, small.max_ranks);
    if (ranks.processes && fewer.count < ranks.count) return small;  // processes cannot be left out
    fewer.devices.resize(std::min(ranks.devices.size(), static_cast<std::size_t>(fewer.count)));
    spread_part(small, scene, fewer, fewer_updates);
    return small;
  };
}

}  // namespace

void spread(SolverPlan& plan, const Scene& scene, const Ranks& ranks) { spread_part(plan, scene, ranks, 0); }

void serve_processes() {
  const Communicator ranks = communicator_of_processes();
  try {
    for (;;) {
      Command command;
      ranks.broadcast(&command, sizeof command);
      if (command.order == Order::leave) return;
      if (command.order == Order::survey) {
        tell_memory(executor_of_process(static_cast<Backend>(command.number), 1), ranks);
        continue;
      }
      Assignment assignment;
      share(ranks, assignment);
      const Scene scene = [&] {
        Scene read = parse_scene(assignment.text, assignment.file, assignment.overrides);
        complete_scene(read);
        return read;
      }();
      SolverPlan plan = plan_solver(scene);
      if (assignment.updates > 0) plan = plan.smaller(assignment.updates);
      refuse_other_inputs(ranks, plan.inputs);
      const Executor executor = executor_of_process(assignment.backend, assignment.threads);
      refuse_shared_gpus(executor, ranks);
      const std::unique_ptr<Solver> part = plan.create_rank(executor, ranks);
      ranks.meet();
      follow(*part, executor, ranks);
    }
  } catch (const RankFailed&) {
  } catch (...) {
    ranks.fail(std::current_exception());
  }
}

void dismiss_processes() {
  const Communicator ranks = communicator_of_processes();
  try {
    Command command{Order::leave};
    ranks.broadcast(&command, sizeof command);
  } catch (const RankFailed&) {
  }
}

}  // namespace simreel
