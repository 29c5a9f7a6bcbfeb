#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/json.h"
#include "commands/scene_arguments.h"
#include "exec/bandwidth.h"
#include "run/memory.h"
#include "source/solver.h"

namespace simreel {
namespace {

// One row: a scene with some keys overridden. Empty or 0 means the value of the scene.
struct BenchCase {
  std::array<int, 2> grid{};
  std::int64_t bodies = 0;
  std::string kernel;  // of the solver; or "serial", see add_bench
  std::string precision;
  int tile = 0;
  std::string method, accuracy;  // of bodies

  bool serial() const { return kernel == "serial"; }
};

struct Measurement {
  BenchCase what;
  std::string executor;
  int gpus;                      // that computed at once; 1 on a CPU, too
  std::int64_t steps;            // per run
  int runs;                      // that were timed
  double seconds;                // per run, median
  std::optional<double> spread;  // (slowest - fastest) / median; unset for one run
  double updates;                // per step, see SourcePlan
  std::string_view updated;
  double bytes_per_update;
  std::optional<Solver::ForceError> error;
  std::vector<std::pair<std::string_view, double>> stages;  // Solver::stage_times

  double steps_per_second() const { return static_cast<double>(steps) / seconds; }
  double updates_per_second() const { return steps_per_second() * updates; }
  bool of_bodies() const { return updated != "cell"; }
  double bodies_per_second() const { return steps_per_second() * static_cast<double>(what.bodies); }
  double bytes_per_second() const { return updates_per_second() * bytes_per_update; }
};

std::string grid_text(const Measurement& row) { return fmt::format("{}x{}", row.what.grid[0], row.what.grid[1]); }

std::string spread_of(const Measurement& row) { return row.spread ? fmt::format("{:.1f}%", 100 * *row.spread) : "-"; }

std::string kernel_of(const Measurement& row) {
  if (row.updated == "force") return row.what.accuracy.empty() ? "tree" : "tree, " + row.what.accuracy;
  return row.what.kernel.empty() ? "as the scene says" : row.what.kernel;
}

// "walk 12 ms, sort 1.4 ms"
std::string stages_of(const Measurement& row) {
  std::string text;
  for (const auto& [stage, seconds] : row.stages)
    text += fmt::format("{}{} {:.3g} ms", text.empty() ? "" : ", ", stage, 1e3 * seconds);
  return text;
}

std::string medians(const std::vector<Measurement>& rows) {
  const int runs = std::ranges::max(rows, {}, &Measurement::runs).runs;
  if (runs == 1) return "One run of each, so no spread.";
  return fmt::format(
      "Medians of {} runs; the spread is the slowest less the fastest over the median, - where there is one run only.",
      runs);
}

// `copy`: the bandwidth of a copy in bytes per second, of all GPUs together.
void print_cells(const std::vector<Measurement>& rows, const std::string& executor, double copy) {
  fmt::print("{}; {} {:.1f} GB/s (bytes read + bytes written)\n\n", executor,
             rows.front().gpus > 1 ? "copies on all of them move" : "a copy moves", copy / 1e9);
  fmt::print("{:>11}  {:<18}{:>10}{:>13}{:>9}{:>11}{:>11}{:>9}{:>11}\n", "grid", "kernel", "steps", "steps/s", "spread",
             "ms/step", "Gcells/s", "GB/s", "of a copy");
  for (const Measurement& row : rows)
    fmt::print("{:>11}  {:<18}{:>10}{:>13.1f}{:>9}{:>11.4g}{:>11.3f}{:>9.1f}{:>11.2f}\n", grid_text(row),
               row.what.tile > 0 ? fmt::format("{}, tile {}", kernel_of(row), row.what.tile) : kernel_of(row),
               row.steps, row.steps_per_second(), spread_of(row), 1e3 / row.steps_per_second(),
               row.updates_per_second() / 1e9, row.bytes_per_second() / 1e9, row.bytes_per_second() / copy);
  fmt::print(
      "\n{} GB/s counts {} bytes a cell and step, each value read once and written once; a kernel that does "
      "several steps in one pass over memory moves less, so it may exceed a copy.\n",
      medians(rows), rows.front().bytes_per_update);
}

void print_bodies(const std::vector<Measurement>& rows, const std::string& executor) {
  fmt::print("{}\n\n", executor);
  fmt::print("{:>9}  {:<18}{:>6}{:>9}{:>12}{:>9}{:>12}{:>12}{:>17}{:>10}{:>10}{:>10}\n", "bodies", "kernel", "tile", "",
             "steps/s", "spread", "ms/step", "Mbodies/s", "Ginteractions/s", "error", "rms", "p99");
  for (const Measurement& row : rows) {
    const Solver::ForceError error = row.error.value_or(Solver::ForceError{});
    fmt::print("{:>9}  {:<18}{:>6}{:>9}{:>12.5g}{:>9}{:>12.4g}{:>12.4g}{:>17}{:>10.1e}{:>10.1e}{:>10.1e}\n",
               row.what.bodies, kernel_of(row), row.what.tile > 0 ? fmt::format("{}", row.what.tile) : "-",
               row.what.precision, row.steps_per_second(), spread_of(row), 1e3 / row.steps_per_second(),
               row.bodies_per_second() / 1e6,
               row.updated == "interaction" ? fmt::format("{:.4g}", row.updates_per_second() / 1e9) : "-",
               error.overall, error.rms, error.p99);
  }
  fmt::print(
      "\n{} An interaction is the force of one body on another, N^2 of them a step of direct sums. Errors are those "
      "of the forces at the end against double precision, over some bodies: error is their root mean square over that "
      "of the forces; rms and p99 are of each body's error over the force on it.\n",
      medians(rows));
  for (const Measurement& row : rows)
    if (!row.stages.empty())
      fmt::print("Stages of {} bodies, {}{}{}: {}\n", row.what.bodies, kernel_of(row),
                 row.what.precision.empty() ? "" : ", ", row.what.precision, stages_of(row));
}

void print_json(const std::vector<Measurement>& rows, const std::string& executor, double copy) {
  nlohmann::ordered_json result = {{"executor", executor}};
  if (copy > 0) result["copy_bytes_per_second"] = copy;
  for (const Measurement& row : rows) {
    nlohmann::ordered_json entry = {{"kernel", kernel_of(row)}};
    if (!row.what.method.empty()) entry["method"] = row.what.method;
    if (!row.what.accuracy.empty()) entry["accuracy"] = row.what.accuracy;
    if (row.what.grid[0] > 0) entry["grid"] = row.what.grid;
    if (row.what.bodies > 0) entry["bodies"] = row.what.bodies;
    if (row.what.tile > 0) entry["tile"] = row.what.tile;
    if (!row.what.precision.empty()) entry["precision"] = row.what.precision;
    entry["executor"] = row.executor;
    entry["steps"] = row.steps;
    entry["runs"] = row.runs;
    entry["seconds"] = row.seconds;
    entry["spread"] = nullptr;
    if (row.spread) entry["spread"] = *row.spread;
    entry["steps_per_second"] = row.steps_per_second();
    entry["ms_per_step"] = 1e3 / row.steps_per_second();
    entry[fmt::format("{}s_per_second", row.updated)] = row.updates_per_second();
    if (row.bytes_per_update > 0) {
      entry["bytes_per_update"] = row.bytes_per_update;
      entry["bytes_per_second"] = row.bytes_per_second();
      entry["fraction_of_copy"] = row.bytes_per_second() / copy;
    }
    if (row.of_bodies()) entry["bodies_per_second"] = row.bodies_per_second();
    if (row.error) {
      entry["error"] = row.error->overall;
      entry["error_rms"] = row.error->rms;
      entry["error_p99"] = row.error->p99;
    }
    for (const auto& [stage, seconds] : row.stages) entry["stages"][std::string(stage)] = seconds;
    result["kernels"].push_back(entry);
  }
  print_result(result);
}

// The columns of methods and their errors only where the sweep has methods.
std::string bench_csv(const std::vector<Measurement>& rows) {
  const bool methods = !rows.front().what.method.empty();
  std::string text = fmt::format(
      "grid,bodies,kernel,tile,precision,executor,steps,runs,steps_per_second,spread,ms_per_step,{}_per_second,"
      "error{}\n",
      methods ? "bodies" : fmt::format("{}s", rows.front().updated),
      methods ? ",error_rms,error_p99,method,accuracy" : "");
  for (const Measurement& row : rows) {
    text += fmt::format(
        "{},{},{},{},{},\"{}\",{},{},{:.6g},{},{:.6g},{:.6g},{}", row.what.grid[0] > 0 ? grid_text(row) : "",
        row.what.bodies > 0 ? fmt::format("{}", row.what.bodies) : "", row.what.kernel,
        row.what.tile > 0 ? fmt::format("{}", row.what.tile) : "", row.what.precision, row.executor, row.steps,
        row.runs, row.steps_per_second(), row.spread ? fmt::format("{:.3g}", *row.spread) : "",
        1e3 / row.steps_per_second(), methods ? row.bodies_per_second() : row.updates_per_second(),
        row.error ? fmt::format("{:.3g}", row.error->overall) : "");
    if (methods && row.error)
      text += fmt::format(",{:.3g},{:.3g},{},{}", row.error->rms, row.error->p99, row.what.method, row.what.accuracy);
    text += "\n";
  }
  return text;
}

struct BenchArguments {
  SceneArguments scene;
  std::vector<std::int64_t> bodies;
  std::vector<std::string> grids, kernels, precisions, methods, accuracies;
  std::vector<int> tiles;
  std::int64_t steps = 0;
  int runs = 5;
  bool json = false, csv = false;
};

double time_steps(const Executor& executor, Solver& solver, std::int64_t steps) {
  const auto start = std::chrono::steady_clock::now();
  solver.step(steps);
  executor.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The number of steps for a run of about a third of a second. Finding it also warms up the machine.
std::int64_t choose_steps(const Executor& executor, Solver& solver) {
  constexpr double wanted = 0.33;
  for (std::int64_t steps = 1;; steps *= 4) {
    const double seconds = time_steps(executor, solver, steps);
    if (seconds > wanted / 4)
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(steps) * wanted / seconds));
  }
}

// "512" for 512 x 512 cells, or "1920x1080".
std::array<int, 2> grid_of(const std::string& text) {
  std::string_view rest = text;
  const int nx = take_leading<int>(rest).value_or(0);
  const int ny = rest.starts_with('x') ? parse_number<int>(rest.substr(1)).value_or(0) : rest.empty() ? nx : 0;
  if (nx < 1 || ny < 1)
    throw UsageError("--grids {}: cells along a side are expected, 512, or along x and y, 1920x1080", text);
  return {nx, ny};
}

std::vector<std::string> overrides_of(const BenchArguments& arguments, const BenchCase& what) {
  std::vector<std::string> overrides = arguments.scene.overrides;
  if (what.grid[0] > 0) overrides.push_back(fmt::format("solver.grid=[{}, {}]", what.grid[0], what.grid[1]));
  if (what.bodies > 0) overrides.push_back(fmt::format("solver.bodies={}", what.bodies));
  if (what.tile > 0) overrides.push_back(fmt::format("solver.tile={}", what.tile));
  if (!what.precision.empty()) overrides.push_back(fmt::format("solver.precision=\"{}\"", what.precision));
  if (!what.method.empty()) overrides.push_back(fmt::format("solver.method=\"{}\"", what.method));
  if (!what.accuracy.empty()) overrides.push_back(fmt::format("solver.accuracy=\"{}\"", what.accuracy));
  if (!what.kernel.empty())
    overrides.push_back(fmt::format("solver.kernel=\"{}\"", what.serial() ? "naive" : what.kernel));
  return overrides;
}

Scene load_case(const BenchArguments& arguments, const BenchCase& what) {
  Scene scene = load_named_scene(arguments.scene.scene, overrides_of(arguments, what), check_solver);
  complete_scene(scene);
  return scene;
}

Measurement measure(const BenchArguments& arguments, const Executor& executor, const BenchCase& what) {
  const Scene scene = load_case(arguments, what);
  const SolverPlan plan = plan_solver(scene, what.serial() ? Ranks{} : arguments.scene.wanted_ranks());
  if (!plan.create)
    throw UsageError(
        "{}: the scene reads data and computes nothing; bench measures solvers, and render "
        "--profile the stages of a run",
        scene.file.string());
  check_memory(scene, plan, executor, SinkNeeds{});
  const std::unique_ptr<Solver> solver = plan.create(executor);
  const double first = time_steps(executor, *solver, 1);
  std::int64_t steps = arguments.steps;
  std::vector<double> seconds;
  if (steps == 0 && first > 1) {  // too slow to be worth a median
    steps = 1;
    seconds.push_back(time_steps(executor, *solver, 1));
  } else {
    if (steps == 0) steps = choose_steps(executor, *solver);
    for (int run = 0; run <= arguments.runs; ++run) {
      const double time = time_steps(executor, *solver, steps);
      if (run > 0) seconds.push_back(time);  // the first run warms up
    }
  }
  if (!solver->finite())
    throw RuntimeError("the simulation diverged while it was timed; speeds of such numbers mean nothing");
  std::ranges::sort(seconds);
  const double median = seconds[seconds.size() / 2];
  std::optional<double> spread;
  if (seconds.size() > 1) spread = (seconds.back() - seconds.front()) / median;
  Measurement result{what,
                     what.serial() ? executor.name() : arguments.scene.name_of(executor),
                     executor.backend() == Backend::cuda ? plan.ranks.machines() : 1,
                     steps,
                     static_cast<int>(seconds.size()),
                     median,
                     spread,
                     plan.updates_per_step,
                     plan.updated,
                     plan.bytes_per_update,
                     solver->force_error(),
                     solver->stage_times()};
  if (result.of_bodies()) result.what.bodies = static_cast<std::int64_t>(plan.bodies);
  if (plan.size_key == "grid") Table(scene.solver).read("grid", result.what.grid, "cells along x and y");
  return result;
}

// Every combination; tiles only for kernels that have them, kernels only for direct sums.
std::vector<BenchCase> cases_of(const BenchArguments& arguments) {
  const auto or_scene = [](auto values) {
    if (values.empty()) values.emplace_back();
    return values;
  };
  std::vector<std::array<int, 2>> grids;
  for (const std::string& grid : arguments.grids) grids.push_back(grid_of(grid));
  std::vector<std::pair<std::array<int, 2>, std::int64_t>> sizes;
  for (const std::array<int, 2> grid : or_scene(grids))
    for (const std::int64_t bodies : or_scene(arguments.bodies)) sizes.emplace_back(grid, bodies);
  const auto named = [&](std::string_view method) {
    return std::ranges::find(arguments.methods, method) != arguments.methods.end();
  };
  const std::string direct = named("direct") ? "direct" : "";
  std::vector<BenchCase> cases;
  for (const auto& [grid, bodies] : sizes) {
    if (arguments.methods.empty() || named("direct"))
      for (const std::string& kernel : or_scene(arguments.kernels))
        for (const std::string& precision :
             kernel == "serial" ? std::vector<std::string>{"double"} : or_scene(arguments.precisions)) {
          if (kernel == "symmetric" && precision == "double") continue;
          const bool tiled = kernel != "serial" && kernel != "symmetric" && kernel != "auto";
          for (const int tile : tiled ? or_scene(arguments.tiles) : std::vector<int>{0})
            cases.push_back({grid, bodies, kernel, precision, tile, direct, ""});
        }
    if (!named("tree")) continue;
    for (const std::string& accuracy : or_scene(arguments.accuracies))
      for (const std::string& precision : or_scene(arguments.precisions))
        if (precision != "double") cases.push_back({grid, bodies, "", precision, 0, "tree", accuracy});
  }
  return cases;
}

void check_names(const BenchArguments& arguments, const SolverKind& kind) {
  const bool nbody = kind.name == "nbody";
  if (!nbody && !arguments.bodies.empty())
    throw UsageError("--bodies: the {} solver has none; set its size with --grids", kind.name);
  if (nbody && !arguments.grids.empty())
    throw UsageError("--grids: the {} solver has none; set its size with --bodies", kind.name);
  if (!nbody && !(arguments.methods.empty() && arguments.accuracies.empty()))
    throw UsageError("--methods, --accuracies: the {} solver has one method", kind.name);
  for (const std::string& method : arguments.methods)
    if (method != "direct" && method != "tree")
      throw UsageError("--methods {}: the nbody solver has direct, tree", method);
  if (!arguments.accuracies.empty() && std::ranges::find(arguments.methods, "tree") == arguments.methods.end())
    throw UsageError("--accuracies: direct sums have none; add --methods tree");
  for (const std::string& kernel : arguments.kernels)
    if (std::ranges::find(kind.kernels, kernel) == kind.kernels.end() && !(nbody && kernel == "serial"))
      throw UsageError("--kernels {}: the {} solver has {}{}", kernel, kind.name, fmt::join(kind.kernels, ", "),
                       nbody ? ", serial" : "");
}

int run(const BenchArguments& arguments) {
  arguments.scene.confine.apply(std::filesystem::path(arguments.scene.scene).parent_path());
  const Scene scene = load_named_scene(arguments.scene.scene, arguments.scene.overrides, check_solver);
  check_names(arguments, solver_kind(scene));
  const std::vector<BenchCase> cases = cases_of(arguments);
  // Report every mistake before the first measurement.
  for (const BenchCase& what : cases) plan_solver(load_case(arguments, what), arguments.scene.wanted_ranks());

  const Executor executor = arguments.scene.executor(), one_thread = Executor::cpu(1);
  std::vector<Measurement> rows;
  for (const BenchCase& what : cases) rows.push_back(measure(arguments, what.serial() ? one_thread : executor, what));
  double copy = 0;
  if (rows.front().bytes_per_update > 0) {
    const std::size_t copy_bytes = std::min<std::size_t>(
        executor.memory_available() / 4, executor.backend() == Backend::cuda ? 4ull << 30 : 256ull << 20);
    copy = rows.front().gpus * copy_bandwidth(executor, copy_bytes, arguments.runs);
  }
  const std::string machine = arguments.scene.name_of(executor);
  if (arguments.json)
    print_json(rows, machine, copy);
  else if (arguments.csv)
    fmt::print("{}", bench_csv(rows));
  else if (rows.front().of_bodies())
    print_bodies(rows, machine);
  else
    print_cells(rows, machine, copy);
  return 0;
}

}  // namespace

void add_bench(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("bench", "Measure the speed of a scene's solver");
  const auto arguments = std::make_shared<BenchArguments>();
  arguments->scene.add_to(*command);
  const auto add_list = [command](const char* name, auto& list, const char* about) {
    return command->add_option(name, list, about)->delimiter(',');
  };
  add_list("--kernels", arguments->kernels,
           "Compare these values of solver.kernel: naive,tiled. N-body also has serial: the plain loop over all "
           "pairs in double on one CPU thread, whatever the backend");
  add_list("--grids", arguments->grids, "Sweep solver.grid: 512,1024 (squares) or 640x360,1920x1080");
  add_list("--bodies", arguments->bodies, "Sweep solver.bodies: 256,512,1024")->check(at_least(1));
  add_list("--tiles", arguments->tiles, "Sweep solver.tile: 8,16,32")->check(at_least(1));
  add_list("--precisions", arguments->precisions, "Compare these values of solver.precision");
  add_list("--methods", arguments->methods, "Compare these values of solver.method: direct,tree");
  add_list("--accuracies", arguments->accuracies,
           "With --methods tree: compare these values of solver.accuracy: coarse,standard,fine");
  command->add_option("--steps", arguments->steps, "Steps of one timed run; default: about a third of a second")
      ->check(at_least(1));
  command->add_option("--runs", arguments->runs, "Timed runs, of which the median counts")
      ->check(within(1, 1000))
      ->capture_default_str();
  CLI::Option* const json = command->add_flag("--json", arguments->json, "Print JSON");
  command->add_flag("--csv", arguments->csv, "Print CSV, which simreel plot draws")->excludes(json);
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
