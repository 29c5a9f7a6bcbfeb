#include <fmt/format.h>

#include <algorithm>

#include "commands/bench.h"
#include "commands/json.h"

namespace simreel {
namespace {

std::string grid_of(const Measurement& row) { return fmt::format("{}x{}", row.what.grid[0], row.what.grid[1]); }

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

void print_cells(const std::vector<Measurement>& rows, const std::string& executor, double copy) {
  fmt::print("{}; {} {:.1f} GB/s (bytes read + bytes written)\n\n", executor,
             rows.front().gpus > 1 ? "copies on all of them move" : "a copy moves", copy / 1e9);
  fmt::print("{:>11}  {:<18}{:>10}{:>13}{:>9}{:>11}{:>11}{:>9}{:>11}\n", "grid", "kernel", "steps", "steps/s", "spread",
             "ms/step", "Gcells/s", "GB/s", "of a copy");
  for (const Measurement& row : rows)
    fmt::print("{:>11}  {:<18}{:>10}{:>13.1f}{:>9}{:>11.4g}{:>11.3f}{:>9.1f}{:>11.2f}\n", grid_of(row),
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
    text +=
        fmt::format("{},{},{},{},{},\"{}\",{},{},{:.6g},{},{:.6g},{:.6g},{}", row.what.grid[0] > 0 ? grid_of(row) : "",
                    row.what.bodies > 0 ? fmt::format("{}", row.what.bodies) : "", row.what.kernel,
                    row.what.tile > 0 ? fmt::format("{}", row.what.tile) : "", row.what.precision, row.executor,
                    row.steps, row.runs, row.steps_per_second(), row.spread ? fmt::format("{:.3g}", *row.spread) : "",
                    1e3 / row.steps_per_second(), methods ? row.bodies_per_second() : row.updates_per_second(),
                    row.error ? fmt::format("{:.3g}", row.error->overall) : "");
    if (methods && row.error)
      text += fmt::format(",{:.3g},{:.3g},{},{}", row.error->rms, row.error->p99, row.what.method, row.what.accuracy);
    text += "\n";
  }
  return text;
}

}  // namespace

void print_bench(const std::vector<Measurement>& rows, BenchFormat format, const std::string& executor, double copy) {
  switch (format) {
    case BenchFormat::json: return print_json(rows, executor, copy);
    case BenchFormat::csv: return fmt::print("{}", bench_csv(rows));
    case BenchFormat::table: break;
  }
  rows.front().of_bodies() ? print_bodies(rows, executor) : print_cells(rows, executor, copy);
}

}  // namespace simreel
