#include <fmt/format.h>

#include <algorithm>

#include "commands/bench.h"
#include "commands/json.h"

namespace simreel {
namespace {

std::string grid_of(const Measurement& row) { return fmt::format("{}x{}", row.what.grid[0], row.what.grid[1]); }

std::string spread_of(const Measurement& row) { return row.spread ? fmt::format("{:.1f}%", 100 * *row.spread) : "-"; }

std::string kernel_of(const Measurement& row) {
  return row.what.kernel.empty() ? "as the scene says" : row.what.kernel;
}

std::string medians(const std::vector<Measurement>& rows) {
  return fmt::format(
      "Medians of {} runs; the spread is the slowest less the fastest over the median, - where there is one run only.",
      std::ranges::max(rows, {}, &Measurement::runs).runs);
}

void print_cells(const std::vector<Measurement>& rows, const std::string& executor, double copy) {
  fmt::print("{}; a copy moves {:.1f} GB/s (bytes read + bytes written)\n\n", executor, copy / 1e9);
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

void print_interactions(const std::vector<Measurement>& rows, const std::string& executor) {
  fmt::print("{}\n\n", executor);
  fmt::print("{:>9}  {:<18}{:>6}{:>9}{:>12}{:>9}{:>12}{:>17}{:>10}\n", "bodies", "kernel", "tile", "", "steps/s",
             "spread", "ms/step", "Ginteractions/s", "error");
  for (const Measurement& row : rows)
    fmt::print("{:>9}  {:<18}{:>6}{:>9}{:>12.5g}{:>9}{:>12.4g}{:>17.4g}{:>10.1e}\n", row.what.bodies, kernel_of(row),
               row.what.tile > 0 ? fmt::format("{}", row.what.tile) : "-", row.what.precision, row.steps_per_second(),
               spread_of(row), 1e3 / row.steps_per_second(), row.updates_per_second() / 1e9, row.error.value_or(0));
  fmt::print(
      "\n{} An interaction is the force of one body on another, N^2 of them a step. The error is that of the "
      "forces at the end against double precision, relative, root mean square over some bodies.\n",
      medians(rows));
}

void print_json(const std::vector<Measurement>& rows, const std::string& executor, double copy) {
  nlohmann::ordered_json result = {{"executor", executor}};
  if (copy > 0) result["copy_bytes_per_second"] = copy;
  for (const Measurement& row : rows) {
    nlohmann::ordered_json entry = {{"kernel", kernel_of(row)}};
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
    if (row.error) entry["error"] = *row.error;
    result["kernels"].push_back(entry);
  }
  print_result(result);
}

void print_csv(const std::vector<Measurement>& rows) {
  fmt::print(
      "grid,bodies,kernel,tile,precision,executor,steps,runs,steps_per_second,spread,ms_per_step,{}s_per_second,"
      "error\n",
      rows.front().updated);
  for (const Measurement& row : rows)
    fmt::print("{},{},{},{},{},\"{}\",{},{},{:.6g},{},{:.6g},{:.6g},{}\n", row.what.grid[0] > 0 ? grid_of(row) : "",
               row.what.bodies > 0 ? fmt::format("{}", row.what.bodies) : "", row.what.kernel,
               row.what.tile > 0 ? fmt::format("{}", row.what.tile) : "", row.what.precision, row.executor, row.steps,
               row.runs, row.steps_per_second(), row.spread ? fmt::format("{:.3g}", *row.spread) : "",
               1e3 / row.steps_per_second(), row.updates_per_second(),
               row.error ? fmt::format("{:.3g}", *row.error) : "");
}

}  // namespace

void print_bench(const std::vector<Measurement>& rows, BenchFormat format, const std::string& executor, double copy) {
  switch (format) {
    case BenchFormat::json: return print_json(rows, executor, copy);
    case BenchFormat::csv: return print_csv(rows);
    case BenchFormat::table: break;
  }
  rows.front().updated == "cell" ? print_cells(rows, executor, copy) : print_interactions(rows, executor);
}

}  // namespace simreel
