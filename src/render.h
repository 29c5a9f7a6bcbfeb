#pragma once
// The loop that turns a scene into frames: step, draw, convert, hand over.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exec/executor.h"
#include "raster/rasterizer.h"
#include "scene/scene.h"
#include "sink/sink.h"
#include "solver/solver.h"

namespace simreel {

struct RenderJob {
  const Scene& scene;
  const SolverPlan& plan;
  Executor& executor;
  Rasterizer& rasterizer;
  std::vector<std::unique_ptr<Sink>>& sinks;
  // Called after each frame with the number of frames handed over, and before the first with 0 while the range of the colours is sought
  // (`searching`).
  std::function<void(std::int64_t frames, bool searching)> report;
  // The number of a signal that asks for an end, or 0. The frame in work is finished, and so are the files.
  std::function<int()> interrupted;
  bool profile = false;  // wait for the device after each stage, so that its time is known; costs the overlap of stages
};

struct RenderResult {
  std::int64_t frames = 0;           // written to every sink
  std::int64_t steps = 0;            // of the solver when it ended
  bool diverged = false;             // the state ceased to be finite before the frame after the last
  int signal = 0;                    // what ended the run, or 0
  Interval range{0, 0};              // of the colours
  std::vector<std::pair<std::string, double>> stages;  // seconds by stage, the sinks last; only `wait` is exact without `profile`
  std::vector<std::string> findings; // of the solver, see Solver::findings
  double seconds = 0;                // wall time
};

// Runs the whole animation and finishes the sinks. Throws what the solver, the rasterizer or a sink throws; the sinks have then
// kept what they hold as .part files.
RenderResult render(const RenderJob&);

// What sinks need to know of the scene.
StreamInfo stream_info(const Scene&, const SolverPlan&, bool overwrite);

// Memory of a run in bytes: on the executor, and on the host beside it (0 on the CPU, where it is all one).
struct RenderMemory {
  std::size_t executor = 0, host = 0;
};
RenderMemory render_memory(const Scene&, const SolverPlan&, Backend, const std::vector<PixelLayout>&);

}  // namespace simreel
