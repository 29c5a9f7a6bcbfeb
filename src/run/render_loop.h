#pragma once
// The render loop that turns a source into frames: advance, draw, convert, publish.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "raster/interval.h"
#include "run/live_view.h"
#include "run/prepared_run.h"
#include "sink/sink.h"

namespace simreel {

// The progress of a run: `done` of `total` steps before the first frame, frames of the pass that finds the range of the
// colours, or frames published to the sinks.
struct RenderProgress {
  enum class Stage { start, range, render } stage;
  std::int64_t done, total;
};

// Thrown by a source whose run is given up: the outputs keep the frames so far as .part files. `render` passes it on.
struct RunAbandoned {};

struct RenderJob {
  PreparedRun& run;  // whose outputs are open
  std::function<void(const RenderProgress&)> report = [](const RenderProgress&) {};
  // The number of a signal that asks the run to end, or 0. Frames that were published by then are finished.
  std::function<int()> interrupted = [] { return 0; };
  // Called with true before the source works, or a frame is measured or drawn, and afterwards with what the call
  // returned, the value before. While it is true, nothing waits for this thread, and to end the process leaves the
  // outputs as if it was killed. It may be true until the source has first advanced; then the loop calls it with false.
  std::function<bool(bool)> in_step = [](bool) { return false; };
  bool profile = false;      // wait for the device after each stage to measure its time; prevents the overlap of stages
  bool alone = false;        // whether nothing else in the process works on GPUs (H264Options::graphs)
  LiveView* live = nullptr;  // for an open page; null: there is none. It outlives the run
};

struct RenderResult {
  std::int64_t frames = 0;  // written to every sink, including those of the interrupted run; with stills those passed
  std::int64_t held = 0;    // extra pictures that repeat the last
  std::int64_t steps = 0;   // of the source at the end
  std::int64_t frame = 0;   // of the scene, past the last one
  bool diverged = false;    // whether the state became infinite or NaN before `frame`
  std::string divergence = {};  // the reason
  int signal = 0;               // the signal that ended the run, or 0
  bool resumable = false;       // whether the run that a signal ended can be resumed
  bool drawn = false;           // whether some sink asked for pixels; if not, there is no range
  Interval range{0, 0};         // of the colours
  // Seconds by stage of the loop, exact with `profile` only, except the time spent waiting for the sinks; then for each
  // sink the time of its thread, and Sink::times.
  std::vector<std::pair<std::string_view, double>> stages = {};
  struct SinkTime {
    double busy;
    Sink::Times work;
    std::string_view replaceable_codec = {};  // of the sink, which must live as long
  };
  std::vector<SinkTime> sinks = {};
  std::vector<std::string> findings = {};  // of the source and the rasterizer
  std::vector<std::string> warnings = {};  // why the pictures may not show what was meant, each with a way out
  double seconds = 0;                      // wall time
};

// Runs the whole animation and finishes the sinks. If no sink asks for pixels, nothing is drawn, and the source runs
// once whatever [view] range is. Throws what the source, the rasterizer or a sink throws; the sinks then keep their
// content as .part files.
RenderResult render(const RenderJob&);

}  // namespace simreel
