#pragma once
// How long a run takes at usual speeds; trial.h measures instead.

#include <optional>
#include <string>

#include "exec/executor.h"
#include "scene/scene.h"
#include "source/solver.h"

namespace simreel {

struct PreparedRun;

// The work of a run.
struct Work {
  int passes;          // 2 where frames that were measured are computed again for the video, otherwise 1
  double first_steps;  // of a pass that comes first
  double measured;     // frames in it
  double steps;        // of all passes, up to the last frame of each
  double updates;      // of all steps
  double drawn;        // frames: all that leave traces in later ones
  double frames;       // of the video; 0: none is drawn
  double written;      // frames of data

  // `measured`: a pass over all frames comes first.
  Work(const Scene&, const SolverPlan&, bool drawn, int passes, bool measured);
};

// Updates per second that are usual for the scene's solver where the executor runs, times the plan's machines: what is
// lost to exchanges is not counted. `simreel bench` measured them in float, per core of a server's CPU and on one
// NVIDIA H200; they are rounded down.
double typical_speed(const Scene&, const SolverPlan&, const Executor&);

// Seconds of the whole run at that speed, with what each step costs however little it does, and with drawing and
// encoding at speeds that are usual for H.264.
double usual_seconds(const Scene&, const SolverPlan&, const Executor&, const Work&);

// For messages: "0.35 s", "5 min", "2.5 h", "3 days", "1200 years".
std::string in_words(double seconds);

// A warning of a run that takes more than a day, with a way out; nullopt for a shorter one. `basis` says where the time
// comes from: "at 1e9 interactions/s".
std::optional<std::string> long_run(const Scene&, const SolverPlan&, double seconds, const std::string& basis);
// The same at the usual speed; nullopt where the solver only reads. `twice`: a pass over all frames comes first.
std::optional<std::string> long_run(PreparedRun&);
std::optional<std::string> long_run(const Scene&, const SolverPlan&, const Executor&, bool twice);

// For messages: "cell updates", "interactions", "forces"; "1e+09 interactions/s"; "at 2e+09 interactions/s, usual for 2
// CPU cores".
std::string_view updates_in_words(const SolverPlan&);
std::string speed_in_words(const SolverPlan&, double updates_per_second);
std::string usual_speed_in_words(const Scene&, const SolverPlan&, const Executor&);

}  // namespace simreel
