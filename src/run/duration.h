#pragma once
// How long a run takes: from typical speeds, or measured on this machine.

#include <optional>
#include <string>
#include <vector>

#include "base/pixels.h"
#include "exec/executor.h"
#include "scene/scene.h"
#include "source/solver.h"

namespace simreel {

struct PreparedRun;

// The work of a run.
struct Work {
  int passes;      // 2 where frames that were measured are computed again for the video, otherwise 1
  double steps;    // of all passes, up to the last frame of each
  double frames;   // that are drawn; 0: none
  double updates;  // of all steps

  // `measured`: a pass over all frames comes first.
  Work(const Scene&, const SolverPlan&, bool drawn, int passes, bool measured);
};

// Updates per second that are usual for the scene's solver where the executor runs, times the plan's machines: what is
// lost to exchanges is not counted. `simreel bench` measured them in float, per core of a server's CPU and on one
// NVIDIA H200; they are rounded down.
double typical_speed(const Scene&, const SolverPlan&, const Executor&);

// Seconds of the work at that speed, with what each step costs however little it does.
double usual_seconds(const Scene&, const SolverPlan&, const Executor&, const Work&);

struct MeasuredSpeed {
  double steps_per_second = 0;
  double frames_per_second = 0;  // drawn and converted for the outputs, but not encoded; 0: no output shows pixels
  double part = 1;               // share of the updates of a step that was measured; the rest is extrapolated
  double drawn_part = 1;         // share of the bodies or cells that was drawn; below 1 frames_per_second is the least

  double seconds(const Work&) const;
};

// Runs the scene's solver and draws frames in the layouts, for up to two seconds. A solver whose step takes too long
// for that is measured with a smaller one of the same method.
MeasuredSpeed measure_speed(const Scene&, const SolverPlan&, const Executor&, const std::vector<PixelLayout>&);

// For messages: "0.35 s", "5 min", "2.5 h", "3 days", "1200 years".
std::string in_words(double seconds);

// A warning of a run that takes more than a day, with a way out; nullopt for a shorter one. `basis` says where the time
// comes from: "at 1e9 interactions/s".
std::optional<std::string> long_run(const Scene&, const SolverPlan&, double seconds, const std::string& basis);
// The same at the usual speed; nullopt where the solver only reads.
std::optional<std::string> long_run(PreparedRun&);

// For messages: "cell updates", "interactions", "forces"; "1e+09 interactions/s"; "at 2e+09 interactions/s, usual for 2
// CPU cores".
std::string_view updates_in_words(const SolverPlan&);
std::string speed_in_words(const SolverPlan&, double updates_per_second);
std::string usual_speed_in_words(const Scene&, const SolverPlan&, const Executor&);

}  // namespace simreel
