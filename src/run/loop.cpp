#include "run/loop.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "kernels/base/pack.h"
#include "run/ring.h"

namespace simreel {
namespace {

// Measures the time between two calls of `lap` and adds it to a stage.
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

// Advances the source to a frame in portions, waiting for each, so that the run reacts to a signal quickly however much
// work is between two frames. Calls `pause` after each portion.
template <class Pause>
void advance_to(const RenderJob& job, Source& source, std::int64_t frame, const Pause& pause) {
  while (source.work_to(frame) > 0 && !job.interrupted()) {
    source.advance_towards(frame);
    const std::int64_t left = source.work_to(frame), done = source.steps_done();
    if (left > 0) job.executor.wait();
    if (frame == 0) job.report({RenderProgress::Stage::start, done, done + left});
    pause();
  }
}

std::unique_ptr<Source> open_source(const RenderJob& job) {
  std::unique_ptr<Source> source = job.plan.open(job.executor);
  source->stop_when([&job] { return job.interrupted() != 0; });
  return source;
}

// The interval of the values of all frames, found by running the simulation once for this purpose.
Interval find_global_range(const RenderJob& job) {
  const std::unique_ptr<Source> source = open_source(job);
  const std::int64_t frames = job.scene.animation.frames;
  Interval range{1, -1};
  for (std::int64_t frame = 0; frame < frames; ++frame) {
    advance_to(job, *source, frame, [] {});
    if (job.interrupted() || !source->finite()) break;  // the run itself ends here and reports the reason
    const Interval here = job.rasterizer.measure(source->view(job.plan.field), frame);
    range = range.low > range.high ? here : Interval{std::min(range.low, here.low), std::max(range.high, here.high)};
    job.rasterizer.set_range(range);  // throws early if the scale does not allow the range: later frames only widen it
    job.report({RenderProgress::Stage::range, frame + 1, frames});
  }
  return range;
}

// Restores the state of an interrupted run in a fresh source, and returns the number of frames that it had drawn.
std::int64_t resume(const Checkpoint& checkpoint, Source& source) {
  if (checkpoint.has("step")) source.load(checkpoint);
  return checkpoint.load_value<std::int64_t>(frames_block);
}

}  // namespace

RenderResult render(const RenderJob& job) {
  RenderResult result;
  double searching = 0, simulate = 0, draw = 0, convert = 0, measure = 0, copy = 0, wait = 0;
  StopWatch whole(job.executor, false), watch(job.executor, job.profile);

  const RangeMode mode = job.rasterizer.range_mode();
  const bool range_known = job.resumed && job.rasterizer.load(*job.resumed);
  if (mode == RangeMode::global && !range_known) {
    job.rasterizer.set_range(find_global_range(job));
    if (job.checkpointer && !job.interrupted()) job.checkpointer->keep_range(job.rasterizer);
  }
  watch.lap(searching);

  const std::unique_ptr<Source> source = open_source(job);
  if (job.resumed) result.frames = resume(*job.resumed, *source);
  const auto offer_checkpoint = [&] {
    if (job.checkpointer) job.checkpointer->offer(result.frames, *source, job.rasterizer);
  };
  const bool diagnostics = std::ranges::any_of(job.sinks, [](const auto& sink) { return sink->wants_diagnostics(); });
  FrameRing ring(job.executor, job.sinks, job.scene.view.size, result.frames, job.plan.view_bytes,
                 FrameRing::default_slots, job.log);
  job.rasterizer.set_layouts(ring.layouts());
  for (std::int64_t frame = result.frames; frame < job.scene.animation.frames; ++frame) {
    offer_checkpoint();
    advance_to(job, *source, frame, offer_checkpoint);
    result.signal = job.interrupted();
    if (result.signal) break;
    result.diverged = !source->finite();
    if (result.diverged) break;
    watch.lap(simulate);

    const View view = source->view(job.plan.field);
    if (frame == 0 && mode == RangeMode::first) job.rasterizer.set_range(job.rasterizer.measure(view, frame));
    job.rasterizer.draw(view, frame);
    watch.lap(draw);

    FrameRing::Slot& slot = ring.acquire();
    watch.lap(wait);

    for (const PixelLayout layout : ring.layouts()) job.rasterizer.convert(layout, slot.target(layout));
    if (ring.wants_state()) {
      pack_view(job.executor, view, slot.state_target());
      slot.state = {state_layout(view), nullptr, source->steps_done(), source->time()};
    }
    watch.lap(convert);
    slot.diagnostics = diagnostics ? source->diagnose() : std::vector<double>();
    watch.lap(measure);
    ring.publish(slot);
    watch.lap(copy);

    result.frames = frame + 1;
    job.report({RenderProgress::Stage::render, result.frames, job.scene.animation.frames});
  }
  result.range = job.rasterizer.range();
  result.steps = source->steps_done();
  if (result.diverged) result.divergence = source->divergence();
  result.findings = source->findings();
  std::ranges::move(job.rasterizer.findings(), std::back_inserter(result.findings));
  ring.finish();
  watch.lap(wait);

  if (job.checkpointer) {
    // Before the first step there may be no range yet, and there is nothing worth saving.
    const bool begun = result.frames + result.steps > 0;
    result.resumable = result.signal && (begun || job.resumed);
    if (result.signal && begun) job.checkpointer->close(result.frames, *source, job.rasterizer);
    if (!result.resumable) job.checkpointer->remove();
  }

  whole.lap(result.seconds);
  result.stages = {{"range", searching}, {"simulate", simulate}, {"draw", draw},         {"convert", convert},
                   {"measure", measure}, {"copy", copy},         {"wait for ring", wait}};
  const std::vector<double> busy = ring.times().sink_busy;
  for (std::size_t i = 0; i < busy.size(); ++i) result.sinks.push_back({busy[i], job.sinks[i]->times()});
  return result;
}

}  // namespace simreel
