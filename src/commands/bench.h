#pragma once
// The measurements of `simreel bench`, and how they are printed.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/solver.h"

namespace simreel {

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

enum class BenchFormat { table, json, csv };

// Prints all rows, at least one, to stdout. `copy` is the bandwidth of a copy in bytes per second, of all GPUs
// together if there are several; 0 if no row uses it.
void print_bench(const std::vector<Measurement>& rows, BenchFormat, const std::string& executor, double copy);

}  // namespace simreel
