#include "render.h"

#include <algorithm>
#include <chrono>

#include "sink/ring.h"

namespace simreel {
namespace {

// Adds the time from one `lap` to the next to a stage.
class StopWatch {
 public:
  StopWatch(const Executor& executor, bool exact) : executor_(executor), exact_(exact) {}

  void lap(double& stage) {
    if (exact_) executor_.wait();
    const auto now = std::chrono::steady_clock::now();
    stage += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  const Executor& executor_;
  bool exact_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Goes on to the next frame, in portions, so that a signal is heard within a moment however many steps lie between two
// frames.
void advance_to(const RenderJob& job, Solver& solver, std::int64_t frame) {
  const AnimationOptions& animation = job.scene.animation;
  const std::int64_t count = frame == 0 ? animation.start : animation.steps_per_frame;
  const auto portion = static_cast<std::int64_t>(std::clamp(1e8 / job.plan.cells, 12.0, 1e6));
  for (std::int64_t done = 0; done < count && !job.interrupted(); done += portion) {
    solver.step(std::min(portion, count - done));
    if (frame == 0) job.report({RenderProgress::Stage::start, std::min(done + portion, count), count});
  }
}

// The interval that all frames together span, found by running the simulation once for nothing else.
Interval find_global_range(const RenderJob& job) {
  const std::unique_ptr<Solver> solver = job.plan.create(job.executor);
  const std::int64_t frames = job.scene.animation.frames;
  Interval range{1, -1};
  for (std::int64_t frame = 0; frame < frames; ++frame) {
    advance_to(job, *solver, frame);
    if (job.interrupted() || !solver->finite()) break;  // the run itself will end here and say why
    const Interval here = job.rasterizer.measure(solver->view());
    range = range.low > range.high ? here : Interval{std::min(range.low, here.low), std::max(range.high, here.high)};
    job.report({RenderProgress::Stage::range, frame + 1, frames});
  }
  return range;
}

}  // namespace

RenderResult render(const RenderJob& job) {
  RenderResult result;
  double searching = 0, simulate = 0, draw = 0, convert = 0, wait = 0;
  StopWatch whole(job.executor, false), watch(job.executor, job.profile);

  const RangeMode mode = job.scene.view.range;
  if (mode == RangeMode::global) job.rasterizer.set_range(find_global_range(job));
  watch.lap(searching);

  const std::unique_ptr<Solver> solver = job.plan.create(job.executor);
  const bool diagnostics = std::ranges::any_of(job.sinks, [](const auto& sink) { return sink->wants_diagnostics(); });
  FrameRing ring(job.executor, job.sinks, job.scene.view.size);
  for (std::int64_t frame = 0; frame < job.scene.animation.frames; ++frame) {
    advance_to(job, *solver, frame);
    result.signal = job.interrupted();
    if (result.signal) break;
    result.diverged = !solver->finite();
    if (result.diverged) break;
    watch.lap(simulate);

    const View view = solver->view();
    if (frame == 0 && mode == RangeMode::first) job.rasterizer.set_range(job.rasterizer.measure(view));
    job.rasterizer.draw(view);
    watch.lap(draw);

    FrameRing::Slot& slot = ring.acquire();
    watch.lap(wait);

    for (const PixelLayout layout : ring.layouts()) job.rasterizer.convert(layout, slot.target(layout));
    slot.diagnostics = diagnostics ? solver->diagnose() : std::vector<double>();
    ring.publish(slot);
    watch.lap(convert);

    result.frames = frame + 1;
    job.report({RenderProgress::Stage::render, result.frames, job.scene.animation.frames});
  }
  result.range = job.rasterizer.range();
  result.steps = solver->steps_done();
  result.findings = solver->findings();
  ring.finish();
  watch.lap(wait);

  whole.lap(result.seconds);
  result.stages = {{"range", searching}, {"simulate", simulate}, {"draw", draw}, {"convert", convert}, {"wait", wait}};
  result.sink_seconds = ring.times().sink_busy;
  return result;
}

StreamInfo stream_info(const Scene& scene, const SolverPlan& plan, bool overwrite) {
  StreamInfo info;
  info.size = scene.view.size;
  info.fps_numerator = scene.animation.fps_numerator;
  info.fps_denominator = scene.animation.fps_denominator;
  info.frames = scene.animation.frames;
  info.diagnostics = plan.diagnostics;
  if (info.diagnostics.empty()) {
    const auto names = solver_kind(scene).diagnostics;
    info.diagnostics.assign(names.begin(), names.end());
  }
  info.alpha = scene.view.background.a < 255;
  info.title = scene.title;
  info.scene_text = scene.text;
  info.overrides = scene.overrides;
  info.overwrite = overwrite;
  info.inputs = {scene.file.string(), scene.view.colormap};
  return info;
}

RenderMemory render_memory(const Scene& scene, const SolverPlan& plan, const Executor& executor,
                           const SinkNeeds& sinks) {
  const std::size_t frames = FrameRing::memory_bytes(sinks.layouts, scene.view.size);
  const std::size_t model = plan.bytes(executor) + Rasterizer::memory_bytes(scene.view);
  if (executor.backend() == Backend::cpu) return {model + frames + sinks.memory_bytes, 0};
  // Every slot lies on both sides: the device writes one, the sinks read the other.
  return {model + frames, frames + sinks.memory_bytes};
}

}  // namespace simreel
