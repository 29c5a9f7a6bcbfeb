#pragma once
// Where the frames of a run come from: something that is taken to one frame after the other, can be looked at, and can
// be measured. A Solver computes its states (solver.h); others may read them from files or get them from a caller.

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

namespace simreel {

// A named view of a state.
struct FieldInfo {
  enum class Shape { scalar, bodies };  // which kind of View shows it

  std::string_view name;
  std::string_view unit;  // "1/time", "cells/step"; empty for numbers without one and for those in units of the user
  Shape shape = Shape::scalar;
};

// The place of `name` among the fields; of an empty name it is 0, the default. Nothing where there is no such field.
std::optional<std::size_t> find_field(std::span<const FieldInfo>, std::string_view name);

// For messages: "height, velocity; did you mean "velocity"?", the question only where one is near.
std::string field_choices(std::span<const FieldInfo>, std::string_view name);

class Source {
 public:
  virtual ~Source() = default;

  // Frames that there are; nothing: as many as one likes.
  virtual std::optional<std::int64_t> frames() const { return {}; }

  // Work between the present state and the one of frame `frame` >= the last, in units of the source's own (steps, of a
  // solver); 0: it is there.
  virtual std::int64_t work_to(std::int64_t frame) const = 0;

  // Does a portion of that work, short enough for the caller to look around between two of them: for a signal, and
  // whether a checkpoint is due. Asynchronous on a GPU.
  virtual void advance_towards(std::int64_t frame) = 0;

  // Simulation steps behind the present state, where the source knows them.
  virtual std::int64_t steps_done() const = 0;
  // The present state's simulated time.
  virtual double time() const = 0;

  // What `view` can show, at least one; the first is the default. Valid as long as the source.
  virtual std::span<const FieldInfo> fields() const = 0;

  // The present state's field of that name, the default one's for an empty name; throws UsageError where there is none.
  // Pointers into the executor's memory, valid until the next call of `view` or `advance_towards`. Asynchronous on a
  // GPU.
  virtual View view(std::string_view field) = 0;

  // One value for each of the plan's diagnostic names, in double precision; waits for the device. The bits do not
  // depend on the backend or the number of threads.
  virtual std::vector<double> diagnose() { return {}; }

  // Whether every value of the state is finite; waits for the device. Cheaper than `diagnose`.
  virtual bool finite() = 0;

  // What made it not so, to stand in an error message; with a way out, where the source knows one.
  virtual std::string divergence() { return "a value is infinite or not a number"; }

  // What the run found that no single frame shows, one line each, for the end of a run: "Strouhal number 0.301 ...".
  virtual std::vector<std::string> findings() { return {}; }

  // Whether an interrupted run of this source can be resumed: `load` then takes another source of the same plan, on any
  // backend, to the state that `save` kept, and all that it does from there is the same, to the bit. A source that
  // finds the state of any frame by itself has nothing to save. `save` waits for the device; `load` throws RuntimeError
  // where the blocks are not those of such a source.
  virtual bool resumable() const = 0;
  virtual void save(Checkpoint&) const {}
  virtual void load(const Checkpoint&) {}

 protected:
  std::size_t field_index(std::string_view field) const;  // in fields(); throws UsageError
};

// A source, read and checked, before any memory is taken.
struct SourcePlan {
  std::function<std::size_t(const Executor&)> bytes;  // executor memory that `open` takes
  std::size_t made_bytes = 0;                         // host memory in which `open` makes what it starts from
  std::size_t saved_bytes = 0;                        // of Source::save
  std::size_t view_bytes = 0;                         // of the viewed state, packed (kernels/base/pack.h)
  std::string_view size_key;                          // the key to make smaller where that is too much
  std::size_t bodies = 0;                             // that `view` shows; 0: it shows a field on a grid
  double frame_interval = 0;                          // simulated time from one frame to the next
  std::string summary;                                // one line for `check`: "wave 512 x 512, float, fixed walls"
  std::vector<std::string> facts;                     // further lines for `check`: "flow       tau = 0.56, ..."
  std::vector<std::string> inputs;       // files that it reads: not to be written, nor changed before a resume
  std::vector<std::string> warnings;     // where the scene leaves what the method is good for; commands print them
  std::vector<std::string> remarks;      // what is worth a word and no mistake; commands print them
  std::string field;                     // of Source::fields, the one that [view] names or the default
  std::vector<std::string> diagnostics;  // names of the values of Source::diagnose
  std::function<std::unique_ptr<Source>(const Executor&)> open;
};

}  // namespace simreel
