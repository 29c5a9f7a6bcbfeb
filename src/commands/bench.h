#pragma once
// The measurements of `simreel bench`, and how they are printed.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simreel {

// One row: a scene with some keys overridden. Empty or 0 means the value of the scene.
struct BenchCase {
  std::array<int, 2> grid{};
  std::int64_t bodies = 0;
  std::string kernel;  // of the solver; or "serial", see add_bench
  std::string precision;
  int tile = 0;

  bool serial() const { return kernel == "serial"; }
};

struct Measurement {
  BenchCase what;
  std::string executor;
  std::int64_t steps;            // per run
  int runs;                      // that were timed
  double seconds;                // per run, median
  std::optional<double> spread;  // (slowest - fastest) / median; unset for one run
  double updates;                // per step, see SourcePlan
  std::string_view updated;
  double bytes_per_update;
  std::optional<double> error;  // see Solver::force_error

  double steps_per_second() const { return static_cast<double>(steps) / seconds; }
  double updates_per_second() const { return steps_per_second() * updates; }
  double bytes_per_second() const { return updates_per_second() * bytes_per_update; }
};

enum class BenchFormat { table, json, csv };

// Prints all rows, at least one, to stdout. `copy` is the bandwidth of a copy in bytes per second, 0 if no row uses it.
void print_bench(const std::vector<Measurement>& rows, BenchFormat, const std::string& executor, double copy);

}  // namespace simreel
