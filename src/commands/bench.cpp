#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "commands/scene_arguments.h"
#include "error.h"
#include "exec/bandwidth.h"

namespace simreel {
namespace {

struct BenchArguments {
  SceneArguments scene;
  std::vector<std::string> kernels;
  std::int64_t steps = 0;
  int runs = 5;
  bool json = false;
};

struct Measurement {
  std::string kernel;
  std::int64_t steps;     // of one run
  double seconds;         // median of the runs
  double cells;           // of one step
  double bytes_per_cell;  // see SolverPlan

  double steps_per_second() const { return static_cast<double>(steps) / seconds; }
  double cells_per_second() const { return steps_per_second() * cells; }
  double bytes_per_second() const { return cells_per_second() * bytes_per_cell; }
};

double time_steps(const Executor& executor, Solver& solver, std::int64_t steps) {
  const auto start = std::chrono::steady_clock::now();
  solver.step(steps);
  executor.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Steps for a run of about a third of a second. Trying that out also warms the machine up.
std::int64_t choose_steps(const Executor& executor, Solver& solver) {
  constexpr double wanted = 0.33;
  for (std::int64_t steps = 1;; steps *= 4) {
    const double seconds = time_steps(executor, solver, steps);
    if (seconds > wanted / 4)
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(steps) * wanted / seconds));
  }
}

Measurement measure(const BenchArguments& arguments, const Executor& executor, const std::string& kernel) {
  std::vector<std::string> overrides = arguments.scene.overrides;
  if (!kernel.empty()) overrides.push_back(fmt::format("solver.kernel=\"{}\"", kernel));
  const Scene scene = load_scene(arguments.scene.scene, overrides);
  const SolverPlan plan = plan_solver(scene);
  check_memory(scene, plan, executor, SinkNeeds{});
  const std::unique_ptr<Solver> solver = plan.create(executor);
  time_steps(executor, *solver, 1);
  const std::int64_t steps = arguments.steps > 0 ? arguments.steps : choose_steps(executor, *solver);
  std::vector<double> seconds;
  for (int run = 0; run <= arguments.runs; ++run) {
    const double time = time_steps(executor, *solver, steps);
    if (run > 0) seconds.push_back(time);  // the first one warms up
  }
  if (!solver->finite())
    throw RuntimeError("the simulation diverged while it was timed; speeds of such numbers mean nothing");
  std::ranges::sort(seconds);
  return {kernel.empty() ? "as the scene says" : kernel, steps, seconds[seconds.size() / 2], plan.cells,
          plan.bytes_per_cell};
}

void print_table(const std::vector<Measurement>& rows, const Executor& executor, double copy) {
  fmt::print("{}; a copy moves {:.1f} GB/s (bytes read + bytes written)\n\n", executor.name(), copy / 1e9);
  fmt::print("{:<18}{:>12}{:>14}{:>12}{:>14}{:>11}{:>13}\n", "kernel", "steps", "steps/s", "ms/step", "Gcells/s",
             "GB/s", "of a copy");
  for (const Measurement& row : rows)
    fmt::print("{:<18}{:>12}{:>14.1f}{:>12.4g}{:>14.3f}{:>11.1f}{:>13.2f}\n", row.kernel, row.steps,
               row.steps_per_second(), 1e3 / row.steps_per_second(), row.cells_per_second() / 1e9,
               row.bytes_per_second() / 1e9, row.bytes_per_second() / copy);
  fmt::print(
      "\nMedians. GB/s counts {} bytes a cell and step, each value read once and written once; a kernel that does "
      "several steps in "
      "one pass over memory moves less, so it may exceed a copy.\n",
      rows.front().bytes_per_cell);
}

void print_json(const std::vector<Measurement>& rows, const Executor& executor, double copy) {
  nlohmann::ordered_json result = {{"executor", executor.name()}, {"copy_bytes_per_second", copy}};
  for (const Measurement& row : rows)
    result["kernels"].push_back({{"kernel", row.kernel},
                                 {"steps", row.steps},
                                 {"seconds", row.seconds},
                                 {"steps_per_second", row.steps_per_second()},
                                 {"cells_per_second", row.cells_per_second()},
                                 {"bytes_per_cell", row.bytes_per_cell},
                                 {"bytes_per_second", row.bytes_per_second()},
                                 {"fraction_of_copy", row.bytes_per_second() / copy}});
  fmt::print("{}\n", result.dump(2));
}

int run(const BenchArguments& arguments) {
  const Scene scene = arguments.scene.load();
  const SolverKind& kind = solver_kind(scene);
  for (const std::string& kernel : arguments.kernels)
    if (std::ranges::find(kind.kernels, kernel) == kind.kernels.end())
      throw UsageError(
          fmt::format("--kernels {}: the {} solver has {}", kernel, kind.name, fmt::join(kind.kernels, ", ")));
  plan_solver(scene);
  const Executor executor = arguments.scene.executor();

  std::vector<Measurement> rows;
  if (arguments.kernels.empty()) rows.push_back(measure(arguments, executor, ""));
  for (const std::string& kernel : arguments.kernels) rows.push_back(measure(arguments, executor, kernel));
  const std::size_t copy_bytes = std::min<std::size_t>(executor.memory_available() / 4,
                                                       executor.backend() == Backend::cuda ? 4ull << 30 : 256ull << 20);
  const double copy = copy_bandwidth(executor, copy_bytes, arguments.runs);
  arguments.json ? print_json(rows, executor, copy) : print_table(rows, executor, copy);
  return 0;
}

}  // namespace

void add_bench(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("bench", "Time a scene's solver without drawing anything");
  const auto arguments = std::make_shared<BenchArguments>();
  arguments->scene.add_to(*command);
  command->add_option("--kernels", arguments->kernels, "Compare these values of solver.kernel: naive,tiled")
      ->delimiter(',');
  command->add_option("--steps", arguments->steps, "Steps of one timed run; default: about a third of a second")
      ->check(CLI::PositiveNumber);
  command->add_option("--runs", arguments->runs, "Timed runs, of which the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print JSON");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
