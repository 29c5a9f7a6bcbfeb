#pragma once
// A Source that computes its states, step by step.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "exec/communicator.h"
#include "exec/executor.h"
#include "scene/scene.h"
#include "source/source.h"

namespace simreel {

class Solver : public Source {
 public:
  // The steps that the frames show, and how many steps one `advance_towards` may take: it begins with the least, more
  // where those are fast, and never more than `most`.
  struct Pace {
    AnimationOptions animation;
    std::int64_t least = 1, most = 1;
    double timestep = 0;  // simulated time of one step
  };
  void set_pace(const Pace& pace) {
    pace_ = pace;
    portion_ = pace.least;
  }

  // Advances `count` >= 0 steps, in any number of launches: the bits do not depend on how steps are grouped.
  // Asynchronous on a GPU.
  virtual void step(std::int64_t count) = 0;

  // Relative errors of the forces at the current state against double precision, over a sample of bodies; nullopt for a
  // solver without forces. For `bench`.
  struct ForceError {
    double overall = 0;       // root mean square of the errors over that of the forces
    double rms = 0, p99 = 0;  // of each body's error over the force on it: root mean square, what 99 % keep below
  };
  virtual std::optional<ForceError> force_error() { return {}; }

  // Seconds of the stages of one step's work, for methods that have some. For `bench`.
  virtual std::vector<std::pair<std::string_view, double>> stage_times() { return {}; }

  std::int64_t work_to(std::int64_t frame) const final;
  void advance_towards(std::int64_t frame) final;
  std::int64_t steps_done() const final { return steps_done_; }
  double time() const final { return static_cast<double>(steps_done_) * pace_.timestep; }

  // Blocks with the state that later steps depend on, and the record that `findings` needs.
  bool resumable() const final { return true; }
  void save(Checkpoint&) const override = 0;
  void load(const Checkpoint&) override = 0;

 protected:
  std::int64_t steps_done_ = 0;

 private:
  Pace pace_;
  std::int64_t portion_ = 1;
};

// How many ranks compute a scene.
struct Ranks {
  int count = 1;
  std::string option = {};        // that says so, for messages: "--ranks 3"
  std::vector<int> devices = {};  // the GPU of each; empty: all share a CPU executor
  bool processes = false;         // each is a process with an executor of its own (exec/processes.h)
  int threads = 0;                // of each process; 0: as many as it has cores

  // What computes at once: the GPUs of all, or the CPU executors of their processes.
  int machines() const { return processes || !devices.empty() ? count : 1; }
};

// The solver of a scene, read and checked, before any memory is allocated.
struct SolverPlan : SourcePlan {
  Ranks ranks;                  // that compute it
  double timestep = 0;          // simulated time of one step
  double updates_per_step = 0;  // cell updates, or interactions of bodies
  double update_work = 1;       // of an update, in those that are usual for the kind
  std::string_view updated =
      "cell";                   // what they count: "cell", "interaction" of two bodies, or "force" of all others on one
  double bytes_per_update = 0;  // minimum memory traffic, for `bench`: each value read once, written once
  // `open`, for those who step by themselves; empty for a source that computes nothing. Ranks that are processes
  // compute one solver at a time.
  std::function<std::unique_ptr<Solver>(const Executor&)> create;
  // The solver of one of several ranks, at most `max_ranks`, or of one alone: of a part that it advances together with
  // the others. All ranks make the same calls in the same order; rank 0 gets what `view` and `save` give. Empty: it
  // runs on one rank only.
  std::function<std::unique_ptr<Solver>(const Executor&, const Communicator&)> create_rank;
  int max_ranks = 1;
  std::size_t made_by_each = 0;  // of made_bytes, what every rank makes for itself
  // A plan of the same method with a step of at most about so many updates, and at least of a small part of them; to
  // measure the speed of a solver whose own step takes too long. Its states mean nothing.
  std::function<SolverPlan(double updates)> smaller;

  // Of all ranks that share the memory of the first: of its own part at least.
  std::size_t bytes(const Executor&) const;
  std::size_t shown_bytes(const Executor&, const ViewRequirements&) const;
};

// SolverPlan::create from create_rank: one rank, alone.
void create_alone(SolverPlan&);

// A grid of the same shape with at most about so many cells, for SolverPlan::smaller; a row or column at least.
std::array<int, 2> smaller_grid(std::array<int, 2> grid, double cells);

// What follows from the solver's keys for showing the scene, where the scene does not say it.
struct ViewDefaults {
  std::string field;              // of [view]; empty: the solver's first
  std::string_view colormap;      // of that field, on a dark background; empty: the field's own
  double steps_per_second = 240;  // steps in a second of video, > 0
  // Of a kind that finds its fields in files: the one that [view] names (nullopt: it names none of them), and the
  // frames that there are. `owner` keeps the texts of `shown`.
  std::optional<FieldInfo> shown;
  std::optional<std::int64_t> frames;
  std::vector<ValueClass> classes;              // what its values mean
  RangeMode range = RangeMode::global;          // of `shown`, where it has no sign
  std::shared_ptr<const void> found;            // Scene::found
  bool particles = false;                       // it carries particles, which are drawn
  std::optional<std::array<double, 2>> limits;  // of the values of `field`: its range
  bool curve = false;                           // FigureOptions::curve
  std::vector<std::string> hue;  // ViewOptions::hue, of a complex field that [view] names; `field` is its amplitude
  std::shared_ptr<const void> owner;
  // Bodies only.
  double radius = 1.5;             // of their light in pixels, for a picture whose shorter side has 1080 of them
  double contrast = 100;           // LightOptions::contrast
  double trails = 0;               // seconds of video
  bool follows = false;            // LightOptions::follows, of the field above
  bool follows_mass = false;       // whether the camera moves with the centre of mass
  std::vector<std::string> names;  // for overlays that follow them
  bool flies_apart = false;        // whether the bodies leave the picture in all directions
  CameraPose pose;                 // shows the bodies at the scene's angle of view, and is right for `extent`
  // Sets radius and contrast: the fewer bodies, the larger is each; of many the dim parts would be nothing but noise.
  void scale_for(std::int64_t bodies);
};

// One row of the solver table (solvers.cpp).
struct SolverKind {
  std::string_view name;                          // `kind = "name"`
  std::string_view summary;                       // the equations it solves, one line
  std::span<const FieldInfo> fields;              // for [view] field; the first is the default; empty: a scene tells
  std::span<const std::string_view> diagnostics;  // columns of a .csv output, of every scene
  std::span<const std::string_view> kernels;      // for [solver] kernel, fastest choice ("auto") first
  // Throws UsageError; reads every known key. plan_solver fills in frame_interval, field, open, and diagnostics if they
  // are those of the kind.
  SolverPlan (*plan)(Table& keys, const Scene&);
  ViewDefaults (*look)(Table& keys, const Scene&);  // throws UsageError, and may open files of the initial state
  void (*read)(Table& keys);                        // only the reads: plans nothing, opens no file
  bool computes = true;                             // or it shows what files have
};

std::span<const SolverKind> solver_kinds();

// The kind that the scene names. Throws UsageError with the place of `kind` and the known kinds.
const SolverKind& solver_kind(const Scene&);

// For load_scene: reads the [solver] table, and checks the fields that [view] and [output] name; plans nothing.
void check_solver(const Scene&);

// Throws UsageError for [view] keys of bodies where a field is shown, and vice versa; gives remarks on those that have
// their default. `what` shows it: "the wave solver".
std::vector<std::string> reject_inapplicable_view_keys(const Scene&, bool bodies, std::string_view what);

// Fills in what a loaded scene leaves open and its solver decides: field, colormap, range, light, camera and
// steps_per_frame. To be called once, before plan_solver. Throws UsageError for mistakes in the [solver] table.
void complete_scene(Scene&);

// The same for frames that are no solver's: `look` says all, its `shown` too.
void complete_scene(Scene&, const ViewDefaults& look);

// load_scene with check_solver, and complete_scene.
Scene load_complete_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

// Reads and checks the scene's [solver] table and its [view] field. Throws UsageError, also for keys that the solver
// does not know, for [view] keys of bodies if it shows a field and vice versa, and for more ranks than it can use.
SolverPlan plan_solver(const Scene&, const Ranks& = {});

}  // namespace simreel
