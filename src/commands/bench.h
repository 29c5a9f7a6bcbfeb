#pragma once
// What `simreel bench` measures, and how it shows it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simreel {

// One row: a scene with a few keys set. What a row does not set is as the scene says, and empty here or 0.
struct BenchCase {
  std::int64_t bodies = 0;
  std::string kernel;  // of the solver; or "serial", see add_bench
  std::string precision;
  int tile = 0;

  bool serial() const { return kernel == "serial"; }
};

struct Measurement {
  BenchCase what;
  std::string executor;
  std::int64_t steps;  // of one run
  double seconds;      // of one run, the median
  double cells;        // of one step, see SolverPlan
  std::string_view unit;
  double bytes_per_cell;
  std::optional<double> error;  // see Solver::force_error

  double steps_per_second() const { return static_cast<double>(steps) / seconds; }
  double cells_per_second() const { return steps_per_second() * cells; }
  double bytes_per_second() const { return cells_per_second() * bytes_per_cell; }
};

enum class BenchFormat { table, json, csv };

// Prints all rows to stdout, at least one. `copy` is the bandwidth of a copy in bytes a second, 0 where
// no row is measured by it.
void print_bench(const std::vector<Measurement>& rows, BenchFormat, const std::string& executor, double copy);

}  // namespace simreel
