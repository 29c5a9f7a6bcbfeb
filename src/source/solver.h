#pragma once
// What a simulation is to the rest of the program: something that steps, can be looked at, and can be measured.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "exec/executor.h"
#include "kernels/base/view.h"
#include "scene/scene.h"

namespace simreel {

class Solver {
 public:
  virtual ~Solver() = default;

  // Advances `count` >= 0 steps, in as few launches as it likes: the bits do not depend on how steps are grouped.
  // Asynchronous on a GPU.
  virtual void step(std::int64_t count) = 0;

  // The field that the scene's [view] names, as it is after the steps so far. Pointers into the executor's memory,
  // valid until the next step; asynchronous on a GPU like a step.
  virtual View view() = 0;

  // One value for each of the kind's diagnostic names, in double precision; waits for the device. The bits do not
  // depend on the backend or the number of threads.
  virtual std::vector<double> diagnose() = 0;

  // Whether every value of the state is finite; waits for the device. Cheaper than `diagnose`.
  virtual bool finite() = 0;

  // What made it not so, to stand in an error message; with a way out, where the solver knows one.
  virtual std::string divergence() { return "a value is infinite or not a number"; }

  // Everything that the steps to come depend on, and what `findings` needs of those so far; waits for the device.
  // `load` takes a solver of the same scene to that state, on any backend: its steps, views and diagnostics are then
  // those of the solver that was saved, to the bit. Throws RuntimeError where the blocks are not those of such a
  // solver.
  virtual void save(Checkpoint&) const = 0;
  virtual void load(const Checkpoint&) = 0;

  // What the run found that no single frame shows, one line each, for the end of a run: "Strouhal number 0.301 ...".
  virtual std::vector<std::string> findings() { return {}; }

  // How far the forces at the present state are from those of double precision, relative, root mean square over some
  // bodies; nothing for a solver that has no forces. For `bench`.
  virtual std::optional<double> force_error() { return {}; }

  std::int64_t steps_done() const { return steps_done_; }

 protected:
  std::int64_t steps_done_ = 0;
};

// A scene's solver, read and checked, before any memory is taken.
struct SolverPlan {
  std::function<std::size_t(const Executor&)> bytes;  // executor memory that `create` takes
  std::size_t made_bytes = 0;                         // host memory in which `create` makes what it starts from
  std::size_t saved_bytes = 0;                        // of Solver::save
  std::size_t view_bytes = 0;                         // of the viewed state, packed (kernels/base/pack.h)
  std::string_view size_key;                          // the key to make smaller where that is too much
  double timestep = 0;                                // simulated time of one step
  std::size_t bodies = 0;                             // that `view` shows; 0: it shows a field
  double cells = 0;                                   // cell updates (or interactions) of one step
  std::string_view unit = "cell";                     // what `cells` counts, in the singular
  double bytes_per_cell = 0;  // least memory traffic of one update, for `bench`: each value read once, written once
  std::string summary;        // one line for `check`: "wave 512 x 512, float, fixed walls"
  std::vector<std::string> facts;        // further lines for `check`: "flow       tau = 0.56, ..."
  std::vector<std::string> inputs;       // files that it reads: not to be written, nor changed before a resume
  std::vector<std::string> warnings;     // where the scene leaves what the method is good for; commands print them
  std::vector<std::string> remarks;      // what is worth a word and no mistake; commands print them
  std::vector<std::string> diagnostics;  // names, where they depend on the scene; empty: those of the kind
  std::function<std::unique_ptr<Solver>(const Executor&)> create;
};

// One row of the solver table (registry.cpp).
struct SolverKind {
  std::string_view name;                          // `kind = "name"`
  std::string_view summary;                       // what it solves, one line
  std::span<const std::string_view> fields;       // for [view] field; the first is the default
  std::span<const std::string_view> diagnostics;  // columns of a .csv output, of every scene
  std::span<const std::string_view> kernels;      // for [solver] kernel, fastest choice ("auto") first
  SolverPlan (*plan)(Table& keys, const Scene&);  // throws UsageError; reads every key it knows
  void (*read)(Table& keys);                      // the same reads alone: plans nothing, opens no file
};

std::span<const SolverKind> solver_kinds();

// The kind that the scene names. Throws UsageError with the place of `kind` and the kinds there are.
const SolverKind& solver_kind(const Scene&);

// Reads and checks the scene's [solver] table and its [view] field. Throws UsageError, also for keys that the solver
// does not know and for [view] keys of bodies where it shows a field, and the other way round.
SolverPlan plan_solver(const Scene&);

}  // namespace simreel
