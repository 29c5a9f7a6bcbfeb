#include <fmt/format.h>

#include "commands/bench.h"
#include "commands/json.h"

namespace simreel {
namespace {

std::string kernel_of(const Measurement& row) {
  return row.what.kernel.empty() ? "as the scene says" : row.what.kernel;
}

void print_cells(const std::vector<Measurement>& rows, const std::string& executor, double copy) {
  fmt::print("{}; a copy moves {:.1f} GB/s (bytes read + bytes written)\n\n", executor, copy / 1e9);
  fmt::print("{:<18}{:>12}{:>14}{:>12}{:>14}{:>11}{:>13}\n", "kernel", "steps", "steps/s", "ms/step", "Gcells/s",
             "GB/s", "of a copy");
  for (const Measurement& row : rows)
    fmt::print("{:<18}{:>12}{:>14.1f}{:>12.4g}{:>14.3f}{:>11.1f}{:>13.2f}\n",
               row.what.tile > 0 ? fmt::format("{}, tile {}", kernel_of(row), row.what.tile) : kernel_of(row),
               row.steps, row.steps_per_second(), 1e3 / row.steps_per_second(), row.updates_per_second() / 1e9,
               row.bytes_per_second() / 1e9, row.bytes_per_second() / copy);
  fmt::print(
      "\nMedians. GB/s counts {} bytes a cell and step, each value read once and written once; a kernel that does "
      "several steps in one pass over memory moves less, so it may exceed a copy.\n",
      rows.front().bytes_per_update);
}

void print_interactions(const std::vector<Measurement>& rows, const std::string& executor) {
  fmt::print("{}\n\n", executor);
  fmt::print("{:>9}  {:<18}{:>6}{:>9}{:>14}{:>12}{:>18}{:>12}\n", "bodies", "kernel", "tile", "", "steps/s", "ms/step",
             "Ginteractions/s", "error");
  for (const Measurement& row : rows)
    fmt::print("{:>9}  {:<18}{:>6}{:>9}{:>14.5g}{:>12.4g}{:>18.4g}{:>12.1e}\n", row.what.bodies, kernel_of(row),
               row.what.tile > 0 ? fmt::format("{}", row.what.tile) : "-", row.what.precision, row.steps_per_second(),
               1e3 / row.steps_per_second(), row.updates_per_second() / 1e9, row.error.value_or(0));
  fmt::print(
      "\nMedians. An interaction is the force of one body on another, N^2 of them a step. The error is that of the "
      "forces at the end against double precision, relative, root mean square over some bodies.\n");
}

void print_json(const std::vector<Measurement>& rows, const std::string& executor, double copy) {
  nlohmann::ordered_json result = {{"executor", executor}};
  if (copy > 0) result["copy_bytes_per_second"] = copy;
  for (const Measurement& row : rows) {
    nlohmann::ordered_json entry = {{"kernel", kernel_of(row)}};
    if (row.what.bodies > 0) entry["bodies"] = row.what.bodies;
    if (row.what.tile > 0) entry["tile"] = row.what.tile;
    if (!row.what.precision.empty()) entry["precision"] = row.what.precision;
    entry["executor"] = row.executor;
    entry["steps"] = row.steps;
    entry["seconds"] = row.seconds;
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
  fmt::print("bodies,kernel,tile,precision,executor,steps,steps_per_second,ms_per_step,{}s_per_second,error\n",
             rows.front().updated);
  for (const Measurement& row : rows)
    fmt::print("{},{},{},{},\"{}\",{},{:.6g},{:.6g},{:.6g},{}\n",
               row.what.bodies > 0 ? fmt::format("{}", row.what.bodies) : "", row.what.kernel,
               row.what.tile > 0 ? fmt::format("{}", row.what.tile) : "", row.what.precision, row.executor, row.steps,
               row.steps_per_second(), 1e3 / row.steps_per_second(), row.updates_per_second(),
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
