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

// Steps in portions, so that a signal is heard within a moment however many steps lie between two frames.
void advance(const RenderJob& job, Solver& solver, std::int64_t count) {
  const auto portion = static_cast<std::int64_t>(std::clamp(1e8 / job.plan.cells, 12.0, 1e6));
  while (count > 0 && !job.interrupted()) {
    const std::int64_t steps = std::min(count, portion);
    solver.step(steps);
    count -= steps;
  }
}

std::int64_t steps_before(const RenderJob& job, std::int64_t frame) {
  return frame == 0 ? job.scene.animation.start : job.scene.animation.steps_per_frame;
}

// The interval that the colours span: given, that of the first frame, or that of all frames, for which the simulation runs once more.
Interval find_range(const RenderJob& job) {
  const ViewOptions& view = job.scene.view;
  if (view.range == RangeMode::fixed) return {view.low, view.high};
  const std::unique_ptr<Solver> solver = job.plan.create(job.executor);
  const std::int64_t frames = view.range == RangeMode::first ? 1 : job.scene.animation.frames;
  Interval range{1, -1};
  for (std::int64_t frame = 0; frame < frames && !job.interrupted(); ++frame) {
    advance(job, *solver, steps_before(job, frame));
    const Interval here = job.rasterizer.measure(solver->view());
    if (here.low > here.high) break;  // nothing finite is left to measure: the run itself will say so
    range = range.low > range.high ? here : Interval{std::min(range.low, here.low), std::max(range.high, here.high)};
    job.report(frame + 1, true);
  }
  return range;
}

}  // namespace

RenderResult render(const RenderJob& job) {
  RenderResult result;
  double searching = 0, simulate = 0, draw = 0, convert = 0, wait = 0;
  StopWatch whole(job.executor, false), watch(job.executor, job.profile);

  job.rasterizer.set_range(find_range(job));
  result.range = job.rasterizer.range();
  watch.lap(searching);

  const std::unique_ptr<Solver> solver = job.plan.create(job.executor);
  const bool diagnostics = std::ranges::any_of(job.sinks, [](const auto& sink) { return sink->wants_diagnostics(); });
  FrameRing ring(job.executor, job.sinks, job.scene.view.size);
  for (std::int64_t frame = 0; frame < job.scene.animation.frames; ++frame) {
    advance(job, *solver, steps_before(job, frame));
    result.signal = job.interrupted();
    if (result.signal) break;
    result.diverged = !solver->finite();
    if (result.diverged) break;
    watch.lap(simulate);

    job.rasterizer.draw(solver->view());
    watch.lap(draw);

    FrameRing::Slot& slot = ring.acquire();
    watch.lap(wait);

    for (const PixelLayout layout : ring.layouts()) job.rasterizer.convert(layout, slot.target(layout));
    slot.diagnostics = diagnostics ? solver->diagnose() : std::vector<double>();
    ring.publish(slot);
    watch.lap(convert);

    result.frames = frame + 1;
    job.report(result.frames, false);
  }
  result.steps = solver->steps_done();
  result.findings = solver->findings();
  ring.finish();
  watch.lap(wait);

  whole.lap(result.seconds);
  result.stages = {{"range", searching}, {"simulate", simulate}, {"draw", draw}, {"convert", convert}, {"wait", wait}};
  const FrameRing::Times times = ring.times();
  for (std::size_t i = 0; i < times.sink_busy.size(); ++i) result.stages.emplace_back("sink " + std::to_string(i), times.sink_busy[i]);
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
  return info;
}

RenderMemory render_memory(const Scene& scene, const SolverPlan& plan, Backend backend, const std::vector<PixelLayout>& layouts) {
  const std::size_t frames = FrameRing::memory_bytes(layouts, scene.view.size);
  const std::size_t model = plan.bytes + Rasterizer::memory_bytes(scene.view);
  // On a GPU every slot lies on both sides: the device writes one, the sinks read the other.
  return {model + frames, backend == Backend::cuda ? frames : 0};
}

}  // namespace simreel
