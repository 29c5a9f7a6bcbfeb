#pragma once
// The render loop that turns a scene into frames: step, draw, convert, publish.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exec/executor.h"
#include "raster/rasterizer.h"
#include "run/checkpointer.h"
#include "scene/scene.h"
#include "sink/sink.h"
#include "source/source.h"

namespace simreel {

// The progress of a run: `done` of `total` steps before the first frame, frames of the pass that finds the range of the
// colours, or frames published to the sinks.
struct RenderProgress {
  enum class Stage { start, range, render } stage;
  std::int64_t done, total;
};

struct RenderJob {
  const Scene& scene;
  const SourcePlan& plan;
  const Executor& executor;
  Rasterizer& rasterizer;
  std::vector<std::unique_ptr<Sink>>& sinks;
  std::function<void(const RenderProgress&)> report;
  // The number of a signal that asks the run to end, or 0. Frames that were published by then are finished.
  std::function<int()> interrupted;
  bool profile = false;  // wait for the device after each stage to measure its time; prevents the overlap of stages
  Checkpointer* checkpointer = nullptr;  // null: no checkpoints
  const Checkpoint* resumed = nullptr;   // the state to resume from; null: a run from the first frame
  Log log = {};
};

struct RenderResult {
  std::int64_t frames = 0;  // written to every sink, those of the interrupted run among them
  std::int64_t steps = 0;   // of the source when it ended
  bool diverged = false;    // the state ceased to be finite before the frame after the last
  std::string divergence;   // and why
  int signal = 0;           // what ended the run, or 0
  bool resumable = false;   // and left it to be gone on with
  Interval range{0, 0};     // of the colours
  // Seconds by stage of the loop, exact with `profile` only, but for the time spent waiting for the sinks; then of each
  // sink: its thread's, and what it says of its work.
  std::vector<std::pair<std::string_view, double>> stages;
  struct SinkTime {
    double busy;
    Sink::Times work;
  };
  std::vector<SinkTime> sinks;
  std::vector<std::string> findings;  // of the source and the rasterizer
  double seconds = 0;                 // wall time
};

// Runs the whole animation and finishes the sinks. Throws what the source, the rasterizer or a sink throws; the sinks
// have then kept what they hold as .part files.
RenderResult render(const RenderJob&);

}  // namespace simreel
