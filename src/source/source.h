#pragma once
// The source of the frames of a run: it advances to one frame after the other, offers named views, and measures
// diagnostics. A Solver computes its states (solver.h); other sources may read them from files or get them from a
// caller.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/grid_axis.h"
#include "base/pixels.h"
#include "checkpoint/checkpoint.h"
#include "exec/executor.h"
#include "kernels/base/view.h"
#include "kernels/raster/canvas.h"
#include "ranks/divided_fields.h"

namespace simreel {

// A named view of a state.
struct FieldInfo {
  enum class Shape { scalar, bodies };  // the kind of its View

  std::string_view name;
  std::string_view unit;  // "1/time", "cells/step"; empty for numbers without one and for those in units of the user
  Shape shape = Shape::scalar;
  std::string_view colormap = "viridis";  // the default of [view] colormap
  bool has_sign = false;                  // values lie on both sides of 0, which the middle of the colormap shows
};

// The index of the field `name`; 0, the default field, for an empty name. Nullopt if there is no such field.
std::optional<std::size_t> find_field(std::span<const FieldInfo>, std::string_view name);

// For messages: "height, velocity; did you mean "velocity"?"; the question only if a name is near.
std::string field_choices(std::span<const FieldInfo>, std::string_view name);

class SavedPieces;  // saved_pieces.h

class Source {
 public:
  virtual ~Source() = default;

  // The number of available frames; nullopt: unlimited.
  virtual std::optional<std::int64_t> frames() const { return {}; }

  // The work between the current state and that of frame `frame`, which is not below the last one, in units of the
  // source (steps, for a solver); 0: the frame is reached.
  virtual std::int64_t work_to(std::int64_t frame) const = 0;

  // Does a portion of that work, short enough for the caller to check for signals and due checkpoints in between.
  // Asynchronous on a GPU.
  virtual void advance_towards(std::int64_t frame) = 0;

  // Lets a portion that takes long after all give up: on the CPU a source may ask `stop` from time to time, from any of
  // the executor's threads and from several at once. If that says true, `advance_towards` may return with the state of
  // before the call. An empty function takes that back.
  void stop_when(std::function<bool()> stop) { stop_ = std::move(stop); }

  // The number of simulation steps of the current state, if the source knows it.
  virtual std::int64_t steps_done() const = 0;
  // The simulated time of the current state.
  virtual double time() const = 0;

  // The fields of `view`, at least one; the first is the default. Valid for the lifetime of the source.
  virtual std::span<const FieldInfo> fields() const = 0;

  // The field of that name of the current state, or the default field for an empty name; throws UsageError if unknown.
  // Pointers into the executor's memory, valid until the next call of `view` or `advance_towards`. Asynchronous on a
  // GPU.
  virtual View view(std::string_view field) = 0;

  // The fields where they are divided among ranks; null: they are whole, or no grids.
  virtual DividedFields* divided() { return nullptr; }

  // The picture of the current state, of a source that has it already: rows from the top, without padding, as large as
  // [view] says; executor memory, valid until the next `advance_towards`. Null: it is drawn from `view`.
  virtual const Color* picture() { return nullptr; }

  // One value per diagnostic name of the plan, in double precision; waits for the device. The bits do not depend on the
  // backend or the number of threads.
  virtual std::vector<double> diagnose() { return {}; }

  // Whether every value of the state is finite; waits for the device. Cheaper than `diagnose`.
  virtual bool finite() = 0;

  // The reason why the state is not finite, for an error message, with a way out if the source knows one.
  virtual std::string divergence() { return "a value is infinite or not a number"; }

  // What went wrong with the states so far without spoiling them, with a way out; each text once. Empty: nothing did.
  virtual std::string warning() { return {}; }

  // Results of the whole run, one line each, printed at its end: "Strouhal number 0.301 ...".
  virtual std::vector<std::string> findings() { return {}; }

  // Whether an interrupted run of this source can be resumed. If so, `load` restores the state of `save` in another
  // source of the same plan, on any backend, and everything after that is the same to the bit. A source that can find
  // the state of any frame has nothing to save. `save` waits for the device; `load` throws RuntimeError if the blocks
  // are not those of such a source.
  virtual bool resumable() const = 0;
  virtual void save(Checkpoint&) const {}
  // Whether `save` does; if not, a resumed run begins at the start and computes its way to the frame.
  virtual bool saves_state() const { return true; }
  virtual void load(const Checkpoint&) {}

  // How its state is saved in pieces where it lies in several processes; null: `save` gives the whole.
  virtual SavedPieces* pieces() { return nullptr; }

 protected:
  std::size_t field_index(std::string_view field) const;  // in fields(); throws UsageError

  std::function<bool()> stop_;
};

// Of fields on a grid.
struct PlannedGrid {
  std::array<int, 2> cells{};  // along x and y; 0: `view` shows bodies
  GridAxes axes = {};
  // The cells to show where there are layers that only let waves out, y upwards; unset: there are none.
  std::optional<Rectangle> without_layers = {};
  double cell_aspect = 1;              // height of a cell by its width
  double spacing = 1;                  // width of a cell in the unit of length of its equations
  bool outlined = false;               // fields have an outline (kernels/base/view.h)
  std::size_t solid_bytes = 0;         // of the map of solid cells in a packed state; 0: no cell is solid
  std::size_t path_bytes = 0;          // of particles that are drawn over the fields, and where they were
  std::array<std::string, 2> vectors;  // fields that are the x and y parts of a vector; empty: there is none
  // What the scene puts into the field and an eye looks for: from the lower left to the upper right cell.
  struct Thing {
    std::string name;  // with its place in the scene: "x.toml:4:1: this droplet"
    std::array<double, 2> min{}, max{};
  };
  std::vector<Thing> things = {};
};

// What commands print of a plan.
struct PlanTexts {
  std::string summary;                // one line for `check`: "wave 512 x 512, float, fixed walls"
  std::vector<std::string> facts;     // further lines for `check`: "flow       tau = 0.56, ..."
  std::vector<std::string> warnings;  // parameters outside the range of the method
  std::vector<std::string> remarks;   // others on the scene
};

// A source, read and checked, before any memory is allocated.
struct SourcePlan {
  std::function<std::unique_ptr<Source>(const Executor&)> open;
  // Executor memory that the part of one of several ranks, or of one alone, allocates, and what it takes in addition to
  // show its fields.
  std::function<std::size_t(const Executor&, int rank, int ranks)> part_bytes;
  std::function<std::size_t(int rank, int ranks, const ViewRequirements&)> part_shown_bytes =
      [](int, int, const ViewRequirements&) { return std::size_t{0}; };
  std::size_t made_bytes = 0;                     // host memory that `open` needs for the initial state and outlines
  std::size_t saved_bytes = 0;                    // of Source::save
  std::size_t view_bytes = 0;                     // of one view, packed (kernels/base/pack.h)
  std::string_view size_key;                      // the key to reduce if memory is too small
  std::size_t bodies = 0;                         // number of bodies in `view`; 0: it is a field on a grid
  PlannedGrid grid;                               // of a field
  double frame_interval = 0;                      // simulated time from one frame to the next
  std::vector<double> times;                      // of the frames, where they are known; of a growing series the first
  std::optional<std::array<double, 2>> expected;  // about the smallest and the largest value of the field
  std::string time_unit, calendar;                // of times, as NetCDF says them: "hours since 1900-01-01", "noleap"
  // What of [view], [figure] and [output] the states depend on: with the same text, all else of the scene being equal,
  // they are the same.
  std::string computed_for;
  std::vector<std::string> inputs;        // files that it reads; must not be outputs, nor change before a resume
  std::string vector_unit;                // of the parts of the vector; empty where none is known
  std::string field, unit;                // of Source::fields, the one that [view] names or the default
  std::vector<FieldInfo> fields;          // of the source, where its kind does not list them; as long as `open` lives
  std::vector<std::string> state_fields;  // the fields in outputs of the state; for bodies one, which means all
  std::vector<std::string> diagnostics;   // names of the values of Source::diagnose
  PlanTexts texts;
};

}  // namespace simreel
