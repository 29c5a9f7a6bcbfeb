#pragma once
// The one way to begin a run: plan its scene, prepare it, open its outputs, render it.
//
//   Scene scene = load_complete_scene(file);
//   SolverPlan plan = plan_run(scene);
//   PreparedRun run(std::move(scene), std::move(plan), executor, {.outputs = {"x.mp4"}});
//   run.open_outputs();
//   const RenderResult result = render({.run = run});  // render_loop.h
//
// Every step reports the mistakes that can be known by then. Before `open_outputs` no file is changed.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "exec/executor.h"
#include "picture/rasterizer.h"
#include "run/memory.h"
#include "run/open_or_resume.h"
#include "scene/scene.h"
#include "sink/sink.h"
#include "source/solver.h"

namespace simreel {

// The plan of a scene, whose size of picture it decides (fit_to_print). Throws UsageError.
SolverPlan plan_run(Scene&, const Ranks& = {});

enum class Resume { no, yes, automatic };  // automatic: where there is something to resume

struct RunOptions {
  std::vector<std::string> outputs = {};  // empty: what the scene says
  bool overwrite = false;                 // outputs that exist
  std::string stills = {};                // the only frames to write, for stills_at; not with checkpoints; empty: all
  Resume resume = Resume::no;
  CheckpointOptions checkpoints = {};
  int encoders = 0;                       // StreamInfo::encoders
  std::function<bool()> stop_asked = {};  // StreamInfo::stop_asked
  Log log = {};
};

// The executor must outlive it.
struct PreparedRun {
  // Throws UsageError for mistakes in the names of outputs and in the options of encoders, and if the run does not fit
  // into memory. Of a run to resume `open_outputs` does that, and nothing of a complete one is looked at.
  PreparedRun(Scene, SolverPlan, const Executor&, const RunOptions&);
  // A fresh run whose frames go to these sinks: there are no outputs to open.
  PreparedRun(Scene, SolverPlan, const Executor&, std::vector<std::unique_ptr<Sink>>);
  PreparedRun(Scene, SolverPlan, const Executor&&, const RunOptions&) = delete;
  PreparedRun(Scene, SolverPlan, const Executor&&, std::vector<std::unique_ptr<Sink>>) = delete;
  PreparedRun& operator=(PreparedRun&&) = delete;

  // Made by the first call, which throws UsageError for mistakes in the colormap and the camera.
  Rasterizer& rasterizer();
  // Whether a pass before the video finds the range of the colours or the camera; and whether it keeps its frames in
  // memory, so that the video needs no second one.
  bool has_first_pass();
  bool keeps_frames();
  int passes() { return has_first_pass() && !keeps_frames() ? 2 : 1; }
  // Throws UsageError where the first frame of a grid has values that a logarithm does not have.
  void check_start();
  // Why the first frame shows no body, and a way out. Nullopt if it shows one or a field, and where nothing is known: a
  // first frame after step 0 has to be computed, and more than a million bodies take long to make.
  std::optional<std::string> unseen_at_start();
  // Throws what `rasterizer`, open_fresh and open_interrupted throw.
  void open_outputs();

  const Scene scene;
  const SolverPlan plan;
  const Executor& executor;
  const std::vector<std::string> outputs;
  // The outputs get the frames [first, end) of the scene, and the last one so many times more.
  std::int64_t first = 0, end = scene.animation.frames, held = 0;
  std::vector<std::int64_t> stills;  // increasing; these frames of the scene are frames 0, 1, ...; empty: all frames
  StreamInfo info;                   // of the outputs
  RunStage stage = RunStage::fresh;  // complete, diverged: there is nothing to do
  SinkNeeds needs;                   // of the outputs and checkpoints
  RenderMemory memory;               // of all
  OpenRun open;                      // once it is

 private:
  void select_frame_range();
  void plan_loop();
  void check_memory(const SinkNeeds&);

  CheckpointOptions checkpoints_;
  std::optional<Rasterizer> rasterizer_;
};

// What may surprise in its pictures of a field: large bars, a part that had to be moved into the field, and droplets
// and sources beside it.
std::vector<std::string> picture_remarks(const PreparedRun&);

}  // namespace simreel
